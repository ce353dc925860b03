// Written by generate.py from mil.proto; not to be edited.
// swift-format-ignore-file

enum MILSpecDataType: Hashable, Sendable {
  case unusedType
  case bool
  case string
  case float8E4M3Fn
  case float8E5M2
  case float16
  case float32
  case float64
  case bfloat16
  case int8
  case int16
  case int32
  case int64
  case int4
  case uint8
  case uint16
  case uint32
  case uint64
  case uint4
  case uint2
  case uint1
  case uint6
  case uint3
  case UNRECOGNIZED(Int)
  init(rawValue: Int) {
    switch rawValue {
    case 0: self = .unusedType
    case 1: self = .bool
    case 2: self = .string
    case 40: self = .float8E4M3Fn
    case 41: self = .float8E5M2
    case 10: self = .float16
    case 11: self = .float32
    case 12: self = .float64
    case 13: self = .bfloat16
    case 21: self = .int8
    case 22: self = .int16
    case 23: self = .int32
    case 24: self = .int64
    case 25: self = .int4
    case 31: self = .uint8
    case 32: self = .uint16
    case 33: self = .uint32
    case 34: self = .uint64
    case 35: self = .uint4
    case 36: self = .uint2
    case 37: self = .uint1
    case 38: self = .uint6
    case 39: self = .uint3
    default: self = .UNRECOGNIZED(rawValue)
    }
  }
  var rawValue: Int {
    switch self {
    case .unusedType: 0
    case .bool: 1
    case .string: 2
    case .float8E4M3Fn: 40
    case .float8E5M2: 41
    case .float16: 10
    case .float32: 11
    case .float64: 12
    case .bfloat16: 13
    case .int8: 21
    case .int16: 22
    case .int32: 23
    case .int64: 24
    case .int4: 25
    case .uint8: 31
    case .uint16: 32
    case .uint32: 33
    case .uint64: 34
    case .uint4: 35
    case .uint2: 36
    case .uint1: 37
    case .uint6: 38
    case .uint3: 39
    case .UNRECOGNIZED(let value): value
    }
  }
}
struct MILSpecProgram: ProtobufMessage {
  static var number: Int { 85 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var version: Int64 { fields.int64(1) }
  var functions: [String: MILSpecFunction] {
    Dictionary(fields.messages(2).map { ($0.string(1), MILSpecFunction($0.message(2))) }) { $1 }
  }
  var docString: String { fields.string(3) }
  var attributes: [String: MILSpecValue] {
    Dictionary(fields.messages(4).map { ($0.string(1), MILSpecValue($0.message(2))) }) { $1 }
  }
}
struct MILSpecFunction: ProtobufMessage {
  static var number: Int { 86 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var inputs: [MILSpecNamedValueType] { fields.messages(1).map { MILSpecNamedValueType($0) } }
  var opset: String { fields.string(2) }
  var blockSpecializations: [String: MILSpecBlock] {
    Dictionary(fields.messages(3).map { ($0.string(1), MILSpecBlock($0.message(2))) }) { $1 }
  }
  var attributes: [String: MILSpecValue] {
    Dictionary(fields.messages(4).map { ($0.string(1), MILSpecValue($0.message(2))) }) { $1 }
  }
}
struct MILSpecBlock: ProtobufMessage {
  static var number: Int { 87 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var inputs: [MILSpecNamedValueType] { fields.messages(1).map { MILSpecNamedValueType($0) } }
  var outputs: [String] { fields.strings(2) }
  var operations: [MILSpecOperation] { fields.messages(3).map { MILSpecOperation($0) } }
  var attributes: [String: MILSpecValue] {
    Dictionary(fields.messages(4).map { ($0.string(1), MILSpecValue($0.message(2))) }) { $1 }
  }
}
struct MILSpecArgument: ProtobufMessage {
  static var number: Int { 88 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var arguments: [MILSpecArgument.Binding] { fields.messages(1).map { MILSpecArgument.Binding($0) } }
  struct Binding: ProtobufMessage {
    static var number: Int { 89 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    enum OneOf_Binding: Sendable {
      case name(String)
      case value(MILSpecValue)
    }
    var binding: OneOf_Binding? {
      let fields = self.fields.choice([10, 18])
      switch fields.chosen {
      case 1: return .name(fields.string(1))
      case 2: return .value(MILSpecValue(fields.message(2)))
      default: return nil
      }
    }
    var value: MILSpecValue {
      if case .value(let value)? = binding { value } else { MILSpecValue(.empty) }
    }
  }
}
struct MILSpecOperation: ProtobufMessage {
  static var number: Int { 90 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var type: String { fields.string(1) }
  var inputs: [String: MILSpecArgument] {
    Dictionary(fields.messages(2).map { ($0.string(1), MILSpecArgument($0.message(2))) }) { $1 }
  }
  var outputs: [MILSpecNamedValueType] { fields.messages(3).map { MILSpecNamedValueType($0) } }
  var blocks: [MILSpecBlock] { fields.messages(4).map { MILSpecBlock($0) } }
  var attributes: [String: MILSpecValue] {
    Dictionary(fields.messages(5).map { ($0.string(1), MILSpecValue($0.message(2))) }) { $1 }
  }
}
struct MILSpecNamedValueType: ProtobufMessage {
  static var number: Int { 91 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var name: String { fields.string(1) }
  var type: MILSpecValueType { MILSpecValueType(fields.message(2)) }
  var hasType: Bool { fields.contains(2) }
}
struct MILSpecValueType: ProtobufMessage {
  static var number: Int { 92 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  enum OneOf_Type: Sendable {
    case tensorType(MILSpecTensorType)
    case listType(MILSpecListType)
    case tupleType(MILSpecTupleType)
    case dictionaryType(MILSpecDictionaryType)
    case stateType(MILSpecStateType)
  }
  var type: OneOf_Type? {
    let fields = self.fields.choice([10, 18, 26, 34, 42])
    switch fields.chosen {
    case 1: return .tensorType(MILSpecTensorType(fields.message(1)))
    case 2: return .listType(MILSpecListType(fields.message(2)))
    case 3: return .tupleType(MILSpecTupleType(fields.message(3)))
    case 4: return .dictionaryType(MILSpecDictionaryType(fields.message(4)))
    case 5: return .stateType(MILSpecStateType(fields.message(5)))
    default: return nil
    }
  }
  var tensorType: MILSpecTensorType {
    if case .tensorType(let value)? = type { value } else { MILSpecTensorType(.empty) }
  }
  var listType: MILSpecListType {
    if case .listType(let value)? = type { value } else { MILSpecListType(.empty) }
  }
  var tupleType: MILSpecTupleType {
    if case .tupleType(let value)? = type { value } else { MILSpecTupleType(.empty) }
  }
  var dictionaryType: MILSpecDictionaryType {
    if case .dictionaryType(let value)? = type { value } else { MILSpecDictionaryType(.empty) }
  }
  var stateType: MILSpecStateType {
    if case .stateType(let value)? = type { value } else { MILSpecStateType(.empty) }
  }
}
struct MILSpecTensorType: ProtobufMessage {
  static var number: Int { 93 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var dataType: MILSpecDataType { MILSpecDataType(rawValue: fields.enumeration(1)) }
  var rank: Int64 { fields.int64(2) }
  var dimensions: [MILSpecDimension] { fields.messages(3).map { MILSpecDimension($0) } }
  var attributes: [String: MILSpecValue] {
    Dictionary(fields.messages(4).map { ($0.string(1), MILSpecValue($0.message(2))) }) { $1 }
  }
}
struct MILSpecTupleType: ProtobufMessage {
  static var number: Int { 94 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var types: [MILSpecValueType] { fields.messages(1).map { MILSpecValueType($0) } }
}
struct MILSpecListType: ProtobufMessage {
  static var number: Int { 95 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var type: MILSpecValueType { MILSpecValueType(fields.message(1)) }
  var hasType: Bool { fields.contains(1) }
  var length: MILSpecDimension { MILSpecDimension(fields.message(2)) }
  var hasLength: Bool { fields.contains(2) }
}
struct MILSpecDictionaryType: ProtobufMessage {
  static var number: Int { 96 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var keyType: MILSpecValueType { MILSpecValueType(fields.message(1)) }
  var hasKeyType: Bool { fields.contains(1) }
  var valueType: MILSpecValueType { MILSpecValueType(fields.message(2)) }
  var hasValueType: Bool { fields.contains(2) }
}
struct MILSpecStateType: ProtobufMessage {
  static var number: Int { 97 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var wrappedType: MILSpecValueType { MILSpecValueType(fields.message(1)) }
  var hasWrappedType: Bool { fields.contains(1) }
}
struct MILSpecDimension: ProtobufMessage {
  static var number: Int { 98 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  enum OneOf_Dimension: Sendable {
    case constant(MILSpecDimension.ConstantDimension)
    case unknown(MILSpecDimension.UnknownDimension)
  }
  var dimension: OneOf_Dimension? {
    let fields = self.fields.choice([10, 18])
    switch fields.chosen {
    case 1: return .constant(MILSpecDimension.ConstantDimension(fields.message(1)))
    case 2: return .unknown(MILSpecDimension.UnknownDimension(fields.message(2)))
    default: return nil
    }
  }
  var constant: MILSpecDimension.ConstantDimension {
    if case .constant(let value)? = dimension { value } else { MILSpecDimension.ConstantDimension(.empty) }
  }
  var unknown: MILSpecDimension.UnknownDimension {
    if case .unknown(let value)? = dimension { value } else { MILSpecDimension.UnknownDimension(.empty) }
  }
  struct ConstantDimension: ProtobufMessage {
    static var number: Int { 99 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var size: UInt64 { fields.uint64(1) }
  }
  struct UnknownDimension: ProtobufMessage {
    static var number: Int { 100 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var variadic: Bool { fields.bool(1) }
  }
}
struct MILSpecValue: ProtobufMessage {
  static var number: Int { 101 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var docString: String { fields.string(1) }
  var type: MILSpecValueType { MILSpecValueType(fields.message(2)) }
  var hasType: Bool { fields.contains(2) }
  enum OneOf_Value: Sendable {
    case immediateValue(MILSpecValue.ImmediateValue)
    case blobFileValue(MILSpecValue.BlobFileValue)
  }
  var value: OneOf_Value? {
    let fields = self.fields.choice([26, 42])
    switch fields.chosen {
    case 3: return .immediateValue(MILSpecValue.ImmediateValue(fields.message(3)))
    case 5: return .blobFileValue(MILSpecValue.BlobFileValue(fields.message(5)))
    default: return nil
    }
  }
  var immediateValue: MILSpecValue.ImmediateValue {
    if case .immediateValue(let value)? = value { value } else { MILSpecValue.ImmediateValue(.empty) }
  }
  var blobFileValue: MILSpecValue.BlobFileValue {
    if case .blobFileValue(let value)? = value { value } else { MILSpecValue.BlobFileValue(.empty) }
  }
  struct ImmediateValue: ProtobufMessage {
    static var number: Int { 102 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    enum OneOf_Value: Sendable {
      case tensor(MILSpecTensorValue)
      case tuple(MILSpecTupleValue)
      case list(MILSpecListValue)
      case dictionary(MILSpecDictionaryValue)
    }
    var value: OneOf_Value? {
      let fields = self.fields.choice([10, 18, 26, 34])
      switch fields.chosen {
      case 1: return .tensor(MILSpecTensorValue(fields.message(1)))
      case 2: return .tuple(MILSpecTupleValue(fields.message(2)))
      case 3: return .list(MILSpecListValue(fields.message(3)))
      case 4: return .dictionary(MILSpecDictionaryValue(fields.message(4)))
      default: return nil
      }
    }
    var tensor: MILSpecTensorValue {
      if case .tensor(let value)? = value { value } else { MILSpecTensorValue(.empty) }
    }
    var tuple: MILSpecTupleValue {
      if case .tuple(let value)? = value { value } else { MILSpecTupleValue(.empty) }
    }
    var list: MILSpecListValue {
      if case .list(let value)? = value { value } else { MILSpecListValue(.empty) }
    }
    var dictionary: MILSpecDictionaryValue {
      if case .dictionary(let value)? = value { value } else { MILSpecDictionaryValue(.empty) }
    }
  }
  struct BlobFileValue: ProtobufMessage {
    static var number: Int { 103 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var fileName: String { fields.string(1) }
    var offset: UInt64 { fields.uint64(2) }
  }
}
struct MILSpecTensorValue: ProtobufMessage {
  static var number: Int { 104 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  enum OneOf_Value: Sendable {
    case floats(MILSpecTensorValue.RepeatedFloats)
    case ints(MILSpecTensorValue.RepeatedInts)
    case bools(MILSpecTensorValue.RepeatedBools)
    case strings(MILSpecTensorValue.RepeatedStrings)
    case longInts(MILSpecTensorValue.RepeatedLongInts)
    case doubles(MILSpecTensorValue.RepeatedDoubles)
    case bytes(MILSpecTensorValue.RepeatedBytes)
  }
  var value: OneOf_Value? {
    let fields = self.fields.choice([10, 18, 26, 34, 42, 50, 58])
    switch fields.chosen {
    case 1: return .floats(MILSpecTensorValue.RepeatedFloats(fields.message(1)))
    case 2: return .ints(MILSpecTensorValue.RepeatedInts(fields.message(2)))
    case 3: return .bools(MILSpecTensorValue.RepeatedBools(fields.message(3)))
    case 4: return .strings(MILSpecTensorValue.RepeatedStrings(fields.message(4)))
    case 5: return .longInts(MILSpecTensorValue.RepeatedLongInts(fields.message(5)))
    case 6: return .doubles(MILSpecTensorValue.RepeatedDoubles(fields.message(6)))
    case 7: return .bytes(MILSpecTensorValue.RepeatedBytes(fields.message(7)))
    default: return nil
    }
  }
  var floats: MILSpecTensorValue.RepeatedFloats {
    if case .floats(let value)? = value { value } else { MILSpecTensorValue.RepeatedFloats(.empty) }
  }
  var ints: MILSpecTensorValue.RepeatedInts {
    if case .ints(let value)? = value { value } else { MILSpecTensorValue.RepeatedInts(.empty) }
  }
  var bools: MILSpecTensorValue.RepeatedBools {
    if case .bools(let value)? = value { value } else { MILSpecTensorValue.RepeatedBools(.empty) }
  }
  var strings: MILSpecTensorValue.RepeatedStrings {
    if case .strings(let value)? = value { value } else { MILSpecTensorValue.RepeatedStrings(.empty) }
  }
  var longInts: MILSpecTensorValue.RepeatedLongInts {
    if case .longInts(let value)? = value { value } else { MILSpecTensorValue.RepeatedLongInts(.empty) }
  }
  var doubles: MILSpecTensorValue.RepeatedDoubles {
    if case .doubles(let value)? = value { value } else { MILSpecTensorValue.RepeatedDoubles(.empty) }
  }
  var bytes: MILSpecTensorValue.RepeatedBytes {
    if case .bytes(let value)? = value { value } else { MILSpecTensorValue.RepeatedBytes(.empty) }
  }
  struct RepeatedFloats: ProtobufMessage {
    static var number: Int { 105 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var values: [Float] { fields.floats(1) }
  }
  struct RepeatedDoubles: ProtobufMessage {
    static var number: Int { 106 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var values: [Double] { fields.doubles(1) }
  }
  struct RepeatedInts: ProtobufMessage {
    static var number: Int { 107 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var values: [Int32] { fields.int32s(1) }
  }
  struct RepeatedLongInts: ProtobufMessage {
    static var number: Int { 108 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var values: [Int64] { fields.int64s(1) }
  }
  struct RepeatedBools: ProtobufMessage {
    static var number: Int { 109 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var values: [Bool] { fields.bools(1) }
  }
  struct RepeatedStrings: ProtobufMessage {
    static var number: Int { 110 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var values: [String] { fields.strings(1) }
  }
  struct RepeatedBytes: ProtobufMessage {
    static var number: Int { 111 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var values: [UInt8] { fields.data(1) }
  }
}
struct MILSpecTupleValue: ProtobufMessage {
  static var number: Int { 112 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var values: [MILSpecValue] { fields.messages(1).map { MILSpecValue($0) } }
}
struct MILSpecListValue: ProtobufMessage {
  static var number: Int { 113 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var values: [MILSpecValue] { fields.messages(1).map { MILSpecValue($0) } }
}
struct MILSpecDictionaryValue: ProtobufMessage {
  static var number: Int { 114 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var values: [MILSpecDictionaryValue.KeyValuePair] { fields.messages(1).map { MILSpecDictionaryValue.KeyValuePair($0) } }
  struct KeyValuePair: ProtobufMessage {
    static var number: Int { 115 }
    let fields: MessageFields
    init(_ fields: MessageFields) { self.fields = fields }
    var key: MILSpecValue { MILSpecValue(fields.message(1)) }
    var hasKey: Bool { fields.contains(1) }
    var value: MILSpecValue { MILSpecValue(fields.message(2)) }
    var hasValue: Bool { fields.contains(2) }
  }
}
