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

/// Models whose files change while they are in use.
@Suite("Changed files")
struct ChangedFileTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Lengthens a file so that it is mapped.
  private func lengthen(_ file: URL) throws {
    let handle = try FileHandle(forWritingTo: file)
    try handle.seekToEnd()
    try handle.write(contentsOf: Data(count: 300 << 10))
    try handle.close()
  }

  /// A copy of the network whose weights are mapped, and the file of its weights.
  private func network(_ name: String) throws -> (package: URL, weights: URL) {
    let package = folder("\(name).mlpackage")
    try FileManager.default.copyItem(at: Network.url, to: package)
    let weights = package.appendingPathComponent("Data/com.apple.CoreML/weights/weight.bin")
    try lengthen(weights)
    return (package, weights)
  }

  private func expectChange(_ file: String, _ body: () throws -> Void) {
    #expect {
      try body()
    } throws: { error in
      guard let error = error as? MartletError else { return false }
      return error.kind == .invalidFile && error.message.contains("changed") && error.file?.hasSuffix(file) == true
    }
  }

  @Test("A model whose weights are truncated or overwritten fails with an error, at each step")
  func weights() throws {
    let (truncated, weights) = try network("truncated")
    let loaded = try Model(contentsOf: truncated)
    let opened = try Model(contentsOf: truncated)
    let scores = try Network.scores(loaded)
    #expect(scores == (try Network.scores(Model(contentsOf: Network.url))))
    try #require(unsafe truncate(weights.path, 4096) == 0)
    expectChange("weight.bin") { _ = try Network.scores(loaded) }
    expectChange("weight.bin") { try opened.load() }
    expectChange("weight.bin") { _ = try opened.graphDump() }

    let (overwritten, other) = try network("overwritten")
    let model = try Model(contentsOf: overwritten)
    #expect(try Network.scores(model) == scores)
    let handle = try FileHandle(forWritingTo: other)
    try handle.seek(toOffset: 300)
    try handle.write(contentsOf: Data([1]))
    try handle.close()
    expectChange("weight.bin") { _ = try Network.scores(model) }
  }

  @Test("A model whose files are replaced or deleted, or that was read into memory, goes on")
  func unaffected() throws {
    let (package, weights) = try network("copied")
    var options = ModelOptions()
    options.fileAccess = .read
    let (copied, mapped) = (try Model(contentsOf: package, options: options), try Model(contentsOf: package))
    let expected = try Network.scores(mapped)
    try FileManager.default.moveItem(at: weights, to: folder("weight.bin"))
    #expect(try Network.scores(mapped) == expected)
    try #require(unsafe truncate(folder("weight.bin").path, 0) == 0)
    #expect(try Network.scores(copied) == expected)
  }

  @Test("A file that does not fit the memory limit is not read into memory")
  func limit() throws {
    let (package, _) = try network("large")
    var options = ModelOptions()
    options.fileAccess = .read
    options.memoryLimit = 300 << 10
    #expect {
      try Model(contentsOf: package, options: options)
    } throws: { error in
      (error as? MartletError)?.message.contains("memory limit of \(300 << 10) bytes") == true
    }
  }

  @Test("A link out of a package is refused, one within it is not")
  func links() throws {
    let (package, weights) = try network("linked")
    let inside = weights.deletingLastPathComponent().appendingPathComponent("other.bin")
    try FileManager.default.moveItem(at: weights, to: inside)
    try FileManager.default.createSymbolicLink(atPath: weights.path, withDestinationPath: "other.bin")
    #expect(try Network.scores(Model(contentsOf: package)).count == 5)
    try FileManager.default.removeItem(at: weights)
    try FileManager.default.moveItem(at: inside, to: folder("other.bin"))
    try FileManager.default.createSymbolicLink(atPath: weights.path, withDestinationPath: folder("other.bin").path)
    #expect {
      try Model(contentsOf: package)
    } throws: { error in
      (error as? MartletError)?.message.contains("is a link that leaves the folder") == true
    }
  }
}
