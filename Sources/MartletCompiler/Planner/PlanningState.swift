import MartletGraph
import MartletOps
import MartletTensor

/// A value during planning.
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

  /// Whether the value is a tensor or a scalar as declared.
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

/// A graph or region that is being planned, and the current position in it.
struct PlanFrame: Sendable {
  enum Role: Sendable {
    case top
    /// A branch of the conditional at the caller's position.
    case branch
    /// An iteration of the loop at the caller's position.
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

/// Everything needed to resume planning where a plan ends.
struct PlanningState: Sendable {
  var frames: [PlanFrame]
  var buffers: [PlannedBuffer] = []
  /// Number of pending uses of the values in each buffer.
  var pendingUses: [Int] = []
  var slotCount = 0
  var position = 0
  var level = 0
  /// Number of loops between this plan and earlier ones.
  var loopCount = 0
  /// Memory and operations of the plans that this one continues.
  var byteCount = 0
  var operationCount = 0.0
  /// Memory of the planning states that these plans keep for their continuations.
  var snapshotByteCount = 0
  /// Buffer of each state, once it has been read or written.
  var stateBuffers: [Int: BufferID] = [:]
  /// Memory of concatenations whose operands are computed in place, by their results.
  var joined: [ValueID: TensorView] = [:]
  /// Output positions whose memory an earlier plan has requested.
  var placedOutputs: Set<Int> = []
}
