import Martlet
import MartletConformance

/// An output with what there is to say about it.
struct NamedOutput {
  let name: String
  let value: ModelValue

  /// The value as an array for storing; nil for text and absent values.
  var stored: Tensor? {
    get throws {
      switch value {
      case .tensor(let tensor): tensor
      case .int(let value): try Tensor([value], shape: [])
      case .double(let value): try Tensor([value], shape: [])
      case .bool(let value): try Tensor([value], shape: [])
      case .string, .none: nil
      }
    }
  }

  /// A line for the type, one for the elements.
  var text: String {
    switch value {
    case .tensor(let tensor):
      let summary = TensorSummary(tensor)
      return "\(name): \(tensor.dataType.rawValue)\(tensor.shape)\n  \(summary.text)"
    case .int(let value): return "\(name): int \(value)"
    case .double(let value): return "\(name): double \(value)"
    case .bool(let value): return "\(name): bool \(value)"
    case .string(let value): return "\(name): string \"\(value)\""
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
    case .none: return .members(["name": .string(name), "kind": .string("none")])
    }
  }
}

/// The first elements of a tensor and the range of all.
struct TensorSummary {
  /// At most eight.
  let first: [Double]
  /// Over the finite elements; nil if there are none.
  let range: (minimum: Double, maximum: Double, mean: Double)?
  let notFiniteCount: Int
  private let elementCount: Int

  init(_ tensor: Tensor) {
    let elements = tensor.doubles
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

  /// The largest first; of equal ones the lower index first.
  let entries: [Entry]

  /// - Parameter labels: the name of each index.
  init(_ values: [Double], count: Int, labels: [String]?) {
    let order = values.indices.sorted { (-values[$0], $0) < (-values[$1], $1) }
    entries = order.prefix(count).map { index in
      Entry(index: index, label: labels.flatMap { index < $0.count ? $0[index] : nil }, value: values[index])
    }
  }

  /// Of the first output, which must be a vector apart from extents of 1.
  init(_ outputs: [NamedOutput], count: Int, labels: [String]?) throws {
    guard let tensor = outputs.lazy.compactMap(\.value.tensor).first else { throw CommandFailure("--top needs an output that is a tensor") }
    guard tensor.shape.count(where: { $0 != 1 }) <= 1 else {
      throw CommandFailure("--top needs one row of numbers, but the first output has the shape \(tensor.shape)")
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
