import Foundation
import Martlet
import Testing

/// A folder that goes with the test.
final class TemporaryFolder: Sendable {
  let url: URL

  init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("martlet-tests-\(UUID().uuidString)", isDirectory: true)
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(at: url) }

  func callAsFunction(_ name: String) -> URL { url.appendingPathComponent(name) }
}

/// The model that `Oracles/make_store_fixture.py` writes.
enum Network {
  static let url = Bundle.module.url(forResource: "network", withExtension: "mlpackage", subdirectory: "Fixtures")!

  static let image = (0..<192).map { Float($0 * 37 % 101) / 101 }

  static func scores(_ model: Model) throws -> [Float] {
    let tensor = try Tensor(image, shape: [1, 3, 8, 8])
    return try #require(model.run([.tensor(tensor)]).first?.tensor).scalars(as: Float.self)
  }
}

@Suite("Compiled models")
struct CompiledModelTests {
  private static let program = "martlet/model.bin"
  private static let packed = "martlet/packed.bin"

  @Test("A compiled model gives the same as the package, from any place and without it")
  func sameResults() throws {
    let folder = try TemporaryFolder()
    let package = folder("mine.mlpackage")
    try FileManager.default.copyItem(at: Network.url, to: package)
    let compiled = folder("deep/er/mine.mlmodelc")
    try Model.compile(package, to: compiled)
    try FileManager.default.removeItem(at: package)
    let moved = folder("moved.mlmodelc")
    try FileManager.default.moveItem(at: compiled, to: moved)
    let model = try Model(contentsOf: moved)
    let original = try Model(contentsOf: Network.url)
    #expect(try Network.scores(model) == Network.scores(original))
    #expect(try model.graphDump() == original.graphDump())
    #expect(model.memoryByteCount == original.memoryByteCount && model.memoryByteCount > 0)
    // What is compiled already can be compiled again.
    let again = folder("again.mlmodelc")
    try Model.compile(moved, to: again)
    #expect(try Network.scores(Model(contentsOf: again)) == Network.scores(original))
  }

  /// Packed weights in a file are used by any engine of the same version. Where this fails, kernels want weights in another form than
  /// before: raise `CompiledForm.engineVersion`, and record here what the test prints.
  @Test("Weights are packed as the engine's version says")
  func packedLayout() throws {
    /// By engine version and processor, as the file's header has them: what follows the header.
    let recorded: [UInt64: UInt64] = [
      17_612_932_844_110_402_507: 9_757_354_707_109_064_186,  // AVX-512 and AMX
      11_646_928_696_216_681_195: 13_039_681_353_061_824_427,  // capped at AVX2
      4_779_166_702_572_744_496: 10_000_787_307_882_147_987,  // portable
    ]
    let folder = try TemporaryFolder()
    try Model.compile(Network.url, to: folder("network.mlmodelc"))
    let content = [UInt8](try Data(contentsOf: folder("network.mlmodelc").appendingPathComponent(Self.packed)))
    // FNV-1a.
    func digest(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } }
    let host = digest(content[32..<64])
    let weights = digest(content[64...])
    // Other processors pack for themselves.
    guard let expected = recorded[host] else {
      print("packed weights of \(host): \(weights)")
      return
    }
    #expect(weights == expected)
  }

  @Test("Packed weights are used where they lie, and damaged ones or those of another compilation are not")
  func packedWeights() throws {
    let folder = try TemporaryFolder()
    let compiled = folder("network.mlmodelc")
    try Model.compile(Network.url, to: compiled)
    let expected = try Network.scores(Model(contentsOf: Network.url))
    let file = compiled.appendingPathComponent(Self.packed)
    let content = [UInt8](try Data(contentsOf: file))
    let count = Int(content[12])
    #expect(count >= 2)
    func scores(_ change: (inout [UInt8]) -> Void) throws -> [Float] {
      var damaged = content
      change(&damaged)
      try Data(damaged).write(to: file)
      return try Network.scores(Model(contentsOf: compiled))
    }
    let weights = (64 + count * 48 + 63) / 64 * 64
    // Other weights give other results: so they are used.
    #expect(try scores { for index in weights..<$0.count { $0[index] = 0 } } != expected)
    // Magic, format, compilation, host.
    for index in [0, 8, 16, 24, 32, 63] { #expect(try scores { $0[index] ^= 1 } == expected, "byte \(index)") }
    for entry in 0..<count {
      let start = 64 + entry * 48
      // Key, offset beyond the file, size.
      #expect(try scores { $0[start] ^= 1 } == expected)
      #expect(try scores { $0.replaceSubrange(start + 32..<start + 40, with: [UInt8](repeating: 255, count: 8)) } == expected)
      #expect(try scores { $0[start + 32] |= 1 } == expected)
      #expect(try scores { $0[start + 40] ^= 4 } == expected)
      #expect(try scores { $0.replaceSubrange(start + 40..<start + 48, with: [UInt8](repeating: 255, count: 8)) } == expected)
    }
    #expect(try scores { $0.replaceSubrange(12..<16, with: [255, 255, 255, 255]) } == expected)
    for length in stride(from: 1, to: weights, by: 13) { #expect(try scores { $0.removeSubrange(length...) } == expected) }
    for length in stride(from: weights, to: content.count, by: 61) { _ = try scores { $0.removeSubrange(length...) } }
    try FileManager.default.removeItem(at: file)
    #expect(try Network.scores(Model(contentsOf: compiled)) == expected)
  }

  @Test("A compiled model with any byte of its program changed loads and runs, or fails with an error")
  func damagedProgram() throws {
    let folder = try TemporaryFolder()
    let compiled = folder("network.mlmodelc")
    try Model.compile(Network.url, to: compiled)
    let file = compiled.appendingPathComponent(Self.program)
    let content = [UInt8](try Data(contentsOf: file))
    var failures = 0
    var options = ModelOptions()
    options.memoryLimit = 64 << 20
    for index in stride(from: 64, to: content.count, by: 3) {
      var damaged = content
      damaged[index] ^= UInt8(truncatingIfNeeded: 1 << (index % 8))
      try Data(damaged).write(to: file)
      do {
        _ = try Network.scores(Model(contentsOf: compiled, options: options))
      } catch {
        #expect(error is MartletError || error is ExpectationFailedError, "\(error)")
        failures += 1
      }
    }
    #expect(failures > 20)
  }

  @Test("A folder that another version of the engine has made is read as the original in it")
  func otherVersion() throws {
    let folder = try TemporaryFolder()
    let compiled = folder("network.mlmodelc")
    try Model.compile(Network.url, to: compiled)
    let file = compiled.appendingPathComponent(Self.program)
    var content = [UInt8](try Data(contentsOf: file))
    content[64] ^= 1
    try Data(content).write(to: file)
    #expect(try Network.scores(Model(contentsOf: compiled)) == Network.scores(Model(contentsOf: Network.url)))
  }

  @Test("What cannot be compiled is refused and leaves nothing behind")
  func refusals() throws {
    let folder = try TemporaryFolder()
    func expectRefusal(_ url: URL, _ text: String, to target: URL) {
      #expect {
        try Model.compile(url, to: target)
      } throws: { error in
        guard let error = error as? MartletError, error.kind == .invalidFile else { return false }
        return error.message.contains(text)
      }
    }
    let target = folder("x.mlmodelc")
    expectRefusal(URL(fileURLWithPath: "/nowhere/x.mlpackage"), "/nowhere/x.mlpackage", to: target)
    expectRefusal(URL(fileURLWithPath: "/nowhere/x.pte"), "only .mlpackage", to: target)
    let damaged = folder("damaged.mlmodel")
    try Data("no model".utf8).write(to: damaged)
    expectRefusal(damaged, "damaged.mlmodel", to: target)
    #expect(!FileManager.default.fileExists(atPath: target.path))
    try Model.compile(Network.url, to: target)
    expectRefusal(Network.url, "already exists", to: target)
    #expect(try Network.scores(Model(contentsOf: target)).count == 5)
    // A file where a folder should be.
    expectRefusal(Network.url, "damaged.mlmodel", to: damaged.appendingPathComponent("y.mlmodelc"))
  }
}
