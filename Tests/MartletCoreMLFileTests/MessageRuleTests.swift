import CoreMLMessages
import MartletBytes
import MartletCoreMLFile
import MartletFeatures
import SwiftProtobuf
import Testing

/// Rules of serialised protobuf messages that no writer of models needs, and that every reader follows.
struct MessageRuleTests {
  /// A model that copies an array of shape [2, 3].
  private static let model: SpecModel = {
    var model = NetworkSample.model { $0.copy = SpecCopyLayerParams() }
    model.description_p.input[0].type.multiArrayType.shape = [2, 3]
    return model
  }()

  private static func read(_ bytes: [UInt8]) throws -> CoreMLModel {
    try CoreMLModel(specification: MappedFile(copying: bytes, name: "test").bytes, weights: nil)
  }

  private static func reason(_ bytes: [UInt8]) -> String {
    do {
      _ = try read(bytes)
      return ""
    } catch {
      return "\(error)"
    }
  }

  private static func shape(_ model: CoreMLModel) -> [Int]? {
    guard case .multiArray(let array) = model.description.defaultFunction.inputs.first?.type else { return nil }
    return array.shape
  }

  /// The model with the bytes of one of its messages written otherwise.
  private static func model(_ description: [UInt8]) throws -> [UInt8] {
    var rest = model
    rest.clearDescription_p()
    return serializedField(2, description) + (try rest.serializedBytes())
  }

  @Test func `a message in several pieces is one message`() throws {
    var (first, second) = (Self.model.description_p, Self.model.description_p)
    first.output = []
    second.input = []
    let pieces = try serializedField(2, first.serializedBytes()) + Self.model(second.serializedBytes())
    let model = try Self.read(pieces)
    #expect(model.description.defaultFunction.inputs.map(\.name) == ["x"])
    #expect(model.description.defaultFunction.outputs.map(\.name) == ["y"])
  }

  @Test func `of several values the last one counts, and fields of another type are skipped`() throws {
    let bytes: [UInt8] = try Self.model.serializedBytes()
    // The specification version is field 1: 99, then that of the model, then a text in its place.
    let changed = [8, 99] + bytes + serializedField(1, [65])
    #expect(try Self.read(changed).specificationVersion == Self.read(bytes).specificationVersion)
    #expect(Self.reason(bytes + [8, 99]).contains("99"))
    // Bytes in the place of a number are skipped, whatever they are.
    #expect(try Self.read(bytes + serializedField(1, [0x80])).specificationVersion == Self.read(bytes).specificationVersion)
  }

  @Test func `lists of numbers may be packed or not, and in several pieces`() throws {
    // Fields of `FeatureDescription`, `FeatureType` and `ArrayFeatureType`: the type of elements is float32.
    for list in [
      serializedField(1, [2, 3]), [8, 2, 8, 3], [8, 2] + serializedField(1, [3]), serializedField(1, [2]) + serializedField(1, [3]),
    ] {
      let array: [UInt8] = list + [16] + serializedNumber(65568)
      let input = serializedField(1, [UInt8]("x".utf8)) + serializedField(3, serializedField(5, array))
      var outputs = Self.model.description_p
      outputs.input = []
      let model = try Self.read(Self.model(serializedField(1, input) + outputs.serializedBytes()))
      #expect(Self.shape(model) == [2, 3])
    }
  }

  @Test func `of alternatives the last one counts`() throws {
    let array: [UInt8] = serializedField(1, [2, 3]) + [16] + serializedNumber(65568)
    // An array, then an integer, then an array of the same kind in two pieces.
    for (type, isArray) in [
      (serializedField(5, array) + serializedField(1, []), false), (serializedField(1, []) + serializedField(5, array), true),
      (
        serializedField(5, [8, 7]) + serializedField(1, []) + serializedField(5, [8, 2])
          + serializedField(5, [8, 3, 16] + serializedNumber(65568)), true
      ),
    ] {
      let feature = serializedField(1, [UInt8]("x".utf8)) + serializedField(3, type)
      var rest = Self.model
      rest.description_p.input = []
      rest.type = nil
      rest.specificationVersion = 9
      rest.identity = SpecIdentity()
      rest.description_p.output = [isArray ? Feature.array("y", 2, 3, type: .float32).message : Feature.int64("y").message]
      let description = serializedField(1, feature) + (try rest.description_p.serializedBytes())
      rest.clearDescription_p()
      let model = try Self.read(serializedField(2, description) + rest.serializedBytes())
      #expect(Self.shape(model) == (isArray ? [2, 3] : nil))
    }
  }

  @Test func `fields that the format does not have are skipped`() throws {
    let bytes: [UInt8] = try Self.model.serializedBytes()
    // A number, 8 bytes, bytes, a group with a number in it, and 4 bytes, as the fields 9001 and up.
    let unknown: [[UInt8]] = [
      serializedNumber(9001 << 3) + [5], serializedNumber(9002 << 3 | 1) + [UInt8](repeating: 1, count: 8), serializedField(9003, [1, 2]),
      serializedNumber(9004 << 3 | 3) + [8, 1] + serializedNumber(9004 << 3 | 4), serializedNumber(9005 << 3 | 5) + [0, 0, 0, 0],
    ]
    #expect(try Self.read(unknown.flatMap { $0 } + bytes).description.defaultFunction.inputs.map(\.name) == ["x"])
    for field in unknown { #expect(!Self.reason(bytes + field.dropLast()).isEmpty, "\(field)") }
  }

  @Test func `damaged messages are refused with the reason`() throws {
    let bytes: [UInt8] = try Self.model.serializedBytes()
    let name = serializedField(1, [0xC3, 0x28])
    #expect(Self.reason(try Self.model(serializedField(1, name))).contains("UTF-8"))
    #expect(Self.reason(bytes + [8] + [UInt8](repeating: 0x80, count: 10) + [1]).contains("damaged"))
    #expect(Self.reason(bytes + [0, 0]).contains("damaged"))
    #expect(Self.reason(bytes.dropLast()).contains("exceed"))
    // A list of float32 values, the mean image of a preprocessing, whose length is no multiple of 4.
    let preprocessing = serializedField(2, serializedField(11, serializedField(1, [1, 2, 3])))
    var rest = Self.model
    rest.type = nil
    #expect(Self.reason(try rest.serializedBytes() + serializedField(500, preprocessing)).contains("damaged"))
    // Optional values nested in each other: programs have types in types.
    var type: [UInt8] = []
    for _ in 0..<120 { type = serializedField(5, serializedField(1, type)) }
    let function = serializedField(1, serializedField(2, type))
    let program = serializedField(2, serializedField(1, [UInt8]("main".utf8)) + serializedField(2, function))
    #expect(Self.reason(try rest.serializedBytes() + serializedField(502, program)).contains("nested too deeply"))
  }
}
