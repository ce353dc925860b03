/// The type of a feature value.
public enum MLFeatureType: Int, Sendable, Hashable {
  case invalid = 0
  case int64 = 1
  case double = 2
  case string = 3
  case image = 4
  case multiArray = 5
  case dictionary = 6
  case sequence = 7
  case state = 8
}

extension MLFeatureType {
  /// Name in messages and descriptions.
  var name: String {
    switch self {
    case .invalid: "Invalid"
    case .int64: "Int64"
    case .double: "Double"
    case .string: "String"
    case .image: "Image"
    case .multiArray: "MultiArray"
    case .dictionary: "Dictionary"
    case .sequence: "Sequence"
    case .state: "State"
    }
  }
}
