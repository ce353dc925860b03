// swift-tools-version: 6.2
import PackageDescription

let package = Package(
  name: "SearchSentences",
  products: [.executable(name: "SearchSentences", targets: ["SearchSentences"])],
  dependencies: [.package(name: "martlet", path: "../..")],
  targets: [
    .executableTarget(
      name: "SearchSentences", dependencies: [.product(name: "CoreML", package: "martlet")],
      exclude: ["Sentences.mlpackage"], resources: [.copy("sentences.txt")],
      plugins: [.plugin(name: "ModelClasses", package: "martlet")])
  ]
)
