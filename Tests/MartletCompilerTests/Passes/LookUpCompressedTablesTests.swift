import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct LookUpCompressedTablesTests {
  private func graph(axes: [Int], result: [Int]) throws -> Graph {
    var graph = Graph(name: "g")
    let numbers: [Scalar] = (0..<32).map { index in .int(Int64(index * 5 - 80)) }
    let factors: [Scalar] = (1...4).map { index in .double(Double(index) / 8) }
    let data = Constant(try #require(HostTensor(numbers, dtype: .int8, shape: [4, 8])))
    let scales = Constant(try #require(HostTensor(factors, dtype: .float32, shape: [4, 1])))
    let table = graph.addConstant(try CompressedConstant.shiftedAndScaled(data, scales: scales, offsets: nil))
    let indices = graph.input([5], .int32)
    graph.outputs = [graph.node(Index(axes: axes, allowsNegative: true), [table, indices], result)]
    return graph
  }

  @Test func rowsAreLookedUpBeforeTheyAreDecoded() throws {
    let result = try rewritten(graph(axes: [0], result: [5, 8]), by: LookUpCompressedTables())
    #expect(result.operatorNames == ["quantized_embedding"])
  }

  @Test func columnsAreNot() throws {
    #expect(try isLeft(graph(axes: [1], result: [4, 5]), by: LookUpCompressedTables()))
  }
}
