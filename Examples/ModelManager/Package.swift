// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "ModelManager",
  products: [.executable(name: "ModelManager", targets: ["ModelManager"])],
  dependencies: [.package(name: "martlet", path: "../..")],
  targets: [
    .target(
      name: "Fruit", dependencies: [.product(name: "CoreML", package: "martlet")], exclude: ["Ripeness.mlmodel"],
      plugins: [.plugin(name: "ModelClasses", package: "martlet")]),
    .executableTarget(name: "ModelManager", dependencies: ["Fruit"]),
    .testTarget(name: "FruitTests", dependencies: ["Fruit", .product(name: "CoreML", package: "martlet")]),
  ]
)
