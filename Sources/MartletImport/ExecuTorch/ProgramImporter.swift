import MartletBytes
package import MartletExecuTorchFile
package import MartletGraph
package import MartletTensor
import MartletLog

/// State shared by the importers of a program's methods.
final class ProgramImportContext {
  let file: String
  let program: ExecuTorchProgram
  let external: ExternalData
  let constants: ConstantPool
  let sharesStates: Bool
  let customRows: [String: CallRow]

  init(
    file: String, program: ExecuTorchProgram, external: ExternalData, constants: ConstantPool, sharesStates: Bool,
    customRows: [String: CallRow]
  ) {
    self.file = file
    self.program = program
    self.external = external
    self.constants = constants
    self.sharesStates = sharesStates
    self.customRows = customRows
  }

  /// Adds the graph of a delegate's payload to the method.
  func importDelegate(_ delegate: BackendDelegate, arguments: [Int], into importer: MethodImporter) throws {
    switch delegate.id {
    case "XnnpackBackend":
      let graph = try XNNPACKGraph(delegate.payload, namedData: { external.data(named: $0) })
      var payload = try XNNPACKImporter(graph, arguments: arguments, importer: importer)
      try payload.importAll(arguments)
      Log.info("\(file): \(delegate.id) imported, \(graph.nodes.count) nodes")
    case "CoreMLBackend":
      let content = try CoreMLPayload(delegate.payload, method: importer.plan.name, namedData: { external.data(named: $0) })
      try CoreMLDelegateImporter(content, file: file, importer: importer).importAll(arguments)
      Log.info("\(file): \(delegate.id) imported, model \(content.identifier)")
    case "MPSBackend":
      let readings = try MPSGraph.readings(of: delegate.payload)
      let graph = try MPSImporter.importPayload(readings, arguments: arguments, importer: importer)
      Log.info("\(file): \(delegate.id) imported, \(graph.nodes.count) nodes")
    default:
      throw CallError("payloads of this delegate are not supported")
    }
  }
}

/// Imports the methods of an ExecuTorch program. Constants are shared between the graphs.
package final class ProgramImporter {
  private let context: ProgramImportContext

  /// - Parameters:
  ///   - sharesStates: true if mutable buffers of the same name are one state in all methods (upstream's option `share_memory_arenas`);
  ///     false if each method has its own.
  ///   - customRows: importers of operators registered by the user.
  package init(
    _ program: ExecuTorchProgram, external: ExternalData, sharesStates: Bool = false, customRows: [String: CallRow] = [:]
  ) {
    context = ProgramImportContext(
      file: program.file.owner.path, program: program, external: external, constants: ConstantPool(), sharesStates: sharesStates,
      customRows: customRows)
  }

  /// The graph of a method.
  /// - Parameter limits: limits on the resources that the program can request.
  /// - Throws: `ImportError` with the operator and the instruction; `GraphError` only for a fault of the importer.
  package func graph(of plan: ExecutionPlan, limits: ResourceLimits = .standard) throws -> Graph {
    let graph: Graph
    do {
      graph = try MethodImporter(plan, context: context, limits: GraphBuilder.Limits(limits)).importMethod()
    } catch let failure as CallError {
      throw ImportError(failure, file: context.file, method: plan.name, location: "inputs and outputs", op: nil)
    }
    try graph.verify()
    return graph
  }
}
