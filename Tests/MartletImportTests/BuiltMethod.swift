import MartletCompiler
import MartletGraph
import MartletImport
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor

/// A method compiled from a graph that a test has built. Its inputs are float32 tensors of one element.
struct BuiltMethod {
  private let compiled: CompiledMethod

  init(_ graph: Graph) throws {
    try graph.verify()
    compiled = try CompiledMethod(graph, packed: PackedStore(), states: StateStore(), pool: ThreadPool(threads: 1))
  }

  /// The elements of all results, one result behind the other.
  func callAsFunction(_ inputs: Float...) throws -> [Double] {
    let tensors = inputs.map { HostTensor([.double(Double($0))], dtype: .float32, shape: [1])! }
    defer { withExtendedLifetime(tensors) {} }
    let arguments = tensors.map { unsafe Argument.tensor(TensorType(.float32, [1]), UnsafeRawPointer($0.sharedStorage.pointer)) }
    return try compiled.run(arguments).flatMap { result -> [Double] in
      guard case .tensor(let tensor) = result else { return [.nan] }
      return unsafe tensor.withUnsafeBytes { unsafe $0.bindMemory(to: Float.self).map { Double($0) } }
    }
  }
}

extension TensorSignature {
  /// A float32 tensor with one element on one axis.
  static var oneElement: TensorSignature { TensorSignature(TensorType(.float32, [1])) }
}

extension GraphBuilder {
  func input() -> ValueID { addInput(.tensor(.oneElement)) }

  func constant(_ values: Float...) -> ValueID { addConstant(Constant(values, shape: [values.count])) }

  func apply(_ function: BinaryFunction, _ a: ValueID, _ b: ValueID) throws -> ValueID {
    try pointwise(function.name, values: [a, b], in: .float32, .oneElement) { build, x in build.binary(function, x[0], x[1]) }
  }

  func isPositive(_ x: ValueID) throws -> ValueID {
    let flag = try pointwise("positive", values: [x], in: .float32, TensorSignature(TensorType(.bool, [1]))) { build, x in
      build.binary(.gt, x[0], build.literal(0))
    }
    return number(ScalarFromTensor(kind: .bool), [flag], .bool)
  }
}
