import MartletBytes
package import Martlet
package import MartletMedia
import MartletPixels
import MartletTensor

/// One input or output as stated in `case.json`, before its files are read.
package indirect enum CaseEntry: Sendable, Equatable {
  /// - file: the name of a `.npy` file in the case's folder.
  /// - isBFloat16: the file holds `uint16` bit patterns.
  case tensor(file: String, isBFloat16: Bool, dimOrder: [Int]?)
  /// A tensor of int64 whose elements stand in `case.json`.
  case integers([Int64], shape: [Int])
  /// - file: the name of an image in the case's folder.
  case image(file: String)
  case int(Int)
  case double(Double)
  case bool(Bool)
  case string(String)
  case none
  case list([CaseEntry])
  case dictionary(ModelDictionary)
}

extension CaseEntry {
  /// Reads the object form, such as `{"file": "input0.npy"}`.
  init(_ json: JSONValue, path: String, key: String) throws(CaseError) {
    func fault(_ reason: String) -> CaseError { .invalid(path: path, key: key, reason: reason) }
    guard case .object(let members) = json else { throw fault("is not an object") }
    var fields: [String: JSONValue] = [:]
    for member in members { fields[member.key] = member.value }
    /// Checks that only the key of this kind and its optional keys are present.
    func expectKeys(_ kind: String, also optional: Set<String> = []) throws(CaseError) {
      for name in fields.keys where name != kind && !optional.contains(name) {
        throw fault("\"\(name)\" does not belong to an entry of kind \"\(kind)\"")
      }
    }
    if let value = fields["file"] {
      try expectKeys("file", also: ["dtype", "dim_order"])
      guard case .string(let file) = value else { throw fault("file is not a string") }
      var isBFloat16 = false
      if let dtype = fields["dtype"] {
        guard dtype == .string("bfloat16") else { throw fault("dtype is not \"bfloat16\"") }
        isBFloat16 = true
      }
      var dimOrder: [Int]?
      if let order = fields["dim_order"] {
        guard let axes = order.integers, axes.sorted() == Array(axes.indices) else {
          throw fault("dim_order is not a permutation of the axes")
        }
        dimOrder = axes
      }
      self = .tensor(file: file, isBFloat16: isBFloat16, dimOrder: dimOrder)
    } else if let value = fields["int64"] {
      try expectKeys("int64")
      var (elements, shape): ([Int64], [Int]) = ([], [])
      guard CaseEntry.flatten(value, depth: 0, into: &elements, &shape) else {
        throw fault("int64 is not an array of integers, or of such arrays of equal shape")
      }
      self = .integers(elements, shape: shape)
    } else if let value = fields["image"] {
      try expectKeys("image")
      guard case .string(let file) = value else { throw fault("image is not a string") }
      self = .image(file: file)
    } else if let value = fields["int"] {
      try expectKeys("int")
      guard case .integer(let number) = value else { throw fault("int is not an integer") }
      self = .int(number)
    } else if let value = fields["double"] {
      try expectKeys("double")
      guard let number = value.double else { throw fault("double is not a number") }
      self = .double(number)
    } else if let value = fields["bool"] {
      try expectKeys("bool")
      guard case .boolean(let truth) = value else { throw fault("bool is not true or false") }
      self = .bool(truth)
    } else if let value = fields["string"] {
      try expectKeys("string")
      guard case .string(let text) = value else { throw fault("string is not a string") }
      self = .string(text)
    } else if let value = fields["none"] {
      try expectKeys("none")
      guard value == .boolean(true) else { throw fault("none is not true") }
      self = .none
    } else if let value = fields["list"] {
      try expectKeys("list")
      guard case .array(let items) = value else { throw fault("list is not an array") }
      var entries: [CaseEntry] = []
      for (index, item) in items.enumerated() {
        entries.append(try CaseEntry(item, path: path, key: "\(key).list[\(index)]"))
      }
      self = .list(entries)
    } else if let value = fields["int64Sequence"] {
      try expectKeys("int64Sequence")
      guard let numbers = value.integers else { throw fault("int64Sequence is not an array of integers") }
      self = .list(numbers.map { .int($0) })
    } else if let value = fields["stringSequence"] {
      try expectKeys("stringSequence")
      guard case .array(let items) = value else { throw fault("stringSequence is not an array") }
      var entries: [CaseEntry] = []
      for item in items {
        guard case .string(let text) = item else { throw fault("stringSequence contains a value that is not a string") }
        entries.append(.string(text))
      }
      self = .list(entries)
    } else if let value = fields["dictionary"] {
      try expectKeys("dictionary", also: ["keys"])
      self = .dictionary(try CaseEntry.dictionary(value, keys: fields["keys"], fault: fault))
    } else {
      throw fault("has none of the keys file, int64, image, int, double, bool, string, none, list, int64Sequence, dictionary")
    }
  }

  /// Appends the elements of nested arrays in row-major order. Returns false if they differ in shape or hold anything but integers.
  private static func flatten(_ json: JSONValue, depth: Int, into elements: inout [Int64], _ shape: inout [Int]) -> Bool {
    guard case .array(let items) = json, depth < 8 else { return false }
    if depth == shape.count { shape.append(items.count) }
    guard shape[depth] == items.count else { return false }
    for item in items {
      if case .integer(let value) = item {
        guard depth + 1 == shape.count else { return false }
        elements.append(Int64(widening: value))
      } else if !flatten(item, depth: depth + 1, into: &elements, &shape) {
        return false
      }
    }
    return true
  }

  private static func dictionary(
    _ json: JSONValue, keys: JSONValue?, fault: (String) -> CaseError
  ) throws(CaseError) -> ModelDictionary {
    guard case .object(let members) = json else { throw fault("dictionary is not an object") }
    var byString: [String: Double] = [:]
    var byInteger: [Int: Double] = [:]
    for member in members {
      guard let number = member.value.double else { throw fault("the value of \"\(member.key)\" is not a number") }
      byString[member.key] = number
      if let integer = Int(member.key, radix: 10) { byInteger[integer] = number }
    }
    switch keys {
    case .string("string"): return .byString(byString)
    case .string("int64"):
      guard byInteger.count == members.count else { throw fault("a key of the dictionary is not an integer") }
      return .byInteger(byInteger)
    default: throw fault("keys is neither \"string\" nor \"int64\"")
    }
  }

  /// Reads the files of the entry.
  /// - Parameter folder: the path of the case's folder.
  package func value(folder: String) throws(MediaError) -> CaseValue {
    switch self {
    case .tensor(let file, let isBFloat16, let dimOrder):
      let tensor = try NumPyFile.read(path: "\(folder)/\(file)", asBFloat16: isBFloat16)
      if let dimOrder, dimOrder.count != tensor.shape.count {
        throw MediaError(
          file: "\(folder)/\(file)", field: "shape",
          reason: .invalid("\(tensor.shape) does not have the rank \(dimOrder.count) of the case's dim_order"))
      }
      return .tensor(tensor, dimOrder: dimOrder)
    case .integers(let elements, let shape):
      return HostTensor(elements.map { .int($0) }, dtype: .int64, shape: shape).map { .tensor($0, dimOrder: nil) } ?? .none
    case .image(let file): return .image(try Image.read(path: "\(folder)/\(file)"))
    case .int(let number): return .int(number)
    case .double(let number): return .double(number)
    case .bool(let truth): return .bool(truth)
    case .string(let text): return .string(text)
    case .none: return .none
    case .list(let entries):
      var values: [CaseValue] = []
      for entry in entries { values.append(try entry.value(folder: folder)) }
      return .list(values)
    case .dictionary(let dictionary): return .dictionary(dictionary)
    }
  }
}

extension JSONValue {
  /// The number, written as an integer or not.
  var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The items; nil unless all are integers.
  var integers: [Int]? {
    guard case .array(let items) = self else { return nil }
    var result: [Int] = []
    for item in items {
      guard case .integer(let value) = item else { return nil }
      result.append(value)
    }
    return result
  }

  /// The items; nil unless all are strings.
  var strings: [String]? {
    guard case .array(let items) = self else { return nil }
    var result: [String] = []
    for item in items {
      guard case .string(let value) = item else { return nil }
      result.append(value)
    }
    return result
  }
}
