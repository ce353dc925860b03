import MartletGraph
import MartletOps
import MartletTensor

/// What a value has become during planning.
enum PlannedValue: Sendable {
  case tensor(TensorView, Constant?)
  case scalar(ScalarOperand)
  case string(String)
  case none

  var operand: PlannedOperand {
    switch self {
    case .tensor(let view, let constant): .tensor(view, constant)
    case .scalar(let scalar): .scalar(scalar)
    case .string(let string): .string(string)
    case .none: .absent
    }
  }

  var type: OperandType? {
    switch self {
    case .tensor(let view, _): .tensor(view.type)
    case .scalar(let scalar): .scalar(scalar)
    case .string(let string): .string(string)
    case .none: nil
    }
  }

  /// Whether the value is a tensor where one is declared, and a number where one is.
  func isKind(of type: ValueType) -> Bool {
    switch (type, self) {
    case (.tensor, .tensor), (.scalar, .scalar), (.string, .string), (.string, .none), (.none, _): true
    default: false
    }
  }

  var view: TensorView? {
    if case .tensor(let view, _) = self { view } else { nil }
  }
}

/// A graph or region that is being planned, and how far.
struct PlanFrame: Sendable {
  enum Role: Sendable {
    case top
    /// A branch of the conditional at the caller's position.
    case branch
    /// A round of the loop at the caller's position.
    case round
  }

  let prepared: PreparedGraph
  let role: Role
  var position = 0
  var values: [PlannedValue?]

  init(_ prepared: PreparedGraph, role: Role) {
    self.prepared = prepared
    self.role = role
    self.values = [PlannedValue?](repeating: nil, count: prepared.graph.values.count)
  }
}

/// Everything that planning needs to go on where a plan ends.
struct PlanningState: Sendable {
  var frames: [PlanFrame]
  var buffers: [PlannedBuffer] = []
  /// Uses still to come of the values that lie in each buffer.
  var pendingUses: [Int] = []
  var slotCount = 0
  var position = 0
  var level = 0
  /// Loops that ran or will run between this plan and earlier ones.
  var loopCount = 0
  /// Memory and operations of the plans that this one continues.
  var byteCount = 0
  var operationCount = 0.0
  /// Buffer of each state, once it is read or written.
  var stateBuffers: [Int: BufferID] = [:]
  /// Memory of concatenations whose operands are made in place, by their results.
  var joined: [ValueID: TensorView] = [:]
  /// Output positions whose memory an earlier plan has asked for.
  var placedOutputs: Set<Int> = []
}
