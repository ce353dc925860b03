public import FoundationEssentials
import MartletSystem
import MartletBytes
import MartletCoreMLFile
import MartletFeatures
import MartletTensor

/// Trains an updatable Core ML model: a neural network, a classifier by nearest neighbours, or a pipeline that ends with one of these.
///
/// ```swift
/// let trainer = try Trainer(contentsOf: URL(fileURLWithPath: "digits.mlmodel"))
/// try trainer.set(.epochs, to: 10)
/// try trainer.train(on: TrainingData(samples)) { event in
///   if event.kind == .epochEnd { print(event.epoch, event.loss ?? 0) }
/// }
/// try trainer.write(to: URL(fileURLWithPath: "trained.mlmodel"))
/// ```
///
/// Losses are means over a mini-batch. Stochastic gradient descent and Adam follow PyTorch: momentum without dampening, moments with
/// correction of their bias. The last mini-batch of a pass may be smaller. What comes before the first layer that training changes is
/// computed once for each sample if the samples are constant.
///
/// A trainer has weights of its own; models loaded from the same file do not change. It is used by one thread at a time.
public final class Trainer {
  /// What is trained, with the parameters' present values.
  private let engine: any TrainingEngine
  private let specification: SpecificationFile
  private let asset: ModelAsset
  private let options: ModelOptions
  /// The keys of `ModelOptions.linkedModels` that stand for no linked model.
  package let unusedLocations: [String]
  /// The parameters of the model's training with their defaults.
  public let parameters: [TrainingParameter]
  private var values: [TrainingParameter.Name: TrainingParameter.Value] = [:]

  /// Opens an updatable model: `.mlmodel`, `.mlpackage`, or `.mlmodelc` compiled by this engine.
  /// - Throws: `MartletError` of the kind `invalidFile` if the model cannot be read, is not updatable, or breaks a rule for updatable models.
  public convenience init(contentsOf url: URL, options: ModelOptions = ModelOptions()) throws {
    try self.init(ModelAsset(contentsOf: url, options: options), options: options)
  }

  package init(_ asset: ModelAsset, options: ModelOptions) throws {
    self.asset = asset
    do throws(FileError) {
      let updatable = try UpdatableModel(asset.model)
      specification = try SpecificationFile(ofModelAt: asset.url.path, access: options.access)
      var options = options
      options.keepsStates = false
      self.options = options
      let memory = MemoryBudget()
      let source = TrainingSource(asset.model, updatable, options: options, memory: memory)
      unusedLocations = source.unusedLocations
      let model = Model(source: source, url: asset.url, options: options, memory: memory)
      switch updatable.trained {
      case .network(let network): engine = NetworkTrainer(network, source, model)
      case .neighbors(let neighbors): engine = NeighborTrainer(neighbors, source, model)
      }
    } catch {
      throw MartletError.logged(MartletError(error))
    }
    parameters = asset.trainingParameters
  }

  // MARK: Parameters

  /// The features of a sample: the inputs that training needs, and the expected value.
  public var sampleFeatures: [String] { engine.features + [engine.target] }

  /// The name of the feature with the expected value.
  public var target: String { engine.target }

  /// The present value of a parameter; nil if the model has no such parameter.
  public func value(of name: TrainingParameter.Name) -> TrainingParameter.Value? {
    values[name] ?? parameters.first { $0.name == name }?.defaultValue
  }

  /// Sets a parameter. During training the value holds from the next mini-batch on.
  /// - Throws: `MartletError` of the kind `invalidInput` if the model has no such parameter or does not allow the value.
  public func set(_ name: TrainingParameter.Name, to value: TrainingParameter.Value) throws {
    guard let parameter = parameters.first(where: { $0.name == name }) else {
      throw MartletError.invalidInput(
        "the model has no parameter \(name.rawValue)", expected: parameters.map(\.name.rawValue).joined(separator: ", "))
    }
    values[name] = try parameter.checked(value)
  }

  /// A function whose inputs are the features of a sample.
  var trainingFunction: FunctionDescription {
    var function = asset.features.defaultFunction
    let declared = asset.features.trainingInputs
    if !declared.isEmpty { function.inputs = declared }
    return function
  }

  /// True if the kernels of steps are recorded, which takes time.
  package var recordsKernels: Bool {
    get { engine.recordsKernels }
    set { engine.recordsKernels = newValue }
  }

  /// The kernels of the last step with their times.
  package var recordedKernels: [KernelTime] { engine.recordedKernels }

  var coreMLModel: CoreMLModel { asset.model }

  // MARK: Training

  /// Trains with the samples, for as many passes as the parameter `epochs` says. Further calls go on with the weights, and start with new
  /// moments.
  ///
  /// - Parameter handler: called at each event, between two steps. It may set parameters and read weights. An error that it throws ends the
  ///   training and keeps the weights of the last step.
  /// - Throws: `MartletError` of the kind `invalidInput` with the name of a feature that a sample lacks or that does not fit;
  ///   `.unsupported` for a layer without a derivative; `CancellationError`.
  public func train(on data: TrainingData, handler: (TrainingEvent) throws -> Void = { _ in }) throws {
    try train(on: data, cancellation: .current, handler: handler)
  }

  package func train(on data: TrainingData, cancellation: CallCancellation?, handler: (TrainingEvent) throws -> Void) throws {
    guard data.count > 0 else { throw MartletError.invalidInput("there are no samples to train with") }
    do {
      try engine.train(on: data, parameter: { self.value(of: $0) }, cancellation: cancellation, handler: handler)
    } catch {
      if cancellation?.isCancelled == true { throw CancellationError() }
      throw error
    }
  }

  // MARK: Results

  /// The weights of a layer that training changes, in the shape that its type has: [output, input] or [output, input / groups, height, width].
  /// - Throws: `MartletError` of the kind `invalidInput` if there is no such layer.
  public func weights(ofLayer name: String) throws -> Tensor { try part(\.weights, "weights", ofLayer: name) }

  /// The biases of a layer that training changes.
  /// - Throws: `MartletError` of the kind `invalidInput` if there is no such layer or it has no biases.
  public func biases(ofLayer name: String) throws -> Tensor { try part(\.biases, "biases", ofLayer: name) }

  private func part(_ part: (LayerWeights) -> LayerWeights.Part?, _ text: String, ofLayer name: String) throws -> Tensor {
    guard let found = LayerWeights(asset.model, layer: name).flatMap(part) else {
      throw MartletError.invalidInput("the model has no layer '\(name)' with \(text)")
    }
    guard let changed = found.source.position.flatMap({ engine.weights[$0] }) else { return try found.tensor() }
    return Tensor(HostTensor(dtype: .float32, shape: found.shape, storage: changed))
  }

  /// The model as it is now, which further training does not change.
  /// - Throws: as `Model.init(contentsOf:options:)`.
  public func makeModel() throws -> Model { try Model(makeAsset(), options: options) }

  package func makeAsset() throws -> ModelAsset { try snapshot().makeAsset() }

  /// Writes the model as it is now, with everything but the weights or samples as it was. It can be trained on.
  ///
  /// - Parameter url: a file `NAME.mlmodel`, a folder `NAME.mlpackage`, or with any other name a compiled folder. What is there is replaced.
  /// - Throws: `MartletError` of the kind `invalidFile` if it cannot be written.
  public func write(to url: URL) throws { try snapshot().write(to: url) }

  /// What the trainer holds now, for later calls of `makeAsset` and `write`.
  package func snapshot() throws -> TrainedModel {
    do {
      return TrainedModel(
        asset: asset, specification: specification, content: try engine.changed(specification.bytes), options: options)
    } catch {
      throw MartletError.logged(MartletError(error))
    }
  }
}

/// A trained model that further training does not change.
package struct TrainedModel: Sendable {
  let asset: ModelAsset
  let specification: SpecificationFile
  let content: [UInt8]
  let options: ModelOptions

  /// - Throws: `MartletError`.
  package func makeAsset() throws -> ModelAsset {
    do {
      return ModelAsset(try specification.model(with: content), url: asset.url)
    } catch {
      throw MartletError.logged(MartletError(error))
    }
  }

  /// - Throws: `MartletError`.
  package func write(to url: URL) throws {
    do {
      try ChangedModel(original: asset.url, specification: specification.relativePath, content: content).write(to: url, options: options)
    } catch let error as FileError {
      throw MartletError.logged(MartletError(error))
    }
  }
}

/// What a trainer does for a kind of model.
protocol TrainingEngine: AnyObject {
  /// The names of a sample's inputs and of its expected value.
  var features: [String] { get }
  var target: String { get }
  /// Changed weights by `NetworkWeights.position`: copies.
  var weights: [Int: TensorStorage] { get }
  /// True if `recordedKernels` are those of the last step.
  var recordsKernels: Bool { get set }
  var recordedKernels: [KernelTime] { get }

  func train(
    on data: TrainingData, parameter: (TrainingParameter.Name) -> TrainingParameter.Value?, cancellation: CallCancellation?,
    handler: (TrainingEvent) throws -> Void
  ) throws

  /// The model's file with what training has changed.
  func changed(_ specification: ByteView) throws(FileError) -> [UInt8]
}

extension TrainingEngine {
  /// The values of the inputs of a chain from a sample.
  func inputs(of chain: ModelChain, from sample: [String: ModelValue]) throws -> [ModelValue] {
    try chain.inputs.map { feature in
      if let value = sample[feature.name] { return value }
      guard feature.isOptional else { throw MartletError.invalidInput("the training input '\(feature.name)' is missing") }
      return .none
    }
  }
}
