import MartletFuzzing
import MartletImport

/// Mutates the structure of a Core ML model: of an ML Program its operators, parameters, values, types and names; of every kind the messages
/// and fields that the format has.
///
/// The file is a serialised model with its weights inside.
package struct CoreMLMutator {
  var root: ProtobufField
  var random: FuzzRandom
  /// A model whose parts may replace those of the mutated one; empty for the model itself.
  private let donor: [UInt8]
  /// The donor's tree, once a change has asked for it.
  private var donorTree: ProtobufField?

  /// Whether the bytes may be a serialised model; ExecuTorch files start differently.
  package static func isModel(_ bytes: [UInt8]) -> Bool { bytes.first == 0x08 }

  /// The file `bytes` with some changes, which are determined by the seed.
  /// - Parameter donor: a model whose parts may replace those of the file.
  package static func mutate(_ bytes: [UInt8], seed: UInt64, donor: [UInt8] = []) -> [UInt8] {
    var random = FuzzRandom(seed: seed)
    if random.one(in: 24) { return damaged(bytes, &random) }
    guard let fields = ProtobufField.read(bytes, as: .model) else { return damaged(bytes, &random) }
    var mutator = CoreMLMutator(root: ProtobufField(1, .message(.model, fields)), random: random, donor: donor)
    let isProgram = mutator.root.first(ProtobufField.programNumber) != nil
    let rounds = mutator.random.one(in: 3) ? 1 + mutator.random.below(8) : 1 + mutator.random.below(2)
    for _ in 0..<rounds {
      if isProgram, !mutator.random.one(in: 3) { mutator.changeProgram() } else { mutator.changeMessages() }
    }
    let changed = ProtobufField.write(mutator.root.fields)
    return mutator.random.one(in: 40) ? damaged(changed, &mutator.random) : changed
  }

  private init(root: ProtobufField, random: FuzzRandom, donor: [UInt8]) {
    self.root = root
    self.random = random
    self.donor = donor
  }

  /// The tree that parts are taken from.
  mutating func source() -> ProtobufField {
    if let donorTree { return donorTree }
    let tree = ProtobufField.read(donor, as: .model).flatMap { $0.isEmpty ? nil : ProtobufField(1, .message(.model, $0)) } ?? root
    donorTree = tree
    return tree
  }

  private static func damaged(_ bytes: [UInt8], _ random: inout FuzzRandom) -> [UInt8] {
    var bytes = bytes
    guard !bytes.isEmpty else { return [8] }
    for _ in 0...random.below(3) {
      switch random.below(8) {
      case 0: bytes.removeLast(random.below(bytes.count))
      case 1, 2: bytes.insert(UInt8(truncatingIfNeeded: random.next()), at: random.below(bytes.count + 1))
      case 3: if !bytes.isEmpty { bytes.remove(at: random.below(bytes.count)) }
      default: if !bytes.isEmpty { bytes[random.below(bytes.count)] ^= 1 << UInt8(random.below(8)) }
      }
    }
    return bytes
  }

  private static let operators = MILRegistry.operators
  private static let texts = [
    "", "valid", "same", "same_lower", "custom", "constant", "reflect", "replicate", "LINEAR", "NEAREST_NEIGHBOR", "DEFAULT",
    "ALIGN_CORNERS", "STRICT_ALIGN_CORNERS", "OFFSET_CORNERS", "UNALIGN_CORNERS", "EXACT", "TANH_APPROXIMATION", "SIGMOID_APPROXIMATION",
    "forward", "reverse", "bidirectional", "tanh", "sigmoid", "relu", "fp16", "fp32", "int32", "int8", "uint8", "int16", "bool", "add",
    "update",
    "mul", "div", "max", "min", "sub", "bilinear", "nearest", "border", "reflection", "symmetric", "unnormalized",
    "normalized_minus_one_to_one", "normalized_zero_to_one", "CORNERS_HEIGHT_FIRST", "CENTER_SIZE_WIDTH_FIRST", "logits", "probs",
    "abc,acd->abd", "ab,bc->ac", "ii->i", "...", "a->", "abcd,adce->abce", "\u{0}",
  ]
  private static let dataTypes: [UInt64] = [1, 2, 10, 11, 12, 13, 21, 22, 23, 24, 25, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41]

  // MARK: Places

  func all(_ message: ProtobufField.Message) -> [ProtobufField] {
    var found: [ProtobufField] = []
    func visit(_ field: ProtobufField) {
      guard case .message(let kind, let fields) = field.content else { return }
      if kind == message { found.append(field) }
      for child in fields { visit(child) }
    }
    visit(root)
    return found
  }

  /// Names of existing values.
  private func names() -> [[UInt8]] {
    all(.namedType).compactMap { if case .bytes(let name)? = $0.first(1)?.content { name } else { nil } }
  }

  // MARK: Changes

  private mutating func changeProgram() {
    switch random.below(20) {
    case 0, 1, 2, 3, 4: changeValue()
    case 5, 6, 7: changeLength()
    case 8, 9: changeType()
    case 10: changeOperator()
    case 11, 12: changeBinding()
    case 13: changeParameters()
    case 14: changeOperations()
    case 15, 16: changeInput()
    case 17: changeText()
    case 18: changeFunction()
    default: changeMessages()
    }
  }

  /// Changes a number or string in a constant.
  private mutating func changeValue() {
    let places = all(.tensorValue)
    guard !places.isEmpty, let list = random.pick(places).fields.first, let place = list.message else { return }
    func varints() -> [UInt64] {
      guard case .bytes(let packed)? = list.first(1)?.content else {
        return list.fields.compactMap { if case .varint(let value) = $0.content { value } else { nil } }
      }
      return Self.unpacked(packed)
    }
    switch place {
    case .ints, .longInts, .bools:
      var values = varints()
      guard !values.isEmpty else { return }
      let index = random.below(values.count)
      switch random.below(6) {
      case 0: values[index] &+= 1
      case 1: values[index] &-= 1
      case 2: values.swapAt(index, random.below(values.count))
      default:
        let value = place == .bools ? Int64(random.below(2)) : random.hostileInteger()
        values[index] = UInt64(bitPattern: place == .longInts ? value : Int64(Int32(truncatingIfNeeded: value)))
      }
      store(values, in: list)
    case .floats, .doubles, .rawBytes:
      guard let field = list.first(1), case .bytes(var bytes) = field.content, !bytes.isEmpty else { return }
      let size = place == .floats ? 4 : place == .doubles ? 8 : random.pick([1, 2, 4])
      let element = random.below(max(bytes.count / size, 1)) * size
      var pattern = random.next()
      let value = random.hostileDouble()
      if !random.one(in: 4) {
        switch size {
        case 8: pattern = value.bitPattern
        case 4: pattern = UInt64(Float(value).bitPattern)
        case 2: pattern = UInt64(Float16(value).bitPattern)
        default: break
        }
      }
      for offset in 0..<size where element + offset < bytes.count {
        bytes[element + offset] = UInt8(truncatingIfNeeded: pattern >> UInt64(8 * offset))
      }
      field.content = .bytes(bytes)
    case .strings: list.first(1)?.content = .bytes(Array(random.pick(Self.texts).utf8))
    default: break
    }
  }

  static func unpacked(_ bytes: [UInt8]) -> [UInt64] {
    var values: [UInt64] = []
    var (value, shift): (UInt64, UInt64) = (0, 0)
    for byte in bytes {
      if shift < 64 { value |= UInt64(byte & 0x7f) << shift }
      shift += 7
      if byte < 0x80 {
        values.append(value)
        (value, shift) = (0, 0)
      }
    }
    return values
  }

  private func store(_ values: [UInt64], in list: ProtobufField) {
    var packed: [UInt8] = []
    for value in values { ProtobufField.append(varint: value, to: &packed) }
    list.fields = [ProtobufField(1, .bytes(packed))]
  }

  /// Changes the number of elements in a constant, together with its type.
  private mutating func changeLength() {
    let places = all(.operation).filter { $0.first(1)?.text == "const" }
    guard !places.isEmpty else { return }
    let operation = random.pick(places)
    guard let value = operation.fields.filter({ $0.message == .valueEntry }).first(where: { $0.first(1)?.text == "val" })?.first(2),
      let list = value.first(3)?.first(1)?.fields.first, let kind = list.message, let type = value.first(2)
    else { return }
    let rank = random.one(in: 3) ? random.below(6) : type.first(1)?.first(3) == nil ? 0 : 1
    let shape = (0..<rank).map { _ in random.one(in: 12) ? 0 : 1 + random.below(random.one(in: 8) ? 70 : 5) }
    let count = shape.reduce(1, *)
    guard count <= 4096 else { return }
    let dataType: UInt64 = if case .varint(let number)? = type.first(1)?.first(1)?.content { number } else { 11 }
    switch kind {
    case .ints, .longInts, .bools:
      var old: [UInt64] = []
      if case .bytes(let packed)? = list.first(1)?.content { old = Self.unpacked(packed) }
      store((0..<count).map { old.isEmpty ? UInt64(random.below(4)) : old[$0 % old.count] }, in: list)
    case .floats, .doubles, .rawBytes:
      var old: [UInt8] = []
      if case .bytes(let bytes)? = list.first(1)?.content { old = bytes }
      let bits = kind == .floats ? 32 : kind == .doubles ? 64 : Self.bits(of: dataType)
      let size = (count * bits + 7) / 8
      list.fields = [ProtobufField(1, .bytes((0..<size).map { old.isEmpty ? 0 : old[$0 % old.count] }))]
    default: return
    }
    let result = operation.fields.first { $0.message == .namedType }?.first(2)
    for type in [type, result].compactMap({ $0 }) {
      guard let tensor = type.first(1) else { continue }
      tensor.fields = tensor.fields.filter { $0.number == 1 } + Self.dimensions(shape)
    }
  }

  private static func bits(of dataType: UInt64) -> Int {
    switch dataType {
    case 10, 13, 22, 32: 16
    case 11, 23, 33: 32
    case 12, 24, 34: 64
    case 25, 35: 4
    case 36: 2
    case 37: 1
    case 38: 6
    case 39: 3
    default: 8
    }
  }

  /// Rank and extents as fields of a tensor type.
  private static func dimensions(_ shape: [Int]) -> [ProtobufField] {
    [ProtobufField(2, .varint(UInt64(shape.count)))]
      + shape.map {
        ProtobufField(3, .message(.dimension, [ProtobufField(1, .message(.constantDimension, [ProtobufField(1, .varint(UInt64($0)))]))]))
      }
  }

  private mutating func changeType() {
    let types = all(.tensorType)
    guard !types.isEmpty else { return }
    let type = random.pick(types)
    if random.one(in: 3) {
      type.first(1)?.content = .varint(random.pick(Self.dataTypes))
    } else if let dimension = type.fields.filter({ $0.message == .dimension }).randomElement(using: &random), random.one(in: 2) {
      switch random.below(6) {
      case 0: dimension.fields = [ProtobufField(2, .message(.unknownDimension, random.one(in: 4) ? [ProtobufField(1, .varint(1))] : []))]
      case 1:
        dimension.fields = [
          ProtobufField(1, .message(.constantDimension, [ProtobufField(1, .varint(UInt64(bitPattern: random.hostileInteger())))]))
        ]
      default: dimension.fields = [ProtobufField(1, .message(.constantDimension, [ProtobufField(1, .varint(UInt64(random.below(9))))]))]
      }
    } else {
      let shape = (0..<random.below(random.one(in: 20) ? 20 : 6)).map { _ in random.below(6) }
      type.fields = type.fields.filter { $0.number == 1 } + Self.dimensions(shape)
    }
  }

  private mutating func changeOperator() {
    let operations = all(.operation).filter { $0.first(1)?.text != "const" }
    guard !operations.isEmpty else { return }
    random.pick(operations).first(1)?.content = .bytes(Array(random.pick(Self.operators).utf8))
  }

  /// Changes the value of a parameter.
  private mutating func changeBinding() {
    let bindings = all(.binding)
    let names = names()
    guard !bindings.isEmpty, !names.isEmpty else { return }
    let binding = random.pick(bindings)
    if random.one(in: 4) {
      binding.fields = random.pick(bindings).copy().fields
    } else {
      binding.fields = [ProtobufField(1, .bytes(random.pick(names)))]
    }
  }

  /// Removes, adds or renames a parameter.
  private mutating func changeParameters() {
    let operations = all(.operation).filter { !$0.fields.filter { $0.message == .argumentEntry }.isEmpty }
    let entries = all(.argumentEntry)
    guard !operations.isEmpty, !entries.isEmpty else { return }
    let operation = random.pick(operations)
    let positions = operation.fields.indices.filter { operation.fields[$0].message == .argumentEntry }
    switch random.below(4) {
    case 0: operation.fields.remove(at: random.pick(positions))
    case 1: operation.fields.append(random.pick(entries).copy())
    case 2:
      if let name = random.pick(entries).first(1)?.content { operation.fields[random.pick(positions)].first(1)?.content = name }
    default:
      let argument = operation.fields[random.pick(positions)].first(2)
      if let binding = argument?.fields.first {
        argument?.fields += (0..<random.below(4)).map { _ in binding.copy() }
      } else {
        argument?.fields = []
      }
    }
  }

  /// Removes, duplicates or moves an operation.
  private mutating func changeOperations() {
    let blocks = all(.block)
    guard !blocks.isEmpty else { return }
    let block = random.pick(blocks)
    let positions = block.fields.indices.filter { block.fields[$0].message == .operation }
    guard !positions.isEmpty else { return }
    let position = random.pick(positions)
    switch random.below(4) {
    case 0: block.fields.remove(at: position)
    case 1: block.fields.insert(block.fields[position].copy(), at: random.pick(positions))
    case 2: block.fields.swapAt(position, random.pick(positions))
    default:
      // Adds a block of another operation.
      let inner = all(.operation).flatMap { $0.fields.filter { $0.message == .block } }
      if !inner.isEmpty { block.fields[position].fields.append(random.pick(inner).copy()) }
    }
  }

  /// An extent up to the limits of its type.
  private mutating func extent() -> Int { Int(random.hostileInteger() & .max) }

  /// Changes the shape of an input, in the program and in the description.
  private mutating func changeInput() {
    let functions = all(.function)
    guard !functions.isEmpty else { return }
    let inputs = random.pick(functions).fields.filter { $0.message == .namedType }
    guard !inputs.isEmpty else { return }
    let input = random.pick(inputs)
    guard let type = input.first(2)?.first(1) ?? input.first(2)?.first(5)?.first(1)?.first(1) else { return }
    let features = all(.feature).filter { $0.first(1)?.text == input.first(1)?.text }
    let arrays = features.compactMap { $0.first(3)?.first(5) ?? $0.first(3)?.first(8)?.first(1) }
    var shape = (0..<random.below(6)).map { _ in random.one(in: 12) ? extent() : random.below(7) }
    let known = type.fields.filter { $0.message == .dimension }
    if !known.isEmpty, !random.one(in: 4) {
      shape = known.map {
        if case .varint(let extent)? = $0.first(1)?.first(1)?.content {
          Int(truncatingIfNeeded: extent & 0xffff)
        } else {
          1 + random.below(4)
        }
      }
      shape[random.below(shape.count)] = random.one(in: 4) ? extent() : random.pick([0, 1, 2, 3, 5, 8, 64])
    }
    type.fields = type.fields.filter { $0.number == 1 } + Self.dimensions(shape)
    var packed: [UInt8] = []
    for extent in shape { ProtobufField.append(varint: UInt64(extent), to: &packed) }
    for array in arrays { array.fields = array.fields.filter { $0.number == 2 } + [ProtobufField(1, .bytes(packed))] }
  }

  private mutating func changeText() {
    let places = all(.strings) + all(.namedType) + all(.feature)
    guard !places.isEmpty else { return }
    let text = random.one(in: 2) ? Array(random.pick(Self.texts).utf8) : random.pick(names() + [[]])
    random.pick(places).first(1)?.content = .bytes(text)
  }

  private mutating func changeFunction() {
    let functions = all(.function)
    guard !functions.isEmpty else { return }
    let function = random.pick(functions)
    switch random.below(4) {
    case 0:
      let opset = random.pick(["CoreML5", "CoreML6", "CoreML7", "CoreML8", "CoreML9", "CoreML"])
      function.first(2)?.content = .bytes(Array(opset.utf8))
      for entry in function.fields where entry.message == .blockEntry { entry.first(1)?.content = .bytes(Array(opset.utf8)) }
    case 1:
      let blocks = all(.block)
      let names = names()
      guard !blocks.isEmpty, !names.isEmpty else { return }
      let block = random.pick(blocks)
      let outputs = block.fields.filter { $0.number == 2 }
      if !outputs.isEmpty { random.pick(outputs).content = .bytes(random.pick(names)) }
    case 2: if function.fields.count > 1 { function.fields.remove(at: random.below(function.fields.count)) }
    default:
      let features = all(.feature)
      if !features.isEmpty, let array = random.pick(features).first(3)?.first(5) {
        let range = ProtobufField(
          31,
          .message(
            .shapeRange,
            (0..<random.below(5)).map { _ in
              ProtobufField(
                1,
                .message(
                  .sizeRange,
                  [
                    ProtobufField(1, .varint(UInt64(random.below(5)))),
                    ProtobufField(2, .varint(UInt64(bitPattern: random.hostileInteger()))),
                  ]))
            }))
        array.fields.append(range)
      }
    }
  }
}
