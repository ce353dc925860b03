/// Decoder of the DEFLATE format (RFC 1951).
struct Inflate {
  enum Fault: Error, Equatable {
    case truncated
    case invalid(String)
    /// The output grows past the expected byte count.
    case tooLong

    var reason: String {
      switch self {
      case .truncated: "the compressed data ends early"
      case .invalid(let reason): reason
      case .tooLong: "the data expands past its declared size"
      }
    }
  }

  private let input: ArraySlice<UInt8>
  private var position: Int
  /// Bits taken from the input but not used; the next one is the lowest.
  private var bits: UInt64 = 0
  private var bitCount = 0
  private var output: [UInt8] = []
  private let byteCount: Int

  private init(_ input: ArraySlice<UInt8>, byteCount: Int) {
    self.input = input
    position = input.startIndex
    self.byteCount = byteCount
    // A declared size is only a claim: 1032 is the format's largest expansion.
    output.reserveCapacity(min(byteCount, input.count.multipliedReportingOverflow(by: 1032).partialValue, 1 << 28))
  }

  /// - Parameter byteCount: the exact size of the result, declared by the container.
  static func decode(_ input: ArraySlice<UInt8>, byteCount: Int) throws(Fault) -> [UInt8] {
    var decoder = Inflate(input, byteCount: byteCount)
    var isLast = false
    while !isLast {
      isLast = try decoder.takeBits(1) == 1
      switch try decoder.takeBits(2) {
      case 0: try decoder.copyStoredBlock()
      case 1: try decoder.decodeBlock(literals: fixedLiterals, distances: fixedDistances)
      case 2:
        let (literals, distances) = try decoder.readDynamicCodes()
        try decoder.decodeBlock(literals: literals, distances: distances)
      default: throw .invalid("a block has the reserved type 3")
      }
    }
    guard decoder.output.count == byteCount else {
      throw .invalid("the data expands to \(decoder.output.count) bytes, \(byteCount) are declared")
    }
    return decoder.output
  }

  // MARK: Bits

  /// Fills the bit store as far as the input reaches; at least 32 bits unless the input ends.
  private mutating func refill() {
    while bitCount <= 56, position < input.endIndex {
      bits |= UInt64(input[position]) << UInt64(bitCount)
      position += 1
      bitCount += 8
    }
  }

  private mutating func takeBits(_ count: Int) throws(Fault) -> Int {
    if bitCount < count {
      refill()
      guard bitCount >= count else { throw .truncated }
    }
    let value = Int(bits & ((1 << UInt64(count)) - 1))
    bits >>= UInt64(count)
    bitCount -= count
    return value
  }

  private mutating func takeSymbol(_ code: HuffmanCode) throws(Fault) -> Int {
    if bitCount < HuffmanCode.maximumLength { refill() }
    guard let (symbol, length) = code.symbol(of: bits) else { throw .invalid("a code is not assigned") }
    guard length <= bitCount else { throw .truncated }
    bits >>= UInt64(length)
    bitCount -= length
    return symbol
  }

  // MARK: Blocks

  private mutating func copyStoredBlock() throws(Fault) {
    _ = try takeBits(bitCount % 8)
    let count = try takeBits(16)
    let complement = try takeBits(16)
    guard count == complement ^ 0xFFFF else { throw .invalid("the length of a stored block contradicts its complement") }
    guard count <= byteCount - output.count else { throw .tooLong }
    var left = count
    while left > 0, bitCount > 0 {
      output.append(UInt8(try takeBits(8)))
      left -= 1
    }
    guard left <= input.endIndex - position else { throw .truncated }
    output.append(contentsOf: input[position..<position + left])
    position += left
  }

  private mutating func decodeBlock(literals: HuffmanCode, distances: HuffmanCode) throws(Fault) {
    while true {
      let symbol = try takeSymbol(literals)
      if symbol < 256 {
        guard output.count < byteCount else { throw .tooLong }
        output.append(UInt8(symbol))
        continue
      }
      if symbol == 256 { return }
      guard symbol - 257 < Self.lengthBases.count else { throw .invalid("length symbol \(symbol) does not exist") }
      let length = Self.lengthBases[symbol - 257] + (try takeBits(Self.lengthExtraBits[symbol - 257]))
      let distanceSymbol = try takeSymbol(distances)
      guard distanceSymbol < Self.distanceBases.count else {
        throw .invalid("distance symbol \(distanceSymbol) does not exist")
      }
      let distance = Self.distanceBases[distanceSymbol] + (try takeBits(Self.distanceExtraBits[distanceSymbol]))
      guard distance <= output.count else { throw .invalid("a distance reaches before the start of the data") }
      guard length <= byteCount - output.count else { throw .tooLong }
      // The source may overlap what is being written: a run repeats its own start.
      for source in output.count - distance..<output.count - distance + length { output.append(output[source]) }
    }
  }

  private mutating func readDynamicCodes() throws(Fault) -> (literals: HuffmanCode, distances: HuffmanCode) {
    let literalCount = try takeBits(5) + 257
    let distanceCount = try takeBits(5) + 1
    let lengthCodeCount = try takeBits(4) + 4
    guard literalCount <= 286, distanceCount <= 30 else { throw .invalid("a block declares too many symbols") }
    var lengthLengths = [UInt8](repeating: 0, count: 19)
    for index in 0..<lengthCodeCount { lengthLengths[Self.lengthCodeOrder[index]] = UInt8(try takeBits(3)) }
    let lengthCode = try HuffmanCode(lengths: lengthLengths[...])

    var lengths: [UInt8] = []
    while lengths.count < literalCount + distanceCount {
      let symbol = try takeSymbol(lengthCode)
      var value: UInt8 = 0
      var count = 1
      switch symbol {
      case 0...15: value = UInt8(symbol)
      case 16:
        guard let last = lengths.last else { throw .invalid("a repeated code length has no predecessor") }
        value = last
        count = try takeBits(2) + 3
      case 17: count = try takeBits(3) + 3
      default: count = try takeBits(7) + 11
      }
      guard count <= literalCount + distanceCount - lengths.count else { throw .invalid("too many code lengths") }
      lengths.append(contentsOf: repeatElement(value, count: count))
    }
    guard lengths[256] != 0 else { throw .invalid("a block has no end symbol") }
    return (
      try HuffmanCode(lengths: lengths[..<literalCount]), try HuffmanCode(lengths: lengths[literalCount...])
    )
  }

  // MARK: Tables (RFC 1951, 3.2.5 to 3.2.7)

  private static let lengthCodeOrder = [16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15]
  private static let lengthBases = [
    3, 4, 5, 6, 7, 8, 9, 10, 11, 13, 15, 17, 19, 23, 27, 31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258,
  ]
  private static let lengthExtraBits = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
  ]
  private static let distanceBases = [
    1, 2, 3, 4, 5, 7, 9, 13, 17, 25, 33, 49, 65, 97, 129, 193, 257, 385, 513, 769, 1025, 1537, 2049, 3073, 4097, 6145,
    8193, 12289, 16385, 24577,
  ]
  private static let distanceExtraBits = [
    0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13,
  ]
  private static let fixedLiterals: HuffmanCode = {
    var lengths = [UInt8](repeating: 8, count: 288)
    for symbol in 144..<256 { lengths[symbol] = 9 }
    for symbol in 256..<280 { lengths[symbol] = 7 }
    return HuffmanCode(complete: lengths)
  }()
  private static let fixedDistances = HuffmanCode(complete: [UInt8](repeating: 5, count: 32))
}

/// A canonical prefix code: shorter codes first, equal lengths in the order of their symbols.
private struct HuffmanCode {
  static let maximumLength = 15
  private static let tableBits = 9
  /// For each value of the next `tableBits` bits: symbol << 4 | length, or 0 where the code is longer or not assigned.
  private var table = [UInt16](repeating: 0, count: 1 << tableBits)
  /// Number of codes of each length.
  private var counts = [Int](repeating: 0, count: maximumLength + 1)
  /// Symbols in the order of their codes.
  private var symbols: [UInt16] = []

  /// - Parameter lengths: the code length of each symbol, 0 for symbols that do not occur.
  /// - Throws: if the lengths ask for more codes than exist, or leave codes over. A code of at most one symbol may be
  ///   incomplete, as encoders write it where a block has no or only one distance.
  init(lengths: ArraySlice<UInt8>) throws(Inflate.Fault) {
    for length in lengths { counts[Int(length)] += 1 }
    let used = lengths.count - counts[0]
    counts[0] = 0
    var left = 1
    for length in 1...Self.maximumLength {
      left = left * 2 - counts[length]
      guard left >= 0 else { throw .invalid("a prefix code is over-subscribed") }
    }
    guard left == 0 || used <= 1 else { throw .invalid("a prefix code is incomplete") }
    build(lengths)
  }

  /// A code known to be complete.
  init(complete lengths: [UInt8]) {
    for length in lengths { counts[Int(length)] += 1 }
    build(lengths[...])
  }

  private mutating func build(_ lengths: ArraySlice<UInt8>) {
    var nextCode = [Int](repeating: 0, count: Self.maximumLength + 1)
    var nextSlot = [Int](repeating: 0, count: Self.maximumLength + 1)
    for length in 1..<Self.maximumLength {
      nextCode[length + 1] = (nextCode[length] + counts[length]) << 1
      nextSlot[length + 1] = nextSlot[length] + counts[length]
    }
    symbols = [UInt16](repeating: 0, count: counts.reduce(0, +))
    for (symbol, codeLength) in lengths.enumerated() where codeLength > 0 {
      let length = Int(codeLength)
      symbols[nextSlot[length]] = UInt16(symbol)
      nextSlot[length] += 1
      if length <= Self.tableBits {
        var reversed = 0
        for bit in 0..<length where nextCode[length] >> bit & 1 == 1 { reversed |= 1 << (length - 1 - bit) }
        for entry in stride(from: reversed, to: table.count, by: 1 << length) {
          table[entry] = UInt16(symbol << 4 | length)
        }
      }
      nextCode[length] += 1
    }
  }

  /// The symbol whose code `bits` starts with (lowest bit first), and the code's length; nil if none has such a code.
  func symbol(of bits: UInt64) -> (symbol: Int, length: Int)? {
    let entry = Int(table[Int(bits & UInt64(table.count - 1))])
    if entry != 0 { return (entry >> 4, entry & 15) }
    // `code` is the prefix read so far, `first` the first code of its length, `slot` that code's place in `symbols`.
    var code = 0
    var first = 0
    var slot = 0
    for length in 1...Self.maximumLength {
      code |= Int(bits >> UInt64(length - 1) & 1)
      let offset = code - first
      if offset < counts[length] { return (Int(symbols[slot + offset]), length) }
      slot += counts[length]
      first = (first + counts[length]) << 1
      code <<= 1
    }
    return nil
  }
}
