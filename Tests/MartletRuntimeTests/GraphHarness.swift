import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletVocabulary

let one = TensorType(.float32, [1])
func tensor(_ dimensions: [Dimension]) -> ValueType { .tensor(TensorSignature(dtype: .float32, dimensions: dimensions)) }
func binary(_ function: BinaryFunction, _ label: String) -> Pointwise {
  Pointwise(.binary(function, as: .float32), dtype: .float32, label: label)
}

func floats(_ values: [Float]) -> HostTensor {
  unsafe values.withUnsafeBytes { unsafe HostTensor(dtype: .float32, shape: [values.count], bytes: Array($0))! }
}

func run(_ method: CompiledMethod, _ inputs: [HostTensor]) throws -> [[Float]] {
  let arguments = inputs.map { unsafe Argument.tensor(TensorType($0.dtype, $0.shape), UnsafeRawPointer($0.sharedStorage.pointer)) }
  let results = try method.run(arguments)
  withExtendedLifetime(inputs) {}
  return numbers(results)
}

func numbers(_ results: [CallResult]) -> [[Float]] {
  results.map { result in
    switch result {
    case .tensor(let tensor): unsafe tensor.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
    case .scalar(let scalar): [Float(scalar.doubleValue)]
    default: []
    }
  }
}

func compile(_ graph: Graph, limits: ResourceLimits = .standard, states: StateStore = StateStore()) throws -> CompiledMethod {
  try graph.verify()
  return try CompiledMethod(graph, packed: PackedStore(), states: states, threads: WorkerThreads(2), limits: limits)
}

/// Appends the flag `a < b` of tensors with one element.
func addFlag(_ graph: inout Graph, _ a: ValueID, _ b: ValueID) -> ValueID {
  let less = graph.addNode(
    Pointwise(.binary(.lt, as: .float32), dtype: .bool, label: "less"), [a, b],
    type: .tensor(TensorSignature(TensorType(.bool, [1]))), source: "less")
  return graph.addNode(ScalarFromTensor(kind: .bool), [less], type: .scalar(.bool), source: "flag")
}

/// `do { i += 1; x = body(x) } while i < limit` for inputs `x` and `limit`; the results are `i` and `x`.
func loopGraph(
  _ x: ValueType, initial: [Float] = [0], body: (inout Graph, _ x: ValueID, _ i: ValueID, _ limit: ValueID) -> ValueID
) -> Graph {
  var round = Graph(name: "round")
  let i = round.addInput(tensor([.fixed(1)]))
  let value = round.addInput(x)
  let limit = round.addInput(tensor([.fixed(1)]))
  let step = round.addConstant(Constant(floats([1])))
  let next = round.addNode(binary(.add, "count"), [i, step], type: tensor([.fixed(1)]), source: "count")
  let changed = body(&round, value, next, limit)
  round.outputs = [addFlag(&round, next, limit), next, changed, limit]
  var graph = Graph(name: "loop")
  let start = graph.addInput(x)
  let end = graph.addInput(tensor([.fixed(1)]))
  let zero = graph.addConstant(Constant(floats(initial)))
  let results = graph.addNode(
    Loop(), [zero, start, end], types: [tensor([.fixed(1)]), x, tensor([.fixed(1)])], regions: [round], source: "loop")
  graph.outputs = [results[0], results[1]]
  return graph
}
