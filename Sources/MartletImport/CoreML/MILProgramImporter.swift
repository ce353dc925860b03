package import MartletCoreMLFile
package import MartletFeatures
package import MartletGraph
package import MartletTensor

/// Imports the functions of an ML Program. Constants are shared between the graphs.
package final class MILProgramImporter {
  private let file: String
  private let program: MILProgram
  private let constants = ConstantPool()

  /// - Parameter file: the model's path, for errors.
  package init(_ program: MILProgram, file: String) {
    self.program = program
    self.file = file
  }

  /// The graph of a function. Its inputs, outputs and states are those of the description, in the same order.
  ///
  /// - Parameter limits: limits on the resources that the program can request.
  /// - Throws: `ImportError` with the operator and the operation; `GraphError` only for a fault of the importer.
  package func graph(of declared: FunctionDescription, limits: ResourceLimits = .standard) throws -> Graph {
    let name = declared.programName
    func failure(_ error: CallError) -> ImportError {
      ImportError(error, file: file, method: name, location: "inputs and outputs", op: nil)
    }
    guard let function = program.function(named: name) else { throw failure(CallError("the program has no such function")) }
    let graph: Graph
    do {
      graph = try MILFunctionImporter(
        function, declared: declared, file: file, constants: constants, limits: GraphBuilder.Limits(limits)
      ).importFunction()
    } catch let error as CallError {
      throw failure(error)
    }
    try graph.verify()
    return graph
  }
}
