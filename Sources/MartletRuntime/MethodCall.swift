import MartletCompiler
package import MartletTensor

/// One call of a method: its arguments, its results and the memory that it works in. Reused by later calls, so that a warm
/// one allocates nothing. Used by one thread at a time.
@safe
package final class MethodCall: @unchecked Sendable {
  /// One per input of the method, for the caller to append.
  package var arguments: [Argument] = []
  /// What the last run gave.
  package internal(set) var results: [CallOutput] = []

  let workspace = Workspace()
  /// Key of the plan that the call needs, built in place.
  var key: [UInt64] = []
  /// Addresses of the call's inputs and outputs by position.
  private(set) var inputs: [UInt] = []
  var outputs: [UInt] = []
  /// For each output a tensor that it may take the memory of; afterwards the tensor that it has.
  package var tensors: [HostTensor?] = []

  init() {}

  /// Bytes of temporary memory that the call keeps.
  package var arenaByteCount: Int { workspace.arenaByteCount }

  /// Takes the arguments' types into the key and their addresses into `inputs`.
  func bindArguments() {
    key.removeAll(keepingCapacity: true)
    inputs.removeAll(keepingCapacity: true)
    for argument in arguments {
      switch argument {
      case .tensor(let type, let pointer, let order):
        Self.append(type, order, to: &key)
        inputs.append(UInt(bitPattern: pointer))
      case .scalar(let scalar):
        Self.append(scalar.kind, to: &key)
        inputs.append(0)
      case .none:
        Self.appendNone(to: &key)
        inputs.append(0)
      }
    }
  }

  func resetOutputs(count: Int) {
    outputs.removeAll(keepingCapacity: true)
    for _ in 0..<count { outputs.append(0) }
  }

  /// The arguments as the planner sees them.
  var bindings: [InputBinding] {
    arguments.map { argument in
      switch argument {
      case .tensor(let type, _, let order): .tensor(type, order: order)
      case .scalar(let scalar): .scalar(scalar.kind)
      case .none: .none
      }
    }
  }

  // MARK: Keys of plans

  static func append(_ type: TensorType, _ order: [Int]?, to key: inout [UInt64]) {
    let isReordered: UInt64 = order == nil ? 0 : 1
    key.append(3 << 32 | isReordered << 24 | UInt64(type.dtype.rawValue) << 16 | UInt64(type.shape.count))
    for extent in type.shape { key.append(UInt64(extent)) }
    // At most 16 axes, four bits each.
    if let order { key.append(order.reduce(0) { $0 << 4 | UInt64($1) }) }
  }

  static func append(_ kind: ScalarKind, to key: inout [UInt64]) { key.append(1 << 32 | UInt64(kind.rawValue)) }

  static func appendNone(to key: inout [UInt64]) { key.append(2 << 32) }
}
