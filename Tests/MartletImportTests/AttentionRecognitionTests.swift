import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

/// Attention in exported programs becomes one node; their results are checked with the other recorded cases.
@Suite struct AttentionRecognitionTests {
  @Test(arguments: Fixture.names("attention"))
  func `Attention of every form is one node`(name: String) throws {
    let graph = try Fixture.graph("attention/\(name)", .standard)
    let nodes = graph.nodes.compactMap { $0.op as? Attention }
    #expect(nodes.count == 1)
    #expect(!graph.nodes.contains { $0.op is Softmax })
    let isSafe = ["sdpa", "causal", "float_mask", "bool_mask"].contains { name.hasPrefix("attention_\($0)") }
    #expect(nodes.first?.hiddenIsZero == isSafe)
    let scale = name.contains("float_mask") ? 0.3 : 8.0.squareRoot() / 8
    #expect(abs((nodes.first?.scale ?? 0) - scale) < 1e-6)
  }

  /// `softmax(q kᵀ * scale) v` with one thing changed.
  private func graph(_ change: (inout Graph, _ scores: ValueID) -> ValueID) -> Graph {
    var graph = Graph(name: "attention")
    func type(_ shape: [Int]) -> ValueType { .tensor(TensorSignature(TensorType(.float32, shape))) }
    let (q, k, v) = (graph.addInput(type([1, 2, 3, 4])), graph.addInput(type([1, 2, 4, 5])), graph.addInput(type([1, 2, 5, 4])))
    let product = graph.addNode(MatMul(dtype: .float32), [q, k], type: type([1, 2, 3, 5]), source: "test")
    let scores = change(&graph, product)
    let weights = graph.addNode(Softmax(axis: -1, dtype: .float32), [scores], type: type([1, 2, 3, 5]), source: "test")
    graph.outputs = [graph.addNode(MatMul(dtype: .float32), [weights, v], type: type([1, 2, 3, 4]), source: "test")]
    return graph
  }

  private func isRecognised(_ graph: Graph) throws -> Bool {
    try RecognizeAttention().rewrite(graph)?.nodes.contains { $0.op is Attention } ?? false
  }

  private let scoreType = ValueType.tensor(TensorSignature(TensorType(.float32, [1, 2, 3, 5])))

  @Test func `Plain scores are recognised`() throws {
    #expect(try isRecognised(graph { _, scores in scores }))
  }

  @Test func `A mask that enlarges the scores' batch is none`() throws {
    let enlarged = graph { graph, scores in
      let mask = graph.addInput(.tensor(TensorSignature(TensorType(.float32, [4, 1, 3, 5]))))
      return graph.addNode(
        Pointwise(.binary(.add, as: .float32), dtype: .float32, label: "add"), [scores, mask],
        type: .tensor(TensorSignature(TensorType(.float32, [4, 2, 3, 5]))), source: "test")
    }
    #expect(try !isRecognised(enlarged))
  }

  @Test func `A finite number in place of hidden scores is not taken for hiding`() throws {
    for (filler, isHiding) in [(-Double.infinity, true), (-1e9, false)] {
      let filled = graph { graph, scores in
        let mask = graph.addInput(.tensor(TensorSignature(TensorType(.bool, [3, 5]))))
        var program = PointwiseProgram()
        let flag = program.append(.load(operand: 1, as: .float32))
        let low = program.append(.literal(.double(filler), as: .float32))
        program.append(.ternary(.select, flag, low, program.append(.load(operand: 0, as: .float32))))
        return graph.addNode(Pointwise(program, dtype: .float32, label: "where"), [scores, mask], type: scoreType, source: "test")
      }
      #expect(try isRecognised(filled) == isHiding)
    }
  }

  @Test func `A factor behind the mask is not taken for one in front of it`() throws {
    let scaled = graph { graph, scores in
      let mask = graph.addInput(.tensor(TensorSignature(TensorType(.float32, [3, 5]))))
      let masked = graph.addNode(
        Pointwise(.binary(.add, as: .float32), dtype: .float32, label: "add"), [scores, mask], type: scoreType, source: "test")
      var program = PointwiseProgram()
      let x = program.append(.load(operand: 0, as: .float32))
      program.append(.binary(.mul, x, program.append(.literal(.double(0.5), as: .float32))))
      return graph.addNode(Pointwise(program, dtype: .float32, label: "mul"), [masked], type: scoreType, source: "test")
    }
    #expect(try !isRecognised(scaled))
  }

  @Test func `Weights that someone else reads stay`() throws {
    var shared = graph { _, scores in scores }
    let weights = try #require(shared.nodes.first { $0.op is Softmax }).outputs[0]
    shared.outputs.append(weights)
    #expect(try !isRecognised(shared))
  }
}
