import Foundation
import MartletBytes
import MartletExecuTorchFile
import Testing

/// The files that `Oracles/make_reader_fixtures.py` writes.
enum Fixture {
  private static var folder: URL { Bundle.module.resourceURL!.appendingPathComponent("Fixtures") }

  /// The names of all sound files, sorted.
  static let names = files(in: folder)

  /// The names of all files with something wrong, sorted, each beginning with `Refused/`.
  static let refused = files(in: folder.appendingPathComponent("Refused")).map { "Refused/" + $0 }

  /// The names of all files that have copies with shared vtables, sorted; those are in `SharedVtables`.
  static let sharedVtables = files(in: folder.appendingPathComponent("SharedVtables"))

  private static func files(in folder: URL) -> [String] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    return names.filter { $0.contains(".") && !$0.hasPrefix(".") }.sorted()
  }

  static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  static func file(_ name: String) throws -> ByteView { try MappedFile(contentsOfPath: path(name)).bytes }

  static func bytes(_ name: String) throws -> [UInt8] { try file(name).array }

  static func program(_ name: String) throws -> ExecuTorchProgram { try ExecuTorchProgram(file(name)) }

  /// The only plan of a program.
  static func plan(_ name: String) throws -> ExecutionPlan {
    let plans = try program(name).plans
    try #require(plans.count == 1)
    return plans[0]
  }

  /// The payload of the only delegate of a program that `Oracles/make_mps_cases.py` writes.
  static func mpsPayload(_ path: String) throws -> ByteView {
    let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = tests.appendingPathComponent("Fixtures/mps/\(path)/model.pte")
    let program = try ExecuTorchProgram(MappedFile(contentsOfPath: file.path).bytes)
    return try #require(program.plans.first?.delegates.first).payload
  }

  /// The graph of the first delegate of a program.
  static func graph(_ name: String) throws -> XNNPACKGraph {
    let program = try program(name)
    let delegate = try #require(program.plans.first?.delegates.first)
    return try XNNPACKGraph(delegate.payload) { program.namedData[$0] }
  }
}

extension ByteView {
  /// The bytes as 32-bit floats.
  func floats() throws -> [Float] {
    try (0..<count / 4).map { Float(bitPattern: try load(UInt32.self, at: $0 * 4)) }
  }
}

/// Reads bytes of any kind as far as they go: programs with the payloads of XNNPACK and MPS, data files, bundled programs and bare
/// XNNPACK payloads. All bytes of all views are read too, so that one out of bounds is noticed.
///
/// - Returns: a sum of the bytes, which only serves to read them.
@discardableResult
func readAll(_ bytes: [UInt8]) throws(FileError) -> Int {
  let file = MappedFile(copying: bytes, name: "test").bytes
  switch ExecuTorchFileKind(of: file) {
  case .program:
    return try readAll(ExecuTorchProgram(file))
  case .flatTensor:
    return try FlatTensorFile(file).entries.values.reduce(0) { $0 &+ sum($1.data) }
  case .bundledProgram:
    let bundle = try BundledProgram(file)
    return try sum(bundle.program) &+ readAll(ExecuTorchProgram(bundle.program))
  case nil:
    return try readAll(XNNPACKGraph(file) { _ in file })
  }
}

private func readAll(_ program: ExecuTorchProgram) throws(FileError) -> Int {
  var total = program.segments.reduce(0) { $0 &+ sum($1) }
  for plan in program.plans {
    for value in plan.values {
      switch value.tensor?.data {
      case .constant(let data), .mutableInitialized(let data, _): total &+= sum(data)
      default: break
      }
    }
    for delegate in plan.delegates {
      total &+= sum(delegate.payload)
      switch delegate.id {
      case "XnnpackBackend": total &+= try readAll(XNNPACKGraph(delegate.payload) { program.namedData[$0] })
      case "MPSBackend": total &+= try readAll(MPSGraph.readings(of: delegate.payload))
      default: break
      }
    }
  }
  return total
}

private func readAll(_ graph: XNNPACKGraph) -> Int {
  graph.values.reduce(0) { $0 &+ ($1.data.map(sum) ?? 0) }
}

private func readAll(_ readings: [MPSGraph]) -> Int {
  readings.flatMap(\.values).reduce(0) { $0 &+ ($1.data.map(sum) ?? 0) }
}

private func sum(_ view: ByteView) -> Int {
  unsafe view.withUnsafeBytes { unsafe $0.reduce(0) { $0 &+ Int($1) } }
}
