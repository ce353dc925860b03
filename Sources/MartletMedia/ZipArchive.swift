import MartletTensor

// Written by hand, because neither Foundation nor zlib reads archives: only the directory of entries is parsed here, in about 200 lines.
// zlib inflates the entries and computes their checksums.

/// A ZIP archive in memory: stored and deflated entries, with or without the ZIP64 extension.
///
/// Source: PKWARE APPNOTE 6.3. Encrypted and multi-disk archives are not supported.
struct ZipArchive {
  struct Entry {
    var name: String
    fileprivate var method: Int
    fileprivate var checksum: UInt32
    fileprivate var compressedCount: Int
    fileprivate var byteCount: Int
    fileprivate var headerOffset: Int
  }

  let entries: [Entry]
  private let bytes: [UInt8]
  private let name: String

  /// Reads the central directory.
  /// - Parameter name: identifies the archive in errors.
  init(_ bytes: [UInt8], name: String) throws(MediaError) {
    self.bytes = bytes
    self.name = name
    let reader = LittleEndianReader(bytes: bytes, file: name)
    let end = try ZipArchive.endRecordOffset(bytes, name: name)
    var count = try reader.integer(at: end + 10, byteCount: 2, field: "entry count")
    var offset = try reader.integer(at: end + 16, byteCount: 4, field: "directory offset")
    if end >= 20, try reader.integer(at: end - 20, byteCount: 4, field: "ZIP64 locator") == 0x0706_4B50 {
      let end64 = try reader.integer(at: end - 12, byteCount: 8, field: "ZIP64 locator")
      guard try reader.integer(at: end64, byteCount: 4, field: "ZIP64 end record") == 0x0606_4B50 else {
        throw MediaError(file: name, field: "ZIP64 end record", reason: .invalid("has no signature"))
      }
      count = try reader.integer(at: end64 + 32, byteCount: 8, field: "ZIP64 entry count")
      offset = try reader.integer(at: end64 + 48, byteCount: 8, field: "ZIP64 directory offset")
    }
    guard count <= bytes.count / 46 else {
      throw MediaError(file: name, field: "entry count", reason: .invalid("\(count) entries do not fit in the file"))
    }
    var entries: [Entry] = []
    for _ in 0..<count { entries.append(try ZipArchive.directoryEntry(at: &offset, reader)) }
    // Entries that share bytes unfold to any number of times the size of the file.
    let ordered = entries.sorted { $0.headerOffset < $1.headerOffset }
    for (entry, next) in zip(ordered, ordered.dropFirst()) where next.headerOffset - entry.headerOffset < entry.compressedCount {
      throw MediaError(file: name, field: "directory", reason: .invalid("entries '\(entry.name)' and '\(next.name)' overlap"))
    }
    self.entries = entries
  }

  /// The content of an entry, with its checksum verified.
  /// - Parameter maximumByteCount: limit for the declared size of a deflated entry, checked before anything is allocated.
  func content(of entry: Entry, maximumByteCount: Int) throws(MediaError) -> [UInt8] {
    let field = "entry '\(entry.name)'"
    func fault(_ reason: MediaError.Reason) -> MediaError { MediaError(file: name, field: field, reason: reason) }
    let reader = LittleEndianReader(bytes: bytes, file: name)
    guard try reader.integer(at: entry.headerOffset, byteCount: 4, field: field) == 0x0403_4B50 else {
      throw fault(.invalid("its local header has no signature"))
    }
    // The offset passed the check above, so these sums cannot overflow.
    let nameCount = try reader.integer(at: entry.headerOffset + 26, byteCount: 2, field: field)
    let extraCount = try reader.integer(at: entry.headerOffset + 28, byteCount: 2, field: field)
    let start = entry.headerOffset + 30 + nameCount + extraCount
    guard start <= bytes.count, entry.compressedCount <= bytes.count - start else {
      throw fault(.truncated(needed: entry.compressedCount, available: max(0, bytes.count - start)))
    }
    let library = try ZLib.load(file: name, field: field)
    let stored = bytes[start..<start + entry.compressedCount]
    let content: [UInt8]
    switch entry.method {
    case 0:
      guard entry.byteCount == entry.compressedCount else { throw fault(.invalid("a stored entry has two different sizes")) }
      content = [UInt8](stored)
    case 8:
      guard entry.byteCount <= maximumByteCount else {
        throw fault(.tooLarge(declared: entry.byteCount, limit: maximumByteCount))
      }
      do throws(ZLib.Fault) {
        content = try library.inflated(stored, byteCount: entry.byteCount)
      } catch {
        throw fault(.invalid(error.reason))
      }
    default: throw fault(.unsupported("compression method \(entry.method)"))
    }
    guard library.checksum(content[...]) == entry.checksum else { throw fault(.invalid("its checksum does not match")) }
    return content
  }

  /// Encodes an archive of stored entries. Names must be unique.
  /// - Throws: if an entry or the archive exceeds the format's limits without ZIP64: 4 GiB or 65535 entries.
  static func encode(_ files: [(name: String, content: [UInt8])], name: String) throws(MediaError) -> [UInt8] {
    guard files.count < 0xFFFF else {
      throw MediaError(file: name, field: "entry count", reason: .tooLarge(declared: files.count, limit: 0xFFFE))
    }
    let library = try ZLib.load(file: name, field: "checksums")
    var bytes: [UInt8] = []
    var directory: [UInt8] = []
    for file in files {
      let offset = bytes.count
      let nameBytes = Array(file.name.utf8)
      guard nameBytes.count <= 0xFFFF, file.content.count < 0xFFFF_FFFF, offset < 0xFFFF_FFFF else {
        throw MediaError(
          file: name, field: "entry '\(file.name)'", reason: .tooLarge(declared: file.content.count, limit: 0xFFFF_FFFE))
      }
      // Version 2.0, UTF-8 names, stored, 1980-01-01: equal tensors give equal bytes.
      var common: [UInt8] = [20, 0, 0, 8, 0, 0, 0, 0, 0x21, 0]
      common.append(littleEndian: Int(widening: library.checksum(file.content[...])), byteCount: 4)
      common.append(littleEndian: file.content.count, byteCount: 4)
      common.append(littleEndian: file.content.count, byteCount: 4)
      common.append(littleEndian: nameBytes.count, byteCount: 2)
      common.append(littleEndian: 0, byteCount: 2)
      bytes.append(littleEndian: 0x0403_4B50, byteCount: 4)
      bytes += common + nameBytes + file.content
      directory.append(littleEndian: 0x0201_4B50, byteCount: 4)
      directory.append(littleEndian: 20, byteCount: 2)
      directory += common
      // Comment length, disk, internal and external attributes.
      directory.append(contentsOf: repeatElement(0, count: 10))
      directory.append(littleEndian: offset, byteCount: 4)
      directory += nameBytes
    }
    guard bytes.count + directory.count < 0xFFFF_FFFF else {
      throw MediaError(file: name, field: "size", reason: .tooLarge(declared: bytes.count, limit: 0xFFFF_FFFE))
    }
    let directoryOffset = bytes.count
    bytes += directory
    bytes.append(littleEndian: 0x0605_4B50, byteCount: 4)
    bytes.append(littleEndian: 0, byteCount: 4)
    bytes.append(littleEndian: files.count, byteCount: 2)
    bytes.append(littleEndian: files.count, byteCount: 2)
    bytes.append(littleEndian: directory.count, byteCount: 4)
    bytes.append(littleEndian: directoryOffset, byteCount: 4)
    bytes.append(littleEndian: 0, byteCount: 2)
    return bytes
  }

  /// The end record is at the end of the file, followed only by a comment of at most 65535 bytes.
  private static func endRecordOffset(_ bytes: [UInt8], name: String) throws(MediaError) -> Int {
    guard bytes.count >= 22 else {
      throw MediaError(file: name, field: "end record", reason: .truncated(needed: 22, available: bytes.count))
    }
    for offset in stride(from: bytes.count - 22, through: max(0, bytes.count - 22 - 0xFFFF), by: -1)
    where bytes[offset] == 0x50 && bytes[offset + 1] == 0x4B && bytes[offset + 2] == 5 && bytes[offset + 3] == 6 {
      let commentCount = Int(widening: bytes[offset + 20]) | Int(widening: bytes[offset + 21]) << 8
      if offset + 22 + commentCount == bytes.count { return offset }
    }
    throw MediaError(file: name, field: "end record", reason: .invalid("is missing; the file is not a ZIP archive"))
  }

  /// Reads the directory entry at `offset` and advances `offset` past it.
  private static func directoryEntry(
    at offset: inout Int, _ reader: LittleEndianReader
  ) throws(MediaError) -> Entry {
    let field = "directory"
    guard try reader.integer(at: offset, byteCount: 4, field: field) == 0x0201_4B50 else {
      throw MediaError(file: reader.file, field: field, reason: .invalid("an entry has no signature"))
    }
    let flags = try reader.integer(at: offset + 8, byteCount: 2, field: field)
    let method = try reader.integer(at: offset + 10, byteCount: 2, field: field)
    let checksum = try reader.integer(at: offset + 16, byteCount: 4, field: field)
    var compressedCount = try reader.integer(at: offset + 20, byteCount: 4, field: field)
    var byteCount = try reader.integer(at: offset + 24, byteCount: 4, field: field)
    let nameCount = try reader.integer(at: offset + 28, byteCount: 2, field: field)
    let extraCount = try reader.integer(at: offset + 30, byteCount: 2, field: field)
    let commentCount = try reader.integer(at: offset + 32, byteCount: 2, field: field)
    var headerOffset = try reader.integer(at: offset + 42, byteCount: 4, field: field)
    let entryName = String(decoding: try reader.bytes(at: offset + 46, count: nameCount, field: field), as: UTF8.self)
    guard flags & 1 == 0 else {
      throw MediaError(file: reader.file, field: "entry '\(entryName)'", reason: .unsupported("encryption"))
    }
    // The ZIP64 field contains, in this order, those of the three values that are saturated in the entry.
    var extraOffset = offset + 46 + nameCount
    let extraEnd = extraOffset + extraCount
    while extraOffset + 4 <= extraEnd {
      let tag = try reader.integer(at: extraOffset, byteCount: 2, field: field)
      let count = try reader.integer(at: extraOffset + 2, byteCount: 2, field: field)
      if tag == 1 {
        var valueOffset = extraOffset + 4
        let valueEnd = min(valueOffset + count, extraEnd)
        func widen(_ value: inout Int) throws(MediaError) {
          guard value == 0xFFFF_FFFF, valueOffset + 8 <= valueEnd else { return }
          value = try reader.integer(at: valueOffset, byteCount: 8, field: "ZIP64 sizes")
          valueOffset += 8
        }
        try widen(&byteCount)
        try widen(&compressedCount)
        try widen(&headerOffset)
      }
      extraOffset += 4 + count
    }
    offset = extraEnd + commentCount
    return Entry(
      name: entryName, method: method, checksum: UInt32(truncatingIfNeeded: checksum), compressedCount: compressedCount,
      byteCount: byteCount,
      headerOffset: headerOffset)
  }
}

/// Bounds-checked access to little-endian values.
private struct LittleEndianReader {
  let bytes: [UInt8]
  let file: String

  /// A non-negative integer of at most 8 bytes; values beyond `Int.max` are rejected.
  func integer(at offset: Int, byteCount: Int, field: String) throws(MediaError) -> Int {
    var value: UInt64 = 0
    for (index, byte) in try self.bytes(at: offset, count: byteCount, field: field).enumerated() {
      value |= UInt64(widening: byte) << UInt64(clamping: 8 * index)
    }
    guard let result = Int(exactly: value) else {
      throw MediaError(file: file, field: field, reason: .invalid("\(value) is not a valid offset or size"))
    }
    return result
  }

  func bytes(at offset: Int, count: Int, field: String) throws(MediaError) -> ArraySlice<UInt8> {
    guard offset >= 0, offset <= bytes.count, count <= bytes.count - offset else {
      throw MediaError(file: file, field: field, reason: .truncated(needed: count, available: max(0, bytes.count - offset)))
    }
    return bytes[offset..<offset + count]
  }
}

extension [UInt8] {
  fileprivate mutating func append(littleEndian value: Int, byteCount: Int) {
    for index in 0..<byteCount { append(UInt8(truncatingIfNeeded: value >> (8 * index))) }
  }
}
