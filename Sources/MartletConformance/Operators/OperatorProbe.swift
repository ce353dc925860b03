import MartletCompiler
import MartletExecuTorchFile
import MartletGraph
import MartletImport
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor

/// Runs sample calls of operators.
struct OperatorProbe {
  private let threads = WorkerThreads(1)

  /// The outcome of a sample in a column.
  func outcome(_ sample: OperatorSample, _ column: OperatorColumn) -> OperatorTable.Outcome {
    var outputs: [OperatorTable.Output] = []
    for placement in OperatorProgram.Placement.allCases {
      do {
        outputs = try run(try OperatorProgram(sample, column: column, placement: placement))
      } catch is OperatorProgram.NoCall {
        return .noCall
      } catch {
        return .refused(Self.reason(error))
      }
    }
    return .works(outputs)
  }

  /// Imports, optimises, plans and runs the call.
  private func run(_ call: OperatorProgram) throws -> [OperatorTable.Output] {
    let importer = ProgramImporter(call.program, external: try ExternalData(program: call.program))
    let graph = try PassPipeline.standard.run(on: try importer.graph(of: call.program.plans[0]))
    let method = try CompiledMethod(graph, packed: PackedStore(), states: StateStore(), threads: threads)
    let arguments = call.inputs.map { unsafe Argument.tensor(TensorType($0.dtype, $0.shape), UnsafeRawPointer($0.sharedStorage.pointer)) }
    defer { withExtendedLifetime(call.inputs) {} }
    return try method.run(arguments).map { result in
      switch result {
      case .tensor(let tensor): .tensor(tensor)
      case .scalar(let scalar): .number(scalar)
      case .string, .none: preconditionFailure("operators return tensors and numbers")
      }
    }
  }

  /// The reason without the location, which is the same everywhere.
  private static func reason(_ error: any Error) -> String {
    switch error {
    case let error as ImportError: error.reason
    case let error as PlanError: error.reason
    case let error as ExecutionError: error.reason
    default: "\(error)"
    }
  }
}
