import MartletCompiler
import MartletGraph
import MartletKernels
import MartletLock
import MartletOps
import MartletRuntime
import MartletTensor
import MartletVocabulary
import Testing

/// `x * 2` written back to a state that starts at zero: the state counts the calls.
private func counterGraph() -> Graph {
  var graph = Graph(name: "counter")
  let type = TensorType(.float32, [4])
  graph.states = [StateDeclaration(name: "count", type: type, initial: nil)]
  let x = graph.addInput(.tensor(TensorSignature(type)))
  let state = graph.addNode(ReadState(state: 0), [], type: .tensor(TensorSignature(type)), source: "read")
  let sum = graph.addNode(
    Pointwise(.binary(.add, as: .float32), dtype: .float32, label: "add"), [state, x], type: .tensor(TensorSignature(type)), source: "add")
  graph.addNode(WriteState(state: 0), [sum], types: [], source: "write")
  graph.outputs = [sum, state]
  return graph
}

@Suite struct RuntimeTests {
  @Test func stateKeepsItsValueAndTheOldValueSurvivesTheWrite() throws {
    let states = StateStore()
    let method = try CompiledMethod(counterGraph(), packed: PackedStore(), states: states, threads: WorkerThreads(1))
    let one = floats([1, 2, 3, 4])
    #expect(try run(method, [one]) == [[1, 2, 3, 4], [0, 0, 0, 0]])
    #expect(try run(method, [one]) == [[2, 4, 6, 8], [1, 2, 3, 4]])
    try states.reset()
    #expect(try run(method, [one]) == [[1, 2, 3, 4], [0, 0, 0, 0]])
  }

  @Test func plansOfManyShapesStayBounded() throws {
    var graph = Graph(name: "relu")
    let signature = TensorSignature(dtype: .float32, dimensions: [.symbolic(bound: 1000)])
    let x = graph.addInput(.tensor(signature))
    graph.outputs = [
      graph.addNode(
        Pointwise(.unary(.relu, as: .float32), dtype: .float32, label: "relu"), [x], type: .tensor(signature), source: "relu")
    ]
    let method = try CompiledMethod(
      graph, packed: PackedStore(), states: StateStore(), threads: WorkerThreads(2), planCapacity: 4)
    for count in 0..<200 {
      let values = (0..<count).map { Float($0) - 100 }
      #expect(try run(method, [floats(values)]) == [values.map { max($0, 0) }])
    }
    #expect(method.planCount == 4)
  }

  @Test func concurrentCallsGiveTheirOwnResults() async throws {
    var graph = Graph(name: "square")
    let signature = TensorSignature(dtype: .float32, dimensions: [.symbolic(bound: nil)])
    let x = graph.addInput(.tensor(signature))
    let exponential = graph.addNode(
      Pointwise(.unary(.square, as: .float32), dtype: .float32, label: "square"), [x], type: .tensor(signature), source: "square")
    graph.outputs = [
      graph.addNode(
        Pointwise(.unary(.neg, as: .float32), dtype: .float32, label: "neg"), [exponential], type: .tensor(signature), source: "neg")
    ]
    let method = try CompiledMethod(graph, packed: PackedStore(), states: StateStore(), threads: WorkerThreads(2))
    try await withThrowingTaskGroup(of: Bool.self) { group in
      for task in 0..<8 {
        group.addTask {
          for round in 0..<50 {
            let values = (0..<(1000 + task)).map { Float($0 + round) }
            guard try run(method, [floats(values)]) == [values.map { -$0 * $0 }] else { return false }
          }
          return true
        }
      }
      for try await isRight in group { #expect(isRight) }
    }
  }

  @Test func aConditionKnownOnlyAtRunTimeChoosesTheBranch() throws {
    func branch(_ function: UnaryFunction) -> Graph {
      var graph = Graph(name: function.name)
      let type = ValueType.tensor(TensorSignature(TensorType(.float32, [2])))
      let x = graph.addInput(type)
      graph.outputs = [
        graph.addNode(Pointwise(.unary(function, as: .float32), dtype: .float32, label: function.name), [x], type: type, source: "branch")
      ]
      return graph
    }
    var graph = Graph(name: "choose")
    let type = ValueType.tensor(TensorSignature(TensorType(.float32, [2])))
    let x = graph.addInput(type)
    let flag = graph.addInput(.scalar(.bool))
    graph.outputs = graph.addNode(
      Conditional(), [flag, x], types: [type], regions: [branch(.neg), branch(.abs)], source: "if")
    let method = try CompiledMethod(graph, packed: PackedStore(), states: StateStore(), threads: WorkerThreads(1))
    let tensor = floats([-3, 5])
    for (condition, expected) in [(true, [Float(3), -5]), (false, [3, 5]), (true, [3, -5])] {
      let results = try method.run([
        unsafe .tensor(TensorType(.float32, [2]), UnsafeRawPointer(tensor.sharedStorage.pointer)), .scalar(.bool(condition)),
      ])
      guard case .tensor(let result) = results[0] else { throw ExecutionError(node: nil, reason: "no tensor") }
      #expect(unsafe result.withUnsafeBytes { unsafe Array($0.bindMemory(to: Float.self)) } == expected)
    }
    withExtendedLifetime(tensor) {}
  }

  @Test func aCancelledRunStops() throws {
    let method = try CompiledMethod(counterGraph(), packed: PackedStore(), states: StateStore(), threads: WorkerThreads(1))
    let cancellation = Cancellation()
    cancellation.cancel()
    let tensor = floats([1, 2, 3, 4])
    #expect(throws: CancellationError.self) {
      _ = try method.run(
        [unsafe .tensor(TensorType(.float32, [4]), UnsafeRawPointer(tensor.sharedStorage.pointer))], cancellation: cancellation)
    }
  }

  @Test func `A cancelled call does not wait for a lock`() throws {
    let lock = Lock()
    let cancellation = Cancellation()
    lock.withLock {
      cancellation.cancel()
      #expect(throws: CancellationError.self) { try lock.withLock(whileWaiting: cancellation.check) {} }
    }
    #expect(try lock.withLock(whileWaiting: cancellation.check, { 1 }) == 1)
  }

  @Test func `Planning ends when it is cancelled, and at its limit of work`() throws {
    let inputs = [InputBinding.tensor(TensorType(.float32, [4]))]
    let method = try CompiledMethod(counterGraph(), packed: PackedStore(), states: StateStore(), threads: WorkerThreads(1))
    let cancellation = Cancellation()
    cancellation.cancel()
    #expect(throws: CancellationError.self) { try method.prepare(for: inputs, cancellation: cancellation) }
    #expect(method.planCount == 0)
    try method.prepare(for: inputs)
    let limited = try CompiledMethod(
      counterGraph(), packed: PackedStore(), states: StateStore(), threads: WorkerThreads(1), limits: ResourceLimits(loadWork: 1))
    #expect(throws: WorkError.self) { try limited.prepare(for: inputs) }
  }
}
