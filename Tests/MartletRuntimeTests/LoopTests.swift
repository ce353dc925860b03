import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct LoopTests {
  private func doubling() -> Graph {
    loopGraph(tensor([.fixed(3)])) { graph, x, i, _ in
      graph.addNode(binary(.add, "sum"), [x, i], type: tensor([.fixed(3)]), source: "sum")
    }
  }

  /// A loop in whose rounds an inner one runs `i` rounds and adds one in each.
  private func nested() -> Graph {
    let type = tensor([.fixed(1)])
    return loopGraph(type) { graph, x, i, _ in
      var inner = Graph(name: "inner")
      let (j, y, end) = (inner.addInput(type), inner.addInput(type), inner.addInput(type))
      let step = inner.addConstant(Constant(floats([1])))
      let nextJ = inner.addNode(binary(.add, "j"), [j, step], type: type, source: "j")
      let nextY = inner.addNode(binary(.add, "y"), [y, step], type: type, source: "y")
      inner.outputs = [addFlag(&inner, nextJ, end), nextJ, nextY, end]
      let zero = graph.addConstant(Constant(floats([0])))
      return graph.addNode(Loop(), [zero, x, i], types: [type, type, type], regions: [inner], source: "inner")[1]
    }
  }

  @Test func dataDecideTheNumberOfRounds() throws {
    let method = try compile(doubling())
    for limit in [5, 1, -3, 2, 100, 5] as [Float] {
      let rounds = max(limit, 1)
      let sum = rounds * (rounds + 1) / 2
      #expect(try run(method, [floats([0, 1, 2]), floats([limit])]) == [[rounds], [sum, sum + 1, sum + 2]], "\(limit)")
    }
    #expect(method.planCount == 1)
  }

  @Test func manyRoundsNeedNoMorePlansOrMemory() throws {
    let method = try compile(doubling())
    #expect(try run(method, [floats([0, 1, 2]), floats([20_000])])[0] == [20_000])
    let call = method.takeCall()
    defer { method.release(call) }
    #expect(call.arenaByteCount < 1 << 16)
  }

  @Test func variablesMayGrow() throws {
    let open = tensor([.symbolic(bound: nil)])
    let graph = loopGraph(open) { graph, x, i, _ in
      graph.addNode(Concat(axis: 0, dtype: .float32), [x, i], type: open, source: "append")
    }
    let method = try compile(graph)
    #expect(try run(method, [floats([7]), floats([4])])[1] == [7, 1, 2, 3, 4])
    #expect(try run(method, [floats([]), floats([3])])[1] == [1, 2, 3])
    #expect(try run(method, [floats([9, 8]), floats([40])])[1] == [9, 8] + (1...40).map(Float.init))
  }

  @Test func whatComesBehindTheLoopUsesItsShapes() throws {
    let open = tensor([.symbolic(bound: nil)])
    var graph = loopGraph(open) { graph, x, i, _ in
      graph.addNode(Concat(axis: 0, dtype: .float32), [x, i], type: open, source: "append")
    }
    let twice = graph.addNode(
      Concat(axis: 0, dtype: .float32), [graph.outputs[1], graph.inputs[0], graph.outputs[1]], type: open, source: "twice")
    graph.outputs = [twice]
    #expect(try run(try compile(graph), [floats([7]), floats([2])]) == [[7, 1, 2, 7, 7, 1, 2]])
  }

  @Test func loopsMayStandInOneAnother() throws {
    let method = try compile(nested())
    #expect(try run(method, [floats([0]), floats([10])]) == [[10], [55]])
    #expect(try run(method, [floats([0.5]), floats([4])]) == [[4], [10.5]])
  }

  @Test func roundsReadAndWriteStates() throws {
    let type = tensor([.fixed(1)])
    var graph = loopGraph(type) { graph, x, i, _ in
      let old = graph.addNode(ReadState(state: 0), [], type: type, source: "read")
      let sum = graph.addNode(binary(.add, "sum"), [old, i], type: type, source: "sum")
      graph.addNode(WriteState(state: 0), [sum], types: [], source: "write")
      return graph.addNode(binary(.add, "x"), [x, old], type: type, source: "x")
    }
    graph.states = [StateDeclaration(name: "sum", type: one, initial: nil)]
    let method = try compile(graph)
    // Old values 0, 1, 3; then 6, 7.
    #expect(try run(method, [floats([0]), floats([3])])[1] == [4])
    #expect(try run(method, [floats([0]), floats([2])])[1] == [13])
  }

  @Test func variablesMayBeNumbersAndChangePlaces() throws {
    let type = tensor([.fixed(1)])
    var round = Graph(name: "round")
    let count = round.addInput(.scalar(.int))
    let (a, b, limit) = (round.addInput(type), round.addInput(type), round.addInput(.scalar(.int)))
    let next = round.addNode(
      ScalarFunction(.add), [count, round.addScalar(.int(1))], type: .scalar(.int), source: "count")
    let flag = round.addNode(ScalarFunction(.less), [next, limit], type: .scalar(.bool), source: "flag")
    round.outputs = [flag, next, b, a, limit]
    var graph = Graph(name: "swap")
    let (x, y, end) = (graph.addInput(type), graph.addInput(type), graph.addInput(.scalar(.int)))
    graph.outputs = Array(
      graph.addNode(
        Loop(), [graph.addScalar(.int(0)), x, y, end], types: [.scalar(.int), type, type, .scalar(.int)], regions: [round],
        source: "loop"
      ).prefix(3))
    let method = try compile(graph)
    let (first, second) = (floats([1]), floats([2]))
    for limit in [1, 2, 7, 8] as [Int64] {
      let results = try method.run([
        unsafe .tensor(one, UnsafeRawPointer(first.sharedStorage.pointer)),
        unsafe .tensor(one, UnsafeRawPointer(second.sharedStorage.pointer)), .scalar(.int(limit)),
      ])
      let values = results.map { result -> Float in
        switch result {
        case .tensor(let tensor): unsafe tensor.withUnsafeBytes { unsafe $0.load(as: Float.self) }
        case .scalar(let scalar): Float(scalar.doubleValue)
        default: .nan
        }
      }
      #expect(values == (limit % 2 == 0 ? [Float(limit), 1, 2] : [Float(limit), 2, 1]))
    }
    withExtendedLifetime((first, second)) {}
  }

  @Test func loopsWithoutEndAreErrors() throws {
    let method = try compile(doubling(), limits: ResourceLimits(nodeCount: 50))
    #expect(throws: (any Error).self) { try run(method, [floats([0, 1, 2]), floats([.infinity])]) }
  }

  @Test func roundsThatArePlannedCountForMore() throws {
    let limits = ResourceLimits(nodeCount: 200)
    let rounds: [Float] = [1000]
    let same = try compile(doubling(), limits: limits)
    #expect(try run(same, [floats([0, 1, 2]), floats(rounds)])[0] == rounds)
    let open = tensor([.symbolic(bound: nil)])
    let growing = try compile(
      loopGraph(open) { graph, x, i, _ in
        graph.addNode(Concat(axis: 0, dtype: .float32), [x, i], type: open, source: "append")
      }, limits: limits)
    #expect(try run(growing, [floats([]), floats([40])])[1].count == 40)
    let error = #expect(throws: ExecutionError.self) { try run(growing, [floats([]), floats(rounds)]) }
    #expect(error?.reason.contains("an infinite loop?") == true)
    // Nothing of the call that was refused is counted in the next one.
    #expect(try run(growing, [floats([]), floats([40])])[1].count == 40)
  }

  @Test func innerLoopsCountAsWell() throws {
    // 200 outer rounds alone would be few enough, and so would every inner loop's.
    let method = try compile(nested(), limits: ResourceLimits(nodeCount: 200))
    #expect(try run(method, [floats([0]), floats([50])]) == [[50], [1275]])
    #expect(throws: ExecutionError.self) { try run(method, [floats([0]), floats([200])]) }
  }

  @Test func `A loop of any length ends at the limit of work, and so does a profile`() throws {
    let endless = [floats([0, 1, 2]), floats([1e30])]
    let limited = try compile(doubling(), limits: ResourceLimits(callWork: 1000))
    let error = #expect(throws: WorkError.self) { try run(limited, endless) }
    #expect(error?.limit == 1000)
    #expect(try run(limited, [floats([0, 1, 2]), floats([20])])[0] == [20])
    // Loops have a limit of their own, which is finite by default.
    let loops = try compile(doubling(), limits: ResourceLimits(loopWork: 500))
    #expect(throws: WorkError.self) { try run(loops, endless) }
    #expect(try run(loops, [floats([0, 1, 2]), floats([20])])[0] == [20])
    #expect(ResourceLimits.standard.loopWork < .max)

    let method = try compile(doubling())
    func profiled(_ profile: Profile) throws {
      let arguments = endless.map {
        unsafe Argument.tensor(TensorType($0.dtype, $0.shape), UnsafeRawPointer($0.sharedStorage.pointer))
      }
      _ = try method.run(arguments, profile: profile)
    }
    let short = Profile(workLimit: 500)
    #expect(throws: WorkError.self) { try profiled(short) }
    #expect((1...500).contains(short.entries.count))
    let small = Profile(byteCount: 1 << 20)
    #expect(throws: AllocationError.self) { try profiled(small) }
    #expect(small.entries.count < 1 << 20)
  }
}
