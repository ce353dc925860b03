import MartletBytes
import Martlet
import MartletConformance
import MartletMedia
import MartletTensor
import Testing

@Suite("Reading recorded cases")
struct RecordedCaseTests {
  private func read(_ text: String) throws -> RecordedCase {
    try RecordedCase(try JSONValue(parsing: Array(text.utf8)), folder: "/nonexistent/cases/a")
  }

  @Test("The list form is read with every kind of entry")
  func listForm() throws {
    let recorded = try read(
      """
      {"name": "n", "family": "op", "method": "forward", "rtol": 1e-4, "atol": 0, "oracle": "o", "notes": "t",
       "op": "aten::add.out", "ops": ["aten::add.out"], "delegates": ["XnnpackBackend"], "data_files": ["w.ptd"],
       "optional": true, "share_memory_arenas": true, "emulated_maxdiff": 0.1, "float_cosine": 0.9, "cosine_min": 0.99,
       "mean_atol": 0.5, "quantization_steps": 1, "metadata": {"get_bos_id": 1}, "check": "normal01",
       "inputs": [{"file": "a.npy"}, {"file": "b.npy", "dtype": "bfloat16"}, {"file": "c.npy", "dim_order": [0, 2, 3, 1]},
                  {"int": 3}, {"double": 2}, {"bool": false}, {"string": "s"}, {"none": true},
                  {"list": [{"int": 1}, {"list": []}]}, {"int64": [[1, -2, 3]]}, {"int64": []}],
       "outputs": []}
      """)
    #expect(recorded.name == "n" && recorded.family == "op" && recorded.oracle == "o" && recorded.notes == "t")
    #expect(recorded.operatorUnderTest == "aten::add.out" && recorded.operators == ["aten::add.out"])
    #expect(recorded.delegates == ["XnnpackBackend"])
    #expect(recorded.modelPath == "/nonexistent/cases/a/model.pte" && recorded.alternativeModelPaths.isEmpty)
    #expect(recorded.dataPaths == ["/nonexistent/cases/a/w.ptd"])
    #expect(recorded.isOptional && recorded.sharesMemoryArenas)
    #expect(recorded.metadata == .object([.init("get_bos_id", .integer(1))]))
    #expect(recorded.distribution == .normal01 && recorded.expectation == .outputs)
    #expect(
      recorded.tolerance
        == Tolerance(relative: 1e-4, absolute: 0, minimumCosine: 0.99, meanAbsolute: 0.5, quantizationSteps: 1))
    #expect(recorded.steps.count == 1 && recorded.steps[0].method == "forward")
    #expect(recorded.steps[0].outputs == .positional([]))
    #expect(
      recorded.steps[0].inputs.entries == [
        .tensor(file: "a.npy", isBFloat16: false, dimOrder: nil), .tensor(file: "b.npy", isBFloat16: true, dimOrder: nil),
        .tensor(file: "c.npy", isBFloat16: false, dimOrder: [0, 2, 3, 1]), .int(3), .double(2), .bool(false),
        .string("s"), .none, .list([.int(1), .list([])]), .integers([1, -2, 3], shape: [1, 3]), .integers([], shape: [0]),
      ])
  }

  @Test("The named form of Core ML is read, in the order of the file")
  func namedForm() throws {
    let recorded = try read(
      """
      {"name": "n", "model": "../b/model.mlpackage", "function": "f", "top_k": 5, "rtol": 0, "upstream_xfail": "rdar://1",
       "inputs": {"z": {"image": "in.png"}, "a": {"dictionary": {"0": 1.5, "-7": NaN}, "keys": "int64"}},
       "outputs": {"label": {"string": "cat"}, "p": {"dictionary": {"cat": 1}, "keys": "string"},
                   "r": {"int64Sequence": [1, 2]}, "s": {"stringSequence": ["x"]}}}
      """)
    #expect(recorded.modelPath == "/nonexistent/cases/a/../b/model.mlpackage")
    #expect(recorded.function == "f" && recorded.tolerance.topCount == 5 && recorded.upstreamExpectedFailure == "rdar://1")
    guard case .named(let inputs) = recorded.steps[0].inputs, case .named(let outputs)? = recorded.steps[0].outputs else {
      Issue.record("not named")
      return
    }
    #expect(inputs.map(\.name) == ["z", "a"] && inputs[0].entry == .image(file: "in.png"))
    guard case .dictionary(.byInteger(let numbers)) = inputs[1].entry else {
      Issue.record("no dictionary by integer")
      return
    }
    #expect(numbers[0] == 1.5 && numbers[-7]?.isNaN == true && numbers.count == 2)
    #expect(
      outputs.map(\.entry).suffix(3) == [
        .dictionary(.byString(["cat": 1])), .list([.int(1), .int(2)]), .list([.string("x")]),
      ])
  }

  @Test("Steps are read in order, with the case's method as their default")
  func steps() throws {
    let recorded = try read(
      """
      {"method": "m", "steps": [{"inputs": [], "outputs": [{"int": 1}]}, {"inputs": [], "outputs": [], "method": "other"}]}
      """)
    #expect(recorded.steps.map(\.method) == ["m", "other"])
    #expect(recorded.steps[0].outputs == .positional([.int(1)]))
    #expect(recorded.name == "a")
  }

  @Test("A case that expects an error needs no outputs and no tolerance")
  func expectations() throws {
    #expect(try read(#"{"inputs": [], "expect": "error"}"#).expectation == .error)
    #expect(try read(#"{"inputs": [], "expect": "any"}"#).expectation == .any)
  }

  @Test(
    "What the format does not allow is an error that names the key",
    arguments: [
      (#"{"inputs": []}"#, "outputs"), (#"{"outputs": []}"#, "inputs"),
      (#"{"inputs": [], "outputs": [], "rtoll": 1}"#, "rtoll"),
      (#"{"inputs": [], "outputs": [], "rtol": -1}"#, "rtol"),
      (#"{"inputs": [], "outputs": [], "atol": NaN}"#, "atol"),
      (#"{"inputs": [], "outputs": [], "atol": "1"}"#, "atol"),
      (#"{"inputs": [], "outputs": [], "expect": "crash"}"#, "expect"),
      (#"{"inputs": [], "outputs": [], "check": "poisson"}"#, "check"),
      (#"{"inputs": [], "outputs": [], "optional": 1}"#, "optional"),
      (#"{"inputs": [], "outputs": [], "data_files": "a.ptd"}"#, "data_files"),
      (#"{"inputs": [], "outputs": [], "quantization_steps": -1}"#, "quantization_steps"),
      (#"{"inputs": 3, "outputs": []}"#, "inputs"), (#"{"inputs": [3], "outputs": []}"#, "inputs[0]"),
      (#"{"inputs": [{}], "outputs": []}"#, "inputs[0]"),
      (#"{"inputs": [], "outputs": [{"file": "a", "int": 1}]}"#, "outputs[0]"),
      (#"{"inputs": [], "outputs": [{"file": "a", "dtype": "float8"}]}"#, "outputs[0]"),
      (#"{"inputs": [], "outputs": [{"file": "a", "dim_order": [0, 2]}]}"#, "outputs[0]"),
      (#"{"inputs": [], "outputs": [{"int": 1.5}]}"#, "outputs[0]"),
      (#"{"inputs": [], "outputs": [{"none": false}]}"#, "outputs[0]"),
      (#"{"inputs": [], "outputs": [{"list": [{"int": "1"}]}]}"#, "outputs[0].list[0]"),
      (#"{"inputs": {"x": {"dictionary": {"a": 1}, "keys": "int64"}}, "outputs": {}}"#, "inputs.x"),
      (#"{"inputs": {"x": {"dictionary": {"a": 1}}}, "outputs": {}}"#, "inputs.x"),
      (#"{"steps": []}"#, "steps"), (#"{"steps": [{"inputs": []}]}"#, "steps[0].outputs"),
      (#"{"steps": [{"inputs": [], "outputs": []}], "inputs": []}"#, "inputs"), ("[]", "file"),
    ])
  func malformed(text: String, key: String) {
    #expect { try read(text) } throws: { error in
      guard case .invalid(let path, let found, _)? = error as? CaseError else { return false }
      return found == key && path == "/nonexistent/cases/a/case.json"
    }
  }

  @Test("Entries read their files, with bfloat16 bit patterns and dim orders")
  func entryFiles() throws {
    let temporary = try TemporaryFolder()
    let bits = tensor(.uint16, [1, 2], [UInt16(0x3F80), 0x4000])
    let folder = try temporary.addCase("a", "{}", tensors: ["x.npy": bits])
    let entry = CaseEntry.tensor(file: "x.npy", isBFloat16: true, dimOrder: [1, 0])
    guard case .tensor(let read, let dimOrder) = try entry.value(folder: folder) else {
      Issue.record("no tensor")
      return
    }
    #expect(read.dtype == .bfloat16 && read.shape == [1, 2] && read.bytes == bits.bytes && dimOrder == [1, 0])
    #expect(throws: MediaError.self) {
      try CaseEntry.tensor(file: "x.npy", isBFloat16: true, dimOrder: [0]).value(folder: folder)
    }
    #expect(throws: MediaError.self) {
      try CaseEntry.tensor(file: "missing.npy", isBFloat16: false, dimOrder: nil).value(folder: folder)
    }
  }

  @Test("A folder is searched for cases at any depth, in the order of the paths")
  func finding() throws {
    let temporary = try TemporaryFolder()
    for name in ["b", "a/deep/er", "c"] { try temporary.addCase(name, "{}") }
    #expect(
      try RecordedCase.folders(under: temporary.path + "/")
        == ["a/deep/er", "b", "c"].map { "\(temporary.path)/\($0)" })
    #expect(try RecordedCase.folders(under: "\(temporary.path)/b/case.json") == ["\(temporary.path)/b"])
    #expect(throws: CaseError.noCases(path: "\(temporary.path)/x")) {
      try RecordedCase.folders(under: "\(temporary.path)/x")
    }
  }
}
