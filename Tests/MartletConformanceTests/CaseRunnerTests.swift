import MartletBytes
import Martlet
import MartletConformance
import MartletMedia
import MartletTensor
import Synchronization
import Testing

@Suite("Running recorded cases")
struct CaseRunnerTests {
  /// Doubles every tensor; fails to load where the folder says so.
  private static let doubling = CaseRunner(concurrency: 3) { recorded in
    if recorded.folder.contains("unloadable") { throw TestError(description: "no kernel\nfor it") }
    return ClosureModel { _, _, inputs in
      try inputs.map { input in
        guard case .tensor(let tensor, _) = input else { throw TestError(description: "wants tensors") }
        let values = stride(from: 0, to: tensor.bytes.count, by: 4).map { start in
          2 * Float(bitPattern: tensor.bytes[start..<start + 4].reversed().reduce(0) { $0 << 8 | UInt32($1) })
        }
        return .tensor(floats(values, shape: tensor.shape), dimOrder: nil)
      }
    }
  }

  private static let oneInOneOut = #"{"inputs": [{"file": "i.npy"}], "outputs": [{"file": "o.npy"}], "atol": 0.1"#

  @Test("A report has the failed cases in the order of their paths, one line each, and the counts last")
  func report() async throws {
    let temporary = try TemporaryFolder()
    let files = ["i.npy": floats([1, 2]), "o.npy": floats([2, 4])]
    for index in 0..<20 { try temporary.addCase("good\(index)", Self.oneInOneOut + "}", tensors: files) }
    try temporary.addCase("wrong", Self.oneInOneOut + "}", tensors: ["i.npy": floats([1, 2]), "o.npy": floats([2, 5])])
    try temporary.addCase("unloadable", Self.oneInOneOut + #", "optional": true}"#, tensors: files)
    try temporary.addCase("badkey", Self.oneInOneOut + #", "x": 1}"#, tensors: files)
    try temporary.addCase("nofile", Self.oneInOneOut + "}", tensors: ["i.npy": floats([1])])
    try temporary.addCase("notjson", "{")
    try temporary.addCase("throws", #"{"inputs": [{"int": 1}], "outputs": []}"#)

    let report = try await Self.doubling.run(paths: [temporary.path])
    #expect(report.passedCount == 20 && report.failedCount == 6)
    let lines = report.text.split(separator: "\n")
    #expect(lines.last == "20 passed, 6 failed")
    #expect(lines.count == 7)
    let start = "FAIL \(temporary.path)/"
    #expect(lines[0].hasPrefix(start + "badkey: ") && lines[0].hasSuffix("case.json: x: is not a key of the format"))
    #expect(lines[1].hasPrefix(start + "nofile: ") && lines[1].contains("o.npy"))
    #expect(lines[2].hasPrefix(start + "notjson: "))
    #expect(lines[3] == start + "throws: wants tensors")
    #expect(lines[4] == start + "unloadable: no kernel for it")
    #expect(
      lines[5] == start
        + "wrong: output 0: 1 of 2 elements differ, the first at [1]: 4.0, expected 5.0; largest error 1.0")
    let kinds = report.results.flatMap(\.failures).map(\.kind)
    #expect(kinds == [.malformedCase, .malformedCase, .malformedCase, .run, .load, .values])
  }

  @Test("The JSON report has the counts and each case with its failures")
  func jsonReport() throws {
    let report = CaseReport(results: [
      CaseResult(path: "b", name: "n", family: "f", failures: [CaseFailure(.shape, place: "output 0", "s")]),
      CaseResult(path: "a", name: "m", family: "f", failures: []),
    ])
    let parsed = try JSONValue(parsing: Array(report.json.text.utf8))
    #expect(parsed == report.json)
    #expect(
      parsed
        == .object([
          .init("passed", .integer(1)), .init("failed", .integer(1)),
          .init(
            "cases",
            .array([
              .object([
                .init("path", .string("a")), .init("name", .string("m")), .init("family", .string("f")),
                .init("status", .string("passed")),
              ]),
              .object([
                .init("path", .string("b")), .init("name", .string("n")), .init("family", .string("f")),
                .init("status", .string("failed")),
                .init(
                  "failures",
                  .array([
                    .object([
                      .init("kind", .string("shape")), .init("place", .string("output 0")), .init("message", .string("s")),
                    ])
                  ])),
              ]),
            ])),
        ]))
    #expect(CaseReport(results: []).text == "0 passed, 0 failed")
  }

  @Test("A filter leaves only the cases whose path has the text, and overlapping paths count once")
  func filter() async throws {
    let temporary = try TemporaryFolder()
    for name in ["x/one", "x/two"] { try temporary.addCase(name, #"{"inputs": [], "outputs": []}"#) }
    let paths = [temporary.path, "\(temporary.path)/x"]
    #expect(try await Self.doubling.run(paths: paths).summary == "2 passed, 0 failed")
    #expect(try await Self.doubling.run(paths: paths, filter: "two").summary == "1 passed, 0 failed")
    await #expect(throws: CaseError.self) { try await Self.doubling.run(paths: ["/nonexistent"]) }
  }

  @Test("Steps run in order on one loaded model, and a throw ends the case")
  func steps() throws {
    let temporary = try TemporaryFolder()
    let folder = try temporary.addCase(
      "s",
      """
      {"steps": [{"inputs": [], "outputs": [{"int": 0}], "method": "a"}, {"inputs": [], "outputs": [{"int": 1}]},
                 {"inputs": [], "outputs": [{"int": 7}]}]}
      """)
    let loads = Atomic(0)
    let counting = CaseRunner(concurrency: 1) { _ in
      loads.add(1, ordering: .relaxed)
      return ClosureModel { count, method, _ in
        #expect(method == (count == 0 ? "a" : nil))
        return [.int(count)]
      }
    }
    #expect(counting.result(folder: folder).failures.map(\.description) == ["step 2 output 0: 2, expected 7"])
    #expect(loads.load(ordering: .relaxed) == 1)

    let throwing = CaseRunner(concurrency: 1) { _ in
      ClosureModel { count, _, _ in
        if count == 1 { throw TestError(description: "no") }
        return [.int(count)]
      }
    }
    #expect(throwing.result(folder: folder).failures.map(\.description) == ["step 1: no"])
  }

  @Test("A case that expects an error passes only if loading or running throws", arguments: ["error", "any"])
  func expectedErrors(expectation: String) throws {
    let temporary = try TemporaryFolder()
    let folder = try temporary.addCase("e", #"{"inputs": [], "expect": "\#(expectation)"}"#)
    let loads: [CaseRunner.Loader] = [
      { _ in throw TestError(description: "load") },
      { _ in ClosureModel { _, _, _ in throw TestError(description: "run") } },
    ]
    for load in loads { #expect(CaseRunner(concurrency: 1, load: load).result(folder: folder).passed) }
    let quiet = CaseRunner(concurrency: 1) { _ in ClosureModel { _, _, _ in [] } }
    #expect(quiet.result(folder: folder).failures.map(\.kind) == (expectation == "error" ? [.noError] : []))
    // An input that cannot be read is a fault of the case, not the error that it expects.
    let broken = try temporary.addCase("f", #"{"inputs": [{"file": "x.npy"}], "expect": "error"}"#)
    #expect(quiet.result(folder: broken).failures.map(\.kind) == [.malformedCase])
  }

  @Test("A bundled program beside the model must pass as well")
  func bundledProgram() throws {
    let temporary = try TemporaryFolder()
    let json = #"{"inputs": [], "outputs": [{"int": 1}]}"#
    let both = try temporary.addCase("both", json, files: ["model.pte", "model.bpte"])
    let bundledOnly = try temporary.addCase("only", json, files: ["model.bpte"])
    let runner = CaseRunner(concurrency: 1) { recorded in
      ClosureModel { _, _, _ in [.int(recorded.modelPath.hasSuffix(".bpte") ? 2 : 1)] }
    }
    #expect(runner.result(folder: both).failures.map(\.description) == ["model.bpte output 0: 2, expected 1"])
    #expect(runner.result(folder: bundledOnly).failures.map(\.description) == ["output 0: 2, expected 1"])
  }

  @Test("Outputs are counted by position and found by name")
  func outputs() throws {
    let temporary = try TemporaryFolder()
    let positional = try temporary.addCase("p", #"{"inputs": [], "outputs": [{"int": 1}, {"int": 2}]}"#)
    let runner = CaseRunner(concurrency: 1) { _ in ClosureModel { _, _, _ in [.int(1)] } }
    #expect(runner.result(folder: positional).failures.map(\.description) == ["1 outputs, expected 2"])

    let named = try temporary.addCase(
      "n", #"{"inputs": {"x": {"int": 1}}, "outputs": {"a": {"int": 1}, "b": {"int": 2}, "c": {"int": 3}}}"#)
    let byName = CaseRunner(concurrency: 1) { _ in NamedModel(outputs: ["b": .int(2), "a": .int(5), "z": .none]) }
    #expect(
      byName.result(folder: named).failures.map(\.description)
        == ["output 'a': 5, expected 1", "output 'c': is missing"])
    #expect(runner.result(folder: named).failures.map(\.kind) == [.run])
  }
}
