package import Martlet
package import MartletMedia
package import MartletTensor

/// A value that enters or leaves a model in a recorded case.
package indirect enum CaseValue: Sendable {
  /// - dimOrder: the axes from outermost to innermost in memory, where the case or the model states them. The tensor itself is
  ///   always row-major.
  case tensor(HostTensor, dimOrder: [Int]?)
  case int(Int)
  case double(Double)
  case bool(Bool)
  case string(String)
  case none
  case list([CaseValue])
  /// A picture of exactly the model's input size (Core ML).
  case image(Image)
  /// Numbers by name or by integer (Core ML).
  case dictionary(ModelDictionary)

  /// What the value is, for messages.
  package var kind: String {
    switch self {
    case .tensor: "tensor"
    case .int: "int"
    case .double: "double"
    case .bool: "bool"
    case .string: "string"
    case .none: "none"
    case .list: "list"
    case .image: "image"
    case .dictionary: "dictionary"
    }
  }
}
