import MartletTensor

/// Reads the forms of `UnicodeTables`: numbers of seven bits a byte, in base 64.
struct UnicodeTableReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ table: StaticString) {
    bytes = table.withUTF8Buffer { unsafe Base64.decoded($0) } ?? []
  }

  private mutating func next() -> UInt32? {
    var value: UInt32 = 0
    var shift: UInt32 = 0
    while position < bytes.count {
      let byte = bytes[position]
      position &+= 1
      value |= UInt32(widening: byte & 0x7F) << shift
      if byte < 0x80 { return value }
      shift &+= 7
    }
    return nil
  }

  /// Runs of equal numbers over all code points.
  static func runs(_ table: StaticString) -> [(range: ClosedRange<UInt32>, value: Int)] {
    var reader = UnicodeTableReader(table)
    var runs: [(range: ClosedRange<UInt32>, value: Int)] = []
    var start: UInt32 = 0
    while let length = reader.next(), let value = reader.next() {
      runs.append((start...start &+ length &- 1, Int(widening: value)))
      start &+= length
    }
    return runs
  }

  static func set(_ table: StaticString) -> ScalarSet {
    var reader = UnicodeTableReader(table)
    var ranges: [ClosedRange<UInt32>] = []
    var start: UInt32 = 0
    while let outside = reader.next(), let inside = reader.next() {
      start &+= outside
      ranges.append(start...start &+ inside &- 1)
      start &+= inside
    }
    return ScalarSet(ranges)
  }

  static func mapping(_ table: StaticString) -> [UInt32: [UInt32]] {
    var reader = UnicodeTableReader(table)
    var mapping: [UInt32: [UInt32]] = [:]
    var scalar: UInt32 = 0
    while let distance = reader.next(), let count = reader.next() {
      scalar &+= distance
      mapping[scalar] = (0..<count).compactMap { _ in reader.next() }
    }
    return mapping
  }
}

/// Base 64 as of RFC 4648, with padding.
enum Base64 {
  private static let values: [UInt8] = {
    var values = [UInt8](repeating: 0xFF, count: 256)
    let alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
    for (index, letter) in alphabet.utf8.enumerated() { values[Int(widening: letter)] = UInt8(clamping: index) }
    return values
  }()

  static func decoded(_ text: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
    var result: [UInt8] = []
    return unsafe append(text, to: &result) ? result : nil
  }

  /// Appends the bytes that a text stands for; false if it is no such text.
  static func append(_ text: UnsafeBufferPointer<UInt8>, to result: inout [UInt8]) -> Bool {
    guard text.count % 4 == 0 else { return false }
    let values = Base64.values
    var index = 0
    while index < text.count {
      var bits: UInt32 = 0
      var count = 3
      for place in 0..<4 {
        // In range: `index` is a multiple of four below the count, which is one, too.
        let letter = unsafe text[index &+ place]
        var value = values[Int(widening: letter)]
        let isLast = unsafe place == 3 || text[index &+ 3] == letter
        if letter == UInt8(ascii: "="), index &+ 4 == text.count, place >= 2, isLast {
          value = 0
          count = min(count, place &- 1)
        }
        guard value != 0xFF else { return false }
        bits = bits << 6 | UInt32(widening: value)
      }
      if count < 3, bits << UInt32(clamping: 8 &+ 8 &* count) != 0 { return false }
      result.append(UInt8(truncatingIfNeeded: bits >> 16))
      if count > 1 { result.append(UInt8(truncatingIfNeeded: bits >> 8)) }
      if count > 2 { result.append(UInt8(truncatingIfNeeded: bits)) }
      index &+= 4
    }
    return true
  }
}
