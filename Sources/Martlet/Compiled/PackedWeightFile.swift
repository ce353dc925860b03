import MartletBytes
import MartletCoreMLFile
import MartletGraph
import MartletLog
import MartletOps
import MartletTensor

/// Packed weights, kept in the file `martlet/packed.bin` of a compiled folder and used in place.
///
/// Layout, little-endian:
/// - a header of 64 bytes: magic, u32 format version, u32 entry count, 16 bytes that identify the compilation, 32 bytes that identify the
///   engine version and the kernel variants;
/// - entries of 56 bytes in ascending order of key: 32 bytes of key, u64 offset, u64 byte count, u64 number of the first checksum;
/// - u32 checksums: one for each block of 64 KiB of each weight, whose last block may be shorter;
/// - the weights, each aligned to 64 bytes.
///
/// A key is a digest of the weight's sources: names and ranges of the constants, layout, parameters.
///
/// A file of another engine, processor or compilation is treated as empty, and a weight that does not match its checksums as missing:
/// the weights are packed again. Checksums are compared when a plan first uses a weight.
struct PackedWeightFile: PackedWeightSource {
  private static let magic: StaticString = "MARTLETP"
  private static let formatVersion: UInt32 = 2
  private static let headerByteCount = 64
  private static let entryByteCount = 56
  private static let blockByteCount = Int(MARTLET_CHECKSUM_BLOCK)

  private struct Entry {
    let offset: UInt64
    let byteCount: UInt64
    let firstChecksum: UInt64
  }

  private let file: ByteView
  private let names: ConstantNames
  private let entryCount: Int

  /// The packed weights of a compiled model; nil if there are none for this engine and processor.
  init?(_ form: CompiledForm) {
    guard let file = form.packedWeights, let count = try? Self.entryCount(file, form.identifier), count > 0 else { return nil }
    self.file = file
    entryCount = count
    names = ConstantNames(form)
  }

  /// Number of entries in the file; 0 if it belongs to another engine, processor or compilation.
  private static func entryCount(_ file: ByteView, _ identifier: CompiledForm.Identifier) throws(FileError) -> Int {
    guard file.hasBytes(magic, at: 0), try file.load(UInt32.self, at: 8) == formatVersion,
      try file.load(UInt64.self, at: 16) == identifier.high, try file.load(UInt64.self, at: 24) == identifier.low,
      try digest(file, at: 32) == host
    else { return 0 }
    let count = Int(widening: try file.load(UInt32.self, at: 12))
    return count <= (file.count - headerByteCount) / entryByteCount ? count : 0
  }

  /// Location of the weight with this key, found by binary search.
  private func entry(_ key: SHA256.Digest) throws(FileError) -> Entry? {
    var (first, end) = (0, entryCount)
    while first < end {
      let middle = (first + end) / 2
      let start = Self.headerByteCount + middle * Self.entryByteCount
      let found = try Self.digest(file, at: start)
      if found == key {
        return Entry(
          offset: try file.load(UInt64.self, at: start + 32), byteCount: try file.load(UInt64.self, at: start + 40),
          firstChecksum: try file.load(UInt64.self, at: start + 48))
      }
      if found.words.lexicographicallyPrecedes(key.words) { first = middle + 1 } else { end = middle }
    }
    return nil
  }

  private static func digest(_ file: ByteView, at offset: Int) throws(FileError) -> SHA256.Digest {
    var words: [UInt64] = []
    for index in 0..<4 { words.append(try file.load(UInt64.self, at: offset + 8 * index)) }
    return SHA256.Digest(words: words)
  }

  /// Identifies the engine's version and the kernel variants of this process.
  private static let host: SHA256.Digest = {
    var hash = SHA256()
    hash.update("\(CompiledForm.engineVersion) \(PackedStore.layoutVariant)")
    return hash.digest()
  }()

  func storage(for sources: [Constant], layout: String, parameters: [Int], byteCount: Int) -> TensorStorage? {
    guard let key = names.key(of: sources, layout: layout, parameters: parameters), let entry = try? entry(key),
      entry.byteCount == UInt64(clamping: byteCount), let bytes = try? file.slice(offset: entry.offset, count: entry.byteCount),
      bytes.isAligned(to: TensorStorage.alignment), (try? hasChecksums(bytes, entry)) == true
    else { return nil }
    return unsafe TensorStorage(reading: bytes.unsafeBaseAddress, byteCount: byteCount, of: file.owner)
  }

  /// Returns true if each block of a weight has the checksum that the file names.
  private func hasChecksums(_ weight: ByteView, _ entry: Entry) throws(FileError) -> Bool {
    let count = (weight.count + Self.blockByteCount - 1) / Self.blockByteCount
    guard let first = Int(exactly: entry.firstChecksum), first <= file.count / 4 else { return false }
    // In range: the counts are at most a quarter of the file's size.
    let table = Self.headerByteCount + entryCount * Self.entryByteCount
    let checksums = try file.slice(offset: table + 4 * first, count: 4 * count)
    for block in 0..<count {
      let start = block * Self.blockByteCount
      let bytes = try weight.slice(offset: start, count: min(Self.blockByteCount, weight.count - start))
      let found = unsafe martlet_block_checksum(bytes.unsafeBaseAddress, bytes.count)
      guard try found == checksums.load(UInt32.self, at: 4 * block) else {
        Log.error("\(file.owner.path): a packed weight is damaged at byte \(bytes.offset) and is packed again")
        return false
      }
    }
    return true
  }

  // MARK: Writing

  /// Content of a file that holds those weights whose constants can be named; nil if there are none.
  /// - Parameter form: the compiled form that the weights were packed from and that the file will belong to.
  static func content(_ weights: [PackedStore.PackedWeight], of form: CompiledForm) -> [UInt8]? {
    let names = ConstantNames(form)
    var kept: [SHA256.Digest: TensorStorage] = [:]
    for weight in weights {
      guard let key = names.key(of: weight.sources, layout: weight.layout, parameters: weight.parameters) else { continue }
      kept[key] = weight.storage
    }
    guard !kept.isEmpty else { return nil }
    var file: [UInt8] = []
    func append(_ number: some FixedWidthInteger) {
      for index in 0..<number.bitWidth / 8 { file.append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
    }
    let sorted = kept.sorted { $0.key.words.lexicographicallyPrecedes($1.key.words) }
    let blockCount = kept.values.reduce(0) { $0 + ($1.byteCount + blockByteCount - 1) / blockByteCount }
    var offset = TensorStorage.alignedByteCount(headerByteCount + kept.count * entryByteCount + 4 * blockCount)
    file.reserveCapacity(offset + kept.values.reduce(0) { $0 + TensorStorage.alignedByteCount($1.byteCount) })
    magic.withUTF8Buffer { unsafe file.append(contentsOf: $0) }
    append(formatVersion)
    append(UInt32(clamping: kept.count))
    append(form.identifier.high)
    append(form.identifier.low)
    for word in host.words { append(word) }
    var checksums: [UInt32] = []
    for (key, storage) in sorted {
      for word in key.words { append(word) }
      append(UInt64(clamping: offset))
      append(UInt64(clamping: storage.byteCount))
      append(UInt64(clamping: checksums.count))
      for start in stride(from: 0, to: storage.byteCount, by: blockByteCount) {
        checksums.append(unsafe martlet_block_checksum(storage.pointer + start, min(blockByteCount, storage.byteCount - start)))
      }
      offset = TensorStorage.alignedByteCount(offset + storage.byteCount)
    }
    for checksum in checksums { append(checksum) }
    for (_, storage) in sorted {
      file.append(contentsOf: repeatElement(0, count: TensorStorage.alignedByteCount(file.count) - file.count))
      unsafe file.append(contentsOf: UnsafeRawBufferPointer(start: storage.pointer, count: storage.byteCount))
    }
    return file
  }
}

/// Names of constants that are the same in every process that loads a compiled folder.
struct ConstantNames: Sendable {
  private struct Region: Sendable {
    let name: String
    let start: UInt
    let byteCount: Int
    let bytes: ByteView
  }

  private let regions: [Region]
  /// Size limit, in bytes, for naming a constant outside all files by its content.
  private static let largestContent = 1 << 16

  init(_ form: CompiledForm) {
    regions = form.files.map { name, bytes in
      Region(name: name, start: unsafe UInt(bitPattern: bytes.unsafeBaseAddress), byteCount: bytes.count, bytes: bytes)
    }
  }

  /// Key of a packed weight; nil if one of its constants has no name.
  func key(of sources: [Constant], layout: String, parameters: [Int]) -> SHA256.Digest? {
    var name = Name()
    name.append(layout)
    name.append(parameters)
    name.append(sources.count)
    for source in sources {
      name.append(source.type)
      name.append(source.strides)
      guard append(source.identity, to: &name) || append(contentOf: source, to: &name) else { return nil }
    }
    var hash = SHA256()
    hash.update(name.bytes)
    return hash.digest()
  }

  /// Appends the names of all file ranges that the constant is made of. Returns false if some bytes lie in no file.
  private func append(_ identity: Constant.Identity, to name: inout Name) -> Bool {
    switch identity {
    case .bytes(let address, let type, let strides):
      guard let region = regions.first(where: { address >= $0.start && address - $0.start < $0.byteCount }) else {
        return false
      }
      name.append(0)
      name.append(region.name)
      name.append(Int(clamping: address - region.start))
      name.append(type)
      name.append(strides)
      return true
    case .computed(let description, let sources):
      name.append(1)
      name.append(description)
      name.append(sources.count)
      return sources.allSatisfy { append($0, to: &name) }
    }
  }

  /// Names a small constant that lies in no file, such as one made by a pass, by its content.
  private func append(contentOf constant: Constant, to name: inout Name) -> Bool {
    guard constant.isStored, let byteCount = HostTensor.byteCount(dtype: constant.type.dtype, shape: constant.type.shape),
      byteCount <= Self.largestContent, constant.isRowMajor,
      let bytes = try? constant.bytes()
    else { return false }
    name.append(2)
    name.append(byteCount)
    unsafe name.bytes.append(contentsOf: UnsafeRawBufferPointer(start: bytes.pointer, count: byteCount))
    withExtendedLifetime(bytes.owner) {}
    return true
  }

  /// A sequence of integers and strings. Each is preceded by its length where that varies.
  private struct Name {
    var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(512) }

    mutating func append(_ number: Int) {
      unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) }
    }

    mutating func append(_ numbers: [Int]) {
      append(numbers.count)
      for number in numbers { append(number) }
    }

    mutating func append(_ text: String) {
      append(text.utf8.count)
      bytes.append(contentsOf: text.utf8)
    }

    mutating func append(_ type: TensorType) {
      append(Int(widening: type.dtype.rawValue))
      append(type.shape)
    }
  }
}
