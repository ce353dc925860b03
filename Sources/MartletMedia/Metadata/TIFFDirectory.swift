import MartletTensor

/// A value of a TIFF directory.
package enum TIFFValue: Sendable, Equatable {
  case integers([Int])
  /// Quotients of two numbers of 32 bits, and floating-point numbers.
  case numbers([Double])
  case text(String)
  /// Bytes whose meaning the tag gives.
  case bytes([UInt8])
}

/// Values by their tags.
///
/// Source: TIFF 6.0, section 2.
package struct TIFFDirectory: Sendable, Equatable {
  package var values: [Int: TIFFValue] = [:]

  package init() {}

  package subscript(tag: Int) -> TIFFValue? {
    get { values[tag] }
    set { values[tag] = newValue }
  }
}

/// A TIFF block that holds EXIF data: its directories, one level deep.
///
/// Source: Exif 2.32, 4.5 and 4.6.
package struct ExifBlock: Sendable, Equatable {
  package var main = TIFFDirectory()
  package var exif = TIFFDirectory()
  package var gps = TIFFDirectory()
  /// A small picture in JPEG format.
  package private(set) var thumbnail: [UInt8]?

  package init() {}

  /// Tags of positions of further directories and of the small picture.
  private enum Link {
    static let exif = 0x8769
    static let gps = 0x8825
    static let interoperability = 0xA005
    static let thumbnail = 0x0201
    static let thumbnailByteCount = 0x0202
    static let all: Set = [exif, gps, interoperability, thumbnail, thumbnailByteCount]
  }

  /// Reads a block. Values that lie outside of it are left out; each directory is read once, and no link of a subdirectory is followed.
  /// - Parameter name: identifies the block in errors.
  /// - Throws: if the header or a directory is damaged, or if values overlap so much that they take more memory than the limit.
  package init(
    _ block: ArraySlice<UInt8>, name: String = "EXIF data", limits: PictureLimits = .standard
  ) throws(MediaError) {
    let order: OrderedBytes.Order
    if block.starts(with: [0x49, 0x49]) {
      order = .littleEndian
    } else if block.starts(with: [0x4D, 0x4D]) {
      order = .bigEndian
    } else {
      throw MediaError(file: name, field: "TIFF header", reason: .invalid("has no byte order"))
    }
    var reader = TIFFReader(bytes: OrderedBytes(block, order), name: name, budget: limits.metadataByteCount)
    guard reader.bytes.integer(at: 2, byteCount: 2) == 42, let first = reader.bytes.integer(at: 4, byteCount: 4) else {
      throw MediaError(file: name, field: "TIFF header", reason: .invalid("is not that of a TIFF block"))
    }
    let next: Int
    (main, next) = try reader.directory(at: first)
    // A block is of use without a subdirectory that is damaged.
    func linked(_ tag: Int, _ reader: inout TIFFReader) throws(MediaError) -> TIFFDirectory {
      guard case .integers(let positions)? = main[tag], let position = positions.first, reader.hasDirectory(at: position) else {
        return TIFFDirectory()
      }
      return try reader.directory(at: position).directory
    }
    exif = try linked(Link.exif, &reader)
    gps = try linked(Link.gps, &reader)
    if next != 0, reader.hasDirectory(at: next) {
      let second = try reader.directory(at: next).directory
      if case .integers(let start)? = second[Link.thumbnail], case .integers(let count)? = second[Link.thumbnailByteCount],
        start.count == 1, count.count == 1, let part = reader.bytes.part(at: start[0], count: count[0])
      {
        thumbnail = Array(part)
      }
    }
    for tag in Link.all {
      main[tag] = nil
      exif[tag] = nil
      gps[tag] = nil
    }
  }

  /// The block as it is written: big-endian, without a small picture.
  package var bytes: [UInt8] {
    var writer = TIFFWriter()
    let links = [(Link.exif, exif), (Link.gps, gps)].filter { !$0.1.values.isEmpty }
    return writer.block(main, links)
  }
}

/// Reads directories of a block.
private struct TIFFReader {
  let bytes: OrderedBytes
  let name: String
  /// Bytes of values that may still be read. Values may overlap, so that they can be far larger than the block.
  var budget: Int

  func hasDirectory(at position: Int) -> Bool { bytes.integer(at: position, byteCount: 2) != nil }

  /// A directory and the position of the one after it, 0 for none.
  mutating func directory(at position: Int) throws(MediaError) -> (directory: TIFFDirectory, next: Int) {
    guard let count = bytes.integer(at: position, byteCount: 2) else {
      throw MediaError(file: name, field: "TIFF directory", reason: .truncated(needed: position, available: bytes.count))
    }
    var directory = TIFFDirectory()
    // In range: a position of 32 bits plus entries of 12 bytes, whose number has 16 bits.
    for entry in (0..<count).map({ position + 2 + 12 * $0 }) {
      guard let tag = bytes.integer(at: entry, byteCount: 2), let kind = bytes.integer(at: entry + 2, byteCount: 2),
        let valueCount = bytes.integer(at: entry + 4, byteCount: 4)
      else {
        throw MediaError(
          file: name, field: "TIFF directory", reason: .truncated(needed: position + 2 + 12 * count, available: bytes.count))
      }
      guard let kind = TIFFKind(rawValue: kind), directory[tag] == nil,
        let byteCount = (Extent(valueCount) * kind.byteCount).value
      else { continue }
      // Up to four bytes are in the entry itself, more elsewhere.
      guard let start = byteCount <= 4 ? entry + 8 : bytes.integer(at: entry + 8, byteCount: 4),
        let stored = bytes.part(at: start, count: byteCount)
      else { continue }
      // A number takes eight bytes in memory.
      budget -= max(byteCount, 8 * valueCount)  // In range: the values lie within the block.
      guard budget >= 0 else {
        throw MediaError(file: name, field: "values of a TIFF directory", reason: .invalid("overlap and take too much memory"))
      }
      directory[tag] = value(OrderedBytes(stored, bytes.order), kind, count: valueCount)
    }
    // In range: as above.
    return (directory, bytes.integer(at: position + 2 + 12 * count, byteCount: 4) ?? 0)
  }

  private func value(_ stored: OrderedBytes, _ kind: TIFFKind, count: Int) -> TIFFValue {
    func integer(_ index: Int, _ byteCount: Int) -> Int { stored.integer(at: index * byteCount, byteCount: byteCount) ?? 0 }
    func signed(_ index: Int, _ byteCount: Int) -> Int {
      let shift = 64 - 8 * byteCount
      return (integer(index, byteCount) << shift) >> shift
    }
    func quotient(_ numerator: Int, _ denominator: Int) -> Double { Double(numerator) / Double(denominator) }
    // In range: indices of values that lie within the block.
    switch kind {
    case .text:
      let text = stored.bytes.prefix { $0 != 0 }
      return .text(
        String(validating: text, as: UTF8.self) ?? String(String.UnicodeScalarView(text.map { Unicode.Scalar($0) })))
    case .undefined: return .bytes(Array(stored.bytes))
    case .byte, .short, .long: return .integers((0..<count).map { integer($0, kind.byteCount) })
    case .signedByte, .signedShort, .signedLong: return .integers((0..<count).map { signed($0, kind.byteCount) })
    case .rational: return .numbers((0..<count).map { quotient(integer(2 * $0, 4), integer(2 * $0 + 1, 4)) })
    case .signedRational: return .numbers((0..<count).map { quotient(signed(2 * $0, 4), signed(2 * $0 + 1, 4)) })
    case .float: return .numbers((0..<count).map { Double(Float(bitPattern: UInt32(truncatingIfNeeded: integer($0, 4)))) })
    case .double:
      return .numbers(
        (0..<count).map { index in
          let halves = (integer(2 * index, 4), integer(2 * index + 1, 4))
          let (high, low) = stored.order == .bigEndian ? halves : (halves.1, halves.0)
          let pattern = UInt64(truncatingIfNeeded: high) << 32 | UInt64(truncatingIfNeeded: low)
          return Double(bitPattern: pattern)
        })
    }
  }
}

/// Types of values with their numbers in the format.
private enum TIFFKind: Int {
  case byte = 1
  case text = 2
  case short = 3
  case long = 4
  case rational = 5
  case signedByte = 6
  case undefined = 7
  case signedShort = 8
  case signedLong = 9
  case signedRational = 10
  case float = 11
  case double = 12

  var byteCount: Int {
    switch self {
    case .byte, .text, .signedByte, .undefined: 1
    case .short, .signedShort: 2
    case .long, .signedLong, .float: 4
    case .rational, .signedRational, .double: 8
    }
  }
}

/// Writes directories of a block.
private struct TIFFWriter {
  private let order = OrderedBytes.Order.bigEndian

  /// A directory, and behind it those that it links to by tags.
  mutating func block(_ main: TIFFDirectory, _ links: [(tag: Int, directory: TIFFDirectory)]) -> [UInt8] {
    // Signature, 42, and the position of the first directory.
    var result: [UInt8] = [0x4D, 0x4D, 0, 42, 0, 0, 0, 8]
    var directory = main
    // Positions are known once the size of what precedes them is, which does not depend on their values.
    for link in links { directory[link.tag] = .integers([1 << 30]) }
    var position = result.count + encoded(directory, at: result.count).count
    for link in links {
      directory[link.tag] = .integers([position])
      position += encoded(link.directory, at: position).count
    }
    result += encoded(directory, at: result.count)
    for link in links { result += encoded(link.directory, at: result.count) }
    return result
  }

  /// A directory with its values behind it.
  private func encoded(_ directory: TIFFDirectory, at position: Int) -> [UInt8] {
    let entries = directory.values.sortedByKey
    var table: [UInt8] = []
    var values: [UInt8] = []
    order.append(entries.count, byteCount: 2, to: &table)
    // In range: sizes of values in memory.
    let valuesStart = position + 2 + 12 * entries.count + 4
    for (tag, value) in entries {
      let (kind, count, content) = stored(value, tag)
      order.append(tag, byteCount: 2, to: &table)
      order.append(kind.rawValue, byteCount: 2, to: &table)
      order.append(count, byteCount: 4, to: &table)
      if content.count <= 4 {
        table += content + [UInt8](repeating: 0, count: 4 - content.count)
      } else {
        order.append(valuesStart + values.count, byteCount: 4, to: &table)
        values += content
        // Values begin at even positions.
        if values.count % 2 == 1 { values.append(0) }
      }
    }
    order.append(0, byteCount: 4, to: &table)
    return table + values
  }

  private func stored(_ value: TIFFValue, _ tag: Int) -> (TIFFKind, count: Int, [UInt8]) {
    var content: [UInt8] = []
    switch value {
    case .text(let text):
      content = Array(text.utf8) + [0]
      return (.text, content.count, content)
    case .bytes(let bytes): return (.undefined, bytes.count, bytes)
    case .integers(let values):
      let kind: TIFFKind =
        if values.contains(where: { $0 < 0 }) { .signedLong } else { values.contains { $0 > 0xFFFF } ? .long : .short }
      // Versions of the GPS data and references to sea level are bytes.
      let isByte = tag < 0x20 && values.allSatisfy { (0...255).contains($0) }
      for value in values { order.append(value, byteCount: isByte ? 1 : kind.byteCount, to: &content) }
      return (isByte ? .byte : kind, values.count, content)
    case .numbers(let values):
      let isSigned = values.contains { $0 < 0 }
      for value in values {
        let (numerator, denominator) = Self.fraction(value)
        order.append(numerator, byteCount: 4, to: &content)
        order.append(denominator, byteCount: 4, to: &content)
      }
      return (isSigned ? .signedRational : .rational, values.count, content)
    }
  }

  /// The fraction of numbers below 2³¹ with the smallest denominator that is as close as floating-point numbers of 32 bits are.
  private static func fraction(_ value: Double) -> (Int, Int) {
    guard value.isFinite, abs(value) < 2_147_483_647 else { return (value > 0 ? 2_147_483_647 : value < 0 ? -2_147_483_647 : 0, 1) }
    // Continued fractions: each step adds the next term.
    var (numerators, denominators) = ((0.0, 1.0), (1.0, 0.0))
    var rest = abs(value)
    for _ in 0..<32 {
      let term = rest.rounded(.down)
      let next = (numerators.0 + term * numerators.1, denominators.0 + term * denominators.1)
      guard next.0 < 2_147_483_647, next.1 < 2_147_483_647 else { break }
      (numerators, denominators) = ((numerators.1, next.0), (denominators.1, next.1))
      if abs(next.0 / next.1 - abs(value)) <= abs(value) * 1e-9 || rest == term { break }
      rest = 1 / (rest - term)
    }
    let numerator = Int(exactly: numerators.1) ?? 0
    return (value < 0 ? -numerator : numerator, max(Int(exactly: denominators.1) ?? 1, 1))
  }
}
