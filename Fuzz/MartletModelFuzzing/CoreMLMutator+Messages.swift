import MartletFuzzing

/// Changes that follow from the format alone: to numbers, lists, texts and messages of every kind of model.
extension CoreMLMutator {
  /// A field, the message that it is in, and what the format says about it.
  struct Place {
    let field: ProtobufField
    let parent: ProtobufField
    let definition: ProtobufSchema.Field?
  }

  /// Names with a meaning, of linked files among others.
  private static let words = [
    "", "x", "y", "a", "b", "label", "\u{0}", ".", "..", "/", "/etc/passwd", "target.mlmodel", "../target.mlmodel", "link_a.mlmodel",
    "link_b.mlmodel", "link_self.mlmodel", "mutant.mlmodel", "target.mlmodelc", "inner/target.mlmodel", "inner/../../target.mlmodel",
    "out/target.mlmodel", ".:inner", "$BUNDLE_IDENTIFIER(a)", "$BUNDLE_IDENTIFIER(../..)", ":", "nowhere:inner", "inner",
  ]

  mutating func changeMessages() {
    switch random.below(24) {
    case 0, 1, 2, 3, 4, 5: changeNumber()
    case 6, 7, 8: changeList()
    case 9, 10: changeWord()
    case 11: changeBytes()
    case 12, 13, 14: addField()
    case 15, 16, 17: changeOrder()
    case 18, 19: replaceMessage()
    case 20, 21: changeChoice()
    case 22: changeFeature()
    default: if random.one(in: 3) { wrap() } else { changeFeature() }
    }
  }

  // MARK: Places

  /// The fields that `isWanted` accepts, below the model.
  private func places(_ isWanted: (Place) -> Bool) -> [Place] {
    var found: [Place] = []
    func visit(_ parent: ProtobufField) {
      guard case .message(let kind, let fields) = parent.content else { return }
      let definition = kind.definition
      for child in fields {
        let place = Place(field: child, parent: parent, definition: definition.field(child.number))
        if isWanted(place) { found.append(place) }
        visit(child)
      }
    }
    visit(root)
    return found
  }

  /// One of the places: of any, or of those of one kind of field, so that rare fields are not drowned by long lists.
  private mutating func pick(_ places: [Place]) -> Place? {
    guard !places.isEmpty else { return nil }
    let first = random.pick(places)
    guard random.one(in: 2) else { return first }
    var kinds: [Int: [Place]] = [:]
    for place in places { kinds[(place.parent.message?.position ?? 0) << 12 | place.field.number, default: []].append(place) }
    return random.pick(kinds[random.pick(kinds.keys.sorted())] ?? [first])
  }

  /// The messages of a model, each with what is in it.
  private static func messages(in tree: ProtobufField) -> [ProtobufField] {
    var found: [ProtobufField] = []
    func visit(_ field: ProtobufField) {
      guard case .message(_, let fields) = field.content else { return }
      found.append(field)
      for child in fields { visit(child) }
    }
    visit(tree)
    return found
  }

  // MARK: Numbers

  private mutating func changeNumber() {
    let places = places { place in
      if case .bytes = place.field.content { false } else { place.field.message == nil }
    }
    guard let place = pick(places) else { return addField() }
    let alike = places.filter { $0.field.number == place.field.number && $0.parent.message == place.parent.message }
    switch place.field.content {
    case .varint(let old):
      let type = place.definition?.type ?? .int64
      let other: UInt64 = if case .varint(let value) = random.pick(alike).field.content { value } else { 0 }
      place.field.content = .varint(integer(type, old: old, other: other))
    case .fixed32(let old): place.field.content = .fixed32(Float(real(old: Double(Float(bitPattern: old)))).bitPattern)
    case .fixed64(let old): place.field.content = .fixed64(real(old: Double(bitPattern: old)).bitPattern)
    default: break
    }
  }

  /// - Parameter other: the number of another field of the kind, such as the identifier of another node.
  private mutating func integer(_ type: ProtobufSchema.FieldType, old: UInt64, other: UInt64) -> UInt64 {
    switch type {
    case .bool: return old == 0 ? 1 : random.one(in: 8) ? 2 : 0
    case .enumeration(let numbers): return random.one(in: 8) ? UInt64(bitPattern: random.hostileInteger()) : random.pick(numbers)
    default: break
    }
    let value: UInt64
    switch random.below(12) {
    case 0, 1: value = old &+ 1
    case 2, 3: value = old &- 1
    case 4, 5: value = other
    case 6, 7, 8: value = UInt64(random.below(10))
    case 9: value = old &* 2
    default: value = UInt64(bitPattern: random.hostileInteger())
    }
    guard !random.one(in: 16) else { return value }
    switch type {
    case .int32: return UInt64(bitPattern: Int64(Int32(truncatingIfNeeded: value)))
    case .uint32: return value & 0xffff_ffff
    default: return value
    }
  }

  private mutating func real(old: Double) -> Double {
    switch random.below(6) {
    case 0: old + 1
    case 1: -old
    case 2: Double(random.below(7)) - 2
    default: random.hostileDouble()
    }
  }

  // MARK: Lists

  /// The bytes of a number in a packed list; 0 for those of variable length, nil for what is no number.
  private static func byteCount(_ type: ProtobufSchema.FieldType) -> Int? {
    switch type {
    case .bool, .int32, .uint32, .int64, .uint64, .enumeration: 0
    case .float: 4
    case .double: 8
    case .text, .bytes, .message: nil
    }
  }

  /// Changes numbers or the length of a packed list.
  private mutating func changeList() {
    let places = places { place in
      guard case .bytes = place.field.content, let definition = place.definition, definition.isRepeated else { return false }
      return Self.byteCount(definition.type) != nil
    }
    guard let place = pick(places), case .bytes(let packed) = place.field.content, let type = place.definition?.type,
      let size = Self.byteCount(type)
    else { return changeNumber() }
    var numbers = size == 0 ? Self.unpacked(packed) : Self.fixed(packed, size)
    let position = random.below(numbers.count)
    switch random.below(10) {
    case 0: if !numbers.isEmpty { numbers.remove(at: position) }
    case 1: numbers.insert(number(type, size, old: numbers.isEmpty ? 1 : numbers[position], 1), at: position)
    case 2: if !numbers.isEmpty { numbers.swapAt(position, random.below(numbers.count)) }
    case 3: if !numbers.isEmpty { numbers.removeLast(random.below(numbers.count)) }
    case 4: if numbers.count < 5_000 { numbers += numbers }
    case 5: numbers = (0..<random.below(random.one(in: 8) ? 80 : 6)).map { numbers.isEmpty ? 1 : numbers[$0 % numbers.count] }
    default:
      guard !numbers.isEmpty else { return }
      let other = numbers[random.below(numbers.count)]
      numbers[position] = number(type, size, old: numbers[position], other)
    }
    var bytes: [UInt8] = []
    for number in numbers {
      if size == 0 { ProtobufField.append(varint: number, to: &bytes) }
      for index in 0..<size { bytes.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * index))) }
    }
    place.field.content = .bytes(bytes)
  }

  private static func fixed(_ bytes: [UInt8], _ size: Int) -> [UInt64] {
    (0..<bytes.count / size).map { item in
      (0..<size).reduce(0) { $0 | UInt64(bytes[item * size + $1]) << UInt64(8 * $1) }
    }
  }

  /// A number for a list, as the bits of its type.
  private mutating func number(_ type: ProtobufSchema.FieldType, _ size: Int, old: UInt64, _ other: UInt64) -> UInt64 {
    switch size {
    case 0: integer(type, old: old, other: other)
    case 4: UInt64(Float(real(old: Double(Float(bitPattern: UInt32(truncatingIfNeeded: old))))).bitPattern)
    default: real(old: Double(bitPattern: old)).bitPattern
    }
  }

  // MARK: Texts and bytes

  private static func isText(_ place: Place) -> Bool { place.definition?.type == .text && place.field.message == nil }

  private mutating func word() -> [UInt8] {
    let known = places(Self.isText)
    guard !known.isEmpty, !random.one(in: 4), case .bytes(let bytes) = random.pick(known).field.content else {
      return Array(random.pick(Self.words).utf8)
    }
    return bytes
  }

  private mutating func changeWord() {
    guard let place = pick(places(Self.isText)) else { return addField() }
    place.field.content = .bytes(word())
  }

  /// Changes content or length of what the format does not divide, such as weights.
  private mutating func changeBytes() {
    let places = places { place in
      if case .bytes = place.field.content { place.definition?.type == .bytes } else { false }
    }
    guard let place = pick(places), case .bytes(var bytes) = place.field.content else { return changeList() }
    switch random.below(5) {
    case 0: bytes.removeLast(random.below(bytes.count + 1))
    case 1: if bytes.count < 20_000 { bytes += bytes }
    case 2: bytes += (0...random.below(8)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
    case 3:
      // A number of half precision that is none.
      let item = 2 * random.below(bytes.count / 2)
      if item + 2 <= bytes.count { bytes[item + 1] = random.pick([0x7C, 0x7E, 0xFC]) }
    default: if !bytes.isEmpty { bytes[random.below(bytes.count)] = UInt8(truncatingIfNeeded: random.next()) }
    }
    place.field.content = .bytes(bytes)
  }

  // MARK: Messages

  /// Adds a field that the format allows.
  private mutating func addField() {
    let parents = Self.messages(in: root).filter { !($0.message?.definition.fields.isEmpty ?? true) }
    guard !parents.isEmpty else { return }
    let parent = random.pick(parents)
    guard let message = parent.message else { return }
    let definition = random.pick(message.definition.fields)
    let field = newField(definition)
    // Of a choice the last one counts.
    parent.fields.insert(field, at: definition.isRepeated ? random.below(parent.fields.count + 1) : parent.fields.count)
  }

  /// A field with content from the donor, or new.
  private mutating func newField(_ definition: ProtobufSchema.Field) -> ProtobufField {
    let content: ProtobufField.Content
    switch definition.type {
    case .message(let position):
      let message = ProtobufField.Message(position: position)
      let alike = random.one(in: 4) ? [] : Self.messages(in: source()).filter { $0.message == message }
      content = alike.isEmpty ? .message(message, newFields(of: message)) : random.pick(alike).copy().content
    case .text: content = .bytes(word())
    case .bytes: content = .bytes((0..<random.below(40)).map { _ in UInt8(truncatingIfNeeded: random.next()) })
    case .float where !definition.isRepeated: content = .fixed32(Float(random.hostileDouble()).bitPattern)
    case .double where !definition.isRepeated: content = .fixed64(random.hostileDouble().bitPattern)
    case let type where definition.isRepeated:
      var bytes: [UInt8] = []
      let size = Self.byteCount(type) ?? 0
      for _ in 0..<random.below(6) {
        let value = number(type, size, old: UInt64(1 + random.below(4)), 0)
        if size == 0 { ProtobufField.append(varint: value, to: &bytes) }
        for index in 0..<size { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
      }
      content = .bytes(bytes)
    case let type: content = .varint(integer(type, old: 0, other: 1))
    }
    return ProtobufField(definition.number, content)
  }

  /// Some of the fields that hold no messages.
  private mutating func newFields(of message: ProtobufField.Message) -> [ProtobufField] {
    var fields: [ProtobufField] = []
    for definition in message.definition.fields where random.one(in: 2) {
      if case .message = definition.type { continue }
      fields.append(newField(definition))
    }
    return fields
  }

  /// Removes, repeats or moves a field.
  private mutating func changeOrder() {
    let parents = Self.messages(in: root).filter { !$0.fields.isEmpty }
    guard !parents.isEmpty else { return }
    let parent = random.pick(parents)
    let position = random.below(parent.fields.count)
    switch random.below(4) {
    case 0: parent.fields.remove(at: position)
    case 1:
      let copies = random.one(in: 16) ? 1 << random.below(8) : 1
      guard Self.messages(in: parent.fields[position]).count * copies < 2_000 else { return }
      for _ in 0..<copies { parent.fields.insert(parent.fields[position].copy(), at: random.below(parent.fields.count + 1)) }
    case 2: parent.fields.swapAt(position, random.below(parent.fields.count))
    default:
      // Into another message that has such a field, as the blob of another layer.
      let field = parent.fields[position]
      let others = parents.filter { $0.message == parent.message }
      random.pick(others).fields.append(field.copy())
    }
  }

  /// Replaces a message by another one of its kind: of the file or of the donor.
  private mutating func replaceMessage() {
    let places = places { $0.field.message != nil }
    guard let place = pick(places) else { return }
    let tree = random.one(in: 3) ? root : source()
    let alike = Self.messages(in: tree).filter { $0.message == place.field.message }
    guard !alike.isEmpty else { return }
    let copy = random.pick(alike).copy()
    guard Self.messages(in: copy).count < 2_000 else { return }
    place.field.content = copy.content
  }

  /// Puts another member of a choice in the place of one: another layer, kernel, type or kind of model.
  private mutating func changeChoice() {
    let places = places { !($0.definition?.choice.isEmpty ?? true) }
    guard let place = pick(places), let definition = place.definition, let message = place.parent.message else { return }
    let members = message.definition.fields.filter { $0.choice == definition.choice }
    if random.one(in: 2) {
      // What another message of the kind has chosen.
      let numbers = Set(members.map(\.number))
      let chosen = Self.messages(in: source()).filter { $0.message == message }.compactMap { other in
        other.fields.first { numbers.contains($0.number) }
      }
      guard !chosen.isEmpty else { return }
      let copy = random.pick(chosen).copy()
      guard Self.messages(in: copy).count < 2_000 else { return }
      place.field.number = copy.number
      place.field.content = copy.content
      return
    }
    let member = random.pick(members)
    place.field.number = member.number
    // The old content is read as that of the new member, or there is none.
    if case .message(let position) = member.type {
      let message = ProtobufField.Message(position: position)
      let kept = random.one(in: 2) ? place.field.fields : newFields(of: message)
      place.field.content = .message(message, kept)
    } else {
      place.field.content = newField(member).content
    }
  }

  // MARK: Features and pipelines

  /// Gives a feature another shape or type.
  private mutating func changeFeature() {
    let features = all(.feature)
    guard !features.isEmpty else { return }
    let feature = random.pick(features)
    guard let array = feature.first(3)?.fields.first(where: { $0.message == .arrayType }) else {
      if let type = random.pick(features).first(3) { feature.first(3)?.content = type.copy().content }
      return
    }
    let shape = (0..<random.below(6)).map { _ in random.one(in: 12) ? UInt64(bitPattern: random.hostileInteger()) : UInt64(random.below(7))
    }
    switch random.below(6) {
    case 0: array.fields.append(ProtobufField(21, .message(.enumeratedShapes, [Self.shape(shape), Self.shape(shape.reversed())])))
    case 1:
      let ranges = shape.map { extent in
        let upper = random.one(in: 3) ? UInt64.max : extent &+ UInt64(random.below(4))
        return ProtobufField(
          1, .message(.sizeRange, [ProtobufField(1, .varint(UInt64(random.below(3)))), ProtobufField(2, .varint(upper))]))
      }
      array.fields.append(ProtobufField(31, .message(.shapeRange, ranges)))
    case 2: if let type = random.pick(features).first(3) { feature.first(3)?.content = type.copy().content }
    default:
      guard case .bytes(let packed)? = array.first(1)?.content, !packed.isEmpty, !random.one(in: 3) else {
        array.fields = array.fields.filter { $0.number != 1 } + Self.shape(shape).fields
        return
      }
      var known = Self.unpacked(packed)
      guard !known.isEmpty else { return }
      known[random.below(known.count)] = random.one(in: 4) ? UInt64(bitPattern: random.hostileInteger()) : UInt64(random.below(8))
      array.fields = array.fields.filter { $0.number != 1 } + Self.shape(known).fields
    }
  }

  private static func shape(_ extents: [UInt64]) -> ProtobufField {
    var packed: [UInt8] = []
    for extent in extents { ProtobufField.append(varint: extent, to: &packed) }
    return ProtobufField(1, .message(.shape, [ProtobufField(1, .bytes(packed))]))
  }

  /// Makes the model a member of pipelines around it, beside a model of the donor.
  private mutating func wrap() {
    for _ in 0...(random.one(in: 6) ? random.below(10) : 0) {
      guard let description = root.first(2) else { return }
      var members = [ProtobufField(1, root.content)]
      if random.one(in: 2), Self.messages(in: root).count < 2_000 {
        members.insert(ProtobufField(1, source().copy().content), at: random.below(2))
      }
      let pipeline = ProtobufField(202, .message(.pipeline, members))
      root = ProtobufField(1, .message(.model, [ProtobufField(1, .varint(5)), description.copy(), pipeline]))
    }
  }
}
