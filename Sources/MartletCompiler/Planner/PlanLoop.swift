package import MartletGraph
package import MartletTensor
import MartletLock
import MartletOps

/// The iterations of a loop whose count depends on data, as a separate method that is called once per iteration.
///
/// The first iteration is part of the plan that ends here. All further iterations run `graph`, whose inputs are the loop's variables and
/// whose outputs are the flag and the changed variables. Neither the number of iterations nor the shapes of the variables are known when
/// planning.
package final class PlanLoop: Sendable {
  /// An argument of the second iteration.
  package enum Argument: Sendable {
    /// A row-major tensor.
    case tensor(TensorView)
    case scalar(ScalarOperand)
    case none
  }

  /// Index among the loops of a call.
  package let index: Int
  package let graph: Graph
  /// One for each input of `graph`.
  package let arguments: [Argument]
  /// For each output of `graph` except the first, the input that it becomes in the next iteration.
  package let varying: [Int]
  /// Whether there is a second iteration.
  package let flag: ScalarOperand
  /// Slots for the final values of varying variables that are scalars.
  package let slots: [Int?]
  /// True if the loop never ends once there is a second iteration.
  package let isEndless: Bool
  private let compiled = Guarded<(any AnyObject & Sendable)?>(nil)

  init(index: Int, graph: Graph, arguments: [Argument], varying: [Int], flag: ScalarOperand, slots: [Int?], isEndless: Bool) {
    self.index = index
    self.graph = graph
    self.arguments = arguments
    self.varying = varying
    self.flag = flag
    self.slots = slots
    self.isEndless = isEndless
  }

  /// The compiled form of `graph`, made once by the runtime.
  package func compiled<Method: AnyObject & Sendable>(_ make: (Graph) throws -> Method) throws -> Method {
    try compiled.withLock { held in
      if let method = held as? Method { return method }
      let method = try make(graph)
      held = method
      return method
    }
  }
}

/// Key of the continuation after a loop: whether there was more than one iteration, and the types of the variables.
package enum LoopKey {
  /// Sets the key for a loop that ended after the first iteration.
  package static func setEnded(_ key: inout [UInt64]) {
    key.removeAll(keepingCapacity: true)
    key.append(0)
  }

  /// Starts the key for a loop with further iterations; the variables must be appended.
  package static func begin(_ key: inout [UInt64]) {
    key.removeAll(keepingCapacity: true)
    key.append(1)
  }

  package static func append(tensor type: TensorType, to key: inout [UInt64]) {
    key.append(UInt64(widening: type.dtype.rawValue) << 16 | UInt64(clamping: type.shape.count) << 8 | 1)
    for extent in type.shape { key.append(UInt64(clamping: extent)) }
  }

  package static func append(scalar kind: ScalarKind, to key: inout [UInt64]) { key.append(UInt64(widening: kind.rawValue) << 8 | 2) }
  package static func appendNone(to key: inout [UInt64]) { key.append(3) }

  /// A variable after the last iteration.
  enum Variable {
    case tensor(TensorType)
    case scalar(ScalarKind)
    case none
  }

  /// The variables of a key made by `append`; nil for a loop that ended after the first iteration.
  static func variables(_ key: [UInt64]) -> [Variable]? {
    guard key.first == 1 else { return nil }
    var result: [Variable] = []
    var next = 1
    while next < key.count {
      let word = key[next]
      next += 1
      switch word & 0xff {
      case 1:
        let rank = Int(clamping: word >> 8 & 0xff)
        result.append(
          .tensor(TensorType(DType(rawValue: UInt8(truncatingIfNeeded: word >> 16))!, key[next..<next + rank].map { Int(clamping: $0) })))
        next += rank
      case 2: result.append(.scalar(ScalarKind(rawValue: UInt8(truncatingIfNeeded: word >> 8))!))
      default: result.append(.none)
      }
    }
    return result
  }
}
