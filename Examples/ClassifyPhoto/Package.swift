// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ClassifyPhoto",
  products: [.executable(name: "ClassifyPhoto", targets: ["ClassifyPhoto"])],
  dependencies: [.package(name: "martlet", path: "../..")],
  targets: [
    .executableTarget(name: "ClassifyPhoto", dependencies: [.product(name: "executorch", package: "martlet")])
  ]
)
