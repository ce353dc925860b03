import MartletLock
import MartletTensor
import Synchronization

/// A tensor value, computed or pending: a vertex of the expression graph, shared by all expressions that refer to it.
///
/// The tensor that it represents never changes. Its `content` does, under `TensorValue.lock`.
final class TensorValue: @unchecked Sendable {
  enum Content {
    /// Elements in memory: row-major, aligned, immutable.
    case stored(TensorStorage)
    /// A rank-0 value. Literals are part of an expression's structure; other scalars are data.
    case number(MartletTensor.Scalar, isLiteral: Bool)
    /// A result of a step that has not run.
    case pending(TensorStep, result: Int)
  }

  let type: TensorType
  private(set) var content: Content
  /// True if an expression outside the engine refers to the value, in addition to the steps that use it.
  let isHeld = Atomic<Bool>(false)
  /// Number of step operands that refer to the value.
  let consumerCount = Atomic<Int>(0)

  /// Guards the content of all values. Nothing may be released while it is held, because releasing the last reference to a step takes it
  /// again.
  static let lock = Lock()

  init(_ type: TensorType, _ content: Content) {
    self.type = type
    self.content = content
  }

  /// A snapshot of the content.
  var currentContent: Content { Self.lock.withLock { content } }

  /// Stores the computed elements. Returns the old content, which the caller releases outside the lock. The caller holds the lock.
  func complete(_ storage: TensorStorage) -> Content {
    let old = content
    content = .stored(storage)
    return old
  }

  /// Takes the pending step out of a value that is being released.
  fileprivate func takeStep() -> TensorStep? {
    let old = Self.lock.withLock {
      let old = content
      if case .pending = old { content = .number(.int(0), isLiteral: true) }
      return old
    }
    if case .pending(let step, _) = old { return step }
    return nil
  }

  /// A scalar value is copied into memory; any other value is returned unchanged.
  var withMemory: TensorValue {
    guard case .number(let number, _) = currentContent else { return self }
    return TensorValue(type, .stored(TensorStorage.holding(number, type.dtype)))
  }
}

extension TensorStorage {
  /// Storage of a single element.
  static func holding(_ number: MartletTensor.Scalar, _ dtype: DType) -> TensorStorage {
    guard let tensor = HostTensor([number], dtype: dtype, shape: []) else { fatalError("\(dtype) has no scalar values") }
    return tensor.sharedStorage
  }
}

/// An operation applied to operands; it runs when one of its results is needed.
final class TensorStep: @unchecked Sendable {
  enum Operand {
    case tensor(TensorValue)
    /// A scalar that is data, not structure.
    case number(MartletTensor.Scalar)
  }

  /// A result, referenced weakly.
  struct Result {
    weak var value: TensorValue?
  }

  let operation: TensorOperation
  let operationHash: Int
  let types: [TensorType]
  /// Empty only in a step that is being released.
  private(set) var operands: [Operand]
  /// The results, if there is more than one. Set before the step is shared.
  private(set) var results: [Result] = []

  init(_ operation: TensorOperation, _ operands: [Operand], types: [TensorType]) {
    self.operation = operation
    self.operands = operands
    self.types = types
    operationHash = operation.hashValue
    for case .tensor(let value) in operands { value.consumerCount.add(1, ordering: .relaxed) }
  }

  /// The results as values.
  func makeValues() -> [TensorValue] {
    let values = types.indices.map { TensorValue(types[$0], .pending(self, result: $0)) }
    if values.count > 1 { results = values.map { Result(value: $0) } }
    return values
  }

  private func takeOperands() -> [Operand] {
    let taken = operands
    operands = []
    for case .tensor(let value) in taken { value.consumerCount.subtract(1, ordering: .relaxed) }
    return taken
  }

  /// Releases long chains of steps iteratively; recursive release would overflow the stack.
  deinit {
    var rest = takeOperands()
    while let operand = rest.popLast() {
      guard case .tensor(var value) = consume operand, isKnownUniquelyReferenced(&value), var step = value.takeStep() else { continue }
      if isKnownUniquelyReferenced(&step) { rest += step.takeOperands() }
    }
  }
}

/// Marks a value as referenced by expressions, for as long as the handle lives. Copies of an expression share one handle.
final class TensorHandle: Sendable {
  let value: TensorValue

  init(_ value: TensorValue) {
    self.value = value
    value.isHeld.store(true, ordering: .relaxed)
  }

  deinit { value.isHeld.store(false, ordering: .relaxed) }
}
