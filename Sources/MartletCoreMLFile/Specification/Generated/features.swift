// Written by generate.py from features.proto; not to be edited.
// swift-format-ignore-file

struct SpecInt64FeatureType: ProtobufMessage {
  static var number: Int { 53 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecDoubleFeatureType: ProtobufMessage {
  static var number: Int { 54 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecStringFeatureType: ProtobufMessage {
  static var number: Int { 55 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
}
struct SpecSizeRange: ProtobufMessage {
  static var number: Int { 56 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var lowerBound: UInt64 { fields.uint64(1) }
  var upperBound: Int64 { fields.int64(2) }
}
struct SpecImageFeatureType: ProtobufMessage {
  static var number: Int { 57 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var width: Int64 { fields.int64(1) }
  var height: Int64 { fields.int64(2) }
  var colorSpace: SpecImageFeatureType.ColorSpace { SpecImageFeatureType.ColorSpace(rawValue: fields.enumeration(3)) }
  enum OneOf_SizeFlexibility: Sendable {
    case enumeratedSizes(SpecImageFeatureType.EnumeratedImageSizes)
    case imageSizeRange(SpecImageFeatureType.ImageSizeRange)
  }
  var sizeFlexibility: OneOf_SizeFlexibility? {
    let fields = self.fields.choice([170, 250])
    switch fields.chosen {
    case 21: return .enumeratedSizes(SpecImageFeatureType.EnumeratedImageSizes(fields.message(21)))
    case 31: return .imageSizeRange(SpecImageFeatureType.ImageSizeRange(fields.message(31)))
    default: return nil
    }
  }
  var enumeratedSizes: SpecImageFeatureType.EnumeratedImageSizes {
    if case .enumeratedSizes(let value)? = sizeFlexibility { value } else { SpecImageFeatureType.EnumeratedImageSizes(.empty) }
  }
  var imageSizeRange: SpecImageFeatureType.ImageSizeRange {
    if case .imageSizeRange(let value)? = sizeFlexibility { value } else { SpecImageFeatureType.ImageSizeRange(.empty) }
  }
  enum ColorSpace: Hashable, Sendable {
    case invalidColorSpace
    case grayscale
    case rgb
    case bgr
    case grayscaleFloat16
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .invalidColorSpace
      case 10: self = .grayscale
      case 20: self = .rgb
      case 30: self = .bgr
      case 40: self = .grayscaleFloat16
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .invalidColorSpace: 0
      case .grayscale: 10
      case .rgb: 20
      case .bgr: 30
      case .grayscaleFloat16: 40
      case .UNRECOGNIZED(let value): value
      }
    }
  }
  struct ImageSize: ProtobufMessage {
    static var number: Int { 58 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var width: UInt64 { fields.uint64(1) }
    var height: UInt64 { fields.uint64(2) }
  }
  struct EnumeratedImageSizes: ProtobufMessage {
    static var number: Int { 59 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var sizes: [SpecImageFeatureType.ImageSize] { fields.messages(1).map { SpecImageFeatureType.ImageSize($0) } }
  }
  struct ImageSizeRange: ProtobufMessage {
    static var number: Int { 60 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var widthRange: SpecSizeRange { SpecSizeRange(fields.message(1)) }
    var hasWidthRange: Bool { fields.contains(1) }
    var heightRange: SpecSizeRange { SpecSizeRange(fields.message(2)) }
    var hasHeightRange: Bool { fields.contains(2) }
  }
}
struct SpecArrayFeatureType: ProtobufMessage {
  static var number: Int { 61 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var shape: [Int64] { fields.int64s(1) }
  var dataType: SpecArrayFeatureType.ArrayDataType { SpecArrayFeatureType.ArrayDataType(rawValue: fields.enumeration(2)) }
  enum OneOf_ShapeFlexibility: Sendable {
    case enumeratedShapes(SpecArrayFeatureType.EnumeratedShapes)
    case shapeRange(SpecArrayFeatureType.ShapeRange)
  }
  var shapeFlexibility: OneOf_ShapeFlexibility? {
    let fields = self.fields.choice([170, 250])
    switch fields.chosen {
    case 21: return .enumeratedShapes(SpecArrayFeatureType.EnumeratedShapes(fields.message(21)))
    case 31: return .shapeRange(SpecArrayFeatureType.ShapeRange(fields.message(31)))
    default: return nil
    }
  }
  var enumeratedShapes: SpecArrayFeatureType.EnumeratedShapes {
    if case .enumeratedShapes(let value)? = shapeFlexibility { value } else { SpecArrayFeatureType.EnumeratedShapes(.empty) }
  }
  var shapeRange: SpecArrayFeatureType.ShapeRange {
    if case .shapeRange(let value)? = shapeFlexibility { value } else { SpecArrayFeatureType.ShapeRange(.empty) }
  }
  enum OneOf_DefaultOptionalValue: Sendable {
    case intDefaultValue(Int32)
    case floatDefaultValue(Float)
    case doubleDefaultValue(Double)
  }
  var defaultOptionalValue: OneOf_DefaultOptionalValue? {
    let fields = self.fields.choice([328, 413, 489])
    switch fields.chosen {
    case 41: return .intDefaultValue(fields.int32(41))
    case 51: return .floatDefaultValue(fields.float(51))
    case 61: return .doubleDefaultValue(fields.double(61))
    default: return nil
    }
  }
  enum ArrayDataType: Hashable, Sendable {
    case invalidArrayDataType
    case float32
    case double
    case int32
    case int8
    case float16
    case UNRECOGNIZED(Int)
    init(rawValue: Int) {
      switch rawValue {
      case 0: self = .invalidArrayDataType
      case 65568: self = .float32
      case 65600: self = .double
      case 131104: self = .int32
      case 131080: self = .int8
      case 65552: self = .float16
      default: self = .UNRECOGNIZED(rawValue)
      }
    }
    var rawValue: Int {
      switch self {
      case .invalidArrayDataType: 0
      case .float32: 65568
      case .double: 65600
      case .int32: 131104
      case .int8: 131080
      case .float16: 65552
      case .UNRECOGNIZED(let value): value
      }
    }
  }
  struct Shape: ProtobufMessage {
    static var number: Int { 62 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var shape: [Int64] { fields.int64s(1) }
  }
  struct EnumeratedShapes: ProtobufMessage {
    static var number: Int { 63 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var shapes: [SpecArrayFeatureType.Shape] { fields.messages(1).map { SpecArrayFeatureType.Shape($0) } }
  }
  struct ShapeRange: ProtobufMessage {
    static var number: Int { 64 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var sizeRanges: [SpecSizeRange] { fields.messages(1).map { SpecSizeRange($0) } }
  }
}
struct SpecDictionaryFeatureType: ProtobufMessage {
  static var number: Int { 65 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  enum OneOf_KeyType: Sendable {
    case int64KeyType(SpecInt64FeatureType)
    case stringKeyType(SpecStringFeatureType)
  }
  var keyType: OneOf_KeyType? {
    let fields = self.fields.choice([10, 18])
    switch fields.chosen {
    case 1: return .int64KeyType(SpecInt64FeatureType(fields.message(1)))
    case 2: return .stringKeyType(SpecStringFeatureType(fields.message(2)))
    default: return nil
    }
  }
  var int64KeyType: SpecInt64FeatureType {
    if case .int64KeyType(let value)? = keyType { value } else { SpecInt64FeatureType(.empty) }
  }
  var stringKeyType: SpecStringFeatureType {
    if case .stringKeyType(let value)? = keyType { value } else { SpecStringFeatureType(.empty) }
  }
}
struct SpecSequenceFeatureType: ProtobufMessage {
  static var number: Int { 66 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var sizeRange: SpecSizeRange { SpecSizeRange(fields.message(101)) }
  var hasSizeRange: Bool { fields.contains(101) }
  enum OneOf_Type: Sendable {
    case int64Type(SpecInt64FeatureType)
    case stringType(SpecStringFeatureType)
  }
  var type: OneOf_Type? {
    let fields = self.fields.choice([10, 26])
    switch fields.chosen {
    case 1: return .int64Type(SpecInt64FeatureType(fields.message(1)))
    case 3: return .stringType(SpecStringFeatureType(fields.message(3)))
    default: return nil
    }
  }
  var int64Type: SpecInt64FeatureType {
    if case .int64Type(let value)? = type { value } else { SpecInt64FeatureType(.empty) }
  }
  var stringType: SpecStringFeatureType {
    if case .stringType(let value)? = type { value } else { SpecStringFeatureType(.empty) }
  }
}
struct SpecStateFeatureType: ProtobufMessage {
  static var number: Int { 67 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  enum OneOf_Type: Sendable {
    case arrayType(SpecArrayFeatureType)
  }
  var type: OneOf_Type? {
    let fields = self.fields.choice([10])
    switch fields.chosen {
    case 1: return .arrayType(SpecArrayFeatureType(fields.message(1)))
    default: return nil
    }
  }
  var arrayType: SpecArrayFeatureType {
    if case .arrayType(let value)? = type { value } else { SpecArrayFeatureType(.empty) }
  }
}
struct SpecFeatureType: ProtobufMessage {
  static var number: Int { 68 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var isOptional: Bool { fields.bool(1000) }
  enum OneOf_Type: Sendable {
    case int64Type(SpecInt64FeatureType)
    case doubleType(SpecDoubleFeatureType)
    case stringType(SpecStringFeatureType)
    case imageType(SpecImageFeatureType)
    case multiArrayType(SpecArrayFeatureType)
    case dictionaryType(SpecDictionaryFeatureType)
    case sequenceType(SpecSequenceFeatureType)
    case stateType(SpecStateFeatureType)
  }
  var type: OneOf_Type? {
    let fields = self.fields.choice([10, 18, 26, 34, 42, 50, 58, 66])
    switch fields.chosen {
    case 1: return .int64Type(SpecInt64FeatureType(fields.message(1)))
    case 2: return .doubleType(SpecDoubleFeatureType(fields.message(2)))
    case 3: return .stringType(SpecStringFeatureType(fields.message(3)))
    case 4: return .imageType(SpecImageFeatureType(fields.message(4)))
    case 5: return .multiArrayType(SpecArrayFeatureType(fields.message(5)))
    case 6: return .dictionaryType(SpecDictionaryFeatureType(fields.message(6)))
    case 7: return .sequenceType(SpecSequenceFeatureType(fields.message(7)))
    case 8: return .stateType(SpecStateFeatureType(fields.message(8)))
    default: return nil
    }
  }
  var int64Type: SpecInt64FeatureType {
    if case .int64Type(let value)? = type { value } else { SpecInt64FeatureType(.empty) }
  }
  var doubleType: SpecDoubleFeatureType {
    if case .doubleType(let value)? = type { value } else { SpecDoubleFeatureType(.empty) }
  }
  var stringType: SpecStringFeatureType {
    if case .stringType(let value)? = type { value } else { SpecStringFeatureType(.empty) }
  }
  var imageType: SpecImageFeatureType {
    if case .imageType(let value)? = type { value } else { SpecImageFeatureType(.empty) }
  }
  var multiArrayType: SpecArrayFeatureType {
    if case .multiArrayType(let value)? = type { value } else { SpecArrayFeatureType(.empty) }
  }
  var dictionaryType: SpecDictionaryFeatureType {
    if case .dictionaryType(let value)? = type { value } else { SpecDictionaryFeatureType(.empty) }
  }
  var sequenceType: SpecSequenceFeatureType {
    if case .sequenceType(let value)? = type { value } else { SpecSequenceFeatureType(.empty) }
  }
  var stateType: SpecStateFeatureType {
    if case .stateType(let value)? = type { value } else { SpecStateFeatureType(.empty) }
  }
}
struct SpecStringToInt64Map: ProtobufMessage {
  static var number: Int { 69 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var map: [String: Int64] {
    Dictionary(fields.messages(1).map { ($0.string(1), $0.int64(2)) }) { $1 }
  }
}
struct SpecInt64ToStringMap: ProtobufMessage {
  static var number: Int { 70 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var map: [Int64: String] {
    Dictionary(fields.messages(1).map { ($0.int64(1), $0.string(2)) }) { $1 }
  }
}
struct SpecStringToDoubleMap: ProtobufMessage {
  static var number: Int { 71 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var map: [String: Double] {
    Dictionary(fields.messages(1).map { ($0.string(1), $0.double(2)) }) { $1 }
  }
}
struct SpecInt64ToDoubleMap: ProtobufMessage {
  static var number: Int { 72 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var map: [Int64: Double] {
    Dictionary(fields.messages(1).map { ($0.int64(1), $0.double(2)) }) { $1 }
  }
}
struct SpecStringVector: ProtobufMessage {
  static var number: Int { 73 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var vector: [String] { fields.strings(1) }
}
struct SpecInt64Vector: ProtobufMessage {
  static var number: Int { 74 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var vector: [Int64] { fields.int64s(1) }
}
struct SpecFloatVector: ProtobufMessage {
  static var number: Int { 75 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var vector: [Float] { fields.floats(1) }
}
struct SpecDoubleVector: ProtobufMessage {
  static var number: Int { 76 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var vector: [Double] { fields.doubles(1) }
}
struct SpecInt64Range: ProtobufMessage {
  static var number: Int { 77 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var minValue: Int64 { fields.int64(1) }
  var maxValue: Int64 { fields.int64(2) }
}
struct SpecInt64Set: ProtobufMessage {
  static var number: Int { 78 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var values: [Int64] { fields.int64s(1) }
}
struct SpecDoubleRange: ProtobufMessage {
  static var number: Int { 79 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var minValue: Double { fields.double(1) }
  var maxValue: Double { fields.double(2) }
}
struct SpecPrecisionRecallCurve: ProtobufMessage {
  static var number: Int { 80 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var precisionValues: SpecFloatVector { SpecFloatVector(fields.message(1)) }
  var hasPrecisionValues: Bool { fields.contains(1) }
  var precisionConfidenceThresholds: SpecFloatVector { SpecFloatVector(fields.message(2)) }
  var hasPrecisionConfidenceThresholds: Bool { fields.contains(2) }
  var recallValues: SpecFloatVector { SpecFloatVector(fields.message(3)) }
  var hasRecallValues: Bool { fields.contains(3) }
  var recallConfidenceThresholds: SpecFloatVector { SpecFloatVector(fields.message(4)) }
  var hasRecallConfidenceThresholds: Bool { fields.contains(4) }
}
struct SpecInt64Parameter: ProtobufMessage {
  static var number: Int { 81 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var defaultValue: Int64 { fields.int64(1) }
  enum OneOf_AllowedValues: Sendable {
    case range(SpecInt64Range)
    case set(SpecInt64Set)
  }
  var allowedValues: OneOf_AllowedValues? {
    let fields = self.fields.choice([82, 90])
    switch fields.chosen {
    case 10: return .range(SpecInt64Range(fields.message(10)))
    case 11: return .set(SpecInt64Set(fields.message(11)))
    default: return nil
    }
  }
  var range: SpecInt64Range {
    if case .range(let value)? = allowedValues { value } else { SpecInt64Range(.empty) }
  }
  var set: SpecInt64Set {
    if case .set(let value)? = allowedValues { value } else { SpecInt64Set(.empty) }
  }
}
struct SpecDoubleParameter: ProtobufMessage {
  static var number: Int { 82 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var defaultValue: Double { fields.double(1) }
  enum OneOf_AllowedValues: Sendable {
    case range(SpecDoubleRange)
  }
  var allowedValues: OneOf_AllowedValues? {
    let fields = self.fields.choice([82])
    switch fields.chosen {
    case 10: return .range(SpecDoubleRange(fields.message(10)))
    default: return nil
    }
  }
  var range: SpecDoubleRange {
    if case .range(let value)? = allowedValues { value } else { SpecDoubleRange(.empty) }
  }
}
struct SpecStringParameter: ProtobufMessage {
  static var number: Int { 83 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var defaultValue: String { fields.string(1) }
}
struct SpecBoolParameter: ProtobufMessage {
  static var number: Int { 84 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var defaultValue: Bool { fields.bool(1) }
}
