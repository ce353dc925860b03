import Foundation
import MartletBytes
import Testing

@Suite struct MappedFileTests {
  /// Runs `body` with the path of a temporary file of `bytes`.
  private func withFile(_ bytes: [UInt8], _ body: (String) throws -> Void) throws {
    let path = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
    try Data(bytes).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    try body(path)
  }

  @Test func `A mapped file has the file's bytes, and outlives the file's name`() throws {
    let bytes = (0..<10_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    var view = ByteView.empty
    try withFile(bytes) { path in view = try MappedFile(contentsOfPath: path).bytes }
    #expect(view.array == bytes)
    for advice in [.normal, .random, .sequential, .willNeed, .doNotNeed] as [MappedFile.Advice] {
      view.owner.advise(advice, for: try view.slice(offset: 5000, count: 3000))
      #expect(view.array == bytes)
    }
  }

  @Test func `What cannot be mapped is an error with the path and the reason`() throws {
    let missing = #expect(throws: FileError.self) { try MappedFile(contentsOfPath: "/no/such/file") }
    #expect(missing?.file == "/no/such/file")
    #expect(missing?.reason == "cannot be opened: No such file or directory")
    let folder = #expect(throws: FileError.self) { try MappedFile(contentsOfPath: "/") }
    #expect(folder?.reason == "is not a regular file")
    let device = #expect(throws: FileError.self) { try MappedFile(contentsOfPath: "/dev/null") }
    #expect(device?.reason == "is not a regular file")
    try withFile([]) { path in
      let empty = #expect(throws: FileError.self) { try MappedFile(contentsOfPath: path) }
      #expect(empty?.reason == "is empty")
    }
  }

  @Test func `A view gives only what lies within it`() throws {
    let view = try MappedFile(copying: [0, 1, 2, 3, 4, 5, 6, 7]).bytes.slice(offset: 2, count: 4)
    #expect(view.array == [2, 3, 4, 5])
    #expect(try view.load(UInt32.self, at: 0) == 0x0504_0302)
    #expect(try view.load(UInt16.self, at: 1) == 0x0403)
    #expect(try view.suffix(from: 3).array == [5])
    #expect(try view.suffix(from: 4).isEmpty)
    #expect(view.hasBytes("\u{3}\u{4}", at: 1))
    #expect(!view.hasBytes("\u{5}\u{6}", at: 3))
    for (offset, count) in [(-1, 1), (0, 5), (4, 1), (5, 0), (0, -1), (.max, 1), (1, .max), (.min, 0)] {
      #expect(throws: FileError.self) { try view.slice(offset: offset, count: count) }
    }
    for (offset, count) in [(0, 5), (.max, 1), (1, .max), (1 << 63, 0)] as [(UInt64, UInt64)] {
      #expect(throws: FileError.self) { try view.slice(offset: offset, count: count) }
    }
    #expect(throws: FileError.self) { try view.load(UInt32.self, at: 1) }
    #expect(throws: FileError.self) { try view.load(UInt8.self, at: .max) }
    let error = #expect(throws: FileError.self) { try view.load(UInt8.self, at: 4, field: "x") }
    #expect(error?.byteOffset == 6)
    #expect(error?.description == "<memory>, byte 6, x: a value of 1 bytes at byte 4 exceeds the 4 available bytes")
  }
}
