import FoundationEssentials
package import MartletBytes
package import MartletExecuTorchFile
package import MartletGraph
import MartletImport
import MartletLock
import MartletLog
package import MartletTensor

/// A `.pte` or `.bpte` file.
package final class ExecuTorchSource: ModelSource {
  package let program: ExecuTorchProgram
  /// The bundle that the program came in, with its recorded tests.
  package let bundle: BundledProgram?
  package let mappedFiles: [MappedFile]
  private let importer: Guarded<ProgramImporter>

  /// - Parameters:
  ///   - name: file name for messages.
  ///   - data: external weight files in addition to those named in the options.
  /// - Throws: `FileError` for the program; `MartletError` for an external weight file or for custom operators that cannot be registered.
  init(_ file: ByteView, name: String, options: ModelOptions, data: [FlatTensorFile]) throws {
    let customRows = try CustomOperator.rows(options.customOperators)
    switch ExecuTorchFileKind(of: file) {
    case .bundledProgram:
      let bundle = try BundledProgram(file)
      self.bundle = bundle
      program = try ExecuTorchProgram(bundle.program)
    case .flatTensor:
      throw MartletError.logged(.invalidFile("\(name) holds external weights (.ptd), not a program"))
    case .program, nil:
      bundle = nil
      program = try ExecuTorchProgram(file)
    }
    let files =
      data
      + (try options.dataFiles.map { url throws(FileError) in
        try FlatTensorFile(MappedFile(contentsOfPath: url.path, access: options.access).bytes)
      })
    let external = try ExternalData(program: program, files: files)
    mappedFiles = ([file] + files.map(\.file)).map(\.owner).filter(\.isMapped)
    importer = Guarded(
      ProgramImporter(program, external: external, sharesStates: options.sharesStateBetweenMethods, customRows: customRows))
  }

  package var methods: [MethodSignature] { program.plans.map { MethodSignature($0) } }

  /// `forward` if there is one, otherwise the first method.
  package var defaultMethod: String {
    if program.plans.contains(where: { $0.name == "forward" }) { return "forward" }
    return program.plans.first?.name ?? "forward"
  }

  package var summary: String { "\(program.plans.count) methods, schema version \(program.version), \(program.file.count) bytes" }

  package func hasMethod(_ name: String) -> Bool { program.plan(named: name) != nil }

  package func graph(of method: String, limits: ResourceLimits) throws -> Graph {
    guard let plan = program.plan(named: method) else { throw MartletError.invalidInput("the program has no method \(method)") }
    return try importer.withLock { try $0.graph(of: plan, limits: limits) }
  }

  package func release() { program.file.owner.advise(.doNotNeed, for: program.file) }

  package func outputOrders(of method: String) -> [[Int]?] {
    guard let plan = program.plan(named: method) else { return [] }
    return plan.outputs.map { if case .tensor(let tensor) = plan.values[$0] { tensor.dimOrder } else { nil } }
  }
}
