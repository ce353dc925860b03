import MartletBytes
import MartletFuzzing

/// Mutates the files that compilation adds to a Core ML model: `model.bin`, with its texts, numbers and pieces of data, and `packed.bin`,
/// whose checksums are those of the changed weights.
struct CompiledMutator {
  private var random: FuzzRandom

  /// - Parameter model: `martlet/model.bin`.
  static func mutate(model: [UInt8], seed: UInt64) -> [UInt8] {
    var mutator = CompiledMutator(random: FuzzRandom(seed: seed))
    guard !mutator.random.one(in: 24), var form = Form(model) else { return FileMutator.mutate(model, as: "", seed: seed) }
    for _ in 0...mutator.random.below(mutator.random.one(in: 3) ? 8 : 2) { mutator.change(&form) }
    var bytes = form.bytes
    if mutator.random.one(in: 16) { mutator.changeNumber(in: &bytes, from: 8, to: 64, sizes: [4, 8]) }
    return mutator.random.one(in: 40) ? Array(bytes.prefix(mutator.random.below(bytes.count))) : bytes
  }

  // MARK: The model

  /// `model.bin` in its parts.
  private struct Form {
    private var header: [UInt8]
    private let engine: [UInt8]
    var texts: [[UInt8]] = []
    /// All integers after the texts.
    var numbers: [UInt64] = []
    var data: [UInt8]

    init?(_ bytes: [UInt8]) {
      func number(_ offset: Int) -> Int? {
        guard offset + 8 <= bytes.count else { return nil }
        return Int(exactly: (0..<8).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) })
      }
      guard let start = number(32), let count = number(40), let dataStart = number(48), let dataCount = number(56), start >= 64,
        count <= bytes.count - start, dataCount <= bytes.count - dataStart
      else { return nil }
      header = Array(bytes[..<32])
      engine = Array(bytes[64..<start])
      data = Array(bytes[dataStart..<dataStart + dataCount])
      var position = start
      func next() -> UInt64? {
        var value: UInt64 = 0
        for shift in stride(from: UInt64(0), to: 64, by: 7) where position < start + count {
          let byte = bytes[position]
          position += 1
          value |= UInt64(byte & 127) << shift
          if byte < 128 { return value }
        }
        return nil
      }
      guard let textCount = next() else { return nil }
      for _ in 0..<textCount {
        guard let length = next(), length <= start + count - position else { return nil }
        texts.append(Array(bytes[position..<position + Int(length)]))
        position += Int(length)
      }
      while position < start + count {
        guard let value = next() else { return nil }
        numbers.append(value)
      }
    }

    /// The file, with the places of structure and data in its header.
    var bytes: [UInt8] {
      var structure: [UInt8] = []
      ProtobufField.append(varint: UInt64(texts.count), to: &structure)
      for text in texts {
        ProtobufField.append(varint: UInt64(text.count), to: &structure)
        structure += text
      }
      for number in numbers { ProtobufField.append(varint: number, to: &structure) }
      let start = 64 + engine.count
      let dataStart = (start + structure.count + 63) / 64 * 64
      var file = header
      for number in [start, structure.count, dataStart, data.count] {
        for index in 0..<8 { file.append(UInt8(truncatingIfNeeded: number >> (8 * index))) }
      }
      file += engine + structure
      file += [UInt8](repeating: 0, count: dataStart - file.count)
      return file + data
    }

    /// Positions among the numbers of those that seem to be the byte count of a piece of data before its offset.
    var pieces: [Int] {
      numbers.indices.dropLast().filter { index in
        let (count, offset) = (numbers[index], numbers[index + 1])
        return count > 0 && offset % 16 == 0 && offset < UInt64(data.count) && count <= UInt64(data.count) - offset
      }
    }

    /// The position among the numbers of the byte count of a message; nil for programs.
    var message: Int? {
      // No types, a folder, the tag of a specification.
      guard numbers.count > 4, numbers[0] == 0, numbers[2] == 1, pieces.contains(3) else { return nil }
      return 3
    }

    func range(_ piece: Int) -> Range<Int> { Int(numbers[piece + 1])..<Int(numbers[piece + 1] + numbers[piece]) }
  }

  private mutating func change(_ form: inout Form) {
    switch random.below(16) {
    case 0, 1, 2: changeNumber(&form)
    case 3: changeOrder(&form)
    case 4: changeText(&form)
    case 5, 6: changePlace(&form)
    case 7, 8, 9:
      guard let message = form.message else { return changeNumber(&form) }
      let changed = CoreMLMutator.mutate(Array(form.data[form.range(message)]), seed: random.next())
      form.data += [UInt8](repeating: 0, count: (64 - form.data.count % 64) % 64)
      form.numbers[message] = UInt64(changed.count)
      form.numbers[message + 1] = UInt64(form.data.count)
      form.data += changed
    default:
      let pieces = form.pieces
      guard !pieces.isEmpty else { return changeNumber(&form) }
      let range = form.range(random.pick(pieces))
      // The start holds counts, if anything does.
      let end = random.one(in: 2) ? range.upperBound : min(range.lowerBound + 64, range.upperBound)
      for _ in 0...random.below(random.one(in: 4) ? 8 : 1) {
        changeNumber(in: &form.data, from: range.lowerBound, to: end, sizes: [1, 2, 4, 4, 4, 8])
      }
    }
  }

  private mutating func changeNumber(_ form: inout Form) {
    guard !form.numbers.isEmpty else { return }
    let position = random.below(form.numbers.count)
    form.numbers[position] = number(form.numbers[position], other: random.pick(form.numbers), end: form.data.count)
  }

  private mutating func number(_ old: UInt64, other: UInt64, end: Int) -> UInt64 {
    switch random.below(8) {
    case 0: old &+ 1
    case 1: old &- 1
    case 2: other
    case 3: old &* 2
    case 4: UInt64(random.below(end / 16 + 1) * 16)
    case 5: UInt64(bitPattern: random.hostileInteger())
    default: UInt64(random.below(12))
    }
  }

  private mutating func changeOrder(_ form: inout Form) {
    guard !form.numbers.isEmpty else { return }
    let position = random.below(form.numbers.count)
    let range = position..<min(position + 1 + random.below(8), form.numbers.count)
    switch random.below(4) {
    case 0: form.numbers.removeSubrange(range)
    case 1: form.numbers.insert(contentsOf: form.numbers[range], at: position)
    case 2: form.numbers.insert(UInt64(random.below(12)), at: position)
    default: form.numbers.swapAt(position, random.below(form.numbers.count))
    }
  }

  private mutating func changeText(_ form: inout Form) {
    guard !form.texts.isEmpty else { return changeNumber(&form) }
    let position = random.below(form.texts.count)
    switch random.below(5) {
    case 0: form.texts[position] = random.pick(form.texts)
    case 1: form.texts.swapAt(position, random.below(form.texts.count))
    case 2: form.texts[position] = random.pick([[], [0], [0xff], Array("..".utf8), Array("/".utf8), Array("martlet/model.bin".utf8)])
    case 3: form.texts.insert(random.pick(form.texts), at: position)
    default: form.texts.remove(at: position)
    }
  }

  /// Changes where a piece of data is and how long.
  private mutating func changePlace(_ form: inout Form) {
    let pieces = form.pieces
    guard !pieces.isEmpty else { return changeNumber(&form) }
    let (piece, other) = (random.pick(pieces), random.pick(pieces))
    switch random.below(6) {
    case 0: form.numbers[piece + 1] = form.numbers[other + 1]
    case 1: (form.numbers[piece], form.numbers[piece + 1]) = (form.numbers[other], form.numbers[other + 1])
    case 2: form.numbers[piece] &-= UInt64(random.pick([1, 2, 4, 8]))
    case 3: form.numbers[piece] &+= UInt64(random.pick([1, 2, 4, 8]))
    case 4: form.numbers[piece + 1] &+= UInt64(random.pick([1, 2, 4, 8, 16]))
    default: form.numbers[piece] = number(form.numbers[piece], other: form.numbers[other], end: form.data.count)
    }
  }

  // MARK: Bytes

  private static func load(_ bytes: [UInt8], _ position: Int, _ size: Int) -> UInt64 {
    (0..<size).reduce(0) { position + $1 < bytes.count ? $0 | UInt64(bytes[position + $1]) << UInt64(8 * $1) : $0 }
  }

  /// Changes one element of an array of numbers between two positions.
  private mutating func changeNumber(in bytes: inout [UInt8], from start: Int, to end: Int, sizes: [Int]) {
    let size = random.pick(sizes)
    guard start >= 0, end <= bytes.count, end - start >= size else { return }
    let count = (end - start) / size
    let position = start + size * random.below(count)
    let value: UInt64
    switch random.below(8) {
    case 0: value = random.hostileDouble().bitPattern >> (size == 8 ? 0 : 32)
    case 1: value = UInt64(Float(random.hostileDouble()).bitPattern)
    default:
      value = number(Self.load(bytes, position, size), other: Self.load(bytes, start + size * random.below(count), size), end: count)
    }
    for index in 0..<size { bytes[position + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
  }

  // MARK: Packed weights

  /// - Parameter packed: `martlet/packed.bin`.
  static func mutate(packed: [UInt8], seed: UInt64) -> [UInt8] {
    var mutator = CompiledMutator(random: FuzzRandom(seed: seed))
    guard !mutator.random.one(in: 24), packed.count > 64 else { return FileMutator.mutate(packed, as: "", seed: seed) }
    var bytes = packed
    let count = Int(clamping: load(bytes, 12, 4))
    let end = min(64 + 56 * count, bytes.count)
    for _ in 0...mutator.random.below(mutator.random.one(in: 3) ? 8 : 2) {
      switch mutator.random.below(8) {
      // Offset, size and checksum of an entry.
      case 0, 1, 2:
        let entry = 64 + 56 * mutator.random.below(count)
        mutator.changeNumber(in: &bytes, from: entry + 32, to: min(entry + 56, end), sizes: [8])
      case 3: mutator.changeNumber(in: &bytes, from: 64, to: end, sizes: [1, 8])
      default: mutator.changeNumber(in: &bytes, from: end, to: bytes.count, sizes: [1, 2, 4, 8])
      }
    }
    if !mutator.random.one(in: 16) { correctChecksums(&bytes, count: count) }
    return mutator.random.one(in: 40) ? Array(bytes.prefix(mutator.random.below(bytes.count))) : bytes
  }

  private static func correctChecksums(_ bytes: inout [UInt8], count: Int) {
    let block = Int(MARTLET_CHECKSUM_BLOCK)
    for index in 0..<count {
      let entry = 64 + 56 * index
      guard entry + 56 <= bytes.count else { return }
      let (offset, size, first) = (load(bytes, entry + 32, 8), load(bytes, entry + 40, 8), load(bytes, entry + 48, 8))
      guard offset <= UInt64(bytes.count), size <= UInt64(bytes.count) - offset, first <= UInt64(bytes.count / 4) else { continue }
      for part in 0..<(Int(size) + block - 1) / block {
        let start = Int(offset) + part * block
        let length = min(block, Int(offset + size) - start)
        let place = 64 + 56 * count + 4 * (Int(first) + part)
        guard place + 4 <= bytes.count else { break }
        let checksum = unsafe bytes.withUnsafeBytes { unsafe martlet_block_checksum($0.baseAddress! + start, length) }
        for index in 0..<4 { bytes[place + index] = UInt8(truncatingIfNeeded: checksum >> UInt32(8 * index)) }
      }
    }
  }
}
