import Foundation
import MartletBytes
import Testing

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Faults in a process that has guarded mappings and a handler of its own. Each test is a process.
@Suite struct MappingGuardTests {
  private static let byteCount = 300 << 10

  private static func makeFile() throws -> String {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try Data(repeating: 7, count: byteCount).write(to: URL(filePath: path))
    return path
  }

  /// Reads beyond the end of a truncated file that is mapped and guarded. Ends the process with status 1 unless this reads a zero and
  /// marks the file as changed.
  private static func readGuarded() throws {
    let path = try makeFile()
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try MappedFile(contentsOfPath: path)
    guard file.isMapped, unsafe truncate(path, 0) == 0, try file.bytes.load(UInt8.self, at: 200_000) == 0 else { exit(1) }
    do throws(FileError) { try file.checkUnchanged() } catch { return }
    exit(1)
  }

  /// Reads beyond the end of a truncated file that is not guarded, and returns if the handler does.
  private static func readUnguarded() throws {
    let path = try makeFile()
    let descriptor = unsafe open(path, O_RDWR)
    let memory = unsafe mmap(nil, byteCount, PROT_READ, MAP_SHARED, descriptor, 0)
    try FileManager.default.removeItem(atPath: path)
    guard unsafe memory != MAP_FAILED, ftruncate(descriptor, 0) == 0 else { exit(1) }
    unsafe faultingAddress = UInt(bitPattern: memory) + 200_000
    // The result is used: an optimised build leaves out reads without a use.
    guard unsafe memory!.load(fromByteOffset: 200_000, as: UInt8.self) == 0 else { exit(1) }
  }

  /// The address of the fault that the handler expects.
  nonisolated(unsafe) private static var faultingAddress: UInt = 0

  @Test func `A fault outside of guarded mappings goes to the handler that was installed before`() async {
    await #expect(processExitsWith: .exitCode(42)) {
      _ = signal(SIGBUS) { number in _exit(number == SIGBUS ? 42 : 1) }
      try Self.readGuarded()
      try Self.readUnguarded()
    }
  }

  @Test func `A handler that was installed before gets the address of the fault`() async {
    await #expect(processExitsWith: .exitCode(43)) {
      var action = sigaction()
      action.sa_flags = SA_SIGINFO
      unsafe action.setHandler { _, information, _ in
        _exit(unsafe information.map { unsafe $0.pointee.faultAddress } == MappingGuardTests.faultingAddress ? 43 : 1)
      }
      guard unsafe sigaction(SIGBUS, &action, nil) == 0 else { exit(1) }
      try Self.readGuarded()
      try Self.readUnguarded()
    }
  }

  @Test func `Without another handler, a fault outside of guarded mappings ends the process`() async {
    await #expect(processExitsWith: .signal(SIGBUS)) {
      _ = signal(SIGBUS, SIG_DFL)
      try Self.readGuarded()
      try Self.readUnguarded()
    }
  }

  @Test func `A signal that a process sends goes to the handler that was installed before`() async {
    await #expect(processExitsWith: .exitCode(44)) {
      _ = signal(SIGBUS) { _ in _exit(44) }
      try Self.readGuarded()
      raise(SIGBUS)
    }
  }
}

extension sigaction {
  fileprivate mutating func setHandler(
    _ handler: @escaping @convention(c) (Int32, UnsafeMutablePointer<siginfo_t>?, UnsafeMutableRawPointer?) -> Void
  ) {
    #if canImport(Glibc)
      unsafe __sigaction_handler.sa_sigaction = handler
    #elseif canImport(Musl)
      unsafe __sa_handler.sa_sigaction = handler
    #else
      unsafe __sigaction_u.__sa_sigaction = handler
    #endif
  }
}

extension siginfo_t {
  fileprivate var faultAddress: UInt {
    #if canImport(Glibc)
      unsafe UInt(bitPattern: _sifields._sigfault.si_addr)
    #elseif canImport(Musl)
      unsafe UInt(bitPattern: __si_fields.__sigfault.si_addr)
    #else
      unsafe UInt(bitPattern: si_addr)
    #endif
  }
}
