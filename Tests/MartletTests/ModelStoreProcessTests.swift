#if os(Linux) || os(macOS)
  import Foundation
  import Martlet
  import Testing

  #if canImport(Glibc)
    import Glibc
  #elseif canImport(Musl)
    import Musl
  #elseif canImport(Darwin)
    import Darwin
  #endif

  /// Several processes with one cache. Its place is in the environment, which the processes inherit: so one test at a time.
  @Suite("Model store of several processes", .serialized)
  struct ModelStoreProcessTests {
    private static let variable = "MARTLET_TEST_STORE"
    private let folder: TemporaryFolder

    init() throws {
      folder = try TemporaryFolder()
      _ = unsafe setenv(Self.variable, folder.url.path, 1)
    }

    /// A store with its cache in the folder that the environment names.
    static func store(willCommit: (@Sendable (URL) -> Void)? = nil) -> ModelStore {
      var options = ModelStore.Options()
      options.cacheDirectory = root.appendingPathComponent("cache")
      options.watchesMemoryPressure = false
      return ModelStore(options: options, pressure: MemoryPressure(), pressureInterval: .seconds(60), willCommit: willCommit)
    }

    static var root: URL { URL(fileURLWithPath: ProcessInfo.processInfo.environment[variable] ?? "/nowhere") }

    private func names(_ suffix: String) throws -> [String] {
      try FileManager.default.contentsOfDirectory(atPath: folder("cache").path).filter { $0.hasSuffix(suffix) }
    }

    /// Loads the model, and leaves a file for each compilation.
    static func loadSlowly() async throws {
      let store = store { _ in
        try? Data().write(to: root.appendingPathComponent("compiled-\(UUID().uuidString)"))
        // The others have come to wait by then.
        usleep(300_000)
      }
      let scores = try Network.scores(try await store.model(at: Network.url))
      guard scores.count == 5 else { exit(3) }
    }

    @Test("Of processes that want the same model at once, one compiles it and the others wait")
    func atOnce() async throws {
      async let first = #expect(processExitsWith: .success) { try await ModelStoreProcessTests.loadSlowly() }
      async let second = #expect(processExitsWith: .success) { try await ModelStoreProcessTests.loadSlowly() }
      async let third = #expect(processExitsWith: .success) { try await ModelStoreProcessTests.loadSlowly() }
      _ = await (first, second, third)
      let compiled = try FileManager.default.contentsOfDirectory(atPath: folder.url.path).filter { $0.hasPrefix("compiled-") }
      #expect(compiled.count == 1)
      #expect(try names(".partial").isEmpty)
    }

    @Test("A process that is killed in the middle leaves nothing that harms")
    func killed() async throws {
      await #expect(processExitsWith: .signal(SIGKILL)) {
        let store = ModelStoreProcessTests.store { _ in kill(getpid(), SIGKILL) }
        _ = try await store.model(at: Network.url)
      }
      #expect(try names(".partial").count == 1)
      #expect(try names("").filter { $0.count == 81 && !$0.contains(".") }.isEmpty)
      let model = try await Self.store().model(at: Network.url)
      #expect(try Network.scores(model) == Network.scores(Model(contentsOf: Network.url)))
      #expect(try names(".partial").isEmpty)
      #expect(try names("").filter { $0.count == 81 && !$0.contains(".") }.count == 1)
    }
  }
#endif
