import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletVocabulary
import Testing

/// Values that nodes give before a state changes are those of before, wherever they lie in memory.
@Suite struct StateTests {
  private let type = tensor([.fixed(1)])

  private func graph(_ states: Int = 1) -> Graph {
    var graph = Graph(name: "states")
    graph.states = (0..<states).map { StateDeclaration(name: "state \($0)", type: one, initial: nil) }
    return graph
  }

  private func read(_ graph: inout Graph, _ state: Int = 0) -> ValueID {
    graph.addNode(ReadState(state: state), [], type: type, source: "read")
  }

  private func write(_ graph: inout Graph, _ value: ValueID, _ state: Int = 0) {
    graph.addNode(WriteState(state: state), [value], types: [], source: "write")
  }

  private func add(_ graph: inout Graph, _ a: ValueID, _ b: ValueID) -> ValueID {
    graph.addNode(binary(.add, "sum"), [a, b], type: type, source: "sum")
  }

  @Test func aSecondReadBeforeTheWriteGivesTheOldValue() throws {
    var graph = graph()
    let x = graph.addInput(type)
    let sum = add(&graph, read(&graph), x)
    let old = add(&graph, read(&graph), x)
    write(&graph, sum)
    graph.outputs = [old, add(&graph, read(&graph), x)]
    let method = try compile(graph)
    #expect(try run(method, [floats([1])]) == [[1], [2]])
    #expect(try run(method, [floats([10])]) == [[11], [21]])
  }

  @Test func aRegionThatReadsBeforeTheWriteGivesTheOldValue() throws {
    var graph = graph()
    let (x, flag) = (graph.addInput(type), graph.addInput(.scalar(.bool)))
    var branches: [Graph] = []
    for _ in 0..<2 {
      var branch = Graph(name: "branch")
      let x = branch.addInput(type)
      let old = read(&branch)
      branch.outputs = [branches.isEmpty ? old : add(&branch, old, x)]
      branches.append(branch)
    }
    let sum = add(&graph, read(&graph), x)
    let old = graph.addNode(Conditional(), [flag, x], types: [type], regions: branches, source: "if")[0]
    write(&graph, sum)
    graph.outputs = [old, sum]
    let method = try compile(graph)
    let input = floats([3])
    for (taken, expected) in [(true, [0, 3]), (true, [3, 6]), (false, [9, 9])] as [(Bool, [Float])] {
      let results = try method.run([unsafe .tensor(one, UnsafeRawPointer(input.sharedStorage.pointer)), .scalar(.bool(taken))])
      #expect(numbers(results) == expected.map { [$0] })
    }
  }

  @Test func statesExchangeTheirValues() throws {
    var graph = graph(2)
    let x = graph.addInput(type)
    let (a, b) = (read(&graph, 0), read(&graph, 1))
    write(&graph, b, 0)
    write(&graph, add(&graph, a, x), 1)
    graph.outputs = [a, b, read(&graph, 0), read(&graph, 1)]
    let method = try compile(graph)
    #expect(try run(method, [floats([1])]) == [[0], [0], [0], [1]])
    #expect(try run(method, [floats([1])]) == [[0], [1], [1], [1]])
    #expect(try run(method, [floats([5])]) == [[1], [1], [1], [6]])
  }

  /// A variable is what the state became in the round before: from the second round on it is an argument of a method of its own.
  @Test func aLoopsVariableOutlivesTheNextRoundsWrite() throws {
    var graph = loopGraph(type) { graph, x, i, _ in
      let next = self.add(&graph, self.read(&graph), i)
      // x is the sum that the round before gave.
      let last = self.add(&graph, x, x)
      self.write(&graph, next)
      let both = self.add(&graph, last, next)
      self.write(&graph, both)
      return both
    }
    graph.states = [StateDeclaration(name: "sum", type: one, initial: nil)]
    let states = StateStore()
    let method = try compile(graph, states: states)
    for (limit, initial) in [(1, 1), (4, 1), (6, 2)] as [(Int, Float)] {
      try states.reset()
      var (state, x): (Float, Float) = (0, initial)
      for i in 1...limit {
        state = x + x + (state + Float(i))
        x = state
      }
      #expect(try run(method, [floats([initial]), floats([Float(limit)])])[1] == [x], "\(limit) rounds")
    }
  }

  /// The first round changes nothing; the others write over what was read before the loop.
  @Test func aValueReadBeforeALoopOutlivesItsRounds() throws {
    var graph = loopGraph(type) { graph, x, i, _ in
      var (taken, other) = (Graph(name: "then"), Graph(name: "else"))
      let (j, _) = (taken.addInput(type), other.addInput(type))
      let next = self.add(&taken, self.read(&taken), j)
      self.write(&taken, next)
      let two = graph.addConstant(Constant(floats([1.5])))
      graph.addNode(Conditional(), [addFlag(&graph, two, i), i], types: [], regions: [taken, other], source: "if")
      return self.add(&graph, x, i)
    }
    graph.states = [StateDeclaration(name: "sum", type: one, initial: nil)]
    let old = read(&graph)
    graph.nodes.swapAt(0, graph.nodes.count - 1)
    graph.outputs += [old, add(&graph, old, read(&graph))]
    let method = try compile(graph)
    // The state becomes 2 + 3, then 10, then nothing is added.
    for (limit, expected) in [(3, [0, 5]), (3, [5, 15]), (1, [10, 20])] as [(Float, [Float])] {
      let results = try run(method, [floats([0]), floats([limit])])
      #expect(results[2] == [expected[0]] && results[3] == [expected[1]], "\(limit) rounds: \(results)")
    }
  }
}
