package import MartletBytes

/// The content of a `.bpte` file: a program with inputs and expected outputs for its methods.
///
/// Source: `bundled_program_schema.fbs` (identifier `BP08`) of ExecuTorch.
package struct BundledProgram: Sendable {
  /// An input or output. Containers are flattened to tensors like the method's inputs and outputs.
  package enum Value: Sendable {
    /// The bytes are exactly those of the layout, without alignment.
    case tensor(TensorLayout, ByteView)
    case int(Int64)
    case bool(Bool)
    case double(Double)
    /// No value.
    case none
  }

  package struct TestCase: Sendable {
    package let inputs: [Value]
    package let expectedOutputs: [Value]
  }

  package struct MethodTestSuite: Sendable {
    package let methodName: String
    package let testCases: [TestCase]
  }

  package let file: ByteView
  /// Schema version.
  package let version: UInt32
  package let testSuites: [MethodTestSuite]
  /// The `.pte` file, readable with `ExecuTorchProgram`.
  package let program: ByteView

  /// Reads the content of `file` apart from the inner program.
  ///
  /// - Throws: `FileError` if the content violates the format.
  package init(_ file: ByteView) throws(FileError) {
    let reader = FlatBufferReader(file)
    try reader.requireIdentifier("BP08", format: "bundled ExecuTorch program")
    let root = try locating("bundled_program", reader.root)
    self.file = file
    version = try root.integer(0, "version")
    (testSuites, program) = try locating("bundled_program") { () throws(FileError) in
      let suites = try root.tables(1, "method_test_suites") { (suite, _) throws(FileError) in
        guard let name = try suite.string(0, "method_name") else { throw suite.error("is missing", field: "method_name") }
        let cases = try suite.tables(1, "test_cases") { (table, _) throws(FileError) in
          TestCase(
            inputs: try table.tables(0, "inputs") { (value, _) throws(FileError) in try Value(value) },
            expectedOutputs: try table.tables(1, "expected_outputs") { (value, _) throws(FileError) in try Value(value) })
        }
        return MethodTestSuite(methodName: name, testCases: cases)
      }
      guard let program = try root.bytes(2, "program") else { throw root.error("is missing", field: "program") }
      return (suites, program)
    }
  }
}

extension BundledProgram.Value {
  /// Reads a `Value` table.
  fileprivate init(_ value: FlatBufferTable) throws(FileError) {
    self =
      try value.union(0, "val") { (tag, table) throws(FileError) -> BundledProgram.Value in
        switch tag {
        case 1:
          let layout = try TensorLayout(of: table, scalarTypeSlot: 0, sizesSlot: 1, dimOrderSlot: 3)
          guard let byteCount = layout.byteCount else {
            throw table.error("data of type \(layout.scalarType) is not supported", field: "scalar_type")
          }
          let data = try table.bytes(2, "data") ?? ByteView.empty
          return .tensor(layout, try data.slice(offset: 0, count: byteCount, field: "data"))
        case 2: return .int(try table.integer(0, "int_val"))
        case 3: return .bool(try table.bool(0, "bool_val"))
        case 4: return .double(try table.double(0, "double_val"))
        default: throw table.error("\(tag) is not a known kind of value")
        }
      } ?? .none
  }
}
