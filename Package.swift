// swift-tools-version: 6.2
import PackageDescription

/// Settings of a Swift target in which one file imports a C module for all: each use of an unsafe construct is marked `unsafe`.
let strictButMembers: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .strictMemorySafety(),
]

/// Settings of every other Swift target: explicit imports in addition.
let strict: [SwiftSetting] = strictButMembers + [.enableUpcomingFeature("MemberImportVisibility")]

/// A Swift target of the engine. `dependencies` may only name targets of lower layers (see Documentation/Architecture.md).
func layer(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
  .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

/// True if modules with the names of Apple's frameworks are declared: on Linux, where the system has none. `MARTLET_LINUX=1` says to
/// another host that it builds for Linux, `MARTLET_LINUX=0` shows the package as other systems see it.
#if os(Linux)
  let isForLinux = Context.environment["MARTLET_LINUX"] != "0"
#else
  let isForLinux = (Context.environment["MARTLET_LINUX"] ?? "0") != "0"
#endif

/// Dependencies on our modules of Apple's frameworks.
func appleFrameworks(_ names: [String]) -> [Target.Dependency] { isForLinux ? names.map { .target(name: $0) } : [] }

/// Products with the names of ExecuTorch's own package, as far as their contents exist. All operators and delegates are always there, so
/// those that stand for a backend or a kernel library are other names of `executorch`; the `_debug` ones also keep logging in release
/// builds.
let upstreamProducts: [Product] = [
  ("executorch", "ExecuTorch"), ("executorch_llm", "ExecuTorchLLM"), ("backend_xnnpack", "ExecuTorch"), ("backend_coreml", "ExecuTorch"),
  ("kernels_optimized", "ExecuTorch"), ("kernels_quantized", "ExecuTorch"), ("kernels_llm", "ExecuTorch"),
  ("kernels_torchao", "ExecuTorch"),
].flatMap { name, target in
  [
    Product.library(name: name, targets: [target]),
    Product.library(name: name + "_debug", targets: [target, "CMartletLogSwitch"]),
  ]
}

let package = Package(
  name: "martlet",
  products: upstreamProducts + [
    .library(name: "Martlet", targets: ["Martlet"]),
    .library(name: "MartletTokenizers", targets: ["MartletTokenizers"]),
    .executable(name: "martlet", targets: ["MartletTool"]),
    .plugin(name: "ModelClasses", targets: ["ModelClasses"]),
  ],
  traits: [
    .trait(name: "Logging", description: "Keeps log messages in release builds; debug builds always have them.")
  ],
  dependencies: [
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-protobuf", from: "1.39.0"),
  ],
  targets: [
    // Layer 0: pointers, bytes, tensors.
    .target(name: "CMartletKernels", publicHeadersPath: "include"),
    // What Swift waits for in place of the kernels' object files: one that is compiled again when a header changes. Of what can be compiled, the
    // build takes the last name first: this one, `CMartletMappedFiles` and `CMartletPictureCodecs` come before the kernels, for which only the
    // linker waits.
    .target(name: "CMartletKernelsInterface", dependencies: ["CMartletKernels"], publicHeadersPath: "."),
    // Counts the process's allocations; only an executable may link it.
    .target(name: "CMartletAllocationCount", publicHeadersPath: "include"),
    // What only C reaches safely: faults in mapped files, paths within a folder, checksums.
    .target(name: "CMartletMappedFiles", publicHeadersPath: "include"),
    .target(
      name: "MartletBytes", dependencies: ["MartletSystem", "CMartletMappedFiles", "MartletTensor"],
      swiftSettings: strict + [.enableExperimentalFeature("Extern")]
    ),
    // The platform's C library.
    layer("MartletSystem"),
    layer("MartletTensor", ["MartletSystem"]),
    // Log messages; the switch, when linked, keeps them in release builds.
    .target(
      name: "MartletLog", dependencies: ["CMartletLog", "MartletLock"], swiftSettings: strict + [.enableExperimentalFeature("Extern")]),
    layer("MartletLock", ["MartletSystem"]),
    .target(name: "CMartletLog", publicHeadersPath: "include"),
    .target(name: "CMartletLogSwitch", dependencies: ["CMartletLog"], publicHeadersPath: "include"),
    // Layer 1: the words in which operators are described; the graph; readers. Layer 2: kernels in Swift over C.
    layer("MartletVocabulary", ["MartletTensor"]),
    .target(
      name: "MartletKernels",
      dependencies: ["MartletSystem", "CMartletKernelsInterface", "MartletVocabulary", "MartletTensor"],
      swiftSettings: strictButMembers),
    layer("MartletGraph", ["MartletTensor"]),
    // Layer 2: text as tokens of language models; usable without the engine.
    layer("MartletTokenizers", ["MartletBytes", "MartletTensor"]),
    layer("MartletExecuTorchFile", ["MartletBytes", "MartletTensor"]),
    layer("MartletColor", ["MartletSystem", "MartletTensor"]),
    // Descriptions of features, which readers give.
    layer("MartletFeatures", ["MartletTensor"]),
    // Layer 3: pixels, over the kernels. Layer 4: files with pictures.
    layer("MartletPixels", ["MartletKernels", "MartletTensor", "MartletVocabulary", "MartletLock"]),
    // What codecs declare in C and Swift cannot call: errors that jump, structures that are returned.
    .target(name: "CMartletPictureCodecs", publicHeadersPath: "include"),
    .target(
      name: "MartletMedia", dependencies: ["MartletSystem", "CMartletPictureCodecs", "MartletBytes", "MartletPixels", "MartletTensor"],
      swiftSettings: strictButMembers),
    .target(
      name: "MartletCoreMLFile", dependencies: ["MartletSystem", "MartletBytes", "MartletFeatures", "MartletTensor"],
      exclude: ["Specification/Protos"],
      swiftSettings: strict),
    // Layer 2: typed classes of Core ML models. The tool and the plugin write them during a build, so they need little to be compiled.
    layer("MartletModelClasses", ["MartletBytes", "MartletTensor"]),
    .executableTarget(
      name: "MartletModelClassesTool", dependencies: ["MartletSystem", "MartletModelClasses", "MartletBytes"], swiftSettings: strict),
    .plugin(name: "ModelClasses", capability: .buildTool(), dependencies: ["MartletModelClassesTool"]),
    // Layer 2: operators.
    layer("MartletOps", ["MartletSystem", "MartletGraph", "MartletKernels", "MartletVocabulary", "MartletTensor", "MartletLock"]),
    // Layer 3: graph compiler and importers.
    layer("MartletCompiler", ["MartletOps", "MartletGraph", "MartletKernels", "MartletVocabulary", "MartletTensor", "MartletLock"]),
    layer(
      "MartletImport",
      [
        "MartletSystem", "MartletOps", "MartletGraph", "MartletVocabulary", "MartletTensor", "MartletBytes", "MartletExecuTorchFile",
        "MartletCoreMLFile",
        "MartletFeatures", "MartletLog",
      ]),
    // Layer 4: execution.
    layer(
      "MartletRuntime",
      [
        "MartletSystem", "MartletCompiler", "MartletOps", "MartletGraph", "MartletKernels", "MartletVocabulary", "MartletTensor",
        "MartletLock",
        "MartletLog",
      ]),
    // Layer 5: the public face of the engine.
    .target(
      name: "Martlet",
      dependencies: [
        "MartletSystem", "MartletRuntime", "MartletCompiler", "MartletImport", "MartletOps", "MartletGraph", "MartletVocabulary",
        "MartletTensor",
        "MartletBytes", "MartletExecuTorchFile", "MartletCoreMLFile", "MartletFeatures", "MartletMedia", "MartletPixels", "MartletLog",
        "MartletLock",
      ],
      swiftSettings: strict),
    // Layer 6: what the faces share: pixel buffers as the engine's pixels and pictures.
    layer("MartletPixelBuffers", ["Martlet", "MartletFeatures", "MartletPixels"] + appleFrameworks(["CoreVideo"])),
    // Observations of a model run on a picture, for Vision and the command line.
    layer("MartletVision", ["Martlet", "MartletFeatures", "MartletPixels"]),
    // Layer 6: text from language models.
    layer("MartletTextGeneration", ["MartletSystem", "Martlet", "MartletTokenizers"]),
    // Layer 7: the faces of other runtimes: their names only, over the engine.
    layer("ExecuTorch", ["Martlet", "MartletPixelBuffers", "MartletPixels"] + appleFrameworks(["CoreVideo"])),
    layer("ExecuTorchLLM", ["ExecuTorch", "Martlet", "MartletTextGeneration"]),
    // Layer 6: recorded cases; the commands that need none. Layer 7: the command line.
    layer(
      "MartletConformance",
      [
        "MartletSystem", "Martlet", "MartletRuntime", "MartletCompiler", "MartletImport", "MartletOps", "MartletGraph", "MartletKernels",
        "MartletTensor", "MartletBytes", "MartletExecuTorchFile", "MartletCoreMLFile", "MartletMedia", "MartletPixels",
        "MartletTextGeneration", "MartletTokenizers",
      ]),
    // Hostile files made from good ones, and what the engine does with them. For tests and fuzzing. The first knows no model.
    .target(name: "MartletFuzzing", path: "Fuzz/MartletFuzzing", swiftSettings: strict),
    .target(
      name: "MartletModelFuzzing",
      dependencies: [
        "Martlet", "MartletFuzzing", "MartletImport", "MartletRuntime", "MartletCompiler", "MartletGraph", "MartletExecuTorchFile",
        "MartletCoreMLFile", "MartletBytes", "MartletTensor",
      ],
      path: "Fuzz/MartletModelFuzzing",
      swiftSettings: strict),
    // The models and the photograph of `classify` and `complete`. In C, because SwiftPM's accessor for the resources of a Swift target needs
    // all of Foundation.
    .target(name: "CMartletDemo", resources: [.copy("Resources")]),
    .target(
      name: "MartletCommands",
      dependencies: [
        "MartletSystem", "Martlet", "MartletKernels", "MartletMedia", "MartletModelClasses", "MartletPixels", "MartletBytes",
        "MartletColor", "MartletTensor", "MartletLock", "MartletVision", "MartletTextGeneration", "MartletTokenizers",
        "CMartletAllocationCount", "CMartletDemo",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .target(
      name: "MartletCLI",
      dependencies: [
        "MartletSystem", "Martlet", "MartletCommands", "MartletConformance", "MartletBytes", "MartletTensor", "MartletLock",
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .executableTarget(name: "MartletTool", dependencies: ["MartletSystem", "MartletCLI"], swiftSettings: strict),
    // Compares the imports of targets with Documentation/Architecture.md.
    .testTarget(name: "ArchitectureTests", dependencies: ["MartletVocabulary"], swiftSettings: strict),
    .testTarget(name: "MartletTensorTests", dependencies: ["MartletTensor"], swiftSettings: strict),
    .testTarget(
      name: "MartletTokenizersTests", dependencies: ["MartletTestSampling", "MartletTokenizers", "MartletBytes"],
      resources: [.copy("Fixtures")],
      swiftSettings: strict),
    .testTarget(
      name: "MartletTextGenerationTests",
      dependencies: ["MartletTestSampling", "MartletTextGeneration", "Martlet", "MartletTokenizers"], swiftSettings: strict),
    .testTarget(name: "MartletBytesTests", dependencies: ["MartletBytes", "CMartletMappedFiles"], swiftSettings: strict),
    // How much of its work a test does in debug builds.
    .target(name: "MartletTestSampling", path: "Tests/Sampling", swiftSettings: strict),
    // Helpers that several test targets share.
    .target(
      name: "MartletTesting",
      dependencies: ["MartletRuntime", "MartletCompiler", "MartletOps", "MartletGraph", "MartletTensor"],
      path: "Tests/Support",
      swiftSettings: strict),
    .testTarget(
      name: "MartletKernelsTests",
      dependencies: ["MartletTesting", "MartletKernels", "MartletVocabulary", "MartletTensor"],
      swiftSettings: strict),
    .testTarget(
      name: "MartletGraphTests",
      dependencies: ["MartletOps", "MartletGraph", "MartletKernels", "MartletVocabulary", "MartletTensor"],
      swiftSettings: strict),
    .testTarget(
      name: "MartletOpsTests",
      dependencies: [
        "MartletTestSampling", "MartletTesting", "MartletRuntime", "MartletCompiler", "MartletOps", "MartletGraph", "MartletKernels",
        "MartletVocabulary", "MartletTensor",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MartletImportTests",
      dependencies: [
        "Martlet", "MartletConformance", "MartletRuntime", "MartletCompiler", "MartletImport", "MartletOps", "MartletGraph",
        "MartletKernels", "MartletVocabulary", "MartletTensor", "MartletBytes", "MartletCoreMLFile", "MartletExecuTorchFile",
        "MartletFeatures",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MartletCompilerTests",
      dependencies: [
        "MartletTesting", "MartletRuntime", "MartletCompiler", "MartletOps", "MartletGraph", "MartletKernels", "MartletVocabulary",
        "MartletTensor",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MartletRuntimeTests",
      dependencies: [
        "MartletRuntime", "MartletCompiler", "MartletOps", "MartletGraph", "MartletKernels", "MartletVocabulary", "MartletTensor",
        "MartletLock",
      ],
      swiftSettings: strict),
    .testTarget(
      name: "MartletExecuTorchFileTests",
      dependencies: ["MartletTestSampling", "MartletExecuTorchFile", "MartletBytes"],
      resources: [.copy("Fixtures")],
      swiftSettings: strict),
    // The messages of the Core ML model format, to write models with. Generated code, which marks no unsafe use.
    .target(
      name: "CoreMLMessages",
      dependencies: [.product(name: "SwiftProtobuf", package: "swift-protobuf")],
      path: "Tests/CoreMLMessages",
      swiftSettings: [.enableUpcomingFeature("InternalImportsByDefault"), .enableUpcomingFeature("MemberImportVisibility")]),
    .testTarget(
      name: "MartletCoreMLFileTests",
      dependencies: [
        "MartletTestSampling", "MartletCoreMLFile", "CoreMLMessages", "MartletFeatures", "MartletBytes",
        .product(name: "SwiftProtobuf", package: "swift-protobuf"),
      ],
      resources: [.copy("Fixtures")],
      swiftSettings: strict),
    // Compares the text of classes with recorded declarations.
    .testTarget(
      name: "MartletModelClassesTests", dependencies: ["MartletModelClasses", "MartletBytes"], resources: [.copy("Fixtures")],
      swiftSettings: strict),
    .testTarget(
      name: "MartletMediaTests",
      dependencies: ["MartletMedia", "MartletPixels", "MartletTensor", "MartletVocabulary"],
      resources: [.copy("Fixtures")],
      swiftSettings: strict),
    .testTarget(
      name: "MartletPixelsTests",
      dependencies: ["MartletPixels", "MartletKernels", "MartletMedia", "MartletVocabulary", "MartletTensor"],
      resources: [.copy("Fixtures")],
      swiftSettings: strict),
    .testTarget(name: "MartletColorTests", dependencies: ["MartletColor"], resources: [.copy("Fixtures")], swiftSettings: strict),
    .testTarget(
      name: "ExecuTorchTests",
      dependencies: ["ExecuTorch", "Martlet", "MartletLog", "MartletTensor"] + appleFrameworks(["CoreVideo"]),
      resources: [.copy("Fixtures")],
      swiftSettings: strict),
    // As users write it: no strict settings.
    .testTarget(name: "ExecuTorchLLMTests", dependencies: ["ExecuTorchLLM"]),
    // The documentation's code, as users write it: no strict settings.
    .testTarget(
      name: "DocumentationTests",
      dependencies: ["ExecuTorch", "ExecuTorchLLM", "Martlet", "MartletTokenizers"] + appleFrameworks(["CoreML", "Vision"]),
      exclude: ["Fixtures"]),
    // As users write it, with `import Martlet` only.
    .testTarget(
      name: "MartletTests", dependencies: ["Martlet", "MartletTensor", "MartletBytes", "CMartletMappedFiles"],
      resources: [.copy("Fixtures")], swiftSettings: strict),
    .testTarget(
      name: "HostileFileTests",
      dependencies: ["MartletFuzzing", "MartletModelFuzzing", "Martlet", "MartletTensor"],
      swiftSettings: strict),
    .testTarget(
      name: "MartletConformanceTests",
      dependencies: [
        "Martlet", "MartletBytes", "MartletConformance", "MartletCoreMLFile", "MartletImport", "MartletOps", "MartletMedia",
        "MartletPixels", "MartletTensor",
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6],
  cLanguageStandard: .c11
)

/// Modules with the names of Apple's frameworks. Their products exist on every host, because SwiftPM looks for a product whatever the
/// condition of a dependency; where the system has the modules, the products are empty.
let appleModules = [
  "CoreVideo", "CoreGraphics", "ImageIO", "CoreImage", "CoreML", "Vision", "QuartzCore", "VideoToolbox", "UniformTypeIdentifiers", "OSLog",
]

if isForLinux {
  package.targets += [
    // Core Foundation's names, which every face re-exports.
    layer("MartletCoreFoundation"),
    // Look-ups of resources, which every face re-exports.
    layer("MartletResources"),
    // As users write it: no strict settings.
    .testTarget(name: "MartletResourcesTests", dependencies: ["MartletResources"]),
    layer("CoreVideo", ["MartletCoreFoundation", "MartletResources"]),
    .testTarget(name: "CoreVideoTests", dependencies: ["CoreVideo"], swiftSettings: strict),
    // What the toolchain asks of a file that imports Testing and CoreGraphics.
    .target(name: "_Testing_CoreGraphics", swiftSettings: strict),
    layer(
      "CoreGraphics",
      [
        "MartletColor", "MartletCoreFoundation", "MartletKernels", "MartletPixels", "MartletResources", "MartletTensor",
        "MartletVocabulary", "_Testing_CoreGraphics",
      ]),
    // As users write it: no strict settings.
    .testTarget(name: "CoreGraphicsTests", dependencies: ["CoreGraphics"], resources: [.copy("Fixtures")]),
    layer("ImageIO", ["CoreGraphics", "MartletColor", "MartletLog", "MartletMedia", "MartletPixels", "MartletTensor"]),
    // As users write it: no strict settings.
    .testTarget(name: "ImageIOTests", dependencies: ["ImageIO"]),
    // Pixel buffers as images.
    layer("MartletBufferImages", ["CoreGraphics", "CoreVideo", "MartletColor", "MartletKernels", "MartletPixels"]),
    // What the toolchain asks of a file that imports Testing and CoreImage.
    .target(name: "_Testing_CoreImage", swiftSettings: strict),
    // Makes `import CoreImage.CIFilterBuiltins` work.
    .target(name: "CMartletCoreImageSubmodules", publicHeadersPath: "include"),
    layer(
      "CoreImage",
      [
        "CMartletCoreImageSubmodules", "CoreGraphics", "CoreVideo", "ImageIO", "MartletBufferImages", "MartletColor", "MartletKernels",
        "MartletPixels", "MartletTensor", "MartletVocabulary", "_Testing_CoreImage",
      ]),
    // As users write it: no strict settings.
    .testTarget(name: "CoreImageTests", dependencies: ["CoreImage"]),
    // Small modules, each a product of its own, so that nobody gets them unasked.
    layer("QuartzCore", ["CoreGraphics"]),
    layer("VideoToolbox", ["CoreGraphics", "CoreVideo", "MartletBufferImages"]),
    layer("UniformTypeIdentifiers"),
    // As users write it: no strict settings.
    .testTarget(name: "QuartzCoreTests", dependencies: ["QuartzCore"]),
    .testTarget(name: "VideoToolboxTests", dependencies: ["VideoToolbox"]),
    .testTarget(name: "UniformTypeIdentifiersTests", dependencies: ["UniformTypeIdentifiers"]),
    // Images as pixels for models.
    layer(
      "MartletImages",
      [
        "CoreGraphics", "CoreVideo", "ImageIO", "MartletBufferImages", "MartletColor", "MartletLock",
        "MartletPixelBuffers", "MartletPixels",
      ]),
    // Makes `canImport(CoreML.MLState)` true.
    .target(name: "CMartletCoreMLSubmodules", publicHeadersPath: "include"),
    layer(
      "CoreML",
      [
        "CMartletCoreMLSubmodules", "CoreGraphics", "CoreVideo", "ImageIO", "Martlet", "MartletFeatures", "MartletImages",
        "MartletPixelBuffers", "MartletPixels",
      ]),
    // Log messages, signposts and locks. Nothing else depends on them: a module `os` changes what other packages compile.
    // The module `os` imports no C module of ours, because packages that do not depend on us import it.
    .target(name: "CMartletOSSubmodules", publicHeadersPath: "include"),
    layer("os"),
    layer("OSLog", ["CMartletOSSubmodules", "os"]),
    // As users write it: no strict settings.
    .testTarget(name: "OSLogTests", dependencies: ["OSLog"]),
    // As users write it: no strict settings.
    .testTarget(name: "CoreMLTests", dependencies: ["CoreML", "Martlet"], resources: [.copy("Fixtures")]),
    layer(
      "Vision",
      [
        "CoreGraphics", "CoreImage", "CoreML", "CoreVideo", "ImageIO", "Martlet", "MartletBufferImages", "MartletFeatures", "MartletImages",
        "MartletPixels", "MartletVision",
      ]),
    // As users write it: no strict settings.
    .testTarget(name: "VisionTests", dependencies: ["MartletVision", "Vision"], resources: [.copy("Fixtures")]),
    // The guides' code, unmodified: the models lie where it looks for them, and their logging wants DEBUG.
    .testTarget(
      name: "GuideTests", dependencies: ["CoreML", "ExecuTorch", "OSLog", "Vision"],
      resources: [
        "LargeModel.mlpackage", "Main.mlpackage", "MyImageClassifier.mlpackage", "MyModel.mlpackage", "Postprocessor.mlpackage",
        "Preprocessor.mlpackage", "Words.mlpackage", "methods.pte", "model.pte", "mv3.pte",
      ].map { .copy("Fixtures/" + $0) },
      swiftSettings: [.define("DEBUG")]),
  ]
  package.products += appleModules.map { .library(name: $0, targets: [$0]) }
} else {
  package.targets.append(.target(name: "MartletSystemFrameworks"))
  package.products += appleModules.map { .library(name: $0, targets: ["MartletSystemFrameworks"]) }
}

// Overhead of the ExecuTorch module over the engine, on request only.
if Context.environment["MARTLET_BENCHMARKS"] != nil {
  package.targets.append(
    .executableTarget(
      name: "FaceOverhead",
      dependencies: ["ExecuTorch", "Martlet", "CMartletAllocationCount"],
      path: "Benchmarks/FaceOverhead",
      swiftSettings: strict))
}

// Measurements of the modules with Apple's names, on request only.
if isForLinux, Context.environment["MARTLET_BENCHMARKS"] != nil {
  package.targets += [
    // Pictures to tensors, bitmaps and observations, for Benchmarks/pictures.py.
    .executableTarget(
      name: "Pictures",
      dependencies: [
        "CMartletAllocationCount", "CoreGraphics", "CoreImage", "CoreML", "CoreVideo", "ImageIO", "MartletMedia", "MartletPixels", "Vision",
      ],
      path: "Benchmarks/Pictures", swiftSettings: strict),
    // Cost of loading a Core ML model, part by part, and savings of a batch.
    .executableTarget(
      name: "CoreMLLoad",
      dependencies: ["CoreML", "Martlet", "MartletCompiler", "MartletCoreMLFile", "MartletGraph", "MartletImport"],
      path: "Benchmarks/CoreMLLoad",
      swiftSettings: strict),
    // Photographs through the modules that applications use, for Oracles/compare_photographs.py.
    .executableTarget(
      name: "Photographs", dependencies: ["CoreGraphics", "CoreML", "ImageIO", "Vision"], path: "Oracles/Photographs",
      swiftSettings: strict),
  ]
}

// A program that uses a model store, for the faults of Tests/Faults/run; on request only.
if Context.environment["MARTLET_FAULTS"] != nil {
  package.targets.append(
    .executableTarget(name: "StoreProbe", dependencies: ["Martlet"], path: "Tests/Faults/StoreProbe", swiftSettings: strict))
}

// Fuzzing entries, on request only: they link a driver that ordinary builds do not have (see Fuzz/README.md).
if Context.environment["MARTLET_FUZZ"] != nil {
  package.targets += [
    .executableTarget(
      name: "FuzzExecuTorchFile",
      dependencies: ["MartletExecuTorchFile", "MartletBytes"],
      path: "Fuzz/FuzzExecuTorchFile",
      swiftSettings: strict + [.enableExperimentalFeature("Extern")]),
    .executableTarget(
      name: "FuzzEngine",
      dependencies: ["MartletModelFuzzing"],
      path: "Fuzz/FuzzEngine",
      swiftSettings: strict + [.enableExperimentalFeature("Extern")]),
    .executableTarget(
      name: "FuzzModels",
      dependencies: ["MartletFuzzing", "MartletModelFuzzing", "Martlet", "MartletTensor"],
      path: "Fuzz/FuzzModels",
      swiftSettings: strict),
    .executableTarget(
      name: "FuzzCommands",
      dependencies: [
        "MartletFuzzing", "MartletModelFuzzing", "MartletCLI", .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      path: "Fuzz/FuzzCommands",
      swiftSettings: strict),
    .executableTarget(
      name: "FuzzPictures",
      dependencies: ["MartletFuzzing", "MartletColor", "MartletMedia", "MartletPixels"],
      path: "Fuzz/FuzzPictures",
      swiftSettings: strict),
    .executableTarget(
      name: "FuzzTokenizers",
      dependencies: ["MartletFuzzing", "MartletTokenizers"],
      path: "Fuzz/FuzzTokenizers",
      swiftSettings: strict),
    .executableTarget(
      name: "Soak",
      dependencies: ["Martlet", "MartletCLI", "MartletFuzzing", "MartletLock"] + appleFrameworks(["Vision"]),
      path: "Fuzz/Soak",
      swiftSettings: strict),
    .executableTarget(
      name: "FuzzCoreMLFile",
      dependencies: ["MartletCoreMLFile", "MartletBytes"],
      path: "Fuzz/FuzzCoreMLFile",
      swiftSettings: strict + [.enableExperimentalFeature("Extern")]),
  ]
}
