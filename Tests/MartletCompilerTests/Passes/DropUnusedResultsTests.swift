import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct DropUnusedResultsTests {
  private func graph(usesPositions: Bool) -> Graph {
    var graph = Graph(name: "g")
    let x = graph.input([1, 2, 4, 4])
    let window = Pool.Window.sliding(kernel: [2, 2], stride: [2, 2], before: [0, 0], after: [0, 0], dilation: [1, 1], ceil: false)
    let results = graph.addNode(
      Pool(window, reduction: .maximum, givesIndices: true), [x],
      types: [.float32, .int64].map { .tensor(TensorSignature(TensorType($0, [1, 2, 2, 2]))) }, source: "pool")
    graph.outputs = usesPositions ? results : [results[0]]
    return graph
  }

  @Test func positionsThatNobodyUsesAreNotAskedFor() throws {
    let result = try rewritten(graph(usesPositions: false), by: DropUnusedResults())
    #expect(result.nodes[0].outputs.count == 1)
  }

  @Test func positionsThatAreUsedStay() throws {
    #expect(try isLeft(graph(usesPositions: true), by: DropUnusedResults()))
  }
}
