public import Foundation
import MartletBytes
import MartletLog

/// Loads models, compiles them once, and keeps those in use within a budget of memory.
///
/// ```swift
/// let store = ModelStore()
/// try await store.prewarm([modelURL])
/// let model = try await store.model(at: modelURL)
/// let outputs = try await model.run(["image": .tensor(image)])
/// ```
///
/// A model is loaded once and shared by all who ask for it. Core ML models are compiled first, into a folder that lasts: the next
/// start of the process, and every other process, finds them there. Entries are known by their original's content and the engine's
/// version, so that a model that changes, or a new engine, is compiled again. Processes may compile the same model at once and may
/// die at any moment: an entry is there as a whole or not at all, and a damaged one is made anew.
///
/// When models take more memory than the budget, or memory runs short, the store lets go of those that have not been asked for
/// the longest time. Whoever still holds such a model can go on using it.
public actor ModelStore {
  /// How a store works.
  public struct Options: Sendable {
    /// How models are loaded.
    public var model = ModelOptions()
    /// Where compiled models are kept; nil for a folder `martlet` among the user's caches.
    public var cacheDirectory: URL?
    /// Bytes that the models which the store holds may take together (`Model.memoryByteCount`); nil for no limit. The model asked for
    /// last is always held.
    public var memoryBudget: Int?
    /// Whether to let go of models when memory runs short: when tasks wait for memory (Linux's pressure stall information), or the
    /// process's control group has used nearly all it may.
    public var watchesMemoryPressure = true

    public init() {}
  }

  /// A store with the usual options.
  public static let shared = ModelStore()

  public nonisolated let options: Options
  private let cache: CompiledModelCache
  private let pressure: MemoryPressure
  private let pressureInterval: Duration

  private struct Entry {
    /// Nil when the store has let go of the model.
    var held: Model?
    weak var model: Model?
    /// Of the files that the model was loaded from.
    let stamp: SHA256.Digest
    /// When the model was asked for last, as a count of requests.
    var lastUse: Int
  }

  private struct Load {
    let stamp: SHA256.Digest
    let task: Task<Model, any Error>
  }

  /// By path.
  private var entries: [String: Entry] = [:]
  private var loads: [String: Load] = [:]
  private var requestCount = 0
  private var isClean = false
  private var watch: Task<Void, Never>?

  public init(options: Options = Options()) {
    self.init(options: options, pressure: MemoryPressure(), pressureInterval: .seconds(2))
  }

  /// - Parameters:
  ///   - pressureInterval: how often to look whether memory is short.
  ///   - willCommit: called before a compiled model is put in its place.
  package init(
    options: Options, pressure: MemoryPressure, pressureInterval: Duration, willCommit: (@Sendable (URL) -> Void)? = nil
  ) {
    self.options = options
    self.pressure = pressure
    self.pressureInterval = pressureInterval
    let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first ?? FileManager.default.temporaryDirectory
    var cache = CompiledModelCache(directory: options.cacheDirectory ?? caches.appendingPathComponent("martlet/models", isDirectory: true))
    cache.willCommit = willCommit
    self.cache = cache
  }

  deinit { watch?.cancel() }

  // MARK: Models

  /// The model at `url`, loaded and ready to run its default method: the one that is there, or a new one if nobody holds it or its
  /// files have changed.
  /// - Throws: `MartletError`.
  public func model(at url: URL) async throws -> Model {
    let path = Self.path(of: url)
    let stamp: SHA256.Digest
    do { stamp = try FileListing(path).stamp } catch { throw MartletError.logged(MartletError(error)) }
    requestCount += 1
    if let known = entries[path], known.stamp == stamp, let model = known.model {
      entries[path] = Entry(held: model, model: model, stamp: stamp, lastUse: requestCount)
      evict(keeping: path)
      return model
    }
    let load: Load
    if let current = loads[path], current.stamp == stamp {
      load = current
    } else {
      let cleans = !isClean
      isClean = true
      load = Load(stamp: stamp, task: Task { [cache, options] in try await Self.load(url, options.model, cache, cleans: cleans) })
      loads[path] = load
    }
    do {
      let model = try await load.task.value
      requestCount += 1
      if loads[path]?.task == load.task {
        // The first of those who waited.
        loads[path] = nil
        entries[path] = Entry(held: model, model: model, stamp: stamp, lastUse: requestCount)
        evict(keeping: path)
        watchPressure()
      }
      return model
    } catch {
      if loads[path]?.task == load.task { loads[path] = nil }
      throw error
    }
  }

  /// Compiles and loads models, one after the other, so that later requests need not.
  /// - Throws: the error of the first model that cannot be loaded; those before it are loaded.
  public func prewarm(_ urls: [URL]) async throws {
    for url in urls { _ = try await model(at: url) }
  }

  /// The compiled form of a Core ML model, for those who load it themselves, such as `MLModel(contentsOf:)`. It stays where it
  /// is as long as the cache is not removed.
  /// - Throws: `MartletError`.
  public func compiledModel(at url: URL) async throws -> URL {
    let cache = cache
    return try await Self.inBackground {
      do { return try cache.compiledModel(for: url) } catch { throw MartletError.logged(MartletError(error)) }
    }
  }

  /// Lets go of the model at `url`.
  /// - Returns: whether the store held it.
  @discardableResult
  public func unload(_ url: URL) -> Bool {
    guard let entry = entries.removeValue(forKey: Self.path(of: url)) else { return false }
    return entry.held != nil
  }

  /// Lets go of all models.
  public func unloadAll() { entries.removeAll() }

  /// The models that the store holds, the one asked for last at the end.
  public var loadedModels: [URL] { held.map { URL(fileURLWithPath: $0.path) } }

  /// Bytes that the models which the store holds take.
  public var memoryByteCount: Int { held.reduce(0) { $0 + $1.model.memoryByteCount } }

  private static func path(of url: URL) -> String { url.standardizedFileURL.resolvingSymlinksInPath().path }

  private var held: [(path: String, model: Model)] {
    entries.sorted { $0.value.lastUse < $1.value.lastUse }.compactMap { path, entry in entry.held.map { (path, $0) } }
  }

  // MARK: Loading

  private static func load(_ url: URL, _ options: ModelOptions, _ cache: CompiledModelCache, cleans: Bool) async throws -> Model {
    try await inBackground {
      if cleans { cache.clean() }
      do {
        guard Model.isCoreML(url) else {
          let model = try Model(contentsOf: url, options: options)
          try model.load()
          return model
        }
        let compiled = try cache.compiledModel(for: url)
        do {
          return try loaded(compiled, options)
        } catch MartletError.invalidFile(let reason) {
          // The model was read when it was compiled: what is damaged is the entry.
          Log.error("\(compiled.path) is damaged and compiled again: \(reason)")
          cache.discard(compiled)
          return try loaded(try cache.compiledModel(for: url), options)
        }
      } catch {
        throw MartletError.logged(MartletError(error))
      }
    }
  }

  private static func loaded(_ compiled: URL, _ options: ModelOptions) throws -> Model {
    let model = try Model(contentsOf: compiled, options: options)
    try model.load()
    return model
  }

  /// Runs `body`, which may wait for other processes, on a thread that nobody needs.
  private static func inBackground<Result: Sendable>(_ body: @escaping @Sendable () throws -> Result) async throws -> Result {
    try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { continuation.resume(with: Swift.Result { try body() }) }
    }
  }

  // MARK: Eviction

  /// Lets go of models until the rest keeps to the budget.
  private func evict(keeping path: String) {
    guard let budget = options.memoryBudget else { return }
    var byteCount = memoryByteCount
    for (other, model) in held where byteCount > budget && other != path {
      byteCount -= model.memoryByteCount
      entries[other]?.held = nil
      Log.info("\(other) is let go: models take more than \(budget) bytes")
    }
    forgetReleased()
  }

  /// Forgets models that nobody holds any more.
  private func forgetReleased() { entries = entries.filter { $0.value.model != nil } }

  private func watchPressure() {
    guard options.watchesMemoryPressure, watch == nil else { return }
    watch = Task { [weak self, pressureInterval] in
      while true {
        do { try await Task.sleep(for: pressureInterval) } catch { return }
        guard let self, await self.relieve() else { return }
      }
    }
  }

  /// Lets go of the model that was not asked for the longest time if memory is short.
  /// - Returns: whether there are models left to watch.
  private func relieve() -> Bool {
    if pressure.isHigh, let (path, _) = held.first {
      entries[path]?.held = nil
      Log.info("\(path) is let go: memory is short")
    }
    forgetReleased()
    if !held.isEmpty { return true }
    watch = nil
    return false
  }
}
