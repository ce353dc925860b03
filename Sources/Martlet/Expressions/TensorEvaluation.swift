import MartletLock
import MartletTensor
import Synchronization

/// Evaluates expressions.
///
/// The pending steps are sorted topologically and cut into stretches of bounded length. Each stretch runs on the plan of its structure.
/// Values that expressions or other steps still refer to are stored, so that they are computed once.
struct TensorEvaluation {
  /// A step to run.
  private struct Pending {
    let step: TensorStep
    /// Its results; nil for those without references.
    var values: [TensorValue?]
    /// Uses of each result by steps of this evaluation.
    var useCounts: [Int]
    /// Position, in execution order, of the last use of each result; -1 if it is not used.
    var lastUses: [Int]
  }

  /// Maximum number of steps in one graph.
  private static let longestStretch = 128

  private var pending: [Pending] = []
  private var numbers: [ObjectIdentifier: Int] = [:]
  /// Indices of steps in execution order.
  private var order: [Int] = []
  private let targets: Set<ObjectIdentifier>

  private init(_ values: [TensorValue]) {
    targets = Set(values.map { ObjectIdentifier($0) })
    TensorValue.lock.withLock {
      for value in values { collect(value) }
      for position in order.indices { countUses(at: position) }
    }
  }

  /// Computes those values that are still pending.
  /// - Throws: `ExecutionError` if the data make a step fail, such as an index out of range.
  static func compute(_ values: [TensorValue]) throws {
    let evaluation = TensorEvaluation(values)
    var start = 0
    while start < evaluation.order.count {
      let end = min(start + longestStretch, evaluation.order.count)
      try evaluation.run(start..<end)
      start = end
    }
  }

  /// The elements of a value, computed first if necessary.
  static func storage(of value: TensorValue) throws -> TensorStorage {
    switch value.currentContent {
    case .stored(let storage): return storage
    case .number(let number, _): return TensorStorage.holding(number, value.type.dtype)
    case .pending: break
    }
    try compute([value])
    guard case .stored(let storage) = value.currentContent else { fatalError("a value has not been computed") }
    return storage
  }

  // MARK: Order

  /// Appends the step of a pending value and everything it depends on, depth first. Iterative, because chains can be long.
  private mutating func collect(_ value: TensorValue) {
    guard case .pending(let step, let result) = value.content, let first = visit(step, result, value) else { return }
    var stack = [(number: first, next: 0)]
    while let (number, next) = stack.last {
      let operands = pending[number].step.operands
      guard next < operands.count else {
        order.append(number)
        stack.removeLast()
        continue
      }
      stack[stack.count - 1].next += 1
      guard case .tensor(let operand) = operands[next], case .pending(let step, let result) = operand.content else { continue }
      if let new = visit(step, result, operand) { stack.append((new, 0)) }
    }
  }

  /// Records the uses of results by the step at `position`.
  private mutating func countUses(at position: Int) {
    for operand in pending[order[position]].step.operands {
      guard case .tensor(let value) = operand, case .pending(let step, let result) = value.content,
        let number = numbers[ObjectIdentifier(step)]
      else { continue }
      pending[number].useCounts[result] += 1
      pending[number].lastUses[result] = position
    }
  }

  /// Records a result of a step. Returns the step's index if the step is new.
  private mutating func visit(_ step: TensorStep, _ result: Int, _ value: TensorValue) -> Int? {
    if let known = numbers[ObjectIdentifier(step)] {
      pending[known].values[result] = value
      return nil
    }
    var new = Pending(
      step: step, values: Array(repeating: nil, count: step.types.count), useCounts: Array(repeating: 0, count: step.types.count),
      lastUses: Array(repeating: -1, count: step.types.count))
    for (position, result) in step.results.enumerated() { new.values[position] = result.value }
    new.values[result] = value
    pending.append(new)
    numbers[ObjectIdentifier(step)] = pending.count - 1
    return pending.count - 1
  }

  // MARK: Execution

  /// A stretch of steps: its structure, its inputs and its outputs.
  private struct Stretch {
    var structure = TensorStructure()
    var inputs: [TensorStep.Operand] = []
    var outputs: [TensorValue] = []
  }

  private func run(_ range: Range<Int>) throws {
    let stretch = stretch(range)
    let storages = try TensorPlans.current.method(for: stretch.structure).run(stretch.inputs, outputs: stretch.structure.outputTypes)
    // The previous contents are released only after the lock.
    let released = TensorValue.lock.withLock { zip(stretch.outputs, storages).map { $0.complete($1) } }
    withExtendedLifetime(released) {}
  }

  private func stretch(_ range: Range<Int>) -> Stretch {
    var stretch = Stretch()
    var known: [ObjectIdentifier: TensorStructure.Operand] = [:]
    var resultCount = 0
    for position in range {
      let item = pending[order[position]]
      var operands: [TensorStructure.Operand] = []
      for operand in item.step.operands {
        switch operand {
        case .number(let number):
          operands.append(.input(stretch.inputs.count))
          stretch.inputs.append(operand)
          stretch.structure.inputs.append(.number(number.kind))
        case .tensor(let value):
          if let number = known[ObjectIdentifier(value)] {
            operands.append(number)
            continue
          }
          let number = TensorStructure.Operand.input(stretch.inputs.count)
          known[ObjectIdentifier(value)] = number
          operands.append(number)
          stretch.inputs.append(operand)
          stretch.structure.inputs.append(.tensor(value.type))
        }
      }
      stretch.structure.steps.append(TensorStructure.Step(item.step, operands))
      for (result, value) in item.values.enumerated() {
        if let value {
          known[ObjectIdentifier(value)] = .result(resultCount)
          if item.lastUses[result] >= range.upperBound || isWanted(value, useCount: item.useCounts[result]) {
            stretch.structure.outputs.append(resultCount)
            stretch.structure.outputTypes.append(value.type)
            stretch.outputs.append(value)
          }
        }
        resultCount += 1
      }
    }
    return stretch
  }

  /// True if the value may be needed outside this evaluation.
  private func isWanted(_ value: TensorValue, useCount: Int) -> Bool {
    targets.contains(ObjectIdentifier(value)) || value.isHeld.load(ordering: .relaxed)
      || value.consumerCount.load(ordering: .relaxed) > useCount
  }
}
