// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "NameAnimal",
  products: [.executable(name: "NameAnimal", targets: ["NameAnimal"])],
  dependencies: [.package(name: "martlet", path: "../..")],
  targets: [
    .executableTarget(
      name: "NameAnimal", dependencies: [.product(name: "CoreML", package: "martlet")],
      exclude: ["Animals.mlpackage"], resources: [.copy("cat.jpg")],
      plugins: [.plugin(name: "ModelClasses", package: "martlet")])
  ]
)
