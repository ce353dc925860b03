import MartletFuzzing
import MartletImport

/// Mutates a model file into one that is nearly as well formed: numbers near their limits, other operators, arguments or jumps. New
/// tables are appended to the file, and the program's size in its header is extended to include them.
package struct ProgramMutator {
  private var bytes: [UInt8]
  private var random: FuzzRandom

  /// The file `bytes` with some changes, which are determined by the seed.
  package static func mutate(_ bytes: [UInt8], seed: UInt64) -> [UInt8] {
    var mutator = ProgramMutator(bytes: bytes, random: FuzzRandom(seed: seed))
    let rounds = mutator.random.one(in: 3) ? 1 + mutator.random.below(8) : 1 + mutator.random.below(2)
    // In most files, tensors may exceed the file's memory plan, because the engine does not use that plan.
    if !mutator.random.one(in: 4), bytes.count >= 8 {
      for size in FlatBufferMap(bytes).areaSizes { mutator.store(1 << 40, 8, at: size) }
    }
    for _ in 0..<rounds { mutator.change() }
    return mutator.bytes
  }

  private init(bytes: [UInt8], random: FuzzRandom) {
    self.bytes = bytes
    self.random = random
  }

  private static let operatorNames: [(name: String, overload: String)] = CallRegistry.rows.keys.sorted().map { full in
    guard let dot = full.lastIndex(of: ".") else { return (full, "") }
    return (String(full[..<dot]), String(full[full.index(after: dot)...]))
  }

  private mutating func change() {
    guard bytes.count >= 8 else {
      bytes += (0..<8).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      return
    }
    let map = FlatBufferMap(bytes)
    switch random.below(16) {
    case 0, 1, 2, 3: changeNumber(map)
    case 4, 5, 6, 7, 8: replaceValue(map)
    case 9: swapReferences(map)
    case 10: replaceOperator(map)
    case 11, 12: changeArguments(map)
    case 13: replaceInstruction(map)
    case 14:
      switch random.below(4) {
      case 0: changeText(map)
      case 1: if !map.fieldEntries.isEmpty { store(0, 2, at: random.pick(map.fieldEntries)) }
      case 2: if !map.jumpTargets.isEmpty { store(UInt64(random.below(24)), 4, at: random.pick(map.jumpTargets)) }
      default: changeNumber(map)
      }
    default:
      switch random.below(8) {
      case 0: bytes.removeLast(1 + random.below(bytes.count - 1))
      case 1: bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next())
      case 2: bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8))
      default: changeNumber(map)
      }
    }
  }

  // MARK: Bytes

  private mutating func store(_ value: UInt64, _ byteCount: Int, at offset: Int) {
    guard offset >= 0, offset + byteCount <= bytes.count else { return }
    for index in 0..<byteCount { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt64(8 * index)) }
  }

  private func load(_ byteCount: Int, at offset: Int) -> UInt64 {
    guard offset >= 0, offset + byteCount <= bytes.count else { return 0 }
    return (0..<byteCount).reduce(0) { $0 | UInt64(bytes[offset + $1]) << UInt64(8 * $1) }
  }

  private mutating func changeNumber(_ map: FlatBufferMap) {
    guard !map.scalars.isEmpty else { return }
    let place = random.pick(map.scalars)
    let old = load(place.byteCount, at: place.offset)
    let new: UInt64
    switch random.below(9) {
    case 6, 7, 8: new = UInt64(random.below(10))
    case 0: new = old &+ 1
    case 1: new = old &- 1
    case 2:
      let other = random.pick(map.scalars)
      new = load(min(other.byteCount, place.byteCount), at: other.offset)
    case 3: new = place.byteCount == 8 ? random.hostileDouble().bitPattern : UInt64(bitPattern: random.hostileInteger())
    default: new = UInt64(bitPattern: random.hostileInteger())
    }
    store(new, place.byteCount, at: place.offset)
  }

  private mutating func changeText(_ map: FlatBufferMap) {
    let candidates = map.texts.filter { $0.count > 0 }
    guard !candidates.isEmpty else { return }
    let text = random.pick(candidates)
    bytes[text.start + random.below(text.count)] = random.one(in: 4) ? 0xff : UInt8(0x20 + random.below(0x5f))
  }

  private mutating func swapReferences(_ map: FlatBufferMap) {
    let groups = map.references.values.filter { $0.count > 1 }.sorted { $0[0] < $1[0] }
    guard !groups.isEmpty else { return }
    let group = random.pick(groups)
    let (a, b) = (random.pick(group), random.pick(group))
    let (x, y) = (a + Int(load(4, at: a)), b + Int(load(4, at: b)))
    if y > a { store(UInt64(y - a), 4, at: a) }
    if x > b { store(UInt64(x - b), 4, at: b) }
  }

  // MARK: New content, appended

  /// Redirects the offset at `position` to the content that is appended next.
  private mutating func redirect(_ position: Int, to target: Int) {
    store(UInt64(truncatingIfNeeded: target - position), 4, at: position)
  }

  /// Extends the program to include the appended content.
  private mutating func finish(_ map: FlatBufferMap) { if map.hasExtendedHeader { store(UInt64(bytes.count), 8, at: 16) } }

  private mutating func append(_ value: UInt64, _ byteCount: Int) {
    for index in 0..<byteCount { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
  }

  private mutating func align() { while bytes.count % 8 != 0 { bytes.append(0) } }

  /// Appends a vector and returns its position.
  private mutating func appendVector(_ numbers: [UInt64], _ byteCount: Int) -> Int {
    align()
    let position = bytes.count
    append(UInt64(numbers.count), 4)
    for number in numbers { append(number, byteCount) }
    return position
  }

  private mutating func appendText(_ text: String) -> Int {
    let position = appendVector(text.utf8.map(UInt64.init), 1)
    bytes.append(0)
    return position
  }

  /// A field of an appended table: a number, or an offset to appended content.
  private enum NewField {
    case number(UInt64, Int)
    case vector([UInt64], Int)
    case text(String)
  }

  /// Appends a table with eight bytes per field, and returns its position.
  private mutating func appendTable(_ fields: [NewField?]) -> Int {
    align()
    let vtable = bytes.count
    append(UInt64(4 + 2 * fields.count), 2)
    append(UInt64(8 + 8 * fields.count), 2)
    for (slot, field) in fields.enumerated() { append(field == nil ? 0 : UInt64(8 + 8 * slot), 2) }
    align()
    let position = bytes.count
    append(UInt64(position - vtable), 4)
    append(0, 4)
    let places = fields.indices.map { position + 8 + 8 * $0 }
    for field in fields {
      if case .number(let value, _) = field { append(value, 8) } else { append(0, 8) }
    }
    for (place, field) in zip(places, fields) {
      switch field {
      case .vector(let numbers, let byteCount): redirect(place, to: appendVector(numbers, byteCount))
      case .text(let text): redirect(place, to: appendText(text))
      default: break
      }
    }
    return position
  }

  /// Appends a table that contains a union, and returns its position.
  private mutating func appendUnion(_ tag: Int, _ fields: [NewField?]) -> Int {
    let holder = appendTable([.number(UInt64(tag), 1), .number(0, 4)])
    let inner = appendTable(fields)
    redirect(holder + 16, to: inner)
    return holder
  }

  private mutating func smallList(_ count: Int) -> [UInt64] { (0..<count).map { _ in UInt64(bitPattern: random.hostileInteger()) } }

  private mutating func extents() -> [UInt64] {
    (0..<random.below(random.one(in: 20) ? 24 : 6)).map { _ in random.one(in: 6) ? extent() : UInt64(random.below(6)) }
  }

  /// An extent that the reader usually accepts.
  private mutating func extent() -> UInt64 {
    let value = UInt64(bitPattern: random.hostileInteger())
    return random.one(in: 16) ? value : value & 0x7fff_ffff
  }

  /// Usually a value of the same kind as value `index`; `places` are the offsets to all values.
  private mutating func similarValue(to index: Int?, tag: Int? = nil, _ places: [Int]) -> UInt64 {
    guard !places.isEmpty else { return 0 }
    func kind(_ index: Int) -> Int? { tagOfUnion(at: places[index] + Int(load(4, at: places[index]))) }
    let wanted = tag ?? index.flatMap { places.indices.contains($0) ? kind($0) : nil }
    var candidate = random.below(places.count)
    if !random.one(in: 6) {
      for _ in 0..<12 where kind(candidate) != wanted { candidate = random.below(places.count) }
    }
    return UInt64(candidate)
  }

  /// Replaces one of the plan's values by a new one.
  private mutating func replaceValue(_ map: FlatBufferMap) {
    guard let places = map.references[.table(.value)], !places.isEmpty else { return changeNumber(map) }
    let place = random.pick(places)
    let old = place + Int(load(4, at: place))
    // Usually a value of the same kind: others are rejected immediately.
    var tag = random.below(12)
    if !random.one(in: 4), let found = tagOfUnion(at: old) { tag = found }
    let valueCount = places.count
    let table: Int
    switch tag {
    case 0, 1: table = appendUnion(1, [])
    case 2: table = appendUnion(2, [.number(UInt64(bitPattern: random.hostileInteger()), 8)])
    case 3: table = appendUnion(3, [.number(UInt64(random.below(3)), 1)])
    case 4: table = appendUnion(4, [.number(random.hostileDouble().bitPattern, 8)])
    case 5:
      // The existing tensor with other extents or another type, or a new one without a location.
      if tagOfUnion(at: old) == 5, let tensor = valueOfUnion(at: old) {
        if random.one(in: 2), let sizes = field(2, of: tensor) {
          let known = vector(at: sizes, byteCount: 4)
          var extents = random.one(in: 2) ? extents() : known
          if extents == known, !extents.isEmpty { extents[random.below(extents.count)] = extent() }
          redirect(sizes, to: appendVector(extents, 4))
          if let order = field(3, of: tensor) {
            var axes = Array(0..<UInt64(extents.count))
            if random.one(in: 3) { axes.shuffle(using: &random) }
            redirect(order, to: appendVector(axes, 1))
          }
        } else if let type = field(0, of: tensor) {
          store(UInt64(random.pick([0, 1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 15, 27, 28, 29])), 1, at: type)
        }
        finish(map)
        return
      }
      let extents = extents()
      table = appendUnion(
        5, [.number(UInt64(random.pick([1, 3, 4, 6, 7, 11])), 1), nil, .vector(extents, 4), .vector(Array(0..<UInt64(extents.count)), 1)])
    case 6: table = appendUnion(6, [.text(random.pick(["", "none", "tanh", "trunc", "floor", "mean", "\u{0}", "ij"]))])
    case 7:
      // Items are indices of values.
      var items = vectorInUnion(at: old, byteCount: 8)
      if random.one(in: 3) || items.isEmpty { items = (0..<random.below(7)).map { _ in similarValue(to: nil, tag: 2, places) } }
      for index in items.indices where random.one(in: 2) { items[index] = similarValue(to: nil, tag: 2, places) }
      table = appendUnion(7, [.vector(items, 8)])
    case 8: table = appendUnion(8, [.vector((0..<random.below(5)).map { _ in random.hostileDouble().bitPattern }, 8)])
    case 9: table = appendUnion(9, [.vector((0..<random.below(6)).map { _ in UInt64(random.below(2)) }, 1)])
    case 10: table = appendUnion(10, [.vector((0..<random.below(6)).map { _ in similarValue(to: nil, tag: 5, places) }, 4)])
    default:
      table = appendUnion(11, [.vector((0..<random.below(6)).map { _ in UInt64(bitPattern: Int64(random.below(valueCount + 1) - 1)) }, 4)])
    }
    redirect(place, to: table)
    finish(map)
  }

  private mutating func replaceOperator(_ map: FlatBufferMap) {
    guard let places = map.references[.table(.operatorName)], !places.isEmpty else { return changeNumber(map) }
    let (name, overload) = random.pick(Self.operatorNames)
    redirect(random.pick(places), to: appendTable([.text(name), .text(overload)]))
    finish(map)
  }

  /// Changes, drops, adds or repeats items of an argument list, or of the method's inputs or outputs.
  private mutating func changeArguments(_ map: FlatBufferMap) {
    guard !map.argumentLists.isEmpty else { return changeNumber(map) }
    let place = random.pick(map.argumentLists)
    var items = vector(at: place, byteCount: 4)
    let values = map.references[.table(.value)] ?? []
    let valueCount = max(values.count, 1)
    switch random.below(6) {
    case 0 where !items.isEmpty: items.remove(at: random.below(items.count))
    case 1: items.insert(UInt64(random.below(valueCount)), at: random.below(items.count + 1))
    case 2 where items.count > 1: items.swapAt(random.below(items.count), random.below(items.count))
    default:
      guard !items.isEmpty else { break }
      let index = random.below(items.count)
      items[index] = similarValue(to: Int(truncatingIfNeeded: items[index]), values)
    }
    redirect(place, to: appendVector(items, 4))
    finish(map)
  }

  private mutating func replaceInstruction(_ map: FlatBufferMap) {
    guard let places = map.references[.table(.instruction)], !places.isEmpty else { return changeNumber(map) }
    let valueCount = max(map.references[.table(.value)]?.count ?? 1, 1)
    func anyValue(_ random: inout FuzzRandom) -> NewField { .number(UInt64(random.below(valueCount)), 4) }
    let table: Int
    switch random.below(5) {
    case 0: table = appendUnion(3, [anyValue(&random), anyValue(&random)])
    case 1: table = appendUnion(5, [anyValue(&random)])
    case 2:
      let items = (0..<random.below(8)).map { _ in UInt64(random.below(valueCount)) }
      let operators = map.references[.table(.operatorName)]?.count ?? 1
      table = appendUnion(1, [.number(UInt64(random.below(operators)), 4), .vector(items, 4)])
    default: table = appendUnion(4, [anyValue(&random), .number(UInt64(random.below(places.count + 1)), 4)])
    }
    redirect(random.pick(places), to: table)
    finish(map)
  }

  // MARK: Looking into tables

  private func field(_ slot: Int, of table: Int) -> Int? {
    let vtable = table - Int(Int32(truncatingIfNeeded: load(4, at: table)))
    guard 6 + 2 * slot <= Int(load(2, at: vtable)) else { return nil }
    let offset = Int(load(2, at: vtable + 4 + 2 * slot))
    return offset == 0 ? nil : table + offset
  }

  private func tagOfUnion(at table: Int) -> Int? { field(0, of: table).map { Int(load(1, at: $0)) } }

  private func valueOfUnion(at table: Int) -> Int? { field(1, of: table).map { $0 + Int(load(4, at: $0)) } }

  /// The elements of the vector referenced by the offset at `position`.
  private func vector(at position: Int, byteCount: Int) -> [UInt64] {
    let start = position + Int(load(4, at: position))
    let count = Int(load(4, at: start))
    guard count < 1000 else { return [] }
    return (0..<count).map { load(byteCount, at: start + 4 + $0 * byteCount) }
  }

  private func vectorInUnion(at table: Int, byteCount: Int) -> [UInt64] {
    valueOfUnion(at: table).flatMap { field(0, of: $0) }.map { vector(at: $0, byteCount: byteCount) } ?? []
  }
}
