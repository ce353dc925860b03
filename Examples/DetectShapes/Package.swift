// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "DetectShapes",
  products: [.executable(name: "DetectShapes", targets: ["DetectShapes"])],
  dependencies: [.package(name: "martlet", path: "../..")],
  targets: [
    .executableTarget(
      name: "DetectShapes", dependencies: [.product(name: "Vision", package: "martlet")],
      exclude: ["Shapes.mlpackage"], resources: [.copy("shapes.png")],
      plugins: [.plugin(name: "ModelClasses", package: "martlet")])
  ]
)
