import MartletLock
import MartletTensor
import Synchronization

/// A tensor that has been computed, or is to be: a vertex of an expression that several tensors share.
///
/// What it stands for never changes; what is known of it does, under `TensorValue.lock`.
final class TensorValue: @unchecked Sendable {
  enum Content {
    /// Elements in memory, row-major and aligned, which nobody changes.
    case stored(ArrayStorage)
    /// A single number, of rank 0. Literals are part of an expression's structure, other numbers are its data.
    case number(MartletTensor.Scalar, isLiteral: Bool)
    /// A result of a step that has not run.
    case pending(TensorStep, result: Int)
  }

  let type: TensorType
  private(set) var content: Content
  /// Whether some expression that a user has refers to the value, besides steps that use it.
  let isHeld = Atomic<Bool>(false)
  /// Operands of steps that refer to the value.
  let consumerCount = Atomic<Int>(0)

  /// Guards the content of all values. Nothing is released while it is held, since the last reference to a step takes it again.
  static let lock = Lock()

  init(_ type: TensorType, _ content: Content) {
    self.type = type
    self.content = content
  }

  /// The content as it is now.
  var currentContent: Content { Self.lock.withLock { content } }

  /// Sets what a step has computed, and returns what is to be released outside the lock. To be called with the lock held.
  func complete(_ storage: ArrayStorage) -> Content {
    let old = content
    content = .stored(storage)
    return old
  }

  /// The step of a value that is about to go.
  fileprivate func takeStep() -> TensorStep? {
    let old = Self.lock.withLock {
      let old = content
      if case .pending = old { content = .number(.int(0), isLiteral: true) }
      return old
    }
    if case .pending(let step, _) = old { return step }
    return nil
  }

  /// The value with its elements in memory, where it is a number; else itself.
  var withMemory: TensorValue {
    guard case .number(let number, _) = currentContent else { return self }
    return TensorValue(type, .stored(ArrayStorage(number, type.dtype)))
  }
}

extension ArrayStorage {
  /// Memory of one element.
  convenience init(_ number: MartletTensor.Scalar, _ dtype: DType) {
    guard let tensor = HostTensor([number], dtype: dtype, shape: []) else { fatalError("\(dtype) has no numbers") }
    self.init(tensor.sharedStorage)
  }
}

/// An operation applied to operands, which runs when one of its results is wanted.
final class TensorStep: @unchecked Sendable {
  enum Operand {
    case tensor(TensorValue)
    /// A number that is data, not structure.
    case number(MartletTensor.Scalar)
  }

  /// A result, as long as somebody wants it.
  struct Result {
    weak var value: TensorValue?
  }

  let operation: TensorOperation
  let operationHash: Int
  let types: [TensorType]
  /// Empty only in a step that is about to go.
  private(set) var operands: [Operand]
  /// The results, where there are several; set before anyone else knows the step.
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

  /// Takes long chains of steps apart one by one: the release of each by the one before it would need stack for all.
  deinit {
    var rest = takeOperands()
    while let operand = rest.popLast() {
      guard case .tensor(var value) = consume operand, isKnownUniquelyReferenced(&value), var step = value.takeStep() else { continue }
      if isKnownUniquelyReferenced(&step) { rest += step.takeOperands() }
    }
  }
}

/// What makes a value one that a user's expressions refer to. Copies of an expression share it.
final class TensorHandle: Sendable {
  let value: TensorValue

  init(_ value: TensorValue) {
    self.value = value
    value.isHeld.store(true, ordering: .relaxed)
  }

  deinit { value.isHeld.store(false, ordering: .relaxed) }
}
