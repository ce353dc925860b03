package import Martlet
package import MartletPixels
package import MartletTensor

/// An input or output of a model in a recorded case.
package indirect enum CaseValue: Sendable {
  /// - dimOrder: axis order in memory, outermost first, if the case or the model states it. The tensor itself is always row-major.
  case tensor(HostTensor, dimOrder: [Int]?)
  case int(Int)
  case double(Double)
  case bool(Bool)
  case string(String)
  case none
  case list([CaseValue])
  /// An image with exactly the model's input size (Core ML).
  case image(Image)
  /// Numbers by string or integer key (Core ML).
  case dictionary(ModelDictionary)

  /// Kind of the value, for messages.
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
