import MartletSystem
import MartletCompiler
import MartletGraph
import MartletLock
import MartletOps
import MartletRuntime
import MartletTensor

/// The structure of a stretch of steps without its data. Equal structures share a plan.
struct TensorStructure: Hashable, Sendable {
  enum Input: Hashable, Sendable {
    case tensor(TensorType)
    case number(ScalarKind)
  }

  enum Operand: Hashable, Sendable {
    case input(Int)
    /// A result, numbered over all steps.
    case result(Int)
  }

  struct Step: Hashable, Sendable {
    let operation: TensorOperation
    let operationHash: Int
    let operands: [Operand]
    let types: [TensorType]

    init(_ step: TensorStep, _ operands: [Operand]) {
      operation = step.operation
      operationHash = step.operationHash
      types = step.types
      self.operands = operands
    }

    // Types are determined by the operation and its operands.
    static func == (first: Self, second: Self) -> Bool {
      first.operationHash == second.operationHash && first.operands == second.operands && first.operation == second.operation
    }

    func hash(into hasher: inout Hasher) {
      hasher.combine(operationHash)
      hasher.combine(operands)
    }
  }

  var inputs: [Input] = []
  var steps: [Step] = []
  /// Indices of the requested results.
  var outputs: [Int] = []
  var outputTypes: [TensorType] = []

  /// The structure as a graph of the engine.
  func graph() -> Graph {
    var graph = Graph(name: "tensors")
    let ids = inputs.map { input in
      switch input {
      case .tensor(let type): graph.addInput(.tensor(TensorSignature(type)))
      case .number(let kind): graph.addInput(.scalar(kind))
      }
    }
    var results: [ValueID] = []
    for step in steps {
      let operands = step.operands.map { operand -> ValueID? in
        switch operand {
        case .input(let number): ids[number]
        case .result(let number): results[number]
        }
      }
      let op = step.operation.planned
      results += graph.addNode(op, operands, types: step.types.map { .tensor(TensorSignature($0)) }, source: op.name)
    }
    graph.outputs = outputs.map { results[$0] }
    return graph
  }
}

/// A compiled structure, ready to run on any data of its types.
struct TensorMethod: Sendable {
  private let invocations: InvocationPool
  /// Upper bound, in bytes, for the temporary memory that a plan keeps for its next run; larger arenas are freed after each run.
  private static let keptByteCount = 4 << 20

  /// Number of nodes in the method's graph.
  var nodeCount: Int { invocations.method.graph.nodes.count }

  init(_ structure: TensorStructure, threads: WorkerThreads) throws {
    let graph = try PassPipeline.standard.run(on: structure.graph())
    let method = try CompiledMethod(graph, packed: PackedStore(), states: StateStore(), threads: threads, planCapacity: 1)
    invocations = InvocationPool(method, keptByteCount: Self.keptByteCount)
  }

  /// Runs on the inputs and returns the storage of the results.
  func run(_ inputs: [TensorStep.Operand], outputs types: [TensorType]) throws -> [TensorStorage] {
    let invocation = invocations.take()
    defer { invocations.release(invocation) }
    for (position, input) in inputs.enumerated() {
      switch input {
      case .number(let number): try invocation.setInput(position, to: number)
      case .tensor(let value):
        guard case .stored(let storage) = value.withMemory.currentContent else { fatalError("an operand has not been computed") }
        invocation.setInput(position, to: BoundInput(value.type, in: storage))
      }
    }
    let results = try types.map { try TensorStorage(for: $0.dtype, shape: $0.shape) }
    try invocation.run { position, _ in results[position] }
    return results
  }
}

/// Cache of plans for recent structures: a loop that repeats an expression with other data does not plan again.
package final class TensorPlans: Sendable {
  /// The plans of the current task. All tasks share one cache; tests replace it.
  @TaskLocal package static var current = TensorPlans(capacity: 64)

  private struct Entry {
    let method: TensorMethod
    var lastUse: Int
  }

  private struct Table {
    var entries: [TensorStructure: Entry] = [:]
    var useCount = 0
    var plannedCount = 0
  }

  private let capacity: Int
  private let table = Guarded<Table>(Table())
  private static let threads = WorkerThreads()

  package init(capacity: Int) { self.capacity = capacity }

  /// Number of cached plans.
  package var count: Int { table.withLock { $0.entries.count } }
  /// Number of plans made so far.
  package var plannedCount: Int { table.withLock { $0.plannedCount } }

  /// Number of nodes in the cached plans' graphs: fewer than steps where steps were fused.
  package var nodeCount: Int { table.withLock { $0.entries.values.reduce(0) { $0 + $1.method.nodeCount } } }

  /// The plan for a structure, made if it is not cached. The least recently used plan is evicted.
  func method(for structure: TensorStructure) throws -> TensorMethod {
    let known = table.withLock { table in
      table.useCount += 1
      table.entries[structure]?.lastUse = table.useCount
      return table.entries[structure]?.method
    }
    if let known { return known }
    let method = try TensorMethod(structure, threads: Self.threads)
    return table.withLock { table in
      if table.entries.count >= capacity, let oldest = table.entries.min(by: { $0.value.lastUse < $1.value.lastUse })?.key {
        table.entries[oldest] = nil
      }
      table.plannedCount += 1
      table.entries[structure] = Entry(method: method, lastUse: table.useCount)
      return method
    }
  }
}
