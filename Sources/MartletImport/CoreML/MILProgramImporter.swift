package import MartletCoreMLFile
package import MartletFeatures
package import MartletGraph
package import MartletTensor

/// Imports the functions of an ML Program. Constants are shared between the graphs.
package final class MILProgramImporter {
  private let file: String
  private let program: MILProgram
  private let constants = ConstantPool()
  private let limits: GraphBuilder.Limits

  /// - Parameters:
  ///   - file: the model's path, for errors.
  ///   - limits: bounds on what the program can ask for.
  package init(_ program: MILProgram, file: String, limits: ResourceLimits = .standard) {
    self.limits = GraphBuilder.Limits(limits)
    self.program = program
    self.file = file
  }

  /// The graph of a function. Its inputs, outputs and states are those of the description, in the same order.
  ///
  /// - Throws: `ImportError` with the operator and the operation; `GraphError` only for a fault of the importer.
  package func graph(of declared: FunctionDescription) throws -> Graph {
    let name = declared.programName
    func failure(_ error: CallError) -> ImportError {
      ImportError(
        file: file, method: name, location: "inputs and outputs", op: nil, reason: error.reason, isOverLimit: error.isOverLimit,
        expected: error.expected, found: error.found)
    }
    guard let function = program.function(named: name) else { throw failure(CallError("the program has no such function")) }
    let graph: Graph
    do {
      graph = try MILFunctionImporter(function, declared: declared, file: file, constants: constants, limits: limits)
        .importFunction()
    } catch let error as CallError {
      throw failure(error)
    }
    try graph.verify()
    return graph
  }
}
