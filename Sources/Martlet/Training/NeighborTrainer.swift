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
  var recordsKernels = false
  let recordedKernels: [KernelTime] = []

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
    var (rows, texts, integers): ([Float], [String], [Int64]) = ([], [], [])
    for position in 0..<data.count {
      try cancellation?.cancellation.check()
      let sample = try data.features(at: position)
      let results = try model.run(try inputs(of: chain, from: sample), method: TrainingSource.features)
      let row = try zip(chain.outputs, results).flatMap { feature, value -> [Float] in
        guard let numbers = value.numbers else {
          throw MartletError.invalidInput("the training input '\(feature.name)' of sample \(position) is \(value.kind)")
        }
        return numbers.map { Float($0) }
      }
      guard row.count == neighbors.dimensionCount else {
        throw MartletError.invalidInput(
          "the training input '\(chain.outputs.map(\.name).joined(separator: "', '"))' of sample \(position) has the wrong size",
          expected: "\(neighbors.dimensionCount) elements", found: "\(row.count)")
      }
      rows += row
      switch (labels, sample[target]) {
      case (.strings, .string(let text)?): texts.append(text)
      case (.integers, .int(let number)?): integers.append(Int64(widening: number))
      case (_, nil): throw MartletError.invalidInput("the target '\(target)' of sample \(position) is missing")
      case (_, let value?):
        throw MartletError.invalidInput(
          "the target '\(target)' of sample \(position) does not fit", expected: "a label of the model's type", found: value.kind)
      }
    }
    samples += rows
    switch labels {
    case .strings(let known): labels = .strings(known + texts)
    case .integers(let known): labels = .integers(known + integers)
    }
  }
}
