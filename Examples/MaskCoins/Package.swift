// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "MaskCoins",
  products: [.executable(name: "MaskCoins", targets: ["MaskCoins"])],
  dependencies: [.package(name: "martlet", path: "../..")],
  targets: [
    .executableTarget(
      name: "MaskCoins", dependencies: [.product(name: "Vision", package: "martlet"), .product(name: "CoreImage", package: "martlet")],
      exclude: ["Coins.mlpackage"], resources: [.copy("coins.png")],
      plugins: [.plugin(name: "ModelClasses", package: "martlet")])
  ]
)
