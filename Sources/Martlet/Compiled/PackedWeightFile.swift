import MartletBytes
import MartletCoreMLFile
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor

/// Weights as kernels want them, kept in the file `martlet/packed.bin` of a compiled folder and used where they lie in it.
///
/// Layout, little-endian: a header of 64 bytes (magic, u32 version of the format, u32 count of entries, the 16 bytes that identify the
/// compilation, 32 bytes that stand for engine and kernels), entries of 48 bytes (32 bytes of key, u64 offset, u64 byte count; by ascending key), and
/// the weights, each aligned to 64 bytes. Keys are digests of what a weight is made of: names and places of constants, layout, parameters.
///
/// A file of another engine, processor or compilation, or a damaged one, has no weights: they are packed anew, as without it.
struct PackedWeightFile: PackedWeightSource {
  private static let magic: StaticString = "MARTLETP"
  private static let formatVersion: UInt32 = 1
  private static let headerByteCount = 64
  private static let entryByteCount = 48

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

  /// How many entries the file has; none if it is of another engine, processor or compilation.
  private static func entryCount(_ file: ByteView, _ identifier: CompiledForm.Identifier) throws(FileError) -> Int {
    guard file.hasBytes(magic, at: 0), try file.load(UInt32.self, at: 8) == formatVersion,
      try file.load(UInt64.self, at: 16) == identifier.high, try file.load(UInt64.self, at: 24) == identifier.low,
      try digest(file, at: 32) == host
    else { return 0 }
    let count = Int(try file.load(UInt32.self, at: 12))
    return count <= (file.count - headerByteCount) / entryByteCount ? count : 0
  }

  /// The place of the weight with this key: entries are sorted by key.
  private func entry(_ key: SHA256.Digest) throws(FileError) -> (offset: UInt64, byteCount: UInt64)? {
    var (first, end) = (0, entryCount)
    while first < end {
      let middle = (first + end) / 2
      let start = Self.headerByteCount + middle * Self.entryByteCount
      let found = try Self.digest(file, at: start)
      if found == key { return (try file.load(UInt64.self, at: start + 32), try file.load(UInt64.self, at: start + 40)) }
      if found.words.lexicographicallyPrecedes(key.words) { first = middle + 1 } else { end = middle }
    }
    return nil
  }

  private static func digest(_ file: ByteView, at offset: Int) throws(FileError) -> SHA256.Digest {
    var words: [UInt64] = []
    for index in 0..<4 { words.append(try file.load(UInt64.self, at: offset + 8 * index)) }
    return SHA256.Digest(words: words)
  }

  /// Stands for the engine's version and its kernels' variants in this process.
  private static let host: SHA256.Digest = {
    var hash = SHA256()
    hash.update("\(CompiledForm.engineVersion) \(KernelVariant.name)")
    return hash.digest()
  }()

  func storage(for sources: [Constant], layout: String, parameters: [Int], byteCount: Int) -> AlignedStorage? {
    guard let key = names.key(of: sources, layout: layout, parameters: parameters), let entry = try? entry(key),
      entry.byteCount == UInt64(byteCount), let bytes = try? file.slice(offset: entry.offset, count: entry.byteCount),
      bytes.isAligned(to: AlignedStorage.alignment)
    else { return nil }
    return unsafe AlignedStorage(reading: bytes.unsafeBaseAddress, byteCount: byteCount, of: file.owner)
  }

  // MARK: Writing

  /// The content of a file with those of the weights that can be found again; nil without any.
  /// - Parameter form: of the folder that the file will be in and that the weights were packed from.
  static func content(_ weights: [PackedStore.PackedWeight], of form: CompiledForm) -> [UInt8]? {
    let names = ConstantNames(form)
    var kept: [SHA256.Digest: AlignedStorage] = [:]
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
    var offset = AlignedStorage.alignedByteCount(headerByteCount + kept.count * entryByteCount)
    file.reserveCapacity(offset + kept.values.reduce(0) { $0 + AlignedStorage.alignedByteCount($1.byteCount) })
    magic.withUTF8Buffer { unsafe file.append(contentsOf: $0) }
    append(formatVersion)
    append(UInt32(kept.count))
    append(form.identifier.high)
    append(form.identifier.low)
    for word in host.words { append(word) }
    for (key, storage) in sorted {
      for word in key.words { append(word) }
      append(UInt64(offset))
      append(UInt64(storage.byteCount))
      offset = AlignedStorage.alignedByteCount(offset + storage.byteCount)
    }
    for (_, storage) in sorted {
      file.append(contentsOf: repeatElement(0, count: AlignedStorage.alignedByteCount(file.count) - file.count))
      unsafe file.append(contentsOf: UnsafeRawBufferPointer(start: storage.pointer, count: storage.byteCount))
    }
    return file
  }
}

/// Names for constants that are the same in every process that loads a compiled folder.
struct ConstantNames: Sendable {
  private struct Region: Sendable {
    let name: String
    let start: UInt
    let byteCount: Int
    let bytes: ByteView
  }

  private let regions: [Region]
  /// Larger constants that lie in no file have no name.
  private static let largestContent = 1 << 16

  init(_ form: CompiledForm) {
    regions = form.files.map { name, bytes in
      Region(name: name, start: unsafe UInt(bitPattern: bytes.unsafeBaseAddress), byteCount: bytes.count, bytes: bytes)
    }
  }

  /// What stands for a packed weight; nil if a constant has no name.
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

  /// Whether all bytes that the constant is made of lie in files.
  private func append(_ identity: Constant.Identity, to name: inout Name) -> Bool {
    switch identity {
    case .bytes(let address, let type, let strides):
      guard let region = regions.first(where: { address >= $0.start && address - $0.start < UInt($0.byteCount) }) else { return false }
      name.append(0)
      name.append(region.name)
      name.append(Int(address - region.start))
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

  /// Small constants that lie in no file, such as those that a pass has made, are named by their content.
  private func append(contentOf constant: Constant, to name: inout Name) -> Bool {
    guard constant.isStored, let byteCount = HostTensor.byteCount(dtype: constant.type.dtype, shape: constant.type.shape),
      byteCount <= Self.largestContent, constant.strides == Shape.contiguousStrides(constant.type.shape),
      let bytes = try? constant.bytes()
    else { return false }
    name.append(2)
    name.append(byteCount)
    unsafe name.bytes.append(contentsOf: UnsafeRawBufferPointer(start: bytes.pointer, count: byteCount))
    withExtendedLifetime(bytes.owner) {}
    return true
  }

  /// Numbers and texts one after the other, each with its length where that may differ.
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
      append(Int(type.dtype.rawValue))
      append(type.shape)
    }
  }
}
