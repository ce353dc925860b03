import Martlet
import MartletConformance

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

/// The first elements of a tensor and the range of all elements.
struct TensorSummary {
  /// At most eight elements.
  let first: [Double]
  /// Over the finite elements; nil if there are none.
  let range: (minimum: Double, maximum: Double, mean: Double)?
  let notFiniteCount: Int
  private let elementCount: Int

  init(_ tensor: Tensor) { self.init(tensor.doubles) }

  init(samplesOf picture: Picture) { self.init(picture.pixels.map { Double($0) }) }

  private init(_ elements: [Double]) {
    elementCount = elements.count
    first = Array(elements.prefix(8))
    var (minimum, maximum, sum, count) = (Double.infinity, -Double.infinity, 0.0, 0)
    for element in elements where element.isFinite {
      minimum = min(minimum, element)
      maximum = max(maximum, element)
      sum += element
      count += 1
    }
    range = count == 0 ? nil : (minimum, maximum, sum / Double(count))
    notFiniteCount = elements.count - count
  }

  var text: String {
    let dots = elementCount > first.count ? ", …" : ""
    var text = "[\(first.map { Formatting.element($0) }.joined(separator: ", "))\(dots)]"
    if let range, elementCount > 1 {
      text += "  min \(Formatting.element(range.minimum)), max \(Formatting.element(range.maximum))"
      text += ", mean \(Formatting.element(range.mean))"
    }
    if notFiniteCount > 0 { text += "  \(notFiniteCount) not finite" }
    return text
  }
}

/// The largest elements of a vector.
struct Ranking {
  struct Entry {
    let index: Int
    let label: String?
    let value: Double
  }

  /// In descending order of value; equal values in order of index.
  let entries: [Entry]

  private init(entries: [Entry]) { self.entries = entries }

  /// - Parameter labels: the name for each index.
  init(_ values: [Double], count: Int, labels: [String]?) {
    let order = values.indices.sorted { (-values[$0], $0) < (-values[$1], $1) }
    entries = order.prefix(count).map { index in
      Entry(index: index, label: labels.flatMap { index < $0.count ? $0[index] : nil }, value: values[index])
    }
  }

  /// Of the first dictionary, or else of the first tensor, which must be a vector apart from extents of 1.
  init(_ outputs: [NamedOutput], count: Int, labels: [String]?) throws {
    if let dictionary = outputs.lazy.compactMap(\.dictionary).first {
      let entries = NamedOutput.entries(dictionary)
      self.init(entries: entries.prefix(count).enumerated().map { Entry(index: $0, label: $1.key, value: $1.value) })
      return
    }
    guard let tensor = outputs.lazy.compactMap(\.value.tensor).first else { throw CommandFailure("--top needs an output that is a tensor") }
    guard tensor.shape.count(where: { $0 != 1 }) <= 1 else {
      throw CommandFailure("--top needs a vector, but the first output has the shape \(tensor.shape)")
    }
    self.init(tensor.doubles, count: count, labels: labels)
  }

  var text: String {
    let rows = entries.map { ["\($0.index)", Formatting.element($0.value), $0.label ?? ""] }
    return Formatting.table(rows, [.right, .right, .left], indentation: "  ").joined(separator: "\n")
  }

  var json: JSONValue {
    .array(entries.map { .members(["index": .integer($0.index), "label": .optional($0.label), "value": .finite($0.value)]) })
  }
}
