import MartletBytes
import MartletFeatures
import MartletTensor

/// Reads `.mlmodelc` folders written by Apple's compiler: `coremldata.bin` with the description, `metadata.json`, and for ML Programs `model.mil`
/// and weight files, for networks `model.espresso.net` and others. A pipeline has its models in folders `model0`, `model1` and so on.
///
/// Models of other kinds are described, and refused when they are to run.
enum CompiledModel {
  /// Maximum number of models in a pipeline.
  private static let maximumStages = 10_000

  static func isCompiledModel(_ folder: CoreMLFolder) -> Bool {
    folder.hasFile("coremldata.bin") || folder.hasFile("model.mil") || folder.hasFile("model.espresso.net")
      || folder.hasFile(encryptionFile)
  }

  /// The file that an encrypted model has beside those of others.
  private static let encryptionFile = "encryptionInfo/coremldata.bin"

  private static func encrypted(_ folder: CoreMLFolder) -> FileError {
    var error = FileError(file: folder.path, reason: "the model is encrypted, and only Apple's systems get its key")
    error.isEncrypted = true
    return error
  }

  static func read(_ folder: CoreMLFolder, depth: Int) throws(FileError) -> CoreMLModel {
    guard depth <= CoreMLModel.maximumDepth else { throw FileError(file: folder.path, reason: "pipelines are nested too deeply") }
    guard !folder.hasFile(encryptionFile) else { throw encrypted(folder) }
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
    if folder.hasFile("model.espresso.net") {
      return try model(data.networkKind, try network(in: folder, data))
    }
    var stages: [CoreMLModel.PipelineStage] = []
    while stages.count < maximumStages {
      let stage = try folder.subfolder("model\(stages.count)")
      guard isCompiledModel(stage) else { break }
      stages.append(CoreMLModel.PipelineStage(name: "", at: stages.count, try read(stage, depth: depth + 1)))
    }
    guard stages.isEmpty else { return try model(metadata?.pipelineKind ?? data.pipelineKind, .pipeline(stages)) }
    guard let kind = data.kind, !data.needsFile else {
      throw FileError(file: folder.path, field: "model.mil", reason: "model.mil is missing")
    }
    return try model(kind, .classic(.opaque(refused("models of the kind \(kind) are not supported in compiled form"))))
  }

  private static func refused(_ reason: String, labels: ClassLabels? = nil) -> OpaqueModel {
    OpaqueModel(byteCount: 0, labels: labels, refusal: reason + "; compile the model from its .mlmodel or .mlpackage")
  }

  private static func network(in folder: CoreMLFolder, _ data: CompiledModelData) throws(FileError) -> CoreMLModel.Content {
    switch EspressoReader.form(of: try folder.open("model.espresso.net", part: "model.espresso.net")) {
    case .compressed: return .classic(.opaque(refused("the compiled network is compressed", labels: data.classifier?.labels)))
    case .unknown: throw encrypted(folder)
    case .json: break
    }
    let function = data.description.defaultFunction
    if function.predictedFeatureName != nil, data.networkKind == .neuralNetworkClassifier, data.classifier == nil {
      return .classic(.opaque(refused("the labels of the compiled classifier are in a form that is not known")))
    }
    let transforms =
      folder.hasFile(EspressoTransforms.path)
      ? try EspressoTransforms(folder.open(EspressoTransforms.path, part: EspressoTransforms.path)).transforms : [:]
    let (network, refusal) = try EspressoReader(folder).network(function, classifier: data.classifier, transforms: transforms)
    guard let refusal else { return .network(network) }
    return .classic(.opaque(refused(refusal, labels: data.classifier?.labels)))
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

/// `coremldata.bin` of a compiled model. The known parts are a u32 with the kind at its start, the name of the target, with its u64 length,
/// at byte 28, a u64 with the specification version after it, and further on a u64 length and the model's description as protobuf. The
/// fields in between vary, so the description must be searched for.
///
/// Behind the description of a network classifier are a u64 with the kind, a u64 with the type of the labels, their u64 number and the
/// labels, and then the blob with the probabilities. Texts have a u64 length before them.
struct CompiledModelData {
  let description: ModelDescription
  /// `nil` for a number that is not known.
  let kind: CoreMLModelKind?
  /// `nil` if the labels are not where those of a network classifier are.
  let classifier: CoreMLNetwork.Classifier?
  /// `nil` if it is not at the known location.
  let specificationVersion: Int?

  /// Range of bytes to search for the description, and maximum number of candidates to decode.
  private static let searchedByteCount = 65_536
  private static let maximumCandidates = 64

  init(_ file: ByteView) throws(FileError) {
    specificationVersion = Self.version(file)
    var candidates = 0
    var found: (end: Int, length: Int, description: SpecModelDescription)?
    for offset in 0..<min(Self.searchedByteCount, max(file.count - 8, 0)) {
      guard let length = Int(exactly: try file.load(UInt64.self, at: offset)), length > (found?.length ?? 1),
        // In range: offsets within the file.
        file.contains(offset: offset + 8, count: length), Self.startsDescription(try file.load(UInt8.self, at: offset + 8))
      else { continue }
      candidates += 1
      guard candidates <= Self.maximumCandidates else { break }
      // In range: offsets within the file.
      guard let message = try? SpecModelDescription(checking: file.slice(offset: offset + 8, count: length), against: .coreML, part: ""),
        !message.output.isEmpty || !message.functions.isEmpty,
        (message.input + message.output + message.state).allSatisfy({ $0.type.type != nil && !$0.name.isEmpty })
      else { continue }
      // In range: within the file.
      found = (offset + 8 + length, length, message)
    }
    guard let found else { throw file.error(field: "coremldata.bin", "the model's description is missing") }
    description = try locating("coremldata.bin") { () throws(FileError) in
      try ModelDescription(found.description, path: file.owner.path)
    }
    kind = (try? file.load(UInt32.self, at: 0)).flatMap { CoreMLModelKind(number: $0) }
    classifier = kind == .neuralNetworkClassifier ? try? Self.classifier(file.suffix(from: found.end)) : nil
  }

  /// The kind of a network; that of the file if it is one of networks.
  var networkKind: CoreMLModelKind {
    switch kind {
    case .neuralNetworkClassifier?, .neuralNetworkRegressor?: kind ?? .neuralNetwork
    default: .neuralNetwork
    }
  }

  var pipelineKind: CoreMLModelKind {
    switch kind {
    case .pipelineClassifier?, .pipelineRegressor?: kind ?? .pipeline
    default: .pipeline
    }
  }

  /// True for a kind whose content lies in files that are missing.
  var needsFile: Bool {
    switch kind {
    case .mlProgram?, .neuralNetwork?, .neuralNetworkClassifier?, .neuralNetworkRegressor?, .pipeline?, .pipelineClassifier?,
      .pipelineRegressor?:
      true
    default: false
    }
  }

  private static func classifier(_ bytes: ByteView) throws(FileError) -> CoreMLNetwork.Classifier {
    var position = 0
    func number() throws(FileError) -> UInt64 {
      defer { position += 8 }
      return try bytes.load(UInt64.self, at: position)
    }
    func text() throws(FileError) -> String {
      let length = Int(clamping: try number())
      let text = try bytes.slice(offset: position, count: length).text()
      // In range: the text lies within the file.
      position += length
      return text
    }
    guard try number() == 403 else { throw bytes.error("is not a classifier") }
    let type = try number()
    // In range: each label takes at least eight bytes.
    let count = try number()
    guard count > 0, count <= UInt64(clamping: bytes.count / 8) else { throw bytes.error("has \(count) labels") }
    var texts: [String] = []
    var integers: [Int64] = []
    for _ in 0..<Int(clamping: count) {
      switch type {
      case 100: texts.append(try text())
      case 101: integers.append(Int64(bitPattern: try number()))
      default: throw bytes.error("has labels of the type \(type)")
      }
    }
    let blob = try text()
    return CoreMLNetwork.Classifier(
      labels: type == 100 ? .strings(texts) : .integers(integers), probabilities: blob.isEmpty ? nil : blob)
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
