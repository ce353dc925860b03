// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "CleanPhoto",
  products: [.executable(name: "CleanPhoto", targets: ["CleanPhoto"])],
  dependencies: [.package(name: "martlet", path: "../..")],
  targets: [
    .executableTarget(
      name: "CleanPhoto", dependencies: [.product(name: "CoreML", package: "martlet"), .product(name: "VideoToolbox", package: "martlet")],
      exclude: ["Cleaner.mlpackage"], resources: [.copy("coffee.jpg"), .copy("coffee-noisy.png")],
      plugins: [.plugin(name: "ModelClasses", package: "martlet")])
  ]
)
