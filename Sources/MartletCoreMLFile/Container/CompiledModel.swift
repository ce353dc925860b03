import MartletBytes
import MartletCoreMLSpecification
import MartletFeatures
import MartletTensor

/// Reads `.mlmodelc` folders written by Apple's compiler for ML Programs: `model.mil`, `coremldata.bin`, `metadata.json` and weight
/// files. A pipeline has its models in folders `model0`, `model1` and so on.
enum CompiledModel {
  /// Maximum number of models in a pipeline.
  private static let maximumStages = 10_000

  static func isCompiledModel(_ folder: CoreMLFolder) -> Bool {
    folder.hasFile("coremldata.bin") || folder.hasFile("model.mil")
  }

  static func read(_ folder: CoreMLFolder, depth: Int) throws(FileError) -> CoreMLModel {
    guard depth <= CoreMLModel.maximumDepth else { throw FileError(file: folder.path, reason: "pipelines are nested too deeply") }
    let data = try CompiledModelData(folder.open("coremldata.bin", part: "coremldata.bin"))
    // Newer compilers repeat the content of coremldata.bin here; only the version is needed.
    let metadata =
      folder.hasFile("metadata.json")
      ? try folder.open("metadata.json", part: "metadata.json").decodedJSON(as: [CompiledModelMetadata].self, part: "metadata.json").first
      : nil
    let version = metadata?.specificationVersion ?? data.specificationVersion ?? 0

    func model(_ kind: CoreMLModelKind, _ content: CoreMLModel.Content) throws(FileError) -> CoreMLModel {
      try CoreMLModel(
        path: folder.path, specificationVersion: version, kind: kind, isUpdatable: metadata?.isUpdatable == "1",
        description: data.description, content: content)
    }

    if folder.hasFile("model.mil") {
      let text = try folder.open("model.mil", part: "model.mil")
      let weights = WeightFolder(folder: folder, modelPath: text.owner.path)
      return try model(.mlProgram, .program(try MILTextParser.program(text, weights: weights)))
    }
    var stages: [CoreMLModel.PipelineStage] = []
    while stages.count < maximumStages {
      let stage = try folder.subfolder("model\(stages.count)")
      guard isCompiledModel(stage) else { break }
      stages.append(CoreMLModel.PipelineStage(name: "", model: try read(stage, depth: depth + 1)))
    }
    guard !stages.isEmpty else {
      let reason =
        folder.hasFile("model.espresso.net")
        ? "is a compiled neural network; only ML Programs and pipelines of them are read in compiled form"
        : "model.mil is missing"
      throw FileError(file: folder.path, field: "model.mil", reason: reason)
    }
    return try model(metadata?.pipelineKind ?? .pipeline, .pipeline(stages))
  }
}

/// The entry of `metadata.json`.
struct CompiledModelMetadata: Decodable {
  struct ModelType: Decodable {
    var name: String
  }

  var specificationVersion: Int?
  /// "0" or "1".
  var isUpdatable: String?
  var modelType: ModelType?

  var pipelineKind: CoreMLModelKind? {
    switch modelType?.name {
    case "MLModelType_pipelineClassifier": .pipelineClassifier
    case "MLModelType_pipelineRegressor": .pipelineRegressor
    case "MLModelType_pipeline": .pipeline
    default: nil
    }
  }
}

/// `coremldata.bin` of a compiled model. The known parts are the name of the kind, with its u64 length, at byte 28, a u64 with the
/// specification version after it, and further on a u64 length and the model's description as protobuf. The fields in between vary, so
/// the description must be searched for.
struct CompiledModelData {
  let description: ModelDescription
  /// `nil` if it is not at the known location.
  let specificationVersion: Int?

  /// Range of bytes to search for the description, and maximum number of candidates to decode.
  private static let searchedByteCount = 65_536
  private static let maximumCandidates = 64

  init(_ file: ByteView) throws(FileError) {
    specificationVersion = Self.version(file)
    var candidates = 0
    var found: (length: Int, description: SpecModelDescription)?
    for offset in 0..<min(Self.searchedByteCount, max(file.count - 8, 0)) {
      guard let length = Int(exactly: try file.load(UInt64.self, at: offset)), length > (found?.length ?? 1),
        // In range: offsets within the file.
        file.contains(offset: offset + 8, count: length), Self.startsDescription(try file.load(UInt8.self, at: offset + 8))
      else { continue }
      candidates += 1
      guard candidates <= Self.maximumCandidates else { break }
      // In range: offsets within the file.
      guard let message = try? SpecModelDescription(checking: file.slice(offset: offset + 8, count: length), part: ""),
        !message.output.isEmpty || !message.functions.isEmpty,
        (message.input + message.output + message.state).allSatisfy({ $0.type.type != nil && !$0.name.isEmpty })
      else { continue }
      found = (length, message)
    }
    guard let found else { throw file.error(field: "coremldata.bin", "the model's description is missing") }
    description = try locating("coremldata.bin") { () throws(FileError) in
      try ModelDescription(found.description, path: file.owner.path)
    }
  }

  /// Returns true if `byte` can be the first byte of a description in protobuf: the tag of one of its fields.
  private static func startsDescription(_ byte: UInt8) -> Bool {
    switch byte {
    // Length-delimited fields 1 and 10 to 13, and first bytes of the two-byte tags of 20, 21, 50 and 100.
    case 0x0A, 0x52, 0x5A, 0x62, 0x6A, 0xA2, 0xAA, 0x92: true
    default: false
    }
  }

  private static func version(_ file: ByteView) -> Int? {
    guard let length = try? file.load(UInt64.self, at: 28), length <= 64,
      let number = try? file.load(UInt64.self, at: 36 + Int(clamping: length)),
      (1...99).contains(number)
    else { return nil }
    return Int(clamping: number)
  }
}
