import MartletBytes
import MartletTensor

/// A layer of `model.espresso.net`: fields by name. Remembers which fields were read, so that one that nobody knows is found.
final class EspressoLayer {
  let type: String
  let name: String
  let inputs: [String]
  let outputs: [String]
  private let fields: [String: EspressoValue]
  private let file: ByteView
  private let position: Int
  private var known: Set<String> = ["type", "name", "bottom", "top", "debug_info", "attributes"]

  init(_ fields: [String: EspressoValue], position: Int, of file: ByteView) throws(FileError) {
    func text(_ field: String) throws(FileError) -> String {
      guard case .text(let text)? = fields[field] else { throw file.error(field: "layers[\(position)].\(field)", "is missing") }
      return text
    }
    self.fields = fields
    self.file = file
    self.position = position
    type = try text("type")
    name = try text("name")
    inputs = try text("bottom").split(separator: ",").map(String.init)
    outputs = try text("top").split(separator: ",").map(String.init)
    guard !outputs.isEmpty else { throw file.error(field: "layers[\(position)].top", "names no blob") }
  }

  func damaged(_ field: String, _ reason: String) -> EspressoFailure {
    .damaged(file.error(field: "layers[\(position)] (\(name)).\(field)", reason))
  }

  // MARK: Fields

  private func value(_ field: String) -> EspressoValue? {
    known.insert(field)
    return fields[field]
  }

  func has(_ field: String) -> Bool { value(field) != nil }

  /// A whole number, also if it is stored as a truth value.
  func int(_ field: String, default defaultValue: Int? = nil) throws(EspressoFailure) -> Int {
    switch value(field) {
    case .number(let number):
      guard let int = Int(exactly: number) else { throw damaged(field, "\(number) is not a whole number") }
      return int
    case .flag(let flag): return flag ? 1 : 0
    case .text, .object, .other: throw damaged(field, "is not a number")
    case nil:
      guard let defaultValue else { throw damaged(field, "is missing") }
      return defaultValue
    }
  }

  /// A number of elements.
  func extent(_ field: String, default defaultValue: Int? = nil) throws(EspressoFailure) -> Int {
    let number = try int(field, default: defaultValue)
    guard let extent = Extent(number).count, extent > 0 else { throw damaged(field, "\(number) is not an extent") }
    return extent
  }

  func float(_ field: String, default defaultValue: Float) throws(EspressoFailure) -> Float {
    switch value(field) {
    case .number(let number): return Float(number)
    case nil: return defaultValue
    default: throw damaged(field, "is not a number")
    }
  }

  func flag(_ field: String, default defaultValue: Bool = false) throws(EspressoFailure) -> Bool {
    try int(field, default: defaultValue ? 1 : 0) != 0
  }

  /// Checks a field that only one value of is supported.
  func require(_ field: String, _ expected: Int) throws(EspressoFailure) {
    let found = try int(field, default: expected)
    guard found == expected else { throw .unsupported("the layer has \(field) \(found)") }
  }

  /// Checks that no field is left that may change the result. Hints do not; neither does an option that is off.
  func checkFields() throws(EspressoFailure) {
    for (field, value) in fields.sortedByKey where !known.contains(field) && !field.hasPrefix("hint_") && !value.isOff {
      throw .unsupported("the layer has the field \(field)")
    }
  }
}

/// Why a layer is not read.
enum EspressoFailure: Error {
  case damaged(FileError)
  /// The layer does something for which there is no operation.
  case unsupported(String)
}

/// A value of `model.espresso.net`.
enum EspressoValue: Decodable {
  case number(Double)
  case flag(Bool)
  case text(String)
  case object([String: EspressoValue])
  /// Lists and null.
  case other(isEmpty: Bool)

  init(from decoder: any Decoder) throws {
    if let container = try? decoder.singleValueContainer() {
      if let flag = try? container.decode(Bool.self) {
        self = .flag(flag)
        return
      }
      if let number = try? container.decode(Double.self) {
        self = .number(number)
        return
      }
      if let text = try? container.decode(String.self) {
        self = .text(text)
        return
      }
      if container.decodeNil() {
        self = .other(isEmpty: true)
        return
      }
      if let object = try? container.decode([String: EspressoValue].self) {
        self = .object(object)
        return
      }
    }
    self = .other(isEmpty: (try? decoder.unkeyedContainer().isAtEnd) ?? false)
  }

  /// 0, false, or empty.
  var isOff: Bool {
    switch self {
    case .number(let number): number == 0
    case .flag(let flag): !flag
    case .text(let text): text.isEmpty
    case .object(let fields): fields.isEmpty
    case .other(let isEmpty): isEmpty
    }
  }

  var number: Double? {
    switch self {
    case .number(let number): number
    case .flag(let flag): flag ? 1 : 0
    default: nil
    }
  }
}
