public import FoundationEssentials
import MartletBytes
import MartletLog

/// Loads models, compiles them once, and keeps the loaded ones within a memory budget.
///
/// ```swift
/// let store = ModelStore()
/// try await store.prewarm([modelURL])
/// let model = try await store.model(at: modelURL)
/// let outputs = try await model.run(["image": .tensor(image)])
/// ```
///
/// A model is loaded once and shared by all callers that request it. Core ML models are first compiled into a persistent cache, where
/// later starts of the process and other processes find them. Entries are identified by the content of the original and the engine's
/// version, so that a changed model or a new engine leads to a new compilation. Several processes may compile the same model at once, and
/// any of them may be killed at any moment: an entry is either complete or absent, and a damaged entry is compiled again.
///
/// When models exceed the budget, or when memory runs short, the store releases the least recently requested ones. Callers that still
/// hold such a model can go on using it.
public actor ModelStore {
  /// Options of a store.
  public struct Options: Sendable {
    /// Options for loading models.
    public var model = ModelOptions()
    /// Folder for compiled models; nil for a folder `martlet` in the user's cache directory.
    public var cacheDirectory: URL?
    /// Upper bound, in bytes, for the sum of `Model.memoryByteCount` over the models held by the store; nil for no limit. The most
    /// recently requested model is always held.
    public var memoryBudget: Int?
    /// Releases models when memory runs short: when tasks wait for memory (Linux's pressure stall information), or when the process's
    /// control group has nearly reached its limit.
    public var watchesMemoryPressure = true

    public init() {}
  }

  /// A store with the default options.
  public static let shared = ModelStore()

  public nonisolated let options: Options
  private let cache: CompiledModelCache
  private let pressure: MemoryPressure
  private let pressureInterval: Duration

  private struct Entry {
    /// nil once the store has released the model.
    var held: Model?
    weak var model: Model?
    /// Stamp of the files that the model was loaded from.
    let stamp: SHA256.Digest
    /// Time of the last request, counted in requests.
    var lastUse: Int
  }

  private struct Load {
    let stamp: SHA256.Digest
    let task: Task<Model, any Error>
  }

  /// Keyed by path.
  private var entries: [String: Entry] = [:]
  private var loads: [String: Load] = [:]
  private var requestCount = 0
  private var isClean = false
  private var watch: Task<Void, Never>?

  public init(options: Options = Options()) {
    self.init(options: options, pressure: MemoryPressure(), pressureInterval: .seconds(2))
  }

  /// - Parameters:
  /// - pressureInterval: interval between checks for memory pressure.
  ///   - willCommit: called before a compiled model is moved into place.
  package init(
    options: Options, pressure: MemoryPressure, pressureInterval: Duration, willCommit: (@Sendable (URL) -> Void)? = nil
  ) {
    self.options = options
    self.pressure = pressure
    self.pressureInterval = pressureInterval
    let caches = FileManager.default.urls(for: .cachesDirectory, in: .userDomainMask).first ?? FileManager.default.temporaryDirectory
    var cache = CompiledModelCache(directory: options.cacheDirectory ?? caches.appendingPathComponent("martlet/models", isDirectory: true))
    cache.willCommit = willCommit
    cache.options = options.model
    self.cache = cache
  }

  deinit { watch?.cancel() }

  // MARK: Models

  /// Returns the model at `url`, loaded and ready to run its default method. A model that is still in use and whose files have not
  /// changed is shared; otherwise the model is loaded.
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
        // The first of several waiting callers registers the model.
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

  /// Compiles and loads models one after the other, ahead of the first request.
  /// - Throws: the error of the first model that cannot be loaded. The models before it stay loaded.
  public func prewarm(_ urls: [URL]) async throws {
    for url in urls { _ = try await model(at: url) }
  }

  /// The compiled form of a Core ML model, for callers that load it themselves, for example with `MLModel(contentsOf:)`. It stays at this
  /// URL until the cache is removed.
  /// - Throws: `MartletError`.
  public func compiledModel(at url: URL) async throws -> URL {
    let cache = cache
    return try await BackgroundThreads.shared.run {
      do { return try cache.compiledModel(for: url) } catch { throw MartletError.logged(MartletError(error)) }
    }
  }

  /// Releases the model at `url`.
  /// - Returns: true if the store held it.
  @discardableResult
  public func unload(_ url: URL) -> Bool {
    guard let entry = entries.removeValue(forKey: Self.path(of: url)) else { return false }
    return entry.held != nil
  }

  /// Releases all models.
  public func unloadAll() { entries.removeAll() }

  /// URLs of the models held by the store, the most recently requested last.
  public var loadedModels: [URL] { held.map { URL(fileURLWithPath: $0.path) } }

  /// Memory used by the models held by the store, in bytes.
  // In range: bytes in memory.
  public var memoryByteCount: Int { held.reduce(0) { $0 + $1.model.memoryByteCount } }

  private static func path(of url: URL) -> String { url.standardizedFileURL.resolvingSymlinksInPath().path }

  private var held: [(path: String, model: Model)] {
    entries.sorted { $0.value.lastUse < $1.value.lastUse }.compactMap { path, entry in entry.held.map { (path, $0) } }
  }

  // MARK: Loading

  private static func load(_ url: URL, _ options: ModelOptions, _ cache: CompiledModelCache, cleans: Bool) async throws -> Model {
    try await BackgroundThreads.shared.run {
      if cleans { cache.clean() }
      do {
        guard Model.isCoreML(url) else {
          let model = try Model(contentsOf: url, options: options)
          try model.load()
          return model
        }
        let compiled = try cache.compiledModel(for: url)
        do {
          return try loaded(compiled, of: url, options)
        } catch let error as MartletError where error.kind == .invalidFile {
          // The original was read during compilation, so the damage is in the entry.
          Log.error("\(compiled.path) is damaged and will be compiled again: \(error.message)")
          cache.discard(compiled)
          return try loaded(try cache.compiledModel(for: url), of: url, options)
        }
      } catch {
        throw MartletError.logged(MartletError(error))
      }
    }
  }

  private static func loaded(_ compiled: URL, of original: URL, _ options: ModelOptions) throws -> Model {
    var options = options
    options.originalPath = original.path
    let model = try Model(contentsOf: compiled, options: options)
    try model.load()
    return model
  }

  // MARK: Eviction

  /// Releases models until the remaining ones fit the budget.
  private func evict(keeping path: String) {
    guard let budget = options.memoryBudget else { return }
    var byteCount = memoryByteCount
    for (other, model) in held where byteCount > budget && other != path {
      // In range: bytes in memory.
      byteCount -= model.memoryByteCount
      entries[other]?.held = nil
      Log.info("\(other) is released: models use more than \(budget) bytes")
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

  /// If memory is short, releases the least recently requested model.
  /// - Returns: true if the store still holds models.
  private func relieve() -> Bool {
    if pressure.isHigh, let (path, _) = held.first {
      entries[path]?.held = nil
      Log.info("\(path) is released: memory is short")
    }
    forgetReleased()
    if !held.isEmpty { return true }
    watch = nil
    return false
  }
}
