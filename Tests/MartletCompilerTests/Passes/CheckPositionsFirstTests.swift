import MartletCompiler
import MartletGraph
import MartletOps
import MartletTensor
import Testing

@Suite struct CheckPositionsFirstTests {
  /// A ring that takes any position, and then a cache that takes those up to 5.
  private func graph(ring: Bool = true, positionFromState: Bool = false, allowsNegative: Bool = false) -> Graph {
    var graph = Graph(name: "g")
    graph.states = [
      StateDeclaration(name: "ring", type: TensorType(.float32, [1, 4, 2]), initial: nil),
      StateDeclaration(name: "cache", type: TensorType(.float32, [1, 6, 2]), initial: nil),
      StateDeclaration(name: "count", type: TensorType(.int64, [1]), initial: nil),
    ]
    let x = graph.input([1, 2, 2])
    let places = graph.input([2], .int64)
    let given = graph.input([1], .int64)
    var outputs: [ValueID] = []
    if ring {
      let old = graph.node(ReadState(state: 0), [], [1, 4, 2])
      let new = graph.node(IndexPut(axes: [1], accumulates: false, allowsNegative: false), [old, x, places], [1, 4, 2])
      graph.addNode(WriteState(state: 0), [new], types: [], source: "write")
      outputs.append(new)
    }
    let counter = positionFromState ? graph.node(ReadState(state: 2), [], [1], .int64) : given
    let start = graph.addNode(ScalarFromTensor(kind: .int), [counter], type: .scalar(.int), source: "start")
    let range = SliceRange(start: .operand(2), end: .source, allowsNegative: allowsNegative)
    for _ in 0..<2 {
      let old = graph.node(ReadState(state: 1), [], [1, 6, 2])
      let new = graph.node(SliceScatter(axis: 1, range: range), [old, x, start], [1, 6, 2])
      graph.addNode(WriteState(state: 1), [new], types: [], source: "write")
      outputs.append(new)
    }
    graph.outputs = outputs
    return graph
  }

  @Test func aPositionBehindAnotherUpdateIsCheckedBeforeAll() throws {
    let result = try rewritten(graph(), by: CheckPositionsFirst())
    #expect(result.operatorNames.prefix(2) == ["scalar_from_tensor", "checked_position"])
    #expect(result.operatorNames.count { $0 == "checked_position" } == 1)
  }

  @Test func otherUpdatesStay() throws {
    // The first update of a call checks its own position.
    #expect(try isLeft(graph(ring: false), by: CheckPositionsFirst()))
    #expect(try isLeft(graph(positionFromState: true), by: CheckPositionsFirst()))
    #expect(try isLeft(graph(allowsNegative: true), by: CheckPositionsFirst()))
  }

  /// A ring that takes any position, and then two caches that are written at computed indices.
  private func indexed(ring: Bool = true, indicesFromState: Bool = false) -> Graph {
    var graph = Graph(name: "g")
    graph.states = [
      StateDeclaration(name: "ring", type: TensorType(.float32, [1, 4, 2]), initial: nil),
      StateDeclaration(name: "cache", type: TensorType(.float32, [1, 6, 2]), initial: nil),
      StateDeclaration(name: "count", type: TensorType(.int64, [2]), initial: nil),
    ]
    let x = graph.input([1, 2, 2])
    let places = graph.input([2], .int64)
    var outputs: [ValueID] = []
    func put(_ state: Int, _ extent: Int, _ places: ValueID) {
      let old = graph.node(ReadState(state: state), [], [1, extent, 2])
      let new = graph.node(IndexPut(axes: [1], accumulates: false, allowsNegative: true), [old, x, places], [1, extent, 2])
      graph.addNode(WriteState(state: state), [new], types: [], source: "write")
      outputs.append(new)
    }
    if ring { put(0, 4, places) }
    let given = indicesFromState ? graph.node(ReadState(state: 2), [], [2], .int64) : places
    let moved = graph.node(Unsqueeze(axes: [0]), [given], [1, 2], .int64)
    let indices = graph.node(Squeeze(axes: [0]), [moved], [2], .int64)
    put(1, 6, indices)
    put(1, 6, indices)
    graph.outputs = outputs
    return graph
  }

  @Test func indicesBehindAnotherUpdateAreCheckedBeforeAll() throws {
    let result = try rewritten(indexed(), by: CheckPositionsFirst())
    #expect(result.operatorNames.prefix(3) == ["unsqueeze", "squeeze", "checked_indices"])
    #expect(result.operatorNames.count { $0 == "checked_indices" } == 1)
    // The nodes have moved: there is no second one.
    #expect(result.operatorNames.count { $0 == "squeeze" } == 1)
    #expect(try isLeft(indexed(ring: false), by: CheckPositionsFirst()))
    #expect(try isLeft(indexed(indicesFromState: true), by: CheckPositionsFirst()))
  }
}
