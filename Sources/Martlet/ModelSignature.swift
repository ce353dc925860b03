/// One input or output of a method, as the file declares it.
public struct ValueSignature: Sendable, Hashable {
  public enum Kind: Sendable, Hashable {
    /// `shape` holds upper bounds where `isDynamic` is true; -1 stands for an unbounded extent.
    case tensor(DataType, shape: [Int], isDynamic: [Bool])
    case int, double, bool, string, none
    case image(ImageSignature)
    /// Numbers by keys of a kind.
    case dictionary(keys: KeyKind)
    case sequence(of: KeyKind)
    /// A type that the engine does not support, as text: a tensor with an element type outside `DataType`, such as `float8e5m2[2, 3]`, or
    /// a list. The method cannot be loaded.
    case unsupported(String)
  }

  /// Keys of dictionaries and elements of sequences.
  public enum KeyKind: String, Sendable, Hashable {
    case string, int
  }

  /// Name of the value in the file, or a name made from its position.
  public let name: String
  public let kind: Kind
  /// True for an input that a call may leave out: `ModelValue.none` stands for its default then.
  public let isOptional: Bool
  /// The shapes that a tensor or image of flexible shape may have, where the file lists them: Core ML models do.
  public internal(set) var flexibleShapes: FlexibleShapes?
}

/// The pictures that an input or output may have.
public struct ImageSignature: Sendable, Hashable {
  /// The default size in pixels.
  public let width: Int
  public let height: Int
  /// Pictures in colour become gray for such an input, and gray ones colours for others.
  public let isGray: Bool
}

/// The shapes that an input or output of flexible shape may have.
public struct FlexibleShapes: Sendable, Hashable {
  public enum Choices: Sendable, Hashable {
    case enumerated([[Int]])
    /// A range for each axis; `Int.max` as upper bound stands for an unbounded extent.
    case ranges([ClosedRange<Int>])
  }

  /// The shape that the file names first. An image's shape is its height and width.
  public let defaultShape: [Int]
  public let choices: Choices
}

/// A method of a model: its name, inputs and outputs.
public struct MethodSignature: Sendable, Hashable {
  public let name: String
  public let inputs: [ValueSignature]
  public let outputs: [ValueSignature]
  /// The labels of a classifier, in the order of its scores; nil for other methods.
  public internal(set) var classLabels: ModelSequence?
}

extension ValueSignature: CustomStringConvertible {
  public var description: String { "\(name): \(kind.text)" + (flexibleShapes.map { ", \($0)" } ?? "") }
}

extension ValueSignature.Kind {
  /// As in descriptions of values, without a name.
  package var text: String {
    switch self {
    case .tensor(let dataType, let shape, let isDynamic):
      let extents = zip(shape, isDynamic).map { $1 ? ($0 < 0 ? "?" : "≤\($0)") : "\($0)" }
      return "\(dataType.rawValue)[\(extents.joined(separator: ", "))]"
    case .int: return "int"
    case .double: return "double"
    case .bool: return "bool"
    case .string: return "string"
    case .image(let image): return "\(image)"
    case .dictionary(let keys): return "dictionary[\(keys.rawValue): double]"
    case .sequence(let element): return "sequence[\(element.rawValue)]"
    case .none: return "none"
    case .unsupported(let type): return type
    }
  }
}

extension ImageSignature: CustomStringConvertible {
  public var description: String { "image[\(isGray ? "gray" : "rgb"), \(width) x \(height)]" }
}

extension FlexibleShapes: CustomStringConvertible {
  public var description: String {
    switch choices {
    case .enumerated(let shapes): "default \(defaultShape), one of " + shapes.map { "\($0)" }.joined(separator: " ")
    case .ranges(let ranges): "default \(defaultShape), from [" + ranges.map(Self.text).joined(separator: ", ") + "]"
    }
  }

  private static func text(_ range: ClosedRange<Int>) -> String {
    if range.lowerBound == range.upperBound { return "\(range.lowerBound)" }
    return "\(range.lowerBound)..." + (range.upperBound == .max ? "" : "\(range.upperBound)")
  }
}
