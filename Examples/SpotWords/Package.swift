// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "SpotWords",
  products: [.executable(name: "SpotWords", targets: ["SpotWords"])],
  dependencies: [.package(name: "martlet", path: "../..")],
  targets: [
    .executableTarget(
      name: "SpotWords", dependencies: [.product(name: "CoreML", package: "martlet")],
      exclude: ["Words.mlpackage"], resources: [.copy("commands.wav")],
      plugins: [.plugin(name: "ModelClasses", package: "martlet")])
  ]
)
