public import Foundation

/// A model that can be written to disk.
public protocol MLWritable: NSObjectProtocol {
  /// Writes the model as a compiled model, and replaces what is there.
  /// - Throws: `MLModelError.io` if it cannot be written.
  func write(to url: URL) throws
}

/// The moments of training that a handler is told.
public struct MLUpdateProgressEvent: OptionSet, Sendable, Hashable {
  public let rawValue: Int
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Before the first step.
  public static let trainingBegin = MLUpdateProgressEvent(rawValue: 1)
  /// After a pass over all samples.
  public static let epochEnd = MLUpdateProgressEvent(rawValue: 2)
  /// After the step of a mini-batch.
  public static let miniBatchEnd = MLUpdateProgressEvent(rawValue: 4)
}

/// What a handler of an update task is told.
public final class MLUpdateContext: NSObject {
  public let task: MLUpdateTask
  /// The model at this moment. Training goes on without changing it.
  public let model: any MLModel & MLWritable
  /// The event; empty at the end of the task.
  public let event: MLUpdateProgressEvent
  /// At the end of a mini-batch its loss, and at the end of a pass the mean over all samples; none before the first step.
  public let metrics: [MLMetricKey: Any]
  /// The present values of the parameters.
  public let parameters: [MLParameterKey: Any]

  init(
    task: MLUpdateTask, model: any MLModel & MLWritable, event: MLUpdateProgressEvent, metrics: [MLMetricKey: Any],
    parameters: [MLParameterKey: Any]
  ) {
    self.task = task
    self.model = model
    self.event = event
    self.metrics = metrics
    self.parameters = parameters
    super.init()
  }
}

/// The handlers of an update task.
public final class MLUpdateProgressHandlers: NSObject {
  let events: MLUpdateProgressEvent
  let progress: ((MLUpdateContext) -> Void)?
  let completion: (MLUpdateContext) -> Void

  /// - Parameters:
  ///   - interestedEvents: the events at which `progressHandler` is called.
  ///   - completionHandler: called once, when the task has ended.
  public init(
    forEvents interestedEvents: MLUpdateProgressEvent, progressHandler: ((MLUpdateContext) -> Void)?,
    completionHandler: @escaping (MLUpdateContext) -> Void
  ) {
    events = interestedEvents
    progress = progressHandler
    completion = completionHandler
    super.init()
  }
}

/// The key of a number that training gives.
public final class MLMetricKey: MLKey, @unchecked Sendable {
  /// A `Double`.
  public static let lossValue = MLMetricKey(name: "lossValue")
  /// An `Int`: the number of passes before this one.
  public static let epochIndex = MLMetricKey(name: "epochIndex")
  /// An `Int`: the number of mini-batches of this pass before this one.
  public static let miniBatchIndex = MLMetricKey(name: "miniBatchIndex")
}
