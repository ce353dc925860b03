import CMartletMappedFiles
import Foundation
import Martlet
import MartletBytes
import MartletTensor
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

/// The content of the file with packed weights.
enum PackedWeights {
  /// Sets all weights to zero, with their checksums.
  static func clear(_ bytes: inout [UInt8]) {
    let count = Int(bytes[12])
    let table = 64 + count * 56
    for entry in 0..<count {
      func number(_ offset: Int) -> Int {
        (0..<8).reduce(0) { $0 | Int(bytes[64 + entry * 56 + offset + $1]) << (8 * $1) }
      }
      let (offset, byteCount, first) = (number(32), number(40), number(48))
      bytes.replaceSubrange(offset..<offset + byteCount, with: [UInt8](repeating: 0, count: byteCount))
      for (block, start) in stride(from: 0, to: byteCount, by: 1 << 16).enumerated() {
        let zeros = [UInt8](repeating: 0, count: min(1 << 16, byteCount - start))
        let checksum = unsafe martlet_block_checksum_portable(zeros, zeros.count)
        for index in 0..<4 { bytes[table + 4 * (first + block) + index] = UInt8(truncatingIfNeeded: checksum >> (8 * index)) }
      }
    }
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
    /// By engine version and processor, as the file's header has them: digests of the weights.
    let recorded: [UInt64: UInt64] = [
      9_605_887_109_371_230_821: 8_851_164_507_136_933_510,  // AVX-512 and AMX
      74_756_153_737_667_803: 1_224_646_474_203_564_934,  // capped at AVX2
      2_500_618_512_655_726_517: 16_028_646_959_841_992_122,  // portable
    ]
    let folder = try TemporaryFolder()
    try Model.compile(Network.url, to: folder("network.mlmodelc"))
    let content = [UInt8](try Data(contentsOf: folder("network.mlmodelc").appendingPathComponent(Self.packed)))
    // FNV-1a.
    func digest(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0xcbf2_9ce4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 } }
    let host = digest(content[32..<64])
    // Behind the header, the entries of 56 bytes and the checksums, of which each weight here has one.
    let count = Int(content[12])
    let weights = digest(content[((64 + count * 60 + 63) / 64 * 64)...])
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
    let table = 64 + count * 56
    let weights = (table + count * 4 + 63) / 64 * 64
    // A changed byte anywhere is found.
    for index in stride(from: 0, to: content.count, by: 7) { #expect(try scores { $0[index] ^= 0x40 } == expected, "byte \(index)") }
    // Other weights with their checksums give other results: so they are used.
    #expect(try scores { PackedWeights.clear(&$0) } != expected)
    // Magic, format, compilation, host.
    for index in [0, 8, 16, 24, 32, 63] { #expect(try scores { $0[index] ^= 1 } == expected, "byte \(index)") }
    for entry in 0..<count {
      let start = 64 + entry * 56
      // Key, offset beyond the file, size, checksums beyond the file.
      #expect(try scores { $0[start] ^= 1 } == expected)
      #expect(try scores { $0.replaceSubrange(start + 32..<start + 40, with: [UInt8](repeating: 255, count: 8)) } == expected)
      #expect(try scores { $0[start + 32] |= 1 } == expected)
      #expect(try scores { $0[start + 40] ^= 4 } == expected)
      #expect(try scores { $0.replaceSubrange(start + 40..<start + 48, with: [UInt8](repeating: 255, count: 8)) } == expected)
      #expect(try scores { $0.replaceSubrange(start + 48..<start + 56, with: [UInt8](repeating: 255, count: 8)) } == expected)
    }
    #expect(try scores { $0.replaceSubrange(12..<16, with: [255, 255, 255, 255]) } == expected)
    for length in stride(from: 1, to: weights, by: 13) { #expect(try scores { $0.removeSubrange(length...) } == expected) }
    for length in stride(from: weights, to: content.count, by: 61) { #expect(try scores { $0.removeSubrange(length...) } == expected) }
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

  @Test("A cancelled compilation leaves nothing behind, also at a random moment")
  func cancelled() async throws {
    let folder = try TemporaryFolder()
    let target = folder("mine.mlmodelc")
    let cancellation = Cancellation()
    cancellation.cancel()
    Cancellation.$current.withValue(cancellation) {
      #expect(throws: CancellationError.self) { try Model.compile(Network.url, to: target) }
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == [])
    for round in 0..<40 {
      let cancellation = Cancellation()
      let canceller = Thread {
        usleep(UInt32(round) * 500)
        cancellation.cancel()
      }
      canceller.start()
      let isCancelled = Cancellation.$current.withValue(cancellation) {
        do {
          try Model.compile(Network.url, to: target)
          return false
        } catch {
          #expect(error is CancellationError)
          return true
        }
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == (isCancelled ? [] : ["mine.mlmodelc"]))
      try? FileManager.default.removeItem(at: target)
    }
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
    // Folders above the target that were made for it go, too.
    expectRefusal(URL(fileURLWithPath: "/nowhere/x.mlpackage"), "x.mlpackage", to: folder("a/b/x.mlmodelc"))
    #expect(!FileManager.default.fileExists(atPath: folder("a").path))
    #expect(try Network.scores(Model(contentsOf: target)).count == 5)
    // A file where a folder should be.
    expectRefusal(Network.url, "damaged.mlmodel", to: damaged.appendingPathComponent("y.mlmodelc"))
  }

  private func names(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(atPath: folder.url.path).sorted()
  }

  @Test("A compiled model that is replaced stays until the new one is complete, and a dead process's leftovers go")
  func replacing() throws {
    let folder = try TemporaryFolder()
    let target = folder("network.mlmodelc")
    try Model.compile(Network.url, to: target)
    let expected = try Network.scores(Model(contentsOf: target))
    let old = try Data(contentsOf: target.appendingPathComponent(Self.program))
    let damaged = folder("damaged.mlmodel")
    try Data("no model".utf8).write(to: damaged)
    var options = ModelOptions()
    options.memoryLimit = 1
    #expect(throws: MartletError.self) { try Model.compile(damaged, to: target, replacesExisting: true) }
    #expect(throws: MartletError.self) { try Model.compile(Network.url, to: target, replacesExisting: true, options: options) }
    #expect(try Data(contentsOf: target.appendingPathComponent(Self.program)) == old)
    #expect(try names(folder) == ["damaged.mlmodel", "network.mlmodelc"])

    let leftover = folder(".network.mlmodelc.1.partial")
    let foreign = folder(".other.mlmodelc.1.partial")
    for url in [leftover, foreign] {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
      try Data("x".utf8).write(to: url.appendingPathComponent("file"))
    }
    let inUse = try Model(contentsOf: target)
    try Model.compile(Network.url, to: target, replacesExisting: true)
    // Each compilation has an identifier of its own.
    #expect(try Data(contentsOf: target.appendingPathComponent(Self.program)) != old)
    #expect(try Network.scores(inUse) == expected)
    #expect(try Network.scores(Model(contentsOf: target)) == expected)
    #expect(try names(folder) == [".other.mlmodelc.1.partial", "damaged.mlmodel", "network.mlmodelc"])
  }

  @Test("A model that cannot be loaded within the limits is not compiled, and the error is that of loading")
  func limits() throws {
    let folder = try TemporaryFolder()
    var options = ModelOptions()
    options.memoryLimit = 1000
    func kind(_ body: () throws -> Void) -> MartletError.Kind? {
      do { try body() } catch { return (error as? MartletError)?.kind }
      return nil
    }
    let loading = kind { _ = try Network.scores(Model(contentsOf: Network.url, options: options)) }
    #expect(loading == .outOfMemory)
    #expect(kind { try Model.compile(Network.url, to: folder("x.mlmodelc"), options: options) } == loading)
    #expect(try names(folder).isEmpty)
    // It names the model, not the copy that went.
    #expect {
      try Model.compile(Network.url, to: folder("x.mlmodelc"), options: options)
    } throws: { error in
      (error as? MartletError)?.message.contains(".partial") == false
    }
  }

  @Test("A compiled folder names what it was made from, also behind links; a link that leaves the package is refused")
  func sources() throws {
    struct Source: Decodable, Equatable {
      struct File: Decodable, Equatable {
        var path: String
        var byteCount: Int
        var digest: String
      }

      var digest: String
      var files: [File]
    }
    let folder = try TemporaryFolder()
    func source(_ compiled: URL) throws -> Source {
      try JSONDecoder().decode(Source.self, from: Data(contentsOf: compiled.appendingPathComponent("martlet/source.json")))
    }
    func digest(_ bytes: [UInt8]) -> String {
      var hash = SHA256()
      hash.update(bytes)
      return hash.digest().text
    }
    let package = folder("linked.mlpackage")
    try FileManager.default.copyItem(at: Network.url, to: package)
    try Model.compile(package, to: folder("plain.mlmodelc"))
    let plain = try source(folder("plain.mlmodelc"))
    let weights = package.appendingPathComponent("Data/com.apple.CoreML/weights/weight.bin")
    var content = [UInt8](try Data(contentsOf: weights))
    #expect(plain.files.count == 3)
    #expect(plain.files.first { $0.path.hasSuffix("weight.bin") }?.digest == digest(content))

    // A link within the package becomes a file.
    let behind = package.appendingPathComponent("blob")
    try FileManager.default.moveItem(at: weights, to: behind)
    try FileManager.default.createSymbolicLink(atPath: weights.path, withDestinationPath: "../../../blob")
    try Model.compile(package, to: folder("linked.mlmodelc"))
    let linked = try source(folder("linked.mlmodelc"))
    #expect(linked.digest != plain.digest && linked.files.count == 4)
    let copy = folder("linked.mlmodelc").appendingPathComponent("Data/com.apple.CoreML/weights/weight.bin")
    #expect(try FileManager.default.attributesOfItem(atPath: copy.path)[.type] as? FileAttributeType == .typeRegular)
    #expect(try Network.scores(Model(contentsOf: folder("linked.mlmodelc"))) == Network.scores(Model(contentsOf: Network.url)))
    // Content behind the link counts.
    content[content.count - 1] ^= 1
    try Data(content).write(to: behind)
    try Model.compile(package, to: folder("changed.mlmodelc"))
    #expect(try source(folder("changed.mlmodelc")).digest != linked.digest)

    try FileManager.default.moveItem(at: behind, to: folder("blob"))
    try FileManager.default.removeItem(at: weights)
    try FileManager.default.createSymbolicLink(atPath: weights.path, withDestinationPath: folder("blob").path)
    #expect {
      try Model.compile(package, to: folder("outside.mlmodelc"))
    } throws: { error in
      (error as? MartletError)?.message.contains("leaves the folder") == true
    }
    #expect(!FileManager.default.fileExists(atPath: folder("outside.mlmodelc").path))
  }
}
