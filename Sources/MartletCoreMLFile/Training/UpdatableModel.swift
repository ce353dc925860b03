package import MartletBytes
package import MartletFeatures
import MartletTensor

/// A model that can be trained, or whose last member can: what is trained, checked as coremltools' validators do.
package struct UpdatableModel: Sendable {
  package indirect enum Trained: Sendable {
    case network(UpdatableNetwork)
    case neighbors(NearestNeighborsClassifier)
  }

  package let trained: Trained
  /// The model that is trained: the whole one, or the last of a pipeline.
  package let member: CoreMLModel
  /// The stages before it, in order; those of nested pipelines one after the other, with the names of these pipelines before theirs.
  package let stages: [CoreMLModel.PipelineStage]
  /// The positions of `member` in nested pipelines, outermost first.
  package let path: [Int]

  /// - Throws: `FileError` if the model is not marked as updatable, is of a kind that cannot be trained, or breaks a rule of the format.
  package init(_ model: CoreMLModel) throws(FileError) {
    func error(_ field: String, _ reason: String) -> FileError { FileError(file: model.path, field: field, reason: reason) }
    guard model.isUpdatable else { throw error("isUpdatable", "the model is not updatable") }
    try model.checkUpdatable()
    var member = model
    var (stages, path, scope): ([CoreMLModel.PipelineStage], [Int], String) = ([], [], "")
    while case .pipeline(let members) = member.content {
      guard let last = members.last else { throw error("pipeline.models", "the pipeline is empty") }
      try last.model.checkUpdatable()
      for (position, stage) in members.dropLast().enumerated() {
        stages.append(CoreMLModel.PipelineStage(name: scope + stage.name, at: position, stage.model))
      }
      path.append(members.count - 1)
      scope += "\(last.name)."
      member = last.model
    }
    (self.member, self.stages, self.path) = (member, stages, path)
    switch member.content {
    case .network(let network):
      let network = try UpdatableNetwork(network, member)
      try network.checkTrainable()
      trained = .network(network)
    case .classic(.kNearestNeighborsClassifier(let neighbors)): trained = .neighbors(neighbors)
    default: throw error("isUpdatable", "a model of the kind \(member.kind) cannot be updated")
    }
  }

  // MARK: Writing

  /// A serialised model with other weights and everything else as it is.
  ///
  /// - Parameters:
  ///   - specification: the content of the model's file.
  ///   - weights: float32 values, little-endian, by `NetworkWeights.position`.
  package static func specification(_ specification: ByteView, withWeights weights: [Int: [UInt8]]) throws(FileError) -> [UInt8] {
    try SpecificationOutline.replacing(weights, in: specification)
  }

  /// The serialised model with further samples for its nearest neighbours.
  ///
  /// - Parameters:
  ///   - specification: the content of the model's file.
  ///   - samples: row-major, one row for each label.
  package func specification(_ specification: ByteView, adding samples: [Float], _ labels: ClassLabels) throws(FileError) -> [UInt8] {
    guard case .neighbors(let neighbors) = trained, Extent(samples.count) == Extent(labels.count) * neighbors.dimensionCount
    else {
      throw FileError(file: member.path, reason: "the samples do not fit the model")
    }
    // The number of the list in messages of numbers and texts.
    let list = 1
    let count = neighbors.dimensionCount
    var rows = ProtobufWriter()
    for row in 0..<labels.count {
      // In range: positions in an array.
      let values = samples[row * count..<(row + 1) * count]
      var vector = ProtobufWriter()
      vector.append(values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) } }, as: list)
      rows.append(vector.bytes, as: 2)
    }
    var edits: [Int: MessageEdit] = [1: .append(rows.bytes)]
    var names = ProtobufWriter()
    switch labels {
    case .strings(let new):
      for label in new { names.append(Array(label.utf8), as: list) }
      edits[100] = .append(names.bytes)
    case .integers(let new):
      var numbers = ProtobufWriter()
      for label in new { numbers.append(varint: UInt64(bitPattern: label)) }
      names.append(numbers.bytes, as: list)
      edits[101] = .append(names.bytes)
    }
    return try SpecificationOutline.editing([404: .message(edits)], ofModelAt: path[...], in: specification)
  }
}

extension CoreMLModel {
  /// The first specification version with training.
  private static let firstUpdatableVersion = 4

  /// Checks the format's rules for models that can be trained, and that of a pipeline only the last model is one, and only if the pipeline is.
  /// The models of a pipeline have been checked.
  func checkUpdatable() throws(FileError) {
    func error(_ field: String, _ reason: String) -> FileError { FileError(file: path, field: field, reason: reason) }
    if case .pipeline(let stages) = content {
      for (index, stage) in stages.enumerated() {
        let isLast = index == stages.indices.last
        let field = "pipeline.models[\(index)]"
        if stage.model.isUpdatable {
          guard isUpdatable else { throw error(field, "an updatable model is in a pipeline that is not updatable") }
          guard isLast else { throw error(field, "only the last model of a pipeline can be updatable") }
        } else if isUpdatable, isLast {
          throw error(field, "the last model of an updatable pipeline is not updatable")
        }
      }
    }
    guard isUpdatable else { return }
    guard specificationVersion >= Self.firstUpdatableVersion else {
      throw error("specificationVersion", "an updatable model needs version \(Self.firstUpdatableVersion), not \(specificationVersion)")
    }
    switch content {
    case .network(let network): _ = try UpdatableNetwork(network, self)
    case .pipeline, .classic(.kNearestNeighborsClassifier): break
    case .program, .classic: throw error("isUpdatable", "a model of the kind \(kind) cannot be updated")
    }
  }
}
