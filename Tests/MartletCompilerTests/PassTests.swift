import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import Testing

@Suite struct PassTests {
  private static func type(_ dtype: DType, _ shape: [Int]) -> ValueType { .tensor(TensorSignature(TensorType(dtype, shape))) }

  private static let relu = Pointwise(.unary(.relu, as: .float32), dtype: .float32, label: "relu")

  @Test func aChangedNodeLeavesItsCopiesAsTheyAre() {
    let node = Node(op: Identity(), inputs: [ValueID(0)], outputs: [ValueID(1)], source: "a")
    var other = node
    other.op = Self.relu
    other.inputs.append(nil)
    other.outputs[0] = ValueID(2)
    other.source = "b"
    other.origins.append(NodeOrigin(SourceOperation(number: 1, op: "relu", name: "r")))
    other.regions.append(Graph(name: "region"))
    #expect(node.op is Identity && node.inputs == [ValueID(0)] && node.outputs == [ValueID(1)] && node.source == "a")
    #expect(node.origins.isEmpty && node.regions.isEmpty)
    #expect(other.op is Pointwise && other.inputs == [ValueID(0), nil] && other.outputs == [ValueID(2)] && other.source == "b")
    #expect(other.origins.count == 1 && other.regions.count == 1)
    #expect(node.applies(Identity.self) && other.applies(Pointwise.self) && !other.applies(Identity.self))
  }

  @Test func deadNodesGoAndValuesStayIfTheyAreKept() throws {
    var graph = Graph(name: "g")
    let x = graph.addInput(Self.type(.float32, [2]))
    let dead = graph.addNode(Self.relu, [x], type: Self.type(.float32, [2]), source: "dead")
    _ = graph.addNode(Self.relu, [dead], type: Self.type(.float32, [2]), source: "dead too")
    graph.outputs = [graph.addNode(Self.relu, [x], type: Self.type(.float32, [2]), source: "live")]
    let kept = try #require(try RemoveDeadCode(keepsValues: true).rewrite(graph))
    #expect(kept.nodes.map(\.source) == ["live"] && kept.values.count == 4 && kept.outputs == graph.outputs)
    #expect(try RemoveDeadCode(keepsValues: true).rewrite(kept) == nil)
    let renumbered = try #require(try RemoveDeadCode().rewrite(kept))
    #expect(renumbered.nodes.map(\.source) == ["live"] && renumbered.values.count == 2 && renumbered.outputs == [ValueID(1)])
    #expect(try RemoveDeadCode().rewrite(renumbered) == nil)
  }

  /// Numbers that are converted when the graph is rewritten are what the kernels make of them.
  @Test(arguments: [0, -3, 16_777_217, 9_007_199_254_740_993, .max, .min] as [Int64]) func convertedNumbersAreThoseOfKernels(number: Int64)
    throws
  {
    var graph = Graph(name: "g")
    let stored = graph.addConstant(Constant(try #require(HostTensor([.int(number)], dtype: .int64, shape: []))))
    var program = PointwiseProgram()
    program.append(.load(operand: 0, as: .int64))
    graph.outputs = [
      graph.addNode(Pointwise(program, dtype: .float32, label: "cast"), [stored], type: Self.type(.float32, []), source: "cast")
    ]
    let folded = try #require(try FoldConstants().rewrite(graph))
    #expect(folded.constant(folded.outputs[0])?.scalarValue == .double(Double(Float(number))))
    // A list of one takes the same way, two numbers the kernel's.
    var pair = Graph(name: "g")
    let two = pair.addConstant(Constant(try #require(HostTensor([.int(number), .int(number)], dtype: .int64, shape: [2]))))
    pair.outputs = [
      pair.addNode(Pointwise(program, dtype: .float32, label: "cast"), [two], type: Self.type(.float32, [2]), source: "cast")
    ]
    let list = try #require(try FoldConstants().rewrite(pair))
    let bytes = try #require(list.constant(list.outputs[0])).bytes()
    #expect(unsafe bytes.pointer.load(as: Float.self) == Float(number))
    withExtendedLifetime(bytes.owner) {}
  }

  @Test func shapesInTextsAreThoseOfArrays() {
    for shape in [[], [1], [1, -2, 300]] as [[Int]] { #expect("a \(shape)" == "a " + shape.description) }
  }
}
