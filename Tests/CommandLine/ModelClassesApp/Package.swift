// swift-tools-version: 6.2
import PackageDescription

// A package as a user of the plugin has it; ../model-classes.sh copies models into it, builds and runs it.
let package = Package(
  name: "ModelClassesApp",
  dependencies: [.package(name: "martlet", path: "../../..")],
  targets: [
    .executableTarget(
      name: "App", dependencies: [.product(name: "CoreML", package: "martlet")],
      plugins: [.plugin(name: "ModelClasses", package: "martlet")])
  ]
)
