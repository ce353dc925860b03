/// An input or output with its name and types in a class.
struct ClassFeature {
  let feature: InterfaceFeature
  let name: SwiftName

  var isOptional: Bool { feature.isOptional }

  var image: ImageInterface? {
    if case .image(let image) = feature.kind { image } else { nil }
  }

  /// The element type of an array.
  var scalar: String? {
    guard case .array(let array) = feature.kind else { return nil }
    return switch array.scalar {
    case .float16: "Float16"
    case .float32: "Float"
    case .float64: "Double"
    case .int8: "Int8"
    case .int32: "Int32"
    }
  }

  // MARK: Code

  /// The type without an optional's mark.
  var type: String {
    switch feature.kind {
    case .int64: "Int64"
    case .double: "Double"
    case .string: "String"
    case .image: "CVPixelBuffer"
    case .array: "MLMultiArray"
    case .dictionary(.string): "[String : Double]"
    case .dictionary(.int64): "[Int64 : Double]"
    case .sequence: "MLSequence"
    }
  }

  /// The type with shaped arrays in place of multi-arrays.
  var shapedType: String { scalar.map { "MLShapedArray<\($0)>" } ?? type }

  private var mark: String { isOptional ? "?" : "" }
  private var defaultValue: String { isOptional ? "? = nil" : "" }

  /// As a stored property or the parameter of an initialiser.
  var declaration: String { "\(name): \(type)\(defaultValue)" }
  var shapedDeclaration: String { "\(name): \(shapedType)\(defaultValue)" }
  /// As the parameter of a prediction.
  var parameter: String { "\(name): \(type)\(mark)" }
  var shapedParameter: String { "\(name): \(shapedType)\(mark)" }
  var argument: String { "\(name): \(name)" }

  /// As the argument of an initialiser with multi-arrays.
  var shapedArgument: String {
    guard scalar != nil else { return argument }
    return isOptional ? "\(name): \(name) != nil ? MLMultiArray(\(name)!) : nil" : "\(name): MLMultiArray(\(name))"
  }

  /// The feature value of an expression.
  /// - Parameter key: the type of a dictionary's keys.
  func value(of expression: String, key: String) -> String {
    switch feature.kind {
    case .int64: "MLFeatureValue(int64: \(expression))"
    case .double: "MLFeatureValue(double: \(expression))"
    case .string: "MLFeatureValue(string: \(expression))"
    case .image: "MLFeatureValue(pixelBuffer: \(expression))"
    case .array: "MLFeatureValue(multiArray: \(expression))"
    case .dictionary: "MLFeatureValue(dictionary: \(expression) as [\(key) : NSNumber])"
    case .sequence: "MLFeatureValue(sequence: \(expression))"
    }
  }

  /// The content of a feature value, after its name.
  var content: String {
    switch feature.kind {
    case .int64: "int64Value"
    case .double: "doubleValue"
    case .string: "stringValue"
    case .image: "imageBufferValue!"
    case .array: "multiArrayValue!"
    case .dictionary: "dictionaryValue as! \(type)"
    case .sequence: "sequenceValue!"
    }
  }

  // MARK: Comments

  /// The comment on a property: the author's description, or the name, and the type.
  var comment: String {
    (feature.shortDescription.isEmpty ? feature.name : feature.shortDescription).comment + " as " + typeDescription
  }

  /// The comment on a parameter.
  var parameterComment: String { feature.shortDescription.isEmpty ? typeDescription : comment }

  private var typeDescription: String { (isOptional ? "optional " : "") + plainDescription }

  private var plainDescription: String {
    switch feature.kind {
    case .int64: return "integer value"
    case .double: return "double value"
    case .string: return "string value"
    case .dictionary(.string): return "dictionary of strings to doubles"
    case .dictionary(.int64): return "dictionary of 64-bit integers to doubles"
    case .sequence(.string): return "sequence of strings"
    case .sequence(.int64): return "sequence of 64-bit integers"
    case .image(let image):
      let format =
        switch image.format {
        case .color: "color (kCVPixelFormatType_32BGRA)"
        case .grayscale: "grayscale (kCVPixelFormatType_OneComponent8)"
        case .grayscaleFloat16: "grayscale (kCVPixelFormatType_OneComponent16Half)"
        }
      return "\(format) image buffer, \(image.width) pixels wide by \(image.height) pixels high"
    case .array(let array):
      let scalars =
        switch array.scalar {
        case .float16: "16-bit floats"
        case .float32: "floats"
        case .float64: "doubles"
        case .int8: "8-bit integers"
        case .int32: "32-bit integers"
        }
      switch array.shape.count {
      case 0: return "multidimensional array of \(scalars)"
      case 1: return "\(array.shape[0]) element vector of \(scalars)"
      case 2: return "\(array.shape[0]) by \(array.shape[1]) matrix of \(scalars)"
      case let rank:
        return "\(array.shape.map { "\($0)" }.joined(separator: " × ")) \(rank)-dimensional array of \(scalars)"
      }
    }
  }
}

extension ImageInterface {
  /// The pixel format's constant.
  var pixelFormat: String {
    switch format {
    case .color: "kCVPixelFormatType_32BGRA"
    case .grayscale: "kCVPixelFormatType_OneComponent8"
    case .grayscaleFloat16: "kCVPixelFormatType_OneComponent16Half"
    }
  }
}
