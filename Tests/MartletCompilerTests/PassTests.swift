import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
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

  /// What only arranges a constant's elements anew keeps its bytes; what repeats, leaves out or converts some does not.
  @Test func arrangementsOfConstantsKeepTheirBytes() throws {
    let stored = Constant(try #require(HostTensor((0..<12).map { Scalar.int($0) }, dtype: .int64, shape: [3, 4])))
    func folded(_ op: any Operator, of constant: Constant, as shape: [Int]) throws -> Constant {
      var graph = Graph(name: "g")
      let value = graph.addConstant(constant)
      graph.outputs = [graph.addNode(op, [value], type: Self.type(.int64, shape), source: "view")]
      let folded = try #require(try FoldConstants().rewrite(graph))
      return try #require(folded.constant(folded.outputs[0]))
    }
    func isStored(_ constant: Constant) throws -> Bool { unsafe try constant.bytes().pointer == stored.bytes().pointer }
    let reshaped = try folded(Reshape(shape: [.constant(2), .constant(-1)]), of: stored, as: [2, 6])
    #expect(try isStored(reshaped) && reshaped.type == TensorType(.int64, [2, 6]) && reshaped.strides == [6, 1])
    let permuted = try folded(Permute(axes: [-1, 0]), of: stored, as: [4, 3])
    #expect(try isStored(permuted) && permuted.type == TensorType(.int64, [4, 3]) && permuted.strides == [1, 4])
    let split = try folded(Reshape(shape: [2, 2, 3].map { .constant($0) }), of: permuted, as: [2, 2, 3])
    #expect(try isStored(split) && split.strides == [2, 1, 4])
    // No strides give this order.
    let flat = try folded(Reshape(shape: [.constant(12)]), of: permuted, as: [12])
    #expect(try !isStored(flat) && flat.strides == [1])
    #expect(unsafe try flat.bytes().pointer.load(fromByteOffset: 8, as: Int64.self) == 4)
    let repeated = try folded(AsStrided(shape: [.constant(12)], strides: [.constant(0)], offset: .constant(0)), of: stored, as: [12])
    #expect(try !isStored(repeated))
    let part = try folded(Select(axis: 0, index: .constant(0)), of: stored, as: [4])
    #expect(try !isStored(part) && part.type.shape == [4])
  }

  @Test func shapesInTextsAreThoseOfArrays() {
    for shape in [[], [1], [1, -2, 300]] as [[Int]] { #expect("a \(shape)" == "a " + shape.description) }
  }
}
