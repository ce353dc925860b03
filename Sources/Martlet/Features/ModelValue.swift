/// An input or output of a model.
public enum ModelValue: Sendable {
  case tensor(Tensor)
  case int(Int)
  case double(Double)
  case bool(Bool)
  case string(String)
  case image(Picture)
  case dictionary(ModelDictionary)
  case sequence(ModelSequence)
  /// An optional input or output that is absent.
  case none

  /// The tensor, if the value is one.
  public var tensor: Tensor? {
    if case .tensor(let tensor) = self { tensor } else { nil }
  }

  /// The elements of a tensor, or a single number; nil for other values.
  var numbers: [Double]? {
    switch self {
    case .tensor(let tensor): tensor.doubles
    case .int(let number): [Double(number)]
    case .double(let number): [number]
    case .bool, .string, .image, .dictionary, .sequence, .none: nil
    }
  }
}

/// Numbers by name or by integer, such as the probabilities of a classifier's classes.
public enum ModelDictionary: Sendable, Hashable {
  case byString([String: Double])
  case byInteger([Int: Double])
}

/// A list of strings or of integers.
public enum ModelSequence: Sendable, Hashable {
  case strings([String])
  case integers([Int])
}

extension ModelValue {
  /// The kind of the value, for messages.
  package var kind: String {
    switch self {
    case .tensor(let tensor): "\(tensor.dataType.rawValue)\(tensor.shape)"
    case .int: "an integer"
    case .double: "a number"
    case .bool: "a truth value"
    case .string: "a string"
    case .image(let picture): "an image of \(picture.width) x \(picture.height)"
    case .dictionary(.byString): "a dictionary with strings as keys"
    case .dictionary(.byInteger): "a dictionary with integers as keys"
    case .sequence(.strings): "a sequence of strings"
    case .sequence(.integers): "a sequence of integers"
    case .none: "nothing"
    }
  }
}
