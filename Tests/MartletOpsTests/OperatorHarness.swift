import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
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

/// The only result, a tensor, of a graph of tensors. No passes run.
func runGraph(_ graph: Graph, _ inputs: [HostTensor], threads: Int = 2) throws -> HostTensor {
  let method = try CompiledMethod(graph, packed: PackedStore(), states: StateStore(), threads: WorkerThreads(threads))
  let results = try method.run(
    inputs.map { unsafe .tensor(TensorType($0.dtype, $0.shape), UnsafeRawPointer($0.sharedStorage.pointer)) })
  withExtendedLifetime(inputs) {}
  guard case .tensor(let tensor) = results[0] else { throw HarnessError.noTensor }
  return tensor
}

enum HarnessError: Error { case noTensor }

extension HostTensor {
  /// A tensor of the given elements.
  init<Element: BitwiseCopyable>(_ dtype: DType, _ shape: [Int], _ elements: [Element]) {
    precondition(MemoryLayout<Element>.size == dtype.byteCount && elements.count == shape.reduce(1, *))
    self = unsafe elements.withUnsafeBytes { unsafe HostTensor(dtype: dtype, shape: shape, bytes: Array($0))! }
  }

  func elements<Element: BitwiseCopyable>(as type: Element.Type = Element.self) -> [Element] {
    precondition(MemoryLayout<Element>.size == dtype.byteCount)
    return unsafe withUnsafeBytes { unsafe Array($0.bindMemory(to: Element.self)) }
  }

  /// The tensor with its axes in another order, row-major.
  func permuted(_ axes: [Int]) -> HostTensor {
    let target = axes.map { shape[$0] }
    var result = HostTensor(zeros: dtype, shape: target)
    let strides = Shape.contiguousStrides(shape)
    let targetStrides = Shape.contiguousStrides(target)
    let size = dtype.byteCount
    let source = bytes
    unsafe result.withUnsafeMutableBytes { bytes in
      for position in 0..<(source.count / size) {
        var rest = position
        var from = 0
        for axis in target.indices {
          from += rest / targetStrides[axis] * strides[axes[axis]]
          rest %= targetStrides[axis]
        }
        for byte in 0..<size { unsafe bytes[position * size + byte] = source[from * size + byte] }
      }
    }
    return result
  }
}

/// Random numbers that are the same in every run.
struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }
  mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }
  mutating func floats(_ count: Int, in range: ClosedRange<Float> = -1...1) -> [Float] {
    (0..<count).map { _ in Float.random(in: range, using: &self) }
  }
}
