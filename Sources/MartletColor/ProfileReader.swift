import MartletTensor

/// Reads ICC profiles of versions 2 and 4.
///
/// Profiles with a matrix and curves, and those of shades with a curve, are read here. Profiles that map colours by tables are left to
/// Little CMS.
package struct ProfileReader {
  /// In bytes.
  package static let sizeLimit = 8 << 20

  /// Where the values of a tag lie.
  private struct Tag {
    let signature: String
    let range: Range<Int>
  }

  private let bytes: [UInt8]
  private var tags: [Tag] = []

  /// The colour space that a profile describes.
  package static func colorSpace(_ bytes: [UInt8]) throws(ColorProfileError) -> ColorSpace {
    try ProfileReader(bytes).colorSpace()
  }

  private init(_ bytes: [UInt8]) throws(ColorProfileError) {
    guard bytes.count <= Self.sizeLimit else {
      throw ColorProfileError(field: "header", reason: .tooLarge(declared: bytes.count, limit: Self.sizeLimit))
    }
    self.bytes = bytes
    guard bytes.count >= 132 else {
      throw ColorProfileError(field: "header", reason: .truncated(needed: 132, available: bytes.count))
    }
    guard signature(36) == "acsp" else { throw ColorProfileError(field: "header", reason: .invalid("it has no signature 'acsp'")) }
    guard bytes[8] == 2 || bytes[8] == 4 else {
      throw ColorProfileError(field: "header", reason: .unsupported("version \(bytes[8])"))
    }
    let size = number(0)
    guard (132...bytes.count).contains(size) else {
      throw ColorProfileError(field: "header", reason: .truncated(needed: size, available: bytes.count))
    }
    let count = number(128)
    let table = Extent(count) * 12 + 132
    guard table.fits(size) else {
      throw ColorProfileError(field: "tag table", reason: .truncated(needed: table.clamped, available: size))
    }
    for index in 0..<count {
      // In range: the table lies within the profile.
      let entry = 132 + 12 * index
      let name = signature(entry)
      let start = number(entry + 4)
      let end = Extent(start) + number(entry + 8)
      guard let end = end.value, end <= size, start >= 128, end - start >= 8 else {
        throw ColorProfileError(field: "tag '\(name)'", reason: .truncated(needed: end.clamped, available: size))
      }
      tags.append(Tag(signature: name, range: start..<end))
    }
  }

  /// The big-endian number of 32 bits at a position that lies within the profile.
  private func number(_ position: Int) -> Int {
    bytes[position..<position + 4].reduce(0) { $0 << 8 | Int(widening: $1) }
  }

  private func signature(_ position: Int) -> String {
    String(decoding: bytes[position..<position + 4].map { (0x20...0x7E).contains($0) ? $0 : 0x3F }, as: UTF8.self)
  }

  private func tag(_ signature: String) -> Tag? { tags.first { $0.signature == signature } }

  private func required(_ signature: String) throws(ColorProfileError) -> Tag {
    guard let tag = tag(signature) else { throw ColorProfileError(field: "tag '\(signature)'", reason: .invalid("it is missing")) }
    return tag
  }

  // MARK: Spaces

  private func colorSpace() throws(ColorProfileError) -> ColorSpace {
    let space = signature(16)
    let counts = ["RGB ": 3, "GRAY": 1, "CMYK": 4]
    guard let componentCount = counts[space] else {
      throw ColorProfileError(field: "header", reason: .unsupported("colours of the space '\(space)'"))
    }
    guard ["mntr", "scnr", "prtr", "spac"].contains(signature(12)) else {
      throw ColorProfileError(field: "header", reason: .unsupported("a profile of the class '\(signature(12))'"))
    }
    let hasMatrix = space == "RGB " && tag("rXYZ") != nil || space == "GRAY" && tag("kTRC") != nil
    if tag("A2B0") != nil || tag("A2B1") != nil || !hasMatrix || signature(20) != "XYZ " {
      do { return ColorSpace(.library(try LibraryProfile(bytes, componentCount: componentCount))) } catch {
        // A matrix beside tables describes the same colours.
        guard case .missingLibrary = error.reason, hasMatrix, signature(20) == "XYZ " else { throw error }
      }
    }
    return ColorSpace(componentCount == 1 ? .gray(try curve("kTRC")) : try matrix())
  }

  private func matrix() throws(ColorProfileError) -> ColorSpace.Definition {
    let matrix = Matrix3(columns: try color("rXYZ"), try color("gXYZ"), try color("bXYZ"))
    guard let inverse = matrix.inverse, inverse.rows.allSatisfy({ abs($0.x) < 1e4 && abs($0.y) < 1e4 && abs($0.z) < 1e4 }) else {
      throw ColorProfileError(field: "tag 'rXYZ'", reason: .invalid("red, green and blue do not span a space of colours"))
    }
    return .rgb(toConnection: matrix, red: try curve("rTRC"), green: try curve("gTRC"), blue: try curve("bTRC"))
  }

  private func color(_ signature: String) throws(ColorProfileError) -> SIMD3<Double> {
    let tag = try required(signature)
    try expect("XYZ ", tag, byteCount: 20)
    // In range: the tag lies within the profile.
    let start = tag.range.lowerBound + 8
    return SIMD3(fixed(start), fixed(start + 4), fixed(start + 8))
  }

  /// A signed number with 16 bits behind the point.
  private func fixed(_ position: Int) -> Double {
    Double(Int32(truncatingIfNeeded: number(position))) / 65536
  }

  private func expect(_ type: String, _ tag: Tag, byteCount: Int) throws(ColorProfileError) {
    let found = signature(tag.range.lowerBound)
    guard found == type else {
      throw ColorProfileError(field: "tag '\(tag.signature)'", reason: .invalid("it is a '\(found)', not a '\(type)'"))
    }
    guard tag.range.count >= byteCount else {
      throw ColorProfileError(field: "tag '\(tag.signature)'", reason: .truncated(needed: byteCount, available: tag.range.count))
    }
  }

  // MARK: Curves

  private func curve(_ signature: String) throws(ColorProfileError) -> ToneCurve {
    let tag = try required(signature)
    return self.signature(tag.range.lowerBound) == "para" ? try parametricCurve(tag) : try sampledCurve(tag)
  }

  private func sampledCurve(_ tag: Tag) throws(ColorProfileError) -> ToneCurve {
    try expect("curv", tag, byteCount: 12)
    let start = tag.range.lowerBound
    let count = number(start + 8)
    let size = Extent(count) * 2 + 12
    guard size.fits(tag.range.count) else {
      throw ColorProfileError(field: "tag '\(tag.signature)'", reason: .truncated(needed: size.clamped, available: tag.range.count))
    }
    // In range: the samples lie within the tag.
    let samples = (0..<count).map { UInt16(widening: bytes[start + 12 + 2 * $0]) << 8 | UInt16(widening: bytes[start + 13 + 2 * $0]) }
    switch count {
    case 0: return .linear
    case 1:
      guard samples[0] > 0 else { throw ColorProfileError(field: "tag '\(tag.signature)'", reason: .invalid("its exponent is 0")) }
      return samples[0] == 256 ? .linear : .gamma(Double(samples[0]) / 256)
    default: return .samples(samples)
    }
  }

  private func parametricCurve(_ tag: Tag) throws(ColorProfileError) -> ToneCurve {
    try expect("para", tag, byteCount: 12)
    let start = tag.range.lowerBound
    let kind = number(start + 8) >> 16
    let counts = [1, 3, 4, 5, 7]
    guard counts.indices.contains(kind) else {
      throw ColorProfileError(field: "tag '\(tag.signature)'", reason: .unsupported("a curve of the kind \(kind)"))
    }
    // In range: the counts of the list above.
    try expect("para", tag, byteCount: 12 + 4 * counts[kind])
    let values = (0..<counts[kind]).map { fixed(start + 12 + 4 * $0) }
    let g = values[0]
    let (a, b) = kind == 0 ? (1, 0) : (values[1], values[2])
    guard g > 0, a > 0 else {
      throw ColorProfileError(field: "tag '\(tag.signature)'", reason: .invalid("an exponent of \(g) and a factor of \(a)"))
    }
    switch kind {
    case 0: return g == 1 ? .linear : .gamma(g)
    case 1: return .parametric(g: g, a: a, b: b, c: 0, d: -b / a, e: 0, f: 0)
    case 2: return .parametric(g: g, a: a, b: b, c: 0, d: -b / a, e: values[3], f: values[3])
    case 3: return .parametric(g: g, a: a, b: b, c: values[3], d: values[4], e: 0, f: 0)
    default: return .parametric(g: g, a: a, b: b, c: values[3], d: values[4], e: values[5], f: values[6])
    }
  }
}
