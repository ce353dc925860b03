import MartletBytes
import MartletExecuTorchFile
import Testing

/// Files in which tables of several sizes share a vtable, as exporters write them; see `Oracles/share_vtables.py`.
@Suite struct SharedVtableTests {
  @Test(arguments: Fixture.sharedVtables)
  func `A file has the same content when its tables share vtables`(name: String) throws {
    let (shared, own) = try (Fixture.file("SharedVtables/" + name), Fixture.file(name))
    #expect(shared.array != own.array)
    #expect(try Self.content(of: shared) == Self.content(of: own))
  }

  @Test func `There are files of each kind`() throws {
    #expect(Set(Fixture.sharedVtables.map { $0.split(separator: ".").last }) == ["pte", "ptd", "bpte", "xnn"])
  }

  /// A text of all that the readers find in a file but the bytes of flatbuffers, which differ.
  private static func content(of file: ByteView) throws -> String {
    switch ExecuTorchFileKind(of: file) {
    case .program: try content(of: ExecuTorchProgram(file))
    case .flatTensor: text(try FlatTensorFile(file).entries)
    case .bundledProgram:
      try text(BundledProgram(file).testSuites) + content(of: ExecuTorchProgram(BundledProgram(file).program))
    case nil: text(try XNNPACKGraph(file) { _ in nil })
    }
  }

  private static func content(of program: ExecuTorchProgram) throws -> String {
    var result = ""
    for plan in program.plans {
      result += text(plan.name) + text(plan.inputs) + text(plan.outputs) + text(plan.operators) + text(plan.values)
      result += text(plan.chains) + text(plan.bufferSizes) + text(plan.delegates.map(\.compileSpecs))
      for delegate in plan.delegates { result += try text(XNNPACKGraph(delegate.payload) { program.namedData[$0] }) }
    }
    return result
  }

  /// A value with all that it holds, views as their bytes.
  private static func text(_ value: Any) -> String {
    if let view = value as? ByteView { return "\(view.array)" }
    let mirror = Mirror(reflecting: value)
    guard !mirror.children.isEmpty else { return "\(value)" }
    let parts = mirror.children.map { "\($0.label ?? ""): \(text($0.value))" }
    let isOrdered = mirror.displayStyle != .dictionary && mirror.displayStyle != .set
    return "\(mirror.subjectType)(\((isOrdered ? parts : parts.sorted()).joined(separator: ", ")))"
  }
}
