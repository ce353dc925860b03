import MartletBytes
import MartletCoreMLFile
import MartletFeatures
import MartletTensor

/// Adds samples to a classifier by nearest neighbours.
final class NeighborTrainer: TrainingEngine {
  private let neighbors: NearestNeighborsClassifier
  private let source: TrainingSource
  private let model: Model
  private var samples: [Float] = []
  private var labels: ClassLabels
  let target: String
  let weights: [Int: TensorStorage] = [:]

  init(_ neighbors: NearestNeighborsClassifier, _ source: TrainingSource, _ model: Model) {
    self.neighbors = neighbors
    self.source = source
    self.model = model
    let isText =
      switch (neighbors.sampleLabels, neighbors.defaultLabel) {
      case (.strings, _): true
      case (.integers, _): false
      }
    labels = isText ? .strings([]) : .integers([])
    let member = source.updatable.member.description
    let inputs = Set(member.defaultFunction.inputs.map(\.name))
    target =
      member.trainingInputs.first { !inputs.contains($0.name) }?.name ?? member.defaultFunction.predictedFeatureName ?? ""
  }

  var features: [String] { source.chain(of: TrainingSource.features)?.inputs.map(\.name) ?? [] }

  func changed(_ specification: ByteView) throws(FileError) -> [UInt8] {
    try source.updatable.specification(specification, adding: samples, labels)
  }

  func train(
    on data: TrainingData, parameter: (TrainingParameter.Name) -> TrainingParameter.Value?, cancellation: CallCancellation?,
    handler: (TrainingEvent) throws -> Void
  ) throws {
    guard let chain = source.chain(of: TrainingSource.features) else { return }
    try handler(TrainingEvent(kind: .begin, epoch: 0, miniBatch: 0, loss: nil))
    var (rows, names): ([Float], ClassLabels) = ([], labels)
    for position in 0..<data.count {
      try cancellation?.cancellation.check()
      let sample = try data.features(at: position)
      let results = try model.run(try inputs(of: chain, from: sample), method: TrainingSource.features)
      let row = try zip(chain.outputs, results).flatMap { feature, value -> [Float] in
        switch value {
        case .tensor(let tensor): return tensor.doubles.map { Float($0) }
        case .int(let number): return [Float(number)]
        case .double(let number): return [Float(number)]
        default: throw MartletError.invalidInput("the training input '\(feature.name)' of sample \(position) is \(value.kind)")
        }
      }
      guard row.count == neighbors.dimensionCount else {
        throw MartletError.invalidInput(
          "the training input '\(chain.outputs.map(\.name).joined(separator: "', '"))' of sample \(position) has the wrong size",
          expected: "\(neighbors.dimensionCount) elements", found: "\(row.count)")
      }
      rows += row
      names = try names.adding(sample[target], target: target, sample: position)
    }
    samples += rows
    labels = names
  }
}

extension ClassLabels {
  fileprivate func adding(_ value: ModelValue?, target: String, sample: Int) throws -> ClassLabels {
    guard let value else { throw MartletError.invalidInput("the target '\(target)' of sample \(sample) is missing") }
    switch (self, value) {
    case (.strings(let texts), .string(let text)): return .strings(texts + [text])
    case (.integers(let numbers), .int(let number)): return .integers(numbers + [Int64(widening: number)])
    default:
      throw MartletError.invalidInput(
        "the target '\(target)' of sample \(sample) does not fit", expected: "a label of the model's type", found: value.kind)
    }
  }
}
