import Foundation
import MartletBytes
import MartletExecuTorchFile
import MartletTestSampling
import Testing

/// Damaged files give an error or a result, and never stop the process or read out of bounds.
@Suite struct DamagedFileTests {
  @Test(arguments: Fixture.names)
  func `A file cut off at any byte is read safely, and refused if something it needs is gone`(name: String) throws {
    let bytes = try Fixture.bytes(name)
    try readAll(bytes)
    var refused = 0
    for count in 0..<bytes.count {
      do {
        try readAll(Array(bytes.prefix(count)))
      } catch {
        refused += 1
      }
    }
    // What remains readable has lost nothing but padding, or text of old inline payloads at the very end.
    #expect(refused > bytes.count - 128)
  }

  @Test func `A file shorter than its header says is refused at every length`() throws {
    let bytes = try Fixture.bytes("constants.pte")
    for count in 0..<bytes.count {
      #expect(throws: FileError.self, "\(count) bytes") { try readAll(Array(bytes.prefix(count))) }
    }
  }

  @Test(arguments: Fixture.names)
  func `A file with any one byte changed is read safely`(name: String) throws {
    let bytes = try Fixture.bytes(name)
    var refused = 0
    for index in stride(from: 0, to: bytes.count, by: inDebug(2, otherwise: 1)) {
      for mask in (index % 3 == 0 ? [0x01, 0xff] : [0xff]) as [UInt8] {
        var damaged = bytes
        damaged[index] ^= mask
        do {
          try readAll(damaged)
        } catch {
          refused += 1
          #expect(!error.reason.isEmpty)
        }
      }
    }
    #expect(refused > 0)
  }

  /// Files that once made a reader fail.
  @Test func `The cases that fuzzing found are read safely`() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Fuzz/FailCases/FuzzExecuTorchFile")
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      let bytes = [UInt8](try Data(contentsOf: file))
      _ = try? readAll(bytes)
    }
  }
}
