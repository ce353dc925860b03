public import Foundation
package import Martlet
package import MartletFeatures

/// A model that makes predictions.
///
/// Any number of threads may make predictions at the same time.
open class MLModel: NSObject {
  private let loaded: LoadedModel?
  private let ownDescription: MLModelDescription
  private let ownConfiguration: MLModelConfiguration

  /// The model's inputs, outputs, states and metadata.
  open var modelDescription: MLModelDescription { ownDescription }
  /// The configuration that the model was loaded with.
  open var configuration: MLModelConfiguration { ownConfiguration }

  /// A model without a file, for subclasses that make predictions themselves.
  public override init() {
    loaded = nil
    ownDescription = MLModelDescription()
    ownConfiguration = MLModelConfiguration()
    super.init()
  }

  // Subclasses inherit the convenience initializers only if this one is accessible to them.
  @usableFromInline
  init(_ loaded: LoadedModel) {
    self.loaded = loaded
    ownDescription = loaded.description
    ownConfiguration = loaded.configuration
    super.init()
  }

  /// Number of cached plans: one for each combination of input shapes so far.
  package var planCount: Int { get throws { try function.method.planCount } }

  /// The options with which the engine runs the model.
  package var engineOptions: ModelOptions { get throws { try function.model.options } }

  /// The function that predictions run.
  /// - Throws: `MLModelError.generic` if the model was not loaded.
  var function: ModelFunction {
    get throws {
      guard let loaded else { throw MLModelError(.generic, "The model has no file and cannot make predictions") }
      return loaded.function
    }
  }

  // MARK: Pictures

  /// The loaded function and the boxes that its last stage suppresses; nil for a model that was not loaded.
  package var loadedFunction: (description: FunctionDescription, boxes: SuppressedBoxes?)? {
    loaded.map { ($0.function.description, $0.boxes) }
  }

  /// Makes a prediction that another thread may cancel. Subclasses cannot be cancelled.
  /// - Throws: as `prediction(from:)`; `CancellationError`.
  package func prediction(from input: any MLFeatureProvider, cancellation: CallCancellation) throws -> any MLFeatureProvider {
    guard type(of: self) == MLModel.self, loaded != nil else { return try prediction(from: input) }
    return try predict(input, cancellation: cancellation)
  }

  // MARK: Loading

  /// Loads a compiled model, or a model package or file.
  /// - Throws: `MLModelError.io` if it cannot be read, `.parameters` if it has no such function, `.generic` naming an operator that
  ///   is not supported.
  public convenience init(contentsOf url: URL) throws {
    self.init(try LoadedModel(contentsOf: url, MLModelConfiguration()))
  }

  /// Loads a compiled model, or a model package or file.
  /// - Throws: the errors of `init(contentsOf:)`.
  public convenience init(contentsOf url: URL, configuration: MLModelConfiguration) throws {
    self.init(try LoadedModel(contentsOf: url, configuration))
  }

  /// Loads a model on another thread.
  open class func load(contentsOf url: URL, configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> MLModel {
    guard let copy = configuration.copy() as? MLModelConfiguration else { throw MLModelError(.parameters, "The configuration has no copy") }
    return try await onBackgroundThread { MLModel(try LoadedModel(contentsOf: url, copy)) }
  }

  /// Loads a model on another thread and passes it to `handler`.
  open class func load(
    contentsOf url: URL, configuration: MLModelConfiguration = .init(),
    completionHandler handler: @escaping (Result<MLModel, any Error>) -> Void
  ) {
    guard let copy = configuration.copy() as? MLModelConfiguration else { return }
    inBackground({ MLModel(try LoadedModel(contentsOf: url, copy)) }, then: handler)
  }

  /// Loads a model on another thread and passes it, or the error, to `handler`. Classes that Xcode has generated call this name, which
  /// the method has in Objective-C.
  open class func __loadContents(
    of url: URL, configuration: MLModelConfiguration, completionHandler handler: @escaping (MLModel?, (any Error)?) -> Void
  ) {
    load(contentsOf: url, configuration: configuration) { handler($0.value, $0.failure) }
  }

  /// Loads the model of an asset on another thread.
  open class func load(asset: MLModelAsset, configuration: MLModelConfiguration) async throws -> MLModel {
    guard let copy = configuration.copy() as? MLModelConfiguration else { throw MLModelError(.parameters, "The configuration has no copy") }
    return try await onBackgroundThread { MLModel(try LoadedModel(asset, copy)) }
  }

  /// Loads the model of an asset on another thread and passes it to `completionHandler`.
  open class func load(
    _ asset: MLModelAsset, configuration: MLModelConfiguration, completionHandler: @escaping (MLModel?, (any Error)?) -> Void
  ) {
    guard let copy = configuration.copy() as? MLModelConfiguration else { return }
    inBackground({ MLModel(try LoadedModel(asset, copy)) }) { completionHandler($0.value, $0.failure) }
  }

  /// The devices that models can run on.
  open class var availableComputeDevices: [MLComputeDevice] { MLComputeDevice.allComputeDevices }

  /// The value of a parameter: of training, the number of neighbours of a classifier, or with the name of a layer as scope its weights or
  /// biases as an `MLMultiArray`.
  /// - Throws: `MLModelError.parameters` if the model has no such parameter.
  open func parameterValue(for key: MLParameterKey) throws -> Any {
    guard let loaded else { throw MLModelError(.parameters, "The model has no parameter '\(key)'") }
    return try loaded.parameters.value(for: key, ownConfiguration.parameters)
  }

  // MARK: Compiling

  /// Compiles a model package or file in a temporary folder. A compiled model loads faster.
  /// - Returns: the URL of a folder `NAME.mlmodelc`, which may be moved.
  /// - Throws: `MLModelError.io` if the model cannot be read or the folder cannot be written.
  open class func compileModel(at modelURL: URL) throws -> URL {
    try ModelCompiler.compile(modelURL)
  }

  /// Compiles a model on another thread.
  open class func compileModel(at modelURL: URL) async throws -> URL {
    try await onBackgroundThread { try ModelCompiler.compile(modelURL) }
  }

  /// The same on another thread; `handler` gets the result.
  open class func compileModel(at modelURL: URL, completionHandler handler: @escaping (Result<URL, any Error>) -> Void) {
    inBackground({ try ModelCompiler.compile(modelURL) }, then: handler)
  }

  // MARK: Predictions

  /// Makes a prediction. Ignores features that are not inputs of the model.
  /// - Throws: `MLModelError.featureType` if a feature is missing or does not fit; `.generic` if the prediction fails because of the data.
  open func prediction(from input: any MLFeatureProvider) throws -> any MLFeatureProvider {
    try predict(input)
  }

  /// Makes a prediction that writes its outputs into the output backings of the options.
  open func prediction(from input: any MLFeatureProvider, options: MLPredictionOptions) throws -> any MLFeatureProvider {
    try predict(input, options: options)
  }

  /// Makes a prediction on another thread. Cancelling the task stops it with `MLModelError.predictionCancelled`.
  open func prediction(
    from input: any MLFeatureProvider, options: MLPredictionOptions = MLPredictionOptions()
  ) async throws -> any MLFeatureProvider {
    try await cancellable { try self.predict(input, options: options, cancellation: $0) }
  }

  private func predict(
    _ input: any MLFeatureProvider, state: MLState? = nil, options: MLPredictionOptions? = nil, cancellation: CallCancellation? = nil
  ) throws -> any MLFeatureProvider {
    let backings = options?.outputBackings ?? [:]
    let function = try function
    try check(backings)
    return try function.predict(input, state: state, backings: backings, cancellation: cancellation)
  }

  private func check(_ backings: [String: Any]) throws {
    for name in backings.keys where ownDescription.outputDescriptionsByName[name] == nil {
      throw MLModelError(.featureType, "There is a backing for '\(name)', which is not an output of the model")
    }
  }

  private func cancellable<R>(_ body: @escaping (CallCancellation) throws -> R) async throws -> R {
    let body = Transferred(value: body)
    do {
      return try await BackgroundThreads.shared.cancellable { Transferred(value: try body.value($0)) }.value
    } catch is CancellationError {
      throw MLModelError(CancellationError())
    }
  }

  // MARK: States

  /// Makes a new state. The state of a stateful model holds zeros; that of other models is empty.
  open func makeState() -> MLState { loaded?.function.makeState() ?? MLState([]) }

  /// Makes a prediction that reads and updates a state.
  /// - Throws: the errors of `prediction(from:)`; `MLModelError.generic` if the state is in use.
  open func prediction(from inputFeatures: any MLFeatureProvider, using state: MLState) throws -> any MLFeatureProvider {
    try predict(inputFeatures, state: state)
  }

  open func prediction(
    from inputFeatures: any MLFeatureProvider, using state: MLState, options: MLPredictionOptions
  ) throws -> any MLFeatureProvider {
    try predict(inputFeatures, state: state, options: options)
  }

  open func prediction(
    from input: any MLFeatureProvider, using state: MLState, options: MLPredictionOptions = MLPredictionOptions()
  ) async throws -> any MLFeatureProvider {
    try await cancellable { try self.predict(input, state: state, options: options, cancellation: $0) }
  }

  // MARK: Batches

  /// Makes a prediction for each input of a batch. Some of them may run in parallel.
  /// - Throws: the error of the first prediction that fails.
  open func predictions(fromBatch inputBatch: any MLBatchProvider) throws -> any MLBatchProvider {
    // A subclass may override the other form only.
    if type(of: self) != MLModel.self { return try predictions(from: inputBatch, options: MLPredictionOptions()) }
    return try function.predict(batch: inputBatch, backings: [:])
  }

  open func predictions(from inputBatch: any MLBatchProvider, options: MLPredictionOptions) throws -> any MLBatchProvider {
    let function = try function
    try check(options.outputBackings)
    return try function.predict(batch: inputBatch, backings: options.outputBackings)
  }
}

/// A model that has been read and imported.
@usableFromInline
struct LoadedModel {
  let function: ModelFunction
  let parameters: ModelParameters
  let description: MLModelDescription
  let configuration: MLModelConfiguration
  /// The boxes that a detector gives.
  let boxes: SuppressedBoxes?

  init(contentsOf url: URL, _ configuration: MLModelConfiguration) throws {
    try self.init(try ModelAsset.read(url), configuration)
  }

  init(_ asset: MLModelAsset, _ configuration: MLModelConfiguration) throws {
    try self.init(asset.model, configuration)
  }

  private init(_ asset: ModelAsset, _ configuration: MLModelConfiguration) throws {
    guard let copy = configuration.copy() as? MLModelConfiguration else {
      throw MLModelError(.generic, "The configuration cannot be copied")
    }
    let options = try copy.engineOptions()
    let asset = try ModelParameters(asset).applied(copy.parameters ?? [:])
    do {
      let model = try Model(asset, options: options)
      try copy.checkLocations(unused: (model.source as? CoreMLSource)?.unusedLocations ?? [])
      function = try ModelFunction(model, of: asset, named: copy.functionName)
      if copy.optimizationHints.specializationStrategy == .fastPrediction { try function.prepareDeclaredShapes() }
    } catch {
      throw MLModelError(error)
    }
    description = MLModelDescription(asset, function: function.description)
    parameters = ModelParameters(asset)
    boxes = asset.suppressedBoxes
    self.configuration = copy
  }
}

extension ModelAsset {
  /// Reads a compiled model, or a model package or file.
  /// - Throws: `MLModelError.io`.
  static func read(_ url: URL) throws -> ModelAsset {
    guard url.isFileURL else { throw MLModelError(.io, "\(url) is not the URL of a file") }
    do {
      return try ModelAsset(contentsOf: url)
    } catch {
      throw MLModelError(error)
    }
  }
}
