import Foundation
import Martlet
import Testing

#if canImport(Glibc)
  import Glibc
#endif

/// Counts what happens, on any thread.
private final class Counter: @unchecked Sendable {
  private let lock = NSLock()
  private var number = 0

  func add() { lock.withLock { number += 1 } }
  var count: Int { lock.withLock { number } }
}

@Suite("Model store")
struct ModelStoreTests {
  private let folder: TemporaryFolder
  private let compilations = Counter()

  init() throws { folder = try TemporaryFolder() }

  /// A store whose cache is in the test's folder.
  private func store(
    budget: Int? = nil, watches: Bool = false, pressure: MemoryPressure = MemoryPressure(processes: "/nowhere", groups: "/nowhere")
  ) -> ModelStore {
    var options = ModelStore.Options()
    options.cacheDirectory = folder("cache")
    options.memoryBudget = budget
    options.watchesMemoryPressure = watches
    return ModelStore(options: options, pressure: pressure, pressureInterval: .milliseconds(5)) { [compilations] _ in compilations.add() }
  }

  /// A copy of the package, with another content for each number.
  private func package(_ number: Int = 0) throws -> URL {
    let url = folder("network\(number).mlpackage")
    if !FileManager.default.fileExists(atPath: url.path) { try FileManager.default.copyItem(at: Network.url, to: url) }
    if number > 0 { try Data("\(number)".utf8).write(to: url.appendingPathComponent("number.txt")) }
    return url
  }

  private var cached: [String] {
    get throws { try FileManager.default.contentsOfDirectory(atPath: folder("cache").path) }
  }

  private func entry() throws -> URL {
    folder("cache").appendingPathComponent(try #require(try cached.first { $0.count == 81 && !$0.contains(".") }))
  }

  // MARK: Sharing

  @Test("A model is compiled and loaded once, however many ask for it at once, and shared")
  func sharing() async throws {
    let (store, url) = (store(), try package())
    let models = try await withThrowingTaskGroup(of: Model.self) { group in
      for _ in 0..<8 { group.addTask { try await store.model(at: url) } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(models.allSatisfy { $0 === models[0] })
    #expect(try await store.model(at: url) === models[0])
    #expect(compilations.count == 1)
    #expect(await store.loadedModels.map(\.lastPathComponent) == ["network0.mlpackage"])
    #expect(await store.memoryByteCount == models[0].memoryByteCount)
    #expect(try Network.scores(models[0]) == Network.scores(Model(contentsOf: Network.url)))
    #expect(models[0].url.path.hasPrefix(folder("cache").path))
  }

  @Test("Compiled models outlast the store, whatever their originals are called")
  func persistence() async throws {
    let first = try await store().model(at: try package())
    let second = try await store().model(at: try package())
    #expect(first !== second && first.url == second.url)
    let moved = folder("elsewhere.mlpackage")
    try FileManager.default.moveItem(at: try package(), to: moved)
    #expect(try await store().model(at: moved).url == first.url)
    #expect(compilations.count == 1)
    #expect(try await store().compiledModel(at: moved) == first.url)
  }

  @Test("A model that is replaced is compiled and loaded anew")
  func replacement() async throws {
    let (store, url) = (store(), try package())
    let first = try await store.model(at: url)
    try Data("new".utf8).write(to: url.appendingPathComponent("readme.txt"))
    let second = try await store.model(at: url)
    #expect(first !== second && first.url != second.url)
    #expect(compilations.count == 2)
    #expect(await store.loadedModels.count == 1)
  }

  @Test("ExecuTorch programs are shared without being compiled")
  func programs() async throws {
    let store = store()
    let source = Bundle.module.url(forResource: "custom_operators", withExtension: "pte", subdirectory: "Fixtures")!
    // It calls operators that nobody has registered, so it is missing operators, not compiled.
    await #expect(throws: MartletError.self) { try await store.model(at: source) }
    #expect(compilations.count == 0)
    #expect(await store.loadedModels.isEmpty)
  }

  @Test("Errors reach everyone who waits, and a later request tries again")
  func errors() async throws {
    let store = store()
    let url = folder("late.mlpackage")
    await #expect(throws: MartletError.self) { try await store.model(at: url) }
    await #expect(throws: MartletError.self) { try await store.compiledModel(at: url) }
    await #expect(throws: MartletError.self) { try await store.prewarm([try package(), url]) }
    #expect(await store.loadedModels.count == 1)
    try FileManager.default.copyItem(at: Network.url, to: url)
    _ = try await store.model(at: url)
  }

  // MARK: Eviction

  @Test("The models that were not asked for the longest time go when the budget is used up")
  func budget() async throws {
    let size = try Model(contentsOf: Network.url).loaded().memoryByteCount
    let store = store(budget: size * 2)
    let urls = try (1...4).map { try package($0) }
    try await store.prewarm(Array(urls[0..<2]))
    func names() async -> [String] { await store.loadedModels.map(\.lastPathComponent) }
    #expect(await names() == ["network1.mlpackage", "network2.mlpackage"])
    _ = try await store.model(at: urls[0])
    try await store.prewarm([urls[2]])
    #expect(await names() == ["network1.mlpackage", "network3.mlpackage"])
    #expect(await store.memoryByteCount == size * 2)
    // A budget too small for any model keeps the last one.
    let tight = self.store(budget: 1)
    for url in urls { _ = try await tight.model(at: url) }
    #expect(await tight.loadedModels.map(\.lastPathComponent) == ["network4.mlpackage"])
  }

  @Test("A model that somebody still holds is shared again after the store has let it go")
  func heldElsewhere() async throws {
    let store = store(budget: 1)
    let (first, second) = (try package(1), try package(2))
    let held = try await store.model(at: first)
    _ = try await store.model(at: second)
    #expect(await store.loadedModels.map(\.lastPathComponent) == ["network2.mlpackage"])
    #expect(try await store.model(at: first) === held)
    weak var released: Model?
    do { released = try await store.model(at: second) }
    _ = try await store.model(at: first)
    // The thread that loaded it may hold it for a moment longer.
    for _ in 0..<500 where released != nil { try await Task.sleep(for: .milliseconds(10)) }
    #expect(released == nil)
  }

  @Test("Prewarmed models are there at once, and unloaded ones go")
  func prewarming() async throws {
    let store = store()
    let urls = [try package(1), try package(2)]
    try await store.prewarm(urls)
    #expect(compilations.count == 2)
    let known = try await store.model(at: urls[0])
    #expect(known.isLoaded(method: known.defaultMethod))
    #expect(await store.unload(urls[1]))
    #expect(await !store.unload(urls[1]))
    #expect(await store.loadedModels.count == 1)
    await store.unloadAll()
    #expect(await store.loadedModels.isEmpty)
    #expect(await store.memoryByteCount == 0)
    _ = try await store.model(at: urls[1])
    #expect(compilations.count == 2)
  }

  @Test("Models go one by one while memory is short")
  func pressure() async throws {
    let system = folder("system")
    try FileManager.default.createDirectory(at: system.appendingPathComponent("pressure"), withIntermediateDirectories: true)
    let file = system.appendingPathComponent("pressure/memory")
    try Data("some avg10=0.00 avg60=0.00 avg300=0.00 total=0\n".utf8).write(to: file)
    let store = store(watches: true, pressure: MemoryPressure(processes: system.path, groups: "/nowhere"))
    try await store.prewarm([try package(1), try package(2)])
    try await Task.sleep(for: .milliseconds(50))
    #expect(await store.loadedModels.count == 2)
    try Data("some avg10=42.00 avg60=0.00 avg300=0.00 total=9\n".utf8).write(to: file)
    for _ in 0..<500 where await !store.loadedModels.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    #expect(await store.loadedModels.isEmpty)
    // Later models are watched, too.
    _ = try await store.model(at: try package(1))
    for _ in 0..<500 where await !store.loadedModels.isEmpty { try await Task.sleep(for: .milliseconds(10)) }
    #expect(await store.loadedModels.isEmpty)
  }

  @Test("Memory is short when tasks wait for it or the control group is nearly full")
  func pressureFiles() throws {
    func write(_ path: String, _ text: String) throws {
      let file = folder(path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    let pressure = MemoryPressure(processes: folder("proc").path, groups: folder("groups").path)
    #expect(!pressure.isHigh)
    try write("proc/pressure/memory", "some avg10=10.00 avg60=0.00 avg300=0.00 total=1\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")
    #expect(pressure.isHigh)
    // The figures of the process's own group count instead.
    try write("proc/self/cgroup", "1:name=systemd:/elsewhere\n0::/app/one\n")
    try write("groups/app/one/memory.pressure", "some avg10=9.99 avg60=0.00 avg300=0.00 total=1\n")
    #expect(!pressure.isHigh)
    try write("groups/app/one/memory.current", "950\n")
    try write("groups/app/one/memory.max", "max\n")
    #expect(!pressure.isHigh)
    try write("groups/app/one/memory.max", "1000\n")
    #expect(pressure.isHigh)
    try write("groups/app/one/memory.stat", "anon 800\ninactive_file 100\nactive_file 50\n")
    #expect(!pressure.isHigh)
    try write("groups/app/one/memory.high", "900\n")
    #expect(pressure.isHigh)
    try write("proc/pressure/memory", "")
    for nonsense in ["", "some", "some avg10=", "some avg10=x", "nan\n", "-1", "\u{0}"] {
      for name in ["memory.pressure", "memory.current", "memory.max", "memory.high", "memory.stat"] {
        try write("groups/app/one/\(name)", nonsense)
      }
      #expect(!pressure.isHigh)
    }
  }

  // MARK: Damage and death

  @Test("An entry with any file damaged, cut off or missing is made anew")
  func corruption() async throws {
    let url = try package()
    let expected = try Network.scores(try await store().model(at: url))
    #expect(compilations.count == 1)
    let made = try entry()
    let names = try FileManager.default.subpathsOfDirectory(atPath: made.path).filter { name in
      let attributes = try FileManager.default.attributesOfItem(atPath: made.appendingPathComponent(name).path)
      return attributes[.type] as? FileAttributeType == .typeRegular
    }
    #expect(names.count == 7)
    for name in names {
      for damage in 0..<4 {
        let file = try entry().appendingPathComponent(name)
        var bytes = [UInt8](try Data(contentsOf: file))
        switch damage {
        case 0:
          bytes[bytes.count / 2] ^= 1
          try Data(bytes).write(to: file)
        case 1: try Data(bytes.dropLast()).write(to: file)
        case 2: try Data().write(to: file)
        default: try FileManager.default.removeItem(at: file)
        }
        let before = compilations.count
        #expect(try Network.scores(try await store().model(at: url)) == expected)
        // A byte of the description may be one that does not matter.
        if !(name == "entry.json" && damage == 0) { #expect(compilations.count == before + 1, "\(name), \(damage)") }
      }
    }
    // Files that are only touched are good.
    let before = compilations.count
    for name in names where name != "entry.json" {
      let file = try entry().appendingPathComponent(name)
      try FileManager.default.setAttributes([.modificationDate: Date(timeIntervalSince1970: 1)], ofItemAtPath: file.path)
    }
    #expect(try Network.scores(try await store().model(at: url)) == expected)
    #expect(compilations.count == before)
  }

  @Test("What processes that died have left is removed, but not the work of one that lives")
  func cleaning() async throws {
    let cache = folder("cache")
    for name in ["dead.1.partial", "alive.2.partial"] {
      let partial = cache.appendingPathComponent(name)
      try FileManager.default.createDirectory(at: partial, withIntermediateDirectories: true)
      try Data("x".utf8).write(to: partial.appendingPathComponent("file"))
    }
    let descriptor = unsafe open(cache.appendingPathComponent("alive.lock").path, O_RDWR | O_CREAT | O_CLOEXEC, 0o644)
    #expect(flock(descriptor, LOCK_EX) == 0)
    _ = try await store().model(at: try package())
    let names = try cached
    #expect(!names.contains("dead.1.partial") && names.contains("alive.2.partial"))
    // Not only closed: a process that another test is starting may have the file open, too.
    #expect(flock(descriptor, LOCK_UN) == 0)
    close(descriptor)
    _ = try await store().model(at: try package())
    #expect(try !cached.contains("alive.2.partial"))
  }

  @Test("An entry that nobody has used for months goes")
  func disuse() async throws {
    _ = try await store().model(at: try package(1))
    let old = try entry()
    let description = old.appendingPathComponent("entry.json").path
    try FileManager.default.setAttributes([.modificationDate: Date().addingTimeInterval(-70 * 86_400)], ofItemAtPath: description)
    _ = try await store().model(at: try package(2))
    #expect(!FileManager.default.fileExists(atPath: old.path))
    #expect(compilations.count == 2)
  }
}

extension Model {
  /// The model with its default method loaded.
  fileprivate func loaded() throws -> Model {
    try load()
    return self
  }
}
