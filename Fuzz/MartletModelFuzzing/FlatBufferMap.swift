/// The locations of a model file's parts: the positions that a mutation can change so that the file remains a valid file, only a
/// different one.
///
/// The walk follows the schemas of ExecuTorch programs and of the payloads of XNNPACK and MPS. It never reads out of bounds, so that it can be used on
/// mutated files. Dangling references are skipped.
package struct FlatBufferMap {
  /// An integer or floating-point number, the count of a vector, or a union's tag.
  package struct Scalar {
    package let offset: Int
    package let byteCount: Int
  }

  /// The target of a forward offset.
  package enum Target: Hashable {
    case table(Table)
    case text
    case numbers(Int)
  }

  package enum Table: Hashable {
    case program, plan, container, value, tensor, null, integer, boolean, double, string, integerList, doubleList, booleanList
    case tensorList, optionalTensorList, chain, instruction, kernelCall, delegateCall, moveCall, jumpCall, freeCall
    case operatorName, delegate, delegateReference, compileSpec, allocation, extraInfo, buffer, segment, subsegments, namedData
    case xnnGraph, xnnNode, xnnOperation, xnnBounds, xnnValue, xnnTensor, xnnQuantizedTensor, xnnQuantization, xnnConstant
    case mpsGraph, mpsNode, mpsBounds, mpsTensor, mpsBuffer, mpsSegment
    case mpsNumbers, mpsLongs, mpsRounding, mpsApproximation, mpsCounted, mpsShape, mpsNorm, mpsIndex, mpsIndexPut, mpsParts, mpsPieces
    case bundle, flatTensor, flatNamedData, flatLayout
  }

  package private(set) var scalars: [Scalar] = []
  /// Positions of forward offsets, by target.
  package private(set) var references: [Target: [Int]] = [:]
  /// Positions of vtable entries: 0 makes a field absent.
  package private(set) var fieldEntries: [Int] = []
  /// Start and byte count of each string.
  package private(set) var texts: [(start: Int, count: Int)] = []
  /// Starts (count fields) of the vectors of argument lists and value lists.
  package private(set) var argumentLists: [Int] = []
  package private(set) var jumpTargets: [Int] = []
  /// Positions of the sizes of the memory areas for tensors.
  package private(set) var areaSizes: [Int] = []
  /// Whether the file has an extended header.
  package private(set) var hasExtendedHeader = false

  private enum Field {
    case number(Int)
    case numbers(Int)
    case text
    case table(Table)
    case tables(Table)
    /// The tag is in this slot, the value in the next.
    case union([Table])
    case unionOfOne(Table)
  }

  private static let schema: [Table: [Int: Field]] = [
    .program: [
      0: .number(4), 1: .tables(.plan), 2: .tables(.buffer), 3: .tables(.buffer), 4: .tables(.segment), 5: .table(.subsegments),
      6: .tables(.subsegments), 7: .tables(.namedData),
    ],
    .plan: [
      0: .text, 1: .table(.container), 2: .tables(.value), 3: .numbers(4), 4: .numbers(4), 5: .tables(.chain),
      6: .tables(.operatorName), 7: .tables(.delegate), 8: .numbers(8),
    ],
    .container: [0: .text, 1: .text],
    .value: [
      0: .union([
        .null, .integer, .boolean, .double, .tensor, .string, .integerList, .doubleList, .booleanList, .tensorList, .optionalTensorList,
      ])
    ],
    .tensor: [
      0: .number(1), 1: .number(4), 2: .numbers(4), 3: .numbers(1), 4: .number(1), 5: .number(4), 6: .table(.allocation),
      7: .number(1), 8: .number(1), 9: .table(.extraInfo),
    ],
    .integer: [0: .number(8)], .boolean: [0: .number(1)], .double: [0: .number(8)], .string: [0: .text],
    .integerList: [0: .numbers(8)], .doubleList: [0: .numbers(8)], .booleanList: [0: .numbers(1)],
    .tensorList: [0: .numbers(4)], .optionalTensorList: [0: .numbers(4)],
    .chain: [0: .numbers(4), 1: .numbers(4), 2: .tables(.instruction)],
    .instruction: [0: .union([.kernelCall, .delegateCall, .moveCall, .jumpCall, .freeCall])],
    .kernelCall: [0: .number(4), 1: .numbers(4)], .delegateCall: [0: .number(4), 1: .numbers(4)],
    .moveCall: [0: .number(4), 1: .number(4)], .jumpCall: [0: .number(4), 1: .number(4)], .freeCall: [0: .number(4)],
    .operatorName: [0: .text, 1: .text],
    .delegate: [0: .text, 1: .table(.delegateReference), 2: .tables(.compileSpec)],
    .delegateReference: [0: .number(1), 1: .number(4)], .compileSpec: [0: .text],
    .allocation: [0: .number(4), 1: .number(4), 2: .number(4)],
    .extraInfo: [0: .number(8), 1: .text, 2: .number(1), 3: .number(1), 4: .number(1)],
    .segment: [0: .number(8), 1: .number(8)], .subsegments: [0: .number(4), 1: .numbers(8)], .namedData: [0: .text, 1: .number(4)],
    .xnnGraph: [
      0: .text, 1: .tables(.xnnNode), 2: .tables(.xnnValue), 3: .number(4), 4: .numbers(4), 5: .numbers(4), 8: .tables(.xnnConstant),
    ],
    .xnnNode: [0: .unionOfOne(.xnnOperation), 2: .number(4), 3: .table(.xnnBounds)],
    .xnnBounds: [0: .number(4), 1: .number(4)],
    .xnnValue: [0: .union([.xnnTensor, .xnnQuantizedTensor])],
    .xnnTensor: [
      0: .number(2), 1: .number(4), 2: .numbers(4), 3: .number(4), 4: .number(4), 5: .number(4), 6: .number(4), 7: .number(2),
    ],
    .xnnQuantizedTensor: [0: .table(.xnnTensor), 1: .unionOfOne(.xnnQuantization)],
    .xnnConstant: [0: .number(8), 1: .number(8), 2: .text],
    .mpsGraph: [
      0: .text, 1: .tables(.mpsNode), 2: .tables(.mpsTensor), 3: .numbers(4), 4: .numbers(4), 5: .numbers(4), 6: .number(2),
      7: .table(.mpsSegment),
    ],
    .mpsNode: [0: .union((1...90).map { mpsMember($0) }), 2: .table(.mpsBounds)],
    .mpsBounds: [0: .number(4), 1: .number(4)],
    .mpsTensor: [0: .number(2), 1: .number(4), 2: .numbers(4), 3: .number(8), 4: .table(.mpsBuffer), 5: .number(8)],
    .mpsBuffer: [0: .numbers(1)], .mpsSegment: [0: .number(8), 1: .number(8)],
    .mpsLongs: [0: .number(4), 1: .number(4), 2: .number(8), 3: .number(8), 4: .number(8), 5: .number(8)],
    .mpsRounding: [0: .number(4), 1: .number(4), 2: .number(4), 3: .text],
    .mpsApproximation: [0: .number(4), 1: .number(4), 2: .text],
    .mpsCounted: [0: .number(4), 1: .number(4), 2: .number(4), 3: .numbers(4), 4: .number(1)],
    .mpsShape: [0: .number(4), 1: .number(4), 2: .numbers(4), 3: .number(4), 4: .number(2)],
    .mpsNorm: [0: .number(4), 1: .numbers(4), 2: .number(4), 3: .number(4), 4: .number(4), 5: .number(4), 6: .number(4), 7: .number(4)],
    .mpsIndex: [0: .number(4), 1: .numbers(4), 2: .number(4)],
    .mpsIndexPut: [0: .number(4), 1: .numbers(4), 2: .numbers(4), 3: .number(4), 4: .number(4)],
    .mpsParts: [0: .numbers(4), 1: .number(4), 2: .number(4)],
    .mpsPieces: [0: .number(4), 1: .numbers(4), 2: .numbers(4), 3: .number(4)],
    .flatTensor: [0: .number(4), 1: .tables(.segment), 2: .tables(.flatNamedData)],
    .flatNamedData: [0: .text, 1: .number(4), 2: .table(.flatLayout)],
    .flatLayout: [0: .number(1), 1: .numbers(4), 2: .numbers(1)],
  ]

  /// The table of a member of the union of MPS nodes.
  private static func mpsMember(_ tag: Int) -> Table {
    switch tag {
    case 3: .mpsApproximation
    case 10, 11, 12: .mpsRounding
    case 55, 56, 69, 88: .mpsShape
    case 61: .mpsIndex
    case 62: .mpsIndexPut
    case 63, 72: .mpsLongs
    case 64, 65, 66, 67: .mpsCounted
    case 68: .mpsParts
    case 74: .mpsPieces
    case 85: .mpsNorm
    default: .mpsNumbers
    }
  }

  /// Creates the map of `bytes`: a program, a bundle, a data file, or a payload.
  package init(_ bytes: [UInt8]) {
    var walk = Walk(bytes: bytes, map: self)
    if walk.hasText("eh00", at: 8) {
      walk.map.hasExtendedHeader = true
      for field in 0..<3 { walk.map.scalars.append(Scalar(offset: 16 + 8 * field, byteCount: 8)) }
    }
    walk.root(at: 0, .init(identifierIn: bytes))
    // Payloads of delegates are located anywhere in the file.
    var position = 4
    while position + 4 <= bytes.count {
      if bytes[position] == 0x58, bytes[position + 1] == 0x4e, bytes[position + 2] == 0x30 { walk.root(at: position - 4, .xnnGraph) }
      if bytes[position] == 0x45, walk.hasText("ET12", at: position) { walk.root(at: position - 4, .program) }
      if bytes[position] == 0x58, walk.hasText("XH00", at: position) {
        for (offset, byteCount) in [(6, 4), (10, 4), (14, 4), (18, 8)] {
          walk.map.scalars.append(Scalar(offset: position + offset, byteCount: byteCount))
        }
      }
      if bytes[position] == 0x4d, walk.hasText("MP00", at: position) {
        walk.root(at: position - 4, .mpsGraph)
        // In front of a header there is no root.
        if walk.load32(position - 4) == 0 {
          for offset in [4, 12] where position + offset + 8 <= bytes.count {
            walk.map.scalars.append(Scalar(offset: position + offset, byteCount: 8))
          }
        }
      }
      position += 1
    }
    self = walk.map
  }

  private struct Walk {
    let bytes: [UInt8]
    var map: FlatBufferMap
    var seen: Set<Int> = []

    init(bytes: [UInt8], map: FlatBufferMap) {
      self.bytes = bytes
      self.map = map
    }

    func hasText(_ text: String, at position: Int) -> Bool {
      position + 4 <= bytes.count && bytes[position..<position + 4].elementsEqual(text.utf8)
    }

    func load16(_ position: Int) -> Int? {
      guard position >= 0, position + 2 <= bytes.count else { return nil }
      return Int(bytes[position]) | Int(bytes[position + 1]) << 8
    }

    func load32(_ position: Int) -> Int? {
      guard let low = load16(position), let high = load16(position + 2) else { return nil }
      return low | high << 16
    }

    mutating func root(at position: Int, _ table: Table?) {
      guard let table, let offset = load32(position), offset >= 4 else { return }
      visit(position + offset, table)
    }

    mutating func add(_ offset: Int, _ byteCount: Int) {
      if offset + byteCount <= bytes.count, map.scalars.count < 1 << 16 { map.scalars.append(Scalar(offset: offset, byteCount: byteCount)) }
    }

    /// The target of the offset at `position`, which is recorded as a reference.
    mutating func follow(_ position: Int, _ target: Target) -> Int? {
      guard let offset = load32(position), offset > 0, position + offset + 4 <= bytes.count else { return nil }
      map.references[target, default: []].append(position)
      return position + offset
    }

    mutating func visit(_ position: Int, _ table: Table) {
      guard seen.count < 20_000, seen.insert(position).inserted, let raw = load32(position) else { return }
      let vtable = position - Int(Int32(truncatingIfNeeded: raw))
      guard let byteCount = load16(vtable), byteCount >= 4, vtable + byteCount <= bytes.count else { return }
      func entry(_ slot: Int) -> Int? { 4 + 2 * slot + 2 <= byteCount ? vtable + 4 + 2 * slot : nil }
      func place(_ slot: Int) -> Int? { entry(slot).flatMap { load16($0) }.flatMap { $0 == 0 ? nil : position + $0 } }
      if table == .xnnOperation || table == .xnnQuantization || table == .mpsNumbers {
        // All their fields are four-byte numbers, or lists that look like one.
        for slot in 0..<(byteCount - 4) / 2 { if let field = place(slot) { add(field, 4) } }
        return
      }
      // Sorted, so that a number always produces the same file.
      for (slot, field) in (FlatBufferMap.schema[table] ?? [:]).sorted(by: { $0.key < $1.key }) {
        guard let fieldPosition = place(slot) else { continue }
        map.fieldEntries.append(entry(slot)!)
        visit(fieldPosition, field, next: place(slot + 1), in: table, slot)
      }
    }

    mutating func visit(_ position: Int, _ field: Field, next: Int?, in table: Table, _ slot: Int) {
      switch field {
      case .number(let byteCount):
        if table == .jumpCall, slot == 1 { map.jumpTargets.append(position) }
        add(position, byteCount)
      case .text:
        guard let start = follow(position, .text), let count = load32(start), start + 4 + count <= bytes.count else { return }
        add(start, 4)
        map.texts.append((start + 4, count))
      case .numbers(let byteCount):
        guard let start = follow(position, .numbers(byteCount)), let count = load32(start), start + 4 + count * byteCount <= bytes.count
        else { return }
        add(start, 4)
        if byteCount == 4, table != .tensor, table != .xnnTensor, table != .mpsTensor { map.argumentLists.append(position) }
        if table == .plan, slot == 8 { map.areaSizes += (0..<count).map { start + 4 + $0 * 8 } }
        for index in 0..<min(count, 64) { add(start + 4 + index * byteCount, byteCount) }
      case .table(let inner):
        if let target = follow(position, .table(inner)) { visit(target, inner) }
      case .tables(let inner):
        guard let start = follow(position, .table(.bundle)), let count = load32(start), start + 4 + count * 4 <= bytes.count else { return }
        add(start, 4)
        for index in 0..<count {
          if let target = follow(start + 4 + index * 4, .table(inner)) { visit(target, inner) }
        }
      case .union(let tables):
        guard position < bytes.count else { return }
        add(position, 1)
        let tag = Int(bytes[position])
        guard tag > 0, tag <= tables.count, let next, let target = follow(next, .table(tables[tag - 1])) else { return }
        visit(target, tables[tag - 1])
      case .unionOfOne(let inner):
        add(position, 1)
        if let next, let target = follow(next, .table(inner)) { visit(target, inner) }
      }
    }
  }
}

extension FlatBufferMap.Table {
  fileprivate init?(identifierIn bytes: [UInt8]) {
    guard bytes.count >= 8 else { return nil }
    switch String(decoding: bytes[4..<8], as: UTF8.self) {
    case "ET12": self = .program
    case "FT01": self = .flatTensor
    case "XN00", "XN01": self = .xnnGraph
    case "MP00": self = .mpsGraph
    default: return nil
    }
  }
}
