import MartletCompiler
import MartletGraph
import MartletOps
import MartletTensor
import Testing

@Suite struct ShareKeyHeadsTests {
  /// Attention of four query heads to two heads of keys and values, each repeated.
  private func graph(
    values: Int = 2, axis: Int = 2, transposesTwice: Bool = false, repeatsValues: Bool = true, masked: Bool = false
  ) -> Graph {
    var graph = Graph(name: "g")
    let q = graph.input([1, 4, 3, 6])
    func repeated(_ heads: Int) -> ValueID {
      let x = graph.input([1, heads, 5, 6])
      // A new axis behind the heads repeats each of them; one before them repeats all of them.
      let split = axis == 2 ? [1, heads, 1, 5, 6] : [1, 1, heads, 5, 6]
      let whole = axis == 2 ? [1, heads, 4 / heads, 5, 6] : [1, 4 / heads, heads, 5, 6]
      let single = graph.node(Unsqueeze(axes: [axis]), [x], split)
      let expanded = graph.node(Expand(shape: whole.map { .constant($0) }), [single], whole)
      var result = graph.node(Reshape(shape: [1, 4, 5, 6].map { .constant($0) }), [expanded], [1, 4, 5, 6])
      if transposesTwice {
        result = graph.node(Permute(axes: [0, 1, 3, 2]), [result], [1, 4, 6, 5])
        result = graph.node(Permute(axes: [0, 1, -1, 2]), [result], [1, 4, 5, 6])
      }
      return result
    }
    let k = repeated(2)
    let v = repeatsValues ? repeated(values) : graph.input([1, 4, 5, 6])
    let mask: [ValueID?] = masked ? [graph.input([3, 5])] : []
    graph.outputs = [graph.node(Attention(scale: nil), [q, k, v] + mask, [1, 4, 3, 6])]
    return graph
  }

  @Test(arguments: [false, true], [false, true]) func repeatedHeadsAreReadOnce(transposesTwice: Bool, masked: Bool) throws {
    let result = try rewritten(graph(transposesTwice: transposesTwice, masked: masked), by: ShareKeyHeads(), tolerance: 1e-6)
    let attention = try #require(result.nodes.first { $0.op is Attention })
    #expect(result.signature(attention.inputs[1]!)?.fixedShape == [1, 2, 5, 6])
  }

  @Test func otherRepetitionsStay() throws {
    #expect(try isLeft(graph(axis: 1), by: ShareKeyHeads()))
    #expect(try isLeft(graph(repeatsValues: false), by: ShareKeyHeads()))
    #expect(try isLeft(graph(values: 1), by: ShareKeyHeads()))
  }
}
