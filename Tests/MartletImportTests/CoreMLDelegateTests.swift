import Foundation
import Martlet
import MartletBytes
import MartletConformance
import MartletExecuTorchFile
import Testing

@Suite struct CoreMLDelegateTests {
  private static let folder = Fixture.folder.deletingLastPathComponent().appendingPathComponent("coreml-delegate")

  /// Integers and numbers at the border, states over several steps, and methods that share a model among the named data.
  @Test func `Recorded programs give their recorded results`() async throws {
    let runner = CaseRunner(concurrency: 2) { recorded in try ModelCase(recorded, options: ModelOptions()) }
    let report = try await runner.run(paths: [Self.folder.path])
    #expect(report.results.count == 5)
    for result in report.results where !result.passed { Issue.record("\(result.path): \(result.failures)") }
  }

  @Test func `The state of a delegate's model begins anew when the model's states do`() throws {
    let model = try Model(contentsOf: Self.folder.appendingPathComponent("state_fp16/model.pte"))
    let ones = ModelValue.tensor(try Tensor([Float](repeating: 1, count: 6), shape: [2, 3]))
    func firstElement() throws -> Float {
      guard case .tensor(let tensor)? = try model.run([ones]).first else { return .nan }
      return try tensor.scalars(as: Float.self)[0]
    }
    #expect(try [firstElement(), firstElement()] == [2, 4])
    try model.resetState()
    #expect(try firstElement() == 2)
  }

  // MARK: Payloads put together by hand

  private static let metadata = #"{"inputNames":["x"],"outputNames":["y"],"identifier":"id"}"#

  /// `files` from the start and `table` backwards at the end.
  private func payload(_ files: String, table: String) throws -> CoreMLPayload {
    let bytes = Array(files.utf8) + [0, 0, 0] + table.utf8.reversed()
    return try CoreMLPayload(ByteView(of: MappedFile(copying: bytes, name: "payload")), method: "forward") { _ in nil }
  }

  private func table(size: Int, children: String = #"{"metadata.json":0}"#) -> String {
    #"{"nodes":[{"name":"m","kind":0,"dataRegion":{"offset":0,"size":\#(size)}},{"name":"{\"}","kind":1,"children":\#(children)}]}"#
  }

  @Test func `Files are found by the table at the end, whatever its texts contain`() throws {
    let content = try payload(Self.metadata, table: table(size: Self.metadata.utf8.count))
    #expect(content.files.keys.sorted() == ["metadata.json"])
    #expect(content.inputNames == ["x"] && content.outputNames == ["y"] && content.identifier == "id" && content.function == nil)
  }

  @Test(arguments: [
    ("", "the payload does not end with a file table"),
    // Ends with the closing brace of the file before it.
    ("{\"nodes\":[", "file table"),
    ("{\"nodes\":[]}", "has no nodes"),
    ("{\"nodes\":[{\"kind\":7}]}", "'' is of kind 7"),
    ("{\"nodes\":[{\"kind\":0}]}", "'' has no data"),
    ("{\"nodes\":[{\"kind\":1,\"children\":{\"a\":0}}]}", "'a' comes after its directory"),
    ("{\"nodes\":[{\"kind\":1,\"children\":{\"a\":-1}}]}", "there is no node -1"),
    ("{\"nodes\":[{\"kind\":0,\"dataRegion\":{\"offset\":1,\"size\":18446744073709551615}}]}", "available bytes"),
    ("{\"nodes\":[{\"kind\":1}]}", "is missing"),
    ("{\"nodes\":3}", "'nodes' has the wrong type"),
  ])
  func `A damaged table is refused`(table: String, reason: String) {
    let error = #expect(throws: FileError.self) { try payload(Self.metadata, table: table) }
    #expect(error?.description.contains(reason) == true)
  }

  @Test func `A reference to data that the program does not have is refused`() throws {
    let bytes = Array(#"CMJR{"version":1,"key":"coreml_id","functionName":"forward"}"#.utf8)
    let error = #expect(throws: FileError.self) {
      try CoreMLPayload(ByteView(of: MappedFile(copying: bytes, name: "payload")), method: "forward") { _ in nil }
    }
    #expect(error?.description.contains("there is no data named 'coreml_id'") == true)
  }
}
