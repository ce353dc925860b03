import MartletTensor

/// Byte strings and their ids. A string has one id; ids need not be dense.
struct Vocabulary: Sendable {
  /// The strings, one after the other in the order in which they were inserted.
  private var bytes: [UInt8] = []
  private var starts: [UInt32] = [0]
  private var ids: [Int32] = []
  /// Parts of the hashes above, the numbers of the strings plus one below; 0 for none.
  private var table: [UInt64]
  /// The number of the string of each id; -1 for none.
  private var strings: [Int32] = []

  /// - Parameters: how many strings and bytes there will be about, at most what a file has.
  init(stringCount: Int = 0, byteCount: Int = 0) {
    var size = 16
    while size < 2 * stringCount { size *= 2 }
    table = Array(repeating: 0, count: size)
    bytes.reserveCapacity(byteCount)
    starts.reserveCapacity(stringCount + 1)
    ids.reserveCapacity(stringCount)
    strings.reserveCapacity(stringCount)
  }

  var count: Int { ids.count }
  /// One more than the largest id.
  var idEnd: Int { strings.count }
  /// Bytes of all strings.
  var byteCount: Int { bytes.count }

  /// The id of a string; -1 if there is none.
  @inline(__always)
  func id(_ key: UnsafeBufferPointer<UInt8>) -> Int32 {
    unsafe id(key, hash: ByteHash.hash(key))
  }

  @inline(__always)
  func id(_ key: UnsafeBufferPointer<UInt8>, hash: UInt64) -> Int32 {
    let mask = table.count &- 1
    var slot = Int(truncatingIfNeeded: hash) & mask
    while true {
      let entry = table[slot]
      if entry == 0 { return -1 }
      if entry >> 32 == hash >> 32 {
        let number = Int(truncatingIfNeeded: entry & 0xFFFF_FFFF) &- 1
        if unsafe isEqual(number, key) { return ids[number] }
      }
      slot = (slot &+ 1) & mask
    }
  }

  func id(_ key: [UInt8]) -> Int32 { unsafe key.withUnsafeBufferPointer { unsafe id($0) } }

  func id(_ key: String) -> Int32 {
    var key = key
    return key.withUTF8 { unsafe id($0) }
  }

  @inline(__always)
  private func isEqual(_ number: Int, _ key: UnsafeBufferPointer<UInt8>) -> Bool {
    let start = Int(widening: starts[number])
    let count = Int(widening: starts[number &+ 1]) &- start
    guard count == key.count else { return false }
    return unsafe bytes.withUnsafeBufferPointer { bytes in
      for index in 0..<count where unsafe bytes[start &+ index] != key[index] { return false }
      return true
    }
  }

  /// Adds a string; false if it is there already and keeps its id.
  ///
  /// - Parameter replaces: whether a string that is there gets the new id, too, and is found by it.
  mutating func insert(_ key: UnsafeBufferPointer<UInt8>, id: Int, replaces: Bool = false) throws(TokenizerError) -> Bool {
    guard id >= 0, id < TokenizerLimits.tokenCount else {
      throw TokenizerError("the id \(id) is not between 0 and \(TokenizerLimits.tokenCount - 1)")
    }
    guard key.count <= TokenizerLimits.tokenByteCount, bytes.count <= TokenizerLimits.fileByteCount else {
      throw TokenizerError("a token has more than \(TokenizerLimits.tokenByteCount) bytes")
    }
    let hash = unsafe ByteHash.hash(key)
    var slot = Int(truncatingIfNeeded: hash) & (table.count &- 1)
    while table[slot] != 0 {
      let entry = table[slot]
      let number = Int(truncatingIfNeeded: entry & 0xFFFF_FFFF) &- 1
      if unsafe entry >> 32 == hash >> 32 && isEqual(number, key) {
        guard replaces else { return false }
        ids[number] = Int32(clamping: id)
        name(number, id)
        return true
      }
      slot = (slot &+ 1) & (table.count &- 1)
    }
    table[slot] = hash & 0xFFFF_FFFF_0000_0000 | UInt64(clamping: ids.count + 1)
    unsafe bytes.append(contentsOf: key)
    starts.append(UInt32(clamping: bytes.count))
    name(ids.count, id)
    ids.append(Int32(clamping: id))
    if ids.count * 2 > table.count { growTable() }
    return true
  }

  mutating func insert(_ key: [UInt8], id: Int, replaces: Bool = false) throws(TokenizerError) -> Bool {
    try unsafe key.withUnsafeBufferPointer { (key) throws(TokenizerError) in try unsafe insert(key, id: id, replaces: replaces) }
  }

  /// Gives a string an id. A second string with the same id is found by its text only.
  private mutating func name(_ number: Int, _ id: Int) {
    if id >= strings.count { strings.append(contentsOf: repeatElement(-1, count: id + 1 - strings.count)) }
    if strings[id] < 0 { strings[id] = Int32(clamping: number) }
  }

  private mutating func growTable() {
    table = Array(repeating: 0, count: table.count * 2)
    for number in ids.indices {
      let hash = unsafe withString(number) { unsafe ByteHash.hash($0) }
      var slot = Int(truncatingIfNeeded: hash) & (table.count &- 1)
      while table[slot] != 0 { slot = (slot &+ 1) & (table.count &- 1) }
      table[slot] = hash & 0xFFFF_FFFF_0000_0000 | UInt64(clamping: number + 1)
    }
  }

  private func withString<Result>(_ number: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    let range = Int(widening: starts[number])..<Int(widening: starts[number &+ 1])
    return unsafe bytes.withUnsafeBufferPointer { unsafe body(UnsafeBufferPointer(rebasing: $0[range])) }
  }

  /// Calls `body` with the string of an id; nil if there is none.
  func withBytes<Result>(of id: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result? {
    guard id >= 0, id < strings.count, strings[id] >= 0 else { return nil }
    return unsafe withString(Int(widening: strings[id]), body)
  }

  func bytes(of id: Int) -> [UInt8]? { unsafe withBytes(of: id) { unsafe Array($0) } }

  func contains(id: Int) -> Bool { id >= 0 && id < strings.count && strings[id] >= 0 }
}
