public import Foundation
import Martlet

/// Trains a model with samples and hands the result to a handler.
///
/// The task reads the model's file when it is made and works on weights of its own: models loaded from the same file can predict meanwhile and do
/// not change. Handlers are called on a background thread; training waits for them.
public final class MLUpdateTask: MLTask, @unchecked Sendable {
  private let trainer: Trainer
  private let asset: ModelAsset
  private let configuration: MLModelConfiguration
  private let samples: TrainingSamples
  private let handlers: MLUpdateProgressHandlers
  private let cancellation = CallCancellation()
  /// Parameters to be set before the next step.
  private let pending = Guarded<[TrainingParameter.Name: TrainingParameter.Value]>([:])
  private let failure = Guarded<MLModelError?>(nil)

  /// Makes a task that trains a model: compiled by this engine, or a package or file.
  ///
  /// - Parameters:
  ///   - trainingData: the samples, with the features of `MLModelDescription.trainingInputDescriptionsByName`.
  ///   - configuration: its `parameters` override those of the model.
  ///   - progressHandlers: called at the events that they are for, and at the end.
  /// - Throws: `MLModelError.io` if the model cannot be read or breaks a rule for updatable models; `.update` if it is not updatable;
  ///   `.parameters` for a parameter that the model does not have or a value that it does not allow.
  public init(
    forModelAt modelURL: URL, trainingData: any MLBatchProvider, configuration: MLModelConfiguration?,
    progressHandlers: MLUpdateProgressHandlers
  ) throws {
    guard let copy = (configuration ?? MLModelConfiguration()).copy() as? MLModelConfiguration else {
      throw MLModelError(.generic, "The configuration cannot be copied")
    }
    asset = try ModelAsset.read(modelURL)
    self.configuration = copy
    let options = try copy.engineOptions()
    do {
      trainer = try Trainer(asset, options: options)
    } catch {
      throw MLModelError(.update, MartletError(error).message)
    }
    try copy.checkLocations(unused: trainer.unusedLocations)
    let given = (copy.parameters ?? [:]).filter { !$0.key.locatesModel }
    for (name, value) in try ModelParameters(asset).values(given) { try trainer.set(name, to: value) }
    samples = TrainingSamples(trainingData, asset)
    handlers = progressHandlers
    super.init()
  }

  /// Makes a task that only tells its end.
  public convenience init(
    forModelAt modelURL: URL, trainingData: any MLBatchProvider, configuration: MLModelConfiguration?,
    completionHandler: @escaping (MLUpdateContext) -> Void
  ) throws {
    let handlers = MLUpdateProgressHandlers(forEvents: [], progressHandler: nil, completionHandler: completionHandler)
    try self.init(forModelAt: modelURL, trainingData: trainingData, configuration: configuration, progressHandlers: handlers)
  }

  public convenience init(
    forModelAt modelURL: URL, trainingData: any MLBatchProvider, completionHandler: @escaping (MLUpdateContext) -> Void
  ) throws {
    try self.init(forModelAt: modelURL, trainingData: trainingData, configuration: nil, completionHandler: completionHandler)
  }

  public convenience init(
    forModelAt modelURL: URL, trainingData: any MLBatchProvider, progressHandlers: MLUpdateProgressHandlers
  ) throws {
    try self.init(forModelAt: modelURL, trainingData: trainingData, configuration: nil, progressHandlers: progressHandlers)
  }

  // MARK: Running

  public override func resume() {
    let isNew = progress.withLock { progress in
      guard progress.state == .suspended else { return false }
      progress.state = .running
      return true
    }
    if isNew { BackgroundThreads.shared.submit { self.run() } }
  }

  /// Changes parameters from the next mini-batch on, and starts the task if it has not been started.
  ///
  /// The task fails with `MLModelError.parameters` if the model does not have a parameter or does not allow its value.
  public func resume(withParameters updateParameters: [MLParameterKey: Any]) {
    do {
      let values = try ModelParameters(asset).values(updateParameters)
      pending.withLock { $0.merge(values) { $1 } }
    } catch {
      failure.withLock { $0 = $0 ?? MLModelError(error) }
      if state == .running { cancellation.cancel() }
    }
    resume()
  }

  public override func cancel() {
    let isNew = progress.withLock { progress in
      let isNew = progress.state == .suspended
      if isNew || progress.state == .running { progress.state = .cancelling }
      return isNew
    }
    cancellation.cancel()
    if isNew { BackgroundThreads.shared.submit { self.run() } }
  }

  /// Trains on the current thread, and calls the handlers.
  private func run() {
    var metrics: [MLMetricKey: Any] = [:]
    var error: MLModelError?
    do {
      try setPending()
      let data = TrainingData(count: samples.count, isConstant: samples.areConstant) { try self.samples.sample(at: $0) }
      try trainer.train(on: data, cancellation: cancellation) { event in
        metrics = event.metrics
        try tell(event)
        try setPending()
      }
    } catch let caught {
      error = failure.withLock { $0 } ?? Self.error(of: caught)
    }
    progress.withLock { progress in
      progress.state = error == nil ? .completed : .failed
      progress.error = error
    }
    handlers.completion(context(TrainedContent(trainer, asset, configuration), [], metrics))
  }

  private static func error(of error: any Error) -> MLModelError {
    switch error {
    case let error as MLModelError: error
    case is CancellationError: MLModelError(.update, "The update was cancelled")
    default: MLModelError(.update, MartletError(error).message)
    }
  }

  private func setPending() throws {
    if let failure = failure.withLock({ $0 }) { throw failure }
    let values = pending.withLock { pending in
      defer { pending = [:] }
      return pending
    }
    for (name, value) in values { try trainer.set(name, to: value) }
  }

  private func tell(_ event: TrainingEvent) throws {
    guard let handler = handlers.progress, handlers.events.contains(event.progress) else { return }
    var content = TrainedContent(trainer, asset, configuration)
    handler(context(content, event.progress, event.metrics))
    // A context that is kept shows the weights of its event.
    if !isKnownUniquelyReferenced(&content) { try content.freeze() }
  }

  private func context(_ content: TrainedContent, _ event: MLUpdateProgressEvent, _ metrics: [MLMetricKey: Any]) -> MLUpdateContext {
    var parameters: [MLParameterKey: Any] = [:]
    for parameter in trainer.parameters {
      parameters[MLParameterKey(parameter.name)] = trainer.value(of: parameter.name)?.object
    }
    return MLUpdateContext(task: self, model: UpdatedModel(content), event: event, metrics: metrics, parameters: parameters)
  }
}

extension TrainingEvent {
  fileprivate var progress: MLUpdateProgressEvent {
    switch kind {
    case .begin: .trainingBegin
    case .miniBatchEnd: .miniBatchEnd
    case .epochEnd: .epochEnd
    }
  }

  fileprivate var metrics: [MLMetricKey: Any] {
    guard let loss else { return [:] }
    return [.lossValue: loss, .epochIndex: epoch, .miniBatchIndex: miniBatch]
  }
}
