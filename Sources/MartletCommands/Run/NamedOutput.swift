import Martlet
import MartletBytes

/// An output with its name and its representations.
struct NamedOutput {
  let name: String
  let value: ModelValue

  /// A classifier's probabilities, for instance.
  var dictionary: ModelDictionary? { if case .dictionary(let dictionary) = value { dictionary } else { nil } }

  /// The value as an array for storage; nil for strings and absent values.
  var stored: Tensor? {
    get throws {
      switch value {
      case .tensor(let tensor): tensor
      case .int(let value): try Tensor([value], shape: [])
      case .double(let value): try Tensor([value], shape: [])
      case .bool(let value): try Tensor([value], shape: [])
      // Rows of pixels with their samples last, as pictures are stored in NumPy.
      case .image(let picture):
        try Tensor(picture.pixels, shape: [picture.height, picture.width] + (picture.format == .gray ? [] : [picture.format.channelCount]))
      case .sequence(.integers(let integers)): Tensor(integers)
      case .string, .dictionary, .sequence(.strings), .none: nil
      }
    }
  }

  /// A line with the type and a line with the elements.
  var text: String {
    switch value {
    case .tensor(let tensor):
      let summary = TensorSummary(tensor)
      return "\(name): \(tensor.dataType.rawValue)\(tensor.shape)\n  \(summary.text)"
    case .int(let value): return "\(name): int \(value)"
    case .double(let value): return "\(name): double \(value)"
    case .bool(let value): return "\(name): bool \(value)"
    case .string(let value): return "\(name): string \"\(value)\""
    case .image(let picture): return "\(name): image \(picture.width) x \(picture.height)\n  \(TensorSummary(samplesOf: picture).text)"
    case .dictionary(let dictionary):
      let entries = Self.entries(dictionary).map { "\($0.key): \(Formatting.element($0.value))" }
      return "\(name): dictionary of \(entries.count)\n  \(entries.prefix(8).joined(separator: ", "))\(entries.count > 8 ? ", …" : "")"
    case .sequence(.strings(let strings)): return "\(name): sequence \(strings)"
    case .sequence(.integers(let integers)): return "\(name): sequence \(integers)"
    case .none: return "\(name): none"
    }
  }

  var json: JSONValue {
    switch value {
    case .tensor(let tensor):
      let summary = TensorSummary(tensor)
      var members: [JSONValue.Member] = [
        .init("name", .string(name)), .init("kind", .string("tensor")), .init("dataType", .string(tensor.dataType.rawValue)),
        .init("shape", .integers(tensor.shape)), .init("first", .array(summary.first.map { .finite($0) })),
      ]
      if let range = summary.range {
        members += [
          .init("minimum", .finite(range.minimum)), .init("maximum", .finite(range.maximum)), .init("mean", .finite(range.mean)),
        ]
      }
      members.append(.init("notFiniteCount", .integer(summary.notFiniteCount)))
      return .object(members)
    case .int(let value): return .members(["name": .string(name), "kind": .string("int"), "value": .integer(value)])
    case .double(let value): return .members(["name": .string(name), "kind": .string("double"), "value": .finite(value)])
    case .bool(let value): return .members(["name": .string(name), "kind": .string("bool"), "value": .boolean(value)])
    case .string(let value): return .members(["name": .string(name), "kind": .string("string"), "value": .string(value)])
    case .image(let picture):
      return .members([
        "name": .string(name), "kind": .string("image"), "width": .integer(picture.width), "height": .integer(picture.height),
      ])
    case .dictionary(let dictionary):
      let entries = Self.entries(dictionary).map { JSONValue.Member($0.key, .finite($0.value)) }
      return .object([.init("name", .string(name)), .init("kind", .string("dictionary")), .init("value", .object(entries))])
    case .sequence(.strings(let strings)):
      return .members(["name": .string(name), "kind": .string("sequence"), "value": .array(strings.map { .string($0) })])
    case .sequence(.integers(let integers)):
      return .members(["name": .string(name), "kind": .string("sequence"), "value": .integers(integers)])
    case .none: return .members(["name": .string(name), "kind": .string("none")])
    }
  }

  /// The largest number first; of equal ones the lower key first.
  static func entries(_ dictionary: ModelDictionary) -> [(key: String, value: Double)] {
    switch dictionary {
    case .byString(let numbers): numbers.sorted { (-$0.value, $0.key) < (-$1.value, $1.key) }.map { ($0.key, $0.value) }
    case .byInteger(let numbers): numbers.sorted { (-$0.value, $0.key) < (-$1.value, $1.key) }.map { ("\($0.key)", $0.value) }
    }
  }
}
