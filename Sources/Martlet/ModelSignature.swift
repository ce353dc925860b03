/// One input or output of a method, as the file declares it.
public struct ValueSignature: Sendable, Hashable {
  public enum Kind: Sendable, Hashable {
    /// `shape` holds upper bounds where `isDynamic` is true; -1 stands for an unbounded extent.
    case tensor(DataType, shape: [Int], isDynamic: [Bool])
    case int, double, bool, string, none
    /// A type that the engine does not support, as text: a tensor with an element type outside `DataType`, such as `float8e5m2[2, 3]`, or
    /// a list. The method cannot be loaded.
    case unsupported(String)
  }

  /// Name of the value in the file, or a name made from its position.
  public let name: String
  public let kind: Kind
}

/// A method of a model: its name, inputs and outputs.
public struct MethodSignature: Sendable, Hashable {
  public let name: String
  public let inputs: [ValueSignature]
  public let outputs: [ValueSignature]
}

extension ValueSignature: CustomStringConvertible {
  public var description: String {
    switch kind {
    case .tensor(let dataType, let shape, let isDynamic):
      let extents = zip(shape, isDynamic).map { $1 ? ($0 < 0 ? "?" : "≤\($0)") : "\($0)" }
      return "\(name): \(dataType.rawValue)[\(extents.joined(separator: ", "))]"
    case .int: return "\(name): int"
    case .double: return "\(name): double"
    case .bool: return "\(name): bool"
    case .string: return "\(name): string"
    case .none: return "\(name): none"
    case .unsupported(let type): return "\(name): \(type)"
    }
  }
}
