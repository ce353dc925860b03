import ExecuTorch
import Foundation
import Testing

#if canImport(Glibc)
  import Glibc
#endif

struct ModuleLoadingTests {
  private func sum(_ module: Module) throws -> [Float] {
    try Tensor<Float>(module.forward(Tensor<Float>([1, 2, 3]), Tensor<Float>([10, 20, 30]))).scalars()
  }

  /// Whether a file is mapped into this process. The list comes a page at a time, and lines are missing where other threads change it
  /// meanwhile, so that it is read more than once.
  private func isMapped(_ path: String) throws -> Bool {
    for _ in 0..<20 {
      let handle = try FileHandle(forReadingFrom: URL(fileURLWithPath: "/proc/self/maps"))
      var list = Data()
      while let part = try handle.read(upToCount: 1 << 16), !part.isEmpty { list += part }
      if String(decoding: list, as: UTF8.self).contains(path) { return true }
    }
    return false
  }

  @Test func `nothing is read before something is needed`() throws {
    let module = Module(filePath: "nowhere.pte")
    #expect(!module.isLoaded() && !module.isLoaded("forward"))
    let error = try thrown { try module.load() }
    #expect(error.code == .accessFailed && error.description.contains("nowhere.pte"))
    #expect(!module.isLoaded())

    let path = try Fixture.copy(of: "methods.pte")
    let later = Module(filePath: path)
    try FileManager.default.removeItem(atPath: path)
    #expect(try thrown { try later.methodNames() }.code == .accessFailed)
  }

  @Test func `every initialiser makes a module that runs`() throws {
    let path = Fixture.path("methods.pte")
    let external = Fixture.path("external.ptd")
    for module in [
      Module(filePath: path), Module(filePath: path, loadMode: .mmap), Module(filePath: path, dataFilePaths: [external]),
      Module(filePath: path, dataFilePaths: [external], loadMode: .mmap),
    ] {
      #expect(try sum(module) == [11, 22, 33])
    }
  }

  @Test(arguments: [ModuleLoadMode.file, .mmap, .mmapUseMlock, .mmapUseMlockIgnoreErrors])
  func `a program gives the same in every load mode`(mode: ModuleLoadMode) throws {
    let module = Module(filePath: Fixture.path("methods.pte"), loadMode: mode)
    do {
      try module.load()
    } catch ErrorCode.accessFailed where mode == .mmapUseMlock {
      return  // The system allows no locked memory.
    }
    #expect(try sum(module) == [11, 22, 33])
  }

  #if os(Linux)
    @Test func `a file that was read may be deleted, and is not mapped`() throws {
      let path = try Fixture.copy(of: "methods.pte")
      let module = Module(filePath: path, loadMode: .file)
      try module.load()
      #expect(try !isMapped(path))
      try FileManager.default.removeItem(atPath: path)
      #expect(try sum(module) == [11, 22, 33])
    }

    @Test func `a mapped file is mapped as long as the module lives`() throws {
      let path = try Fixture.copy(of: "methods.pte")
      defer { try? FileManager.default.removeItem(atPath: path) }
      // Small files are copied; bytes after the program are ignored.
      let file = try #require(FileHandle(forWritingAtPath: path))
      try file.seekToEnd()
      try file.write(contentsOf: Data(count: 1 << 20))
      try file.close()
      var module: Module? = Module(filePath: path, loadMode: .mmap)
      try module?.load()
      #expect(try isMapped(path))
      #expect(try module.map(sum) == [11, 22, 33])
      module = nil
      #expect(try !isMapped(path))
    }

    @Test func `where the system refuses to lock memory, locking is an error or is left out, as asked`() async throws {
      // Named after this process, so that the other one finds it: Swift 6.2 passes nothing to such a closure.
      func path(_ process: pid_t) -> String { NSTemporaryDirectory() + "locked-\(process).pte" }
      let copy = try Fixture.copy(of: "methods.pte")
      try FileManager.default.moveItem(atPath: copy, toPath: path(getpid()))
      defer { try? FileManager.default.removeItem(atPath: path(getpid())) }
      await #expect(processExitsWith: .success) {
        let path = NSTemporaryDirectory() + "locked-\(getppid()).pte"
        // A process without privileges that may lock nothing.
        var limit = rlimit(rlim_cur: 0, rlim_max: 0)
        guard unsafe setrlimit(__rlimit_resource_t(8), &limit) == 0 else { exit(3) }
        if geteuid() == 0, setuid(65534) != 0 { exit(4) }
        // Under a sanitizer the call locks nothing and says that it did.
        let page = UnsafeMutableRawPointer.allocate(byteCount: 4096, alignment: 4096)
        if unsafe mlock(page, 4096) == 0 { exit(0) }
        do {
          try Module(filePath: path, loadMode: .mmapUseMlock).load()
          exit(5)
        } catch ErrorCode.accessFailed {
          try Module(filePath: path, loadMode: .mmapUseMlockIgnoreErrors).load()
        } catch {
          exit(6)
        }
      }
    }
  #endif

  @Test(arguments: [ModuleVerification.minimal, .internalConsistency])
  func `a damaged program is refused at either level of verification`(level: ModuleVerification) throws {
    let whole = try Data(contentsOf: URL(fileURLWithPath: Fixture.path("methods.pte")))
    let path = try Fixture.copy(of: "methods.pte")
    defer { try? FileManager.default.removeItem(atPath: path) }
    try whole.prefix(whole.count / 2).write(to: URL(fileURLWithPath: path))
    let module = Module(filePath: path)
    #expect(try thrown { try module.load(with: level) }.code == .invalidProgram)
    #expect(!module.isLoaded())
    try whole.write(to: URL(fileURLWithPath: path))
    try module.load(with: level)
    #expect(module.isLoaded())
  }

  @Test func `a file that is no program is refused`() throws {
    #expect(try thrown { try Fixture.module("external.ptd").load() }.code == .invalidProgram)
    #expect(try thrown { try Module(filePath: NSTemporaryDirectory()).load() }.code == .accessFailed)
  }

  @Test func `methods are loaded one by one`() throws {
    let module = Fixture.module("methods.pte")
    try module.load()
    #expect(module.isLoaded() && !module.isLoaded("forward"))
    try module.load("forward")
    #expect(module.isLoaded("forward") && !module.isLoaded("two"))
    _ = try module.execute("two", Tensor<Float>.ones(shape: [2, 3]))
    #expect(module.isLoaded("two"))
    #expect(!module.isLoaded("nothing"))
  }

  @Test func `an unknown method is an error that names it and those there are`() throws {
    let module = Fixture.module("counter.pte")
    for attempt in [
      { try module.load("nothing") }, { _ = try module.execute("nothing") }, { _ = try module.methodMetadata("nothing") },
      { try module.setInput(1, for: "nothing") }, { try module.setOutput(1, for: "nothing") },
    ] {
      let error = try thrown(by: attempt)
      #expect(error.code == .invalidArgument)
      #expect(error.description.contains("nothing") && error.description.contains("forward"))
    }
  }

  @Test func `an operator that nobody has is an error that names it, and other methods run`() throws {
    let module = Fixture.module("unknown.pte")
    let error = try thrown { try module.load("forward") }
    #expect(error.code == .operatorMissing)
    #expect(error.description.contains("martlet_nobody::mystery") && error.description.contains("unknown.pte"))
    #expect(module.isLoaded() && !module.isLoaded("forward"))
    let known: Tensor<Float> = try module.execute("known", Tensor<Float>([3, 4]))
    #expect(known.scalars() == [6, 8])
  }

  @Test func `an unloaded method forgets its inputs, and its state begins anew`() throws {
    let module = Fixture.module("counter.pte")
    #expect(try module.forward(Tensor<Float>([1, 2])) == Tensor<Float>([1, 2]))
    #expect(try module.forward(Tensor<Float>([1, 2])) == Tensor<Float>([2, 4]))
    #expect(module.unload("forward"))
    #expect(!module.isLoaded("forward") && module.isLoaded())
    #expect(!module.unload("forward"))
    #expect(try thrown { try module.forward() }.code == .invalidArgument)
    #expect(try module.forward(Tensor<Float>([5, 6])) == Tensor<Float>([5, 6]))
  }

  @Test func `modules of one file have states of their own`() throws {
    let first = Fixture.module("counter.pte")
    let second = Fixture.module("counter.pte")
    _ = try first.forward(Tensor<Float>([1, 1]))
    #expect(try first.forward(Tensor<Float>([1, 1])) == Tensor<Float>([2, 2]))
    #expect(try second.forward(Tensor<Float>([1, 1])) == Tensor<Float>([1, 1]))
  }

  @Test func `weights may lie in a data file`() throws {
    let program = Fixture.path("external.pte")
    let input = Tensor<Float>([1, 2, 3], shape: [1, 3])
    for mode in [ModuleLoadMode.file, .mmap] {
      let module = Module(filePath: program, dataFilePaths: [Fixture.path("external.ptd")], loadMode: mode)
      #expect(try module.forward(input) == Tensor<Float>([14.25, 11.5], shape: [1, 2]))
    }
    #expect(throws: ErrorCode.self) { try Module(filePath: program).forward(input) }
    let absent = try thrown { try Module(filePath: program, dataFilePaths: ["absent.ptd"]).load() }
    #expect(absent.code == .accessFailed && absent.description.contains("absent.ptd"))
  }

  @Test func `options for backends may come with the program or with a method`() throws {
    let options = try BackendOptionsMap(options: ["XnnpackBackend": [BackendOption("workspace", true)], "Other": []])
    let input = Tensor<Float>([1, 2, 3], shape: [1, 3])
    let module = Fixture.module("delegated.pte")
    try module.load(options: options)
    #expect(module.isLoaded() && !module.isLoaded("forward"))
    try module.load(options: try BackendOptionsMap(options: [:]), verification: .internalConsistency)
    #expect(try module.forward(input) == Tensor<Float>([14.25, 11.5], shape: [1, 2]))

    let other = Fixture.module("delegated.pte")
    try other.load("forward", options: options)
    #expect(other.isLoaded("forward"))
    #expect(try other.forward(input) == Tensor<Float>([14.25, 11.5], shape: [1, 2]))
  }
}
