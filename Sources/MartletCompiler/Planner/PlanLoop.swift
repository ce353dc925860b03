package import MartletGraph
package import MartletTensor
import MartletLock
import MartletOps

/// The rounds of a loop that a run decides on, as a method of its own that is called once for each.
///
/// The first round is part of the plan that ends here. Those that follow run `graph`, whose inputs are the loop's variables and whose
/// outputs are the flag and the variables that change. Their number and the variables' shapes are not known when planning.
package final class PlanLoop: Sendable {
  /// What goes into the second round.
  package enum Argument: Sendable {
    /// Row-major.
    case tensor(TensorView)
    case scalar(ScalarOperand)
    case none
  }

  /// Position among the loops of one call.
  package let index: Int
  package let graph: Graph
  /// One for each input of `graph`.
  package let arguments: [Argument]
  /// For each output of `graph` but the first, the input that it is in the next round.
  package let varying: [Int]
  /// Whether there is a second round.
  package let flag: ScalarOperand
  /// The slot where the last value of a varying variable goes, if it is a number.
  package let slots: [Int?]
  private let compiled = Guarded<(any AnyObject & Sendable)?>(nil)

  init(index: Int, graph: Graph, arguments: [Argument], varying: [Int], flag: ScalarOperand, slots: [Int?]) {
    self.index = index
    self.graph = graph
    self.arguments = arguments
    self.varying = varying
    self.flag = flag
    self.slots = slots
  }

  /// What the runtime made of `graph`, made once.
  package func compiled<Method: AnyObject & Sendable>(_ make: (Graph) throws -> Method) throws -> Method {
    try compiled.withLock { held in
      if let method = held as? Method { return method }
      let method = try make(graph)
      held = method
      return method
    }
  }
}

/// The key of the continuation behind a loop: whether there were more rounds than one, and what the variables became.
package enum LoopKey {
  /// For a loop that ended with the first round.
  package static func setEnded(_ key: inout [UInt64]) {
    key.removeAll(keepingCapacity: true)
    key.append(0)
  }

  /// For a loop that went on; the variables are to be appended.
  package static func begin(_ key: inout [UInt64]) {
    key.removeAll(keepingCapacity: true)
    key.append(1)
  }

  package static func append(tensor type: TensorType, to key: inout [UInt64]) {
    key.append(UInt64(type.dtype.rawValue) << 16 | UInt64(type.shape.count) << 8 | 1)
    for extent in type.shape { key.append(UInt64(extent)) }
  }

  package static func append(scalar kind: ScalarKind, to key: inout [UInt64]) { key.append(UInt64(kind.rawValue) << 8 | 2) }
  package static func appendNone(to key: inout [UInt64]) { key.append(3) }

  /// A variable after the last round.
  enum Variable {
    case tensor(TensorType)
    case scalar(ScalarKind)
    case none
  }

  /// The variables of a key that `append` made; nil for a loop that ended with the first round.
  static func variables(_ key: [UInt64]) -> [Variable]? {
    guard key.first == 1 else { return nil }
    var result: [Variable] = []
    var next = 1
    while next < key.count {
      let word = key[next]
      next += 1
      switch word & 0xff {
      case 1:
        let rank = Int(word >> 8 & 0xff)
        result.append(.tensor(TensorType(DType(rawValue: UInt8(word >> 16))!, key[next..<next + rank].map { Int($0) })))
        next += rank
      case 2: result.append(.scalar(ScalarKind(rawValue: UInt8(word >> 8))!))
      default: result.append(.none)
      }
    }
    return result
  }
}
