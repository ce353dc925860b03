import MartletTensor

/// What a profile of the International Color Consortium says beside its curves.
///
/// Source: ICC.1:2022, 7 and 10.
package struct ColorProfile: Sendable, Equatable {
  /// The profile's name, in English if there is a choice.
  package var name: String?

  /// - Returns: nil if the bytes are no profile.
  package init?(_ profile: [UInt8]) {
    let bytes = OrderedBytes(profile[...], .bigEndian)
    guard bytes.has("acsp", at: 36), let tagCount = bytes.integer(at: 128, byteCount: 4) else { return nil }
    for index in 0..<min(tagCount, 1024) {
      // In range: at most 1024 tags of 12 bytes.
      let entry = 132 + 12 * index
      guard let start = bytes.integer(at: entry + 4, byteCount: 4), let size = bytes.integer(at: entry + 8, byteCount: 4) else { return }
      guard bytes.has("desc", at: entry), let tag = bytes.part(at: start, count: size) else { continue }
      name = Self.text(OrderedBytes(tag, .bigEndian))
      return
    }
  }

  private static func text(_ tag: OrderedBytes) -> String? {
    if tag.has("desc", at: 0) {
      guard let count = tag.integer(at: 8, byteCount: 4), let text = tag.part(at: 12, count: count) else { return nil }
      return String(validating: text.prefix { $0 != 0 }, as: UTF8.self)
    }
    // Several languages: each with language, country, size and position.
    guard tag.has("mluc", at: 0), let count = tag.integer(at: 8, byteCount: 4) else { return nil }
    var first: String?
    for index in 0..<min(count, 256) {
      // In range: at most 256 entries of 12 bytes.
      let entry = 16 + 12 * index
      guard let size = tag.integer(at: entry + 4, byteCount: 4), let start = tag.integer(at: entry + 8, byteCount: 4),
        let text = tag.part(at: start, count: size)
      else { return first }
      let units = stride(from: 0, to: text.count - 1, by: 2).compactMap { position in
        OrderedBytes(text, .bigEndian).integer(at: position, byteCount: 2).map { UInt16(truncatingIfNeeded: $0) }
      }
      let decoded = String(decoding: units, as: UTF16.self)
      if tag.has("en", at: entry) { return decoded }
      first = first ?? decoded
    }
    return first
  }
}
