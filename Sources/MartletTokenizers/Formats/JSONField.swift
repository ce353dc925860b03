import MartletBytes
import MartletTensor

/// A value of a JSON text with its place, for errors.
struct JSONField {
  let element: JSONElement
  let path: String

  func error(_ reason: String) -> TokenizerError { TokenizerError(field: path, reason) }

  var isNull: Bool { element.isNull }

  /// A member that is there and not null; nil otherwise.
  func optional(_ name: String) -> JSONField? {
    guard let value = element[name], !value.isNull else { return nil }
    return JSONField(element: value, path: path.isEmpty ? name : path + "." + name)
  }

  func required(_ name: String) throws(TokenizerError) -> JSONField {
    guard let field = optional(name) else { throw error("'\(name)' is missing") }
    return field
  }

  func text() throws(TokenizerError) -> String {
    guard let text = element.string else { throw error("is not a string") }
    return text
  }

  func bytes() throws(TokenizerError) -> [UInt8] {
    var bytes: [UInt8] = []
    guard element.appendString(to: &bytes) else { throw error("is not a string") }
    guard bytes.count <= TokenizerLimits.tokenByteCount else { throw error("has more than \(TokenizerLimits.tokenByteCount) bytes") }
    return bytes
  }

  func flag() throws(TokenizerError) -> Bool {
    guard let value = element.boolean else { throw error("is neither true nor false") }
    return value
  }

  func integer(_ range: ClosedRange<Int>) throws(TokenizerError) -> Int {
    guard let value = element.integer, range.contains(value) else {
      throw error("is not a number from \(range.lowerBound) to \(range.upperBound)")
    }
    return value
  }

  func number() throws(TokenizerError) -> Double {
    guard let value = element.number else { throw error("is not a number") }
    return value
  }

  /// One character.
  func scalar() throws(TokenizerError) -> UInt32 {
    let scalars = try text().unicodeScalars
    guard scalars.count == 1, let scalar = scalars.first else { throw error("is not one character") }
    return scalar.value
  }

  func elements() throws(TokenizerError) -> [JSONField] {
    guard element.kind == .array else { throw error("is not a list") }
    return element.elements.enumerated().map { JSONField(element: $0.element, path: "\(path)[\($0.offset)]") }
  }

  func flag(_ name: String, default value: Bool) throws(TokenizerError) -> Bool { try optional(name)?.flag() ?? value }
  func text(_ name: String) throws(TokenizerError) -> String { try required(name).text() }
  func bytes(_ name: String) throws(TokenizerError) -> [UInt8] { try required(name).bytes() }

  /// An id of a token.
  func id(_ name: String) throws(TokenizerError) -> Int { try required(name).integer(0...TokenizerLimits.tokenCount - 1) }
}
