import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import MartletVocabulary

/// An operand of an operator under test.
enum TestOperand {
  case tensor(HostTensor)
  /// A tensor whose elements lie in memory in this order of axes.
  case laidOut(HostTensor, [Int])
  /// A constant, which operators may pack.
  case constant(HostTensor)
  /// A constant whose elements lie in memory in this order of axes.
  case laidOutConstant(HostTensor, [Int])
  case number(Scalar)
  /// A number that is known only when the plan runs.
  case runtimeNumber(Scalar)
  case absent
}

/// Runs one operator through planner and executor and returns its tensor and number results.
func runOperator(
  _ op: any Operator, _ operands: [TestOperand], outputs: Int = 1, threads: Int = 2, precision: ProductPrecision = .exact
) throws -> [CallResult] {
  var graph = Graph(name: op.name)
  var arguments: [(Argument, HostTensor?)] = []
  var inputs: [ValueID?] = []
  for operand in operands {
    switch operand {
    case .tensor(let tensor):
      inputs.append(graph.addInput(.tensor(TensorSignature(TensorType(tensor.dtype, tensor.shape)))))
      arguments.append((unsafe .tensor(TensorType(tensor.dtype, tensor.shape), UnsafeRawPointer(tensor.sharedStorage.pointer)), tensor))
    case .laidOut(let tensor, let order):
      // Bring the elements into the wanted order, then see them with the axes put back.
      let moved = tensor.permuted(order)
      let input = graph.addInput(.tensor(TensorSignature(TensorType(moved.dtype, moved.shape))))
      arguments.append((unsafe .tensor(TensorType(moved.dtype, moved.shape), UnsafeRawPointer(moved.sharedStorage.pointer)), moved))
      let back = order.indices.map { axis in order.firstIndex(of: axis)! }
      inputs.append(
        graph.addNode(
          Permute(axes: back), [input], type: .tensor(TensorSignature(TensorType(tensor.dtype, tensor.shape))), source: "test"))
    case .constant(let tensor): inputs.append(graph.addConstant(Constant(tensor)))
    case .laidOutConstant(let tensor, let order):
      let view = Constant(
        viewOf: Constant(tensor.permuted(order)), shape: tensor.shape, strides: Shape.strides(tensor.shape, dimOrder: order))
      inputs.append(graph.addConstant(view))
    case .number(let scalar): inputs.append(graph.addScalar(scalar))
    case .runtimeNumber(let scalar):
      inputs.append(graph.addInput(.scalar(scalar.kind)))
      arguments.append((.scalar(scalar), nil))
    case .absent: inputs.append(nil)
    }
  }
  let unknown = ValueType.tensor(TensorSignature(dtype: .float32, dimensions: []))
  graph.outputs = graph.addNode(op, inputs, types: [ValueType](repeating: unknown, count: outputs), source: "test")
  try graph.verify()
  let method = try CompiledMethod(
    graph, packed: PackedStore(), states: StateStore(), threads: WorkerThreads(threads), precision: precision)
  let results = try method.run(arguments.map(\.0))
  withExtendedLifetime(arguments) {}
  return results
}

/// The only result of an operator, a tensor.
func runTensorOperator(
  _ op: any Operator, _ operands: [TestOperand], threads: Int = 2, precision: ProductPrecision = .exact
) throws -> HostTensor {
  let result = try runOperator(op, operands, threads: threads, precision: precision)[0]
  guard case .tensor(let tensor) = result else { throw HarnessError.noTensor }
  return tensor
}
