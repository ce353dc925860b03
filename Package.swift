// swift-tools-version: 6.2
import PackageDescription

/// Settings of every Swift target: explicit imports, and each use of an unsafe construct marked `unsafe`.
let strict: [SwiftSetting] = [
  .enableUpcomingFeature("MemberImportVisibility"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .strictMemorySafety(),
]

/// A Swift target of the engine. `dependencies` may only name targets of lower layers (see Documentation/Architecture.md).
func layer(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

let package = Package(
  name: "martlet",
  products: [
    .library(name: "Martlet", targets: ["Martlet"]),
    .executable(name: "martlet", targets: ["MartletCLI"]),
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0")
  ],
  targets: [
    // Layer 0: pointers, bytes, tensors.
    .target(name: "CMartletKernels", publicHeadersPath: "include"),
    // Counts the process's allocations; only an executable may link it.
    .target(name: "CMartletAllocationCount", publicHeadersPath: "include"),
    layer("MartletBytes"),
    layer("MartletTensor"),
    // Layer 1: kernels in Swift over C; the graph; readers.
    layer("MartletKernels", ["CMartletKernels", "MartletTensor"]),
    layer("MartletGraph", ["MartletTensor"]),
    layer("MartletExecuTorchFile", ["MartletBytes"]),
    layer("MartletMedia", ["MartletBytes", "MartletTensor"]),
    // Layer 2: operators.
    layer("MartletOps", ["MartletGraph", "MartletKernels", "MartletTensor"]),
    // Layer 3: graph compiler and importers.
    layer("MartletCompiler", ["MartletOps", "MartletGraph", "MartletKernels", "MartletTensor"]),
    layer("MartletImport", ["MartletOps", "MartletKernels", "MartletGraph", "MartletTensor", "MartletBytes", "MartletExecuTorchFile"]),
    // Layer 4: execution.
    layer("MartletRuntime", ["MartletCompiler", "MartletOps", "MartletGraph", "MartletKernels", "MartletTensor"]),
    // Layer 5: the public face of the engine.
    .target(
      name: "Martlet",
      dependencies: [
        "MartletRuntime", "MartletCompiler", "MartletImport", "MartletOps", "MartletGraph", "MartletKernels",
        "MartletTensor", "MartletBytes", "MartletExecuTorchFile", "MartletMedia",
      ],
      swiftSettings: strict),
    // Layer 6: recorded cases. Layer 7: the command line.
    layer("MartletConformance", ["Martlet", "MartletMedia", "MartletTensor"]),
    .executableTarget(
      name: "MartletCLI",
      dependencies: [
        "Martlet", "MartletConformance", "MartletMedia", "MartletTensor", "CMartletAllocationCount",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      resources: [.copy("Resources")],
      swiftSettings: strict),
    .testTarget(
      name: "MartletOpsTests",
      dependencies: ["MartletRuntime", "MartletCompiler", "MartletOps", "MartletGraph", "MartletKernels", "MartletTensor"],
      swiftSettings: strict),
    .testTarget(
      name: "MartletCompilerTests",
      dependencies: ["MartletCompiler", "MartletOps", "MartletGraph", "MartletKernels", "MartletTensor"],
      swiftSettings: strict),
    .testTarget(
      name: "MartletRuntimeTests",
      dependencies: ["MartletRuntime", "MartletCompiler", "MartletOps", "MartletGraph", "MartletKernels", "MartletTensor"],
      swiftSettings: strict),
    .testTarget(
      name: "MartletExecuTorchFileTests",
      dependencies: ["MartletExecuTorchFile", "MartletBytes"],
      resources: [.copy("Fixtures")],
      swiftSettings: strict),
    .testTarget(
      name: "MartletMediaTests",
      dependencies: ["MartletMedia", "MartletTensor"],
      resources: [.copy("Fixtures")],
      swiftSettings: strict),
    .testTarget(
      name: "MartletConformanceTests",
      dependencies: ["Martlet", "MartletConformance", "MartletMedia", "MartletTensor"],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)

// Fuzzing entries, on request only: they link a driver that ordinary builds do not have (see Fuzz/README.md).
if Context.environment["MARTLET_FUZZ"] != nil {
  package.targets.append(
    .executableTarget(
      name: "FuzzExecuTorchFile",
      dependencies: ["MartletExecuTorchFile", "MartletBytes"],
      path: "Fuzz/FuzzExecuTorchFile",
      swiftSettings: strict + [.enableExperimentalFeature("Extern")]))
}
