import MartletBytes
import MartletTensor

/// Reads the features of a `ModelDescription` message, or of one of its functions.
///
/// Only what a class depends on is read, without the rest of the model's format: the tool that writes classes during a build has to be
/// compiled before everything else. `MartletCoreMLFile` checks all of it when the model is loaded.
struct DescriptionMessage {
  private let bytes: ByteView

  init(_ bytes: ByteView) {
    self.bytes = bytes
  }

  func interface(specificationVersion: Int) throws(FileError) -> ModelInterface {
    var functions: [(name: String, message: ByteView)] = []
    var defaultName = ""
    var fields = ProtobufFields(bytes, part: "description")
    while let field = try fields.next() {
      guard case .bytes(let content) = field.payload else { continue }
      switch field.number {
      case 20: functions.append((try Self.name(ofFunction: content), content))
      case 21: defaultName = try content.text(field: "defaultFunctionName")
      default: break
      }
    }
    guard let first = functions.first else { return try Self.features(bytes, .model, specificationVersion) }
    let function = functions.first { $0.name == defaultName } ?? first
    return try locating("functions[\(function.name)]") { () throws(FileError) in
      try Self.features(function.message, .function, specificationVersion)
    }
  }

  /// Numbers of the fields with features.
  private struct Fields {
    let input, output, state: Int
    static let model = Self(input: 1, output: 10, state: 13)
    static let function = Self(input: 2, output: 3, state: 6)
  }

  private static func name(ofFunction bytes: ByteView) throws(FileError) -> String {
    var fields = ProtobufFields(bytes, part: "function")
    while let field = try fields.next() {
      if field.number == 1, case .bytes(let content) = field.payload { return try content.text(field: "name") }
    }
    return ""
  }

  private static func features(_ bytes: ByteView, _ numbers: Fields, _ version: Int) throws(FileError) -> ModelInterface {
    var interface = ModelInterface(specificationVersion: version, inputs: [], outputs: [])
    var fields = ProtobufFields(bytes, part: "description")
    while let field = try fields.next() {
      guard case .bytes(let content) = field.payload, [numbers.input, numbers.output, numbers.state].contains(field.number) else {
        continue
      }
      let feature = try FeatureMessage(content)
      guard !feature.name.isEmpty else { throw bytes.error(field: "name", "of a feature is missing") }
      switch feature.kind {
      // Old programs declare their states as inputs.
      case nil where !interface.states.contains(feature.name): interface.states.append(feature.name)
      case nil: break
      case let kind?:
        let described = InterfaceFeature(
          feature.name, kind, shortDescription: feature.shortDescription, isOptional: feature.isOptional && field.number == numbers.input)
        let list = field.number == numbers.input ? \ModelInterface.inputs : \ModelInterface.outputs
        // Programs may return the same value twice.
        if !interface[keyPath: list].contains(where: { $0.name == feature.name }) { interface[keyPath: list].append(described) }
      }
    }
    return interface
  }
}

/// A `FeatureDescription` message.
private struct FeatureMessage {
  var name = ""
  var shortDescription = ""
  /// Nil for a state.
  var kind: InterfaceFeature.Kind?
  var isOptional = false

  init(_ bytes: ByteView) throws(FileError) {
    var type: ByteView?
    var fields = ProtobufFields(bytes, part: "feature")
    while let field = try fields.next() {
      guard case .bytes(let content) = field.payload else { continue }
      switch field.number {
      case 1: name = try content.text(field: "name")
      case 2: shortDescription = try content.text(field: "shortDescription")
      case 3: type = content
      default: break
      }
    }
    guard let type else { throw bytes.error(field: name, "has no type") }
    do throws(FileError) {
      try read(type)
    } catch {
      throw error.nested(in: name)
    }
  }

  private mutating func read(_ type: ByteView) throws(FileError) {
    var isState = false
    var fields = ProtobufFields(type, part: "type")
    while let field = try fields.next() {
      switch (field.number, field.payload) {
      case (1, .bytes): kind = .int64
      case (2, .bytes): kind = .double
      case (3, .bytes): kind = .string
      case (4, .bytes(let content)): kind = .image(try Self.image(content))
      case (5, .bytes(let content)): kind = .array(try Self.array(content))
      case (6, .bytes(let content)): kind = .dictionary(key: try Self.element(content, string: 2))
      case (7, .bytes(let content)): kind = .sequence(of: try Self.element(content, string: 3))
      case (8, .bytes): isState = true
      case (1000, .varint(let number)): isOptional = number != 0
      default: break
      }
    }
    guard kind != nil || isState else { throw type.error(field: "type", "is of a kind that is not known") }
  }

  /// The type of keys or elements: a number, or a string in the field `string`.
  private static func element(_ bytes: ByteView, string: Int) throws(FileError) -> InterfaceFeature.Element {
    var element: InterfaceFeature.Element?
    var fields = ProtobufFields(bytes, part: "type")
    while let field = try fields.next() {
      if field.number == 1 { element = .int64 }
      if field.number == string { element = .string }
    }
    guard let element else { throw bytes.error(field: "type", "the type of the keys or elements is missing") }
    return element
  }

  private static func array(_ bytes: ByteView) throws(FileError) -> ArrayInterface {
    var shape: [Int] = []
    var scalar: ArrayInterface.Scalar?
    var fields = ProtobufFields(bytes, part: "multiArrayType")
    while let field = try fields.next() {
      switch (field.number, field.payload) {
      case (1, .varint(let number)): shape.append(try extent(number, bytes))
      case (1, .bytes(let list)):
        for number in try ProtobufFields.packedVarints(list, part: "shape") { shape.append(try extent(number, bytes)) }
      case (2, .varint(let number)):
        scalar =
          switch number {
          case 65552: .float16
          case 65568: .float32
          case 65600: .float64
          case 131_080: .int8
          case 131_104: .int32
          default: throw bytes.error(field: "multiArrayType.dataType", "\(number) is not a known element type")
          }
      default: break
      }
    }
    guard let scalar else { throw bytes.error(field: "multiArrayType.dataType", "the element type is missing") }
    return ArrayInterface(scalar, shape)
  }

  private static func image(_ bytes: ByteView) throws(FileError) -> ImageInterface {
    var image = ImageInterface(.color, width: 0, height: 0)
    var format: ImageInterface.Format?
    var flexible: (width: Int, height: Int)?
    var fields = ProtobufFields(bytes, part: "imageType")
    while let field = try fields.next() {
      switch (field.number, field.payload) {
      case (1, .varint(let number)): image.width = try extent(number, bytes)
      case (2, .varint(let number)): image.height = try extent(number, bytes)
      case (3, .varint(let number)):
        format =
          switch number {
          case 10: .grayscale
          case 20, 30: .color
          case 40: .grayscaleFloat16
          default: throw bytes.error(field: "imageType.colorSpace", "\(number) is not a known colour space")
          }
      case (21, .bytes(let sizes)): flexible = try firstSize(sizes)
      case (31, .bytes(let ranges)): flexible = try smallestSize(ranges)
      default: break
      }
    }
    guard let format else { throw bytes.error(field: "imageType.colorSpace", "the colour space is missing") }
    image.format = format
    (image.usedWidth, image.usedHeight) = (image.width, image.height)
    if image.width == 0 || image.height == 0, let flexible { (image.usedWidth, image.usedHeight) = flexible }
    guard image.usedWidth > 0, image.usedHeight > 0 else { throw bytes.error(field: "imageType", "the size is missing") }
    return image
  }

  /// The first of a list of sizes.
  private static func firstSize(_ bytes: ByteView) throws(FileError) -> (width: Int, height: Int)? {
    var fields = ProtobufFields(bytes, part: "enumeratedSizes")
    while let field = try fields.next() {
      guard field.number == 1, case .bytes(let size) = field.payload else { continue }
      return (try number(1, of: size), try number(2, of: size))
    }
    return nil
  }

  /// The lower bounds of the ranges of widths and heights.
  private static func smallestSize(_ bytes: ByteView) throws(FileError) -> (width: Int, height: Int) {
    var size = (width: 0, height: 0)
    var fields = ProtobufFields(bytes, part: "imageSizeRange")
    while let field = try fields.next() {
      guard case .bytes(let range) = field.payload else { continue }
      if field.number == 1 { size.width = try number(1, of: range) }
      if field.number == 2 { size.height = try number(1, of: range) }
    }
    return size
  }

  /// A field with a number; 0 if it is missing.
  private static func number(_ field: Int, of bytes: ByteView) throws(FileError) -> Int {
    var fields = ProtobufFields(bytes, part: "size")
    while let next = try fields.next() {
      if next.number == field, case .varint(let number) = next.payload { return try extent(number, bytes) }
    }
    return 0
  }

  private static func extent(_ number: UInt64, _ bytes: ByteView) throws(FileError) -> Int {
    guard let extent = Int(exactly: number) else { throw bytes.error(field: "shape", "\(number) is not an extent") }
    return extent
  }
}
