import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct FoldConstantsTests {
  private static func type(_ dtype: DType, _ shape: [Int]) -> ValueType { .tensor(TensorSignature(TensorType(dtype, shape))) }

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

  @Test func nodesOnInputsStay() throws {
    var graph = Graph(name: "g")
    let x = graph.input([3])
    graph.outputs = [graph.binary(.add, x, graph.weight([3]))]
    #expect(try isLeft(graph, by: FoldConstants()))
  }
}
