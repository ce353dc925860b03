import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletVocabulary
import Testing

/// Pieces of graphs that passes rewrite.
extension Graph {
  mutating func input(_ shape: [Int], _ dtype: DType = .float32) -> ValueID {
    addInput(.tensor(TensorSignature(TensorType(dtype, shape))))
  }

  mutating func weight(_ shape: [Int], _ numbers: (Int) -> Double = { Double(($0 * 37 + 11) % 23) / 23 - 0.5 }) -> ValueID {
    let scalars = (0..<shape.reduce(1, *)).map { Scalar.double(numbers($0)) }
    return addConstant(Constant(HostTensor(scalars, dtype: .float32, shape: shape)!))
  }

  mutating func node(_ op: any Operator, _ inputs: [ValueID?], _ shape: [Int], _ dtype: DType = .float32) -> ValueID {
    addNode(op, inputs, type: .tensor(TensorSignature(TensorType(dtype, shape))), source: op.name)
  }

  mutating func unary(_ function: UnaryFunction, _ x: ValueID) -> ValueID {
    addNode(
      Pointwise(.unary(function, as: .float32), dtype: .float32, label: "unary"), [x], type: self[x].type, source: "unary")
  }

  mutating func binary(_ function: BinaryFunction, _ x: ValueID, _ y: ValueID) -> ValueID {
    addNode(
      Pointwise(.binary(function, as: .float32), dtype: .float32, label: "binary"), [x, y], type: self[x].type, source: "binary")
  }

  /// A convolution with constant weights that keeps the image's extents if its window is 1 or 3.
  mutating func convolution(_ x: ValueID, channels: Int, window: Int = 3, groups: Int = 1) -> ValueID {
    let dtype = signature(x)!.dtype
    var shape = signature(x)!.fixedShape!
    let weight = weight([channels, shape[1] / groups, window, window])
    let padding = window / 2
    let op = Convolution(
      stride: [1, 1], padding: [(padding, padding), (padding, padding)], dilation: [1, 1], outputPadding: [0, 0], groups: groups,
      dtype: dtype)
    shape[1] = channels
    return node(op, [x, weight], shape, dtype)
  }

  var operatorNames: [String] { nodes.map(\.op.name) }
}

/// The graph after the pass, which must change it, and not a second time; its results are the same.
func rewritten(
  _ graph: Graph, by pass: some GraphPass, tolerance: Float = 0, isStable: Bool = true, _ location: SourceLocation = #_sourceLocation
) throws -> Graph {
  try graph.verify()
  let result = try #require(try pass.rewrite(graph), "\(pass.name) changes nothing", sourceLocation: location)
  try result.verify()
  if isStable { #expect(try pass.rewrite(result) == nil, "\(pass.name) changes its own result", sourceLocation: location) }
  let (before, after) = (try results(of: graph), try results(of: result))
  #expect(before.count == after.count, sourceLocation: location)
  for (expected, actual) in zip(before, after) {
    #expect(expected.count == actual.count, sourceLocation: location)
    let largest = zip(expected, actual).map { abs($0 - $1) }.max() ?? 0
    #expect(largest <= tolerance, "results differ by \(largest)", sourceLocation: location)
  }
  return result
}

/// Whether the pass leaves the graph as it is.
func isLeft(_ graph: Graph, by pass: some GraphPass) throws -> Bool {
  try graph.verify()
  return try pass.rewrite(graph) == nil
}

/// The tensors that the graph gives for inputs of fixed shape, which are filled with various small numbers.
private func results(of graph: Graph) throws -> [[Float]] {
  let method = try CompiledMethod(graph, packed: PackedStore(), states: StateStore(), threads: WorkerThreads(1))
  let inputs = try graph.inputs.enumerated().map { number, id in
    let signature = try #require(graph.signature(id))
    let shape = try #require(signature.fixedShape)
    let numbers = (0..<shape.reduce(1, *)).map { position in
      let step = (position * 29 + number * 7 + 3) % 31
      return signature.dtype.isFloatingPoint ? Scalar.double(Double(step) / 8 - 2) : .int(Int64(step % 4))
    }
    return try #require(HostTensor(numbers, dtype: signature.dtype, shape: shape))
  }
  let outcome = try method.run(
    inputs.map { unsafe .tensor(TensorType($0.dtype, $0.shape), UnsafeRawPointer($0.sharedStorage.pointer)) })
  withExtendedLifetime(inputs) {}
  return try outcome.map { result in
    guard case .tensor(let tensor) = result else { return [] }
    switch tensor.dtype {
    case .float32: return unsafe tensor.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) }
    case .float16: return unsafe tensor.withUnsafeBytes { unsafe $0.bindMemory(to: Float16.self).map { Float($0) } }
    case .int8: return unsafe tensor.withUnsafeBytes { unsafe $0.bindMemory(to: Int8.self).map { Float($0) } }
    case .uint8: return unsafe tensor.withUnsafeBytes { unsafe $0.bindMemory(to: UInt8.self).map { Float($0) } }
    default: throw PlanError(node: NodePlace(op: "test", source: ""), "results of \(tensor.dtype)")
    }
  }
}

extension GraphEditor {
  init(_ graph: Graph) {
    var graph = graph
    self.init(taking: &graph)
  }

  /// The rewritten graph; nil if nothing was edited.
  consuming func finish() -> Graph? {
    var graph = Graph(name: "")
    return finish(into: &graph) ? graph : nil
  }
}
