import CoreML

/// Loads each model once, however many callers ask for it at the same time, and releases all of them when memory is short.
public actor ModelManager {
  public static let shared = ModelManager()

  private var models: [URL: Task<LoadedModel, any Error>] = [:]
  /// How many models have been loaded.
  public private(set) var loadCount = 0

  public init() {}

  /// The model at `url`.
  func model(at url: URL, configuration: MLModelConfiguration = MLModelConfiguration()) async throws -> LoadedModel {
    if let task = models[url] { return try await task.value }
    loadCount += 1
    let loading = LoadedConfiguration(configuration)
    let task = Task { LoadedModel(try await MLModel.load(contentsOf: url, configuration: loading.value)) }
    models[url] = task
    do {
      return try await task.value
    } catch {
      // The next caller tries again.
      models[url] = nil
      throw error
    }
  }

  /// Releases the models. Those in use live until their predictions end.
  public func releaseAll() {
    models.removeAll()
  }
}

/// A model that several tasks use; predictions of one model may run at the same time.
struct LoadedModel: @unchecked Sendable {
  let value: MLModel
  init(_ value: MLModel) { self.value = value }
}

/// A configuration that nobody changes any more.
private struct LoadedConfiguration: @unchecked Sendable {
  let value: MLModelConfiguration
  init(_ value: MLModelConfiguration) { self.value = value }
}
