package import MartletBytes

/// One method of a program: its values and the instructions that compute them.
///
/// All indices in a plan are checked when the file is read: value indices in `inputs`, `outputs`, lists and instructions, operator and
/// delegate indices, and jump destinations.
///
/// Source: `ExecutionPlan` of `program.fbs`.
package struct ExecutionPlan: Sendable {
  /// The method, such as `forward`.
  package let name: String
  /// Pytree specifications (JSON) by which the caller's inputs and outputs were flattened, if recorded.
  package let containerMetaType: ContainerMetaType?
  package let values: [EValue]
  /// Value indices of the inputs, in order.
  package let inputs: [Int]
  /// Value indices of the outputs, in order. A value may occur twice, and may be an input or a constant.
  package let outputs: [Int]
  /// Chains of instructions, run one after the other. There may be none if all outputs are constants.
  package let chains: [Chain]
  package let operators: [OperatorName]
  package let delegates: [BackendDelegate]
  /// Size in bytes of each memory area for planned tensors. Element 0 stands for constants and has no meaning.
  package let bufferSizes: [Int]
  /// Areas on devices other than the CPU, by index in `bufferSizes`.
  package let bufferDevices: [Int: Device]

  package struct ContainerMetaType: Sendable, Hashable {
    package let encodedInputs: String
    package let encodedOutputs: String
  }

  /// The name of an operator, such as `aten::add`, with an overload such as `out`.
  package struct OperatorName: Sendable, Hashable, CustomStringConvertible {
    package let name: String
    /// Empty for an operator without overloads.
    package let overload: String

    /// `aten::add.out`
    package var description: String { overload.isEmpty ? name : name + "." + overload }
  }

  /// Instructions that are run one after the other.
  package struct Chain: Sendable {
    package let inputs: [Int]
    package let outputs: [Int]
    package let instructions: [Instruction]
    /// Source locations of each instruction, innermost last; empty unless exported with stack traces.
    package let stacktrace: [[StackFrame]]
  }

  package enum Instruction: Sendable, Hashable {
    /// Calls `operators[operatorIndex]`. Arguments: all parameters of the `out` overload, then the returned values again.
    case kernelCall(operatorIndex: Int, arguments: [Int])
    /// Calls `delegates[delegateIndex]` with its inputs, then its outputs.
    case delegateCall(delegateIndex: Int, arguments: [Int])
    /// Makes the value `destination` identical to `source`; tensors then share their memory.
    case move(source: Int, destination: Int)
    /// Continues at `destination` in this chain if the value `condition` is false. `destination` may be the end of the chain.
    case jumpIfFalse(condition: Int, destination: Int)
    /// The memory of the tensor `value` is no longer needed.
    case free(value: Int)
  }

  package struct StackFrame: Sendable, Hashable {
    package let file: String
    package let line: Int
    package let function: String
    package let context: String
  }
}

/// A part of a plan that is delegated to a backend.
///
/// Source: `BackendDelegate` of `program.fbs`.
package struct BackendDelegate: Sendable {
  package struct CompileSpec: Sendable {
    package let key: String
    package let value: ByteView
  }

  /// The backend, such as `XnnpackBackend`.
  package let id: String
  /// In the backend's own format.
  package let payload: ByteView
  /// Whether the payload is inside the FlatBuffer instead of a segment.
  package let isInline: Bool
  package let compileSpecs: [CompileSpec]

  /// The value of the first compile specification named `key`.
  package func compileSpec(_ key: String) -> ByteView? { compileSpecs.first { $0.key == key }?.value }
}
