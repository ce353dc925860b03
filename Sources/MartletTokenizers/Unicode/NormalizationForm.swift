import MartletTensor

/// The normalization forms of Unicode, with the characters that `tokenizers` knows.
enum NormalizationForm: Sendable {
  case nfc, nfd, nfkc, nfkd

  private var isCompatible: Bool { self == .nfkc || self == .nfkd }
  private var composes: Bool { self == .nfc || self == .nfkc }

  private static let canonical = UnicodeTableReader.mapping(UnicodeTables.canonicalDecompositions)
  private static let compatible = UnicodeTableReader.mapping(UnicodeTables.compatibilityDecompositions)
  private static let classes = UnicodeTableReader.mapping(UnicodeTables.combiningClasses)
  private static let compositions: [UInt64: UInt32] = {
    var pairs: [UInt64: UInt32] = [:]
    for (whole, parts) in UnicodeTableReader.mapping(UnicodeTables.compositions) where parts.count == 2 {
      pairs[UInt64(widening: parts[0]) << 32 | UInt64(widening: parts[1])] = whole
    }
    return pairs
  }()

  private struct Item {
    var scalar: UInt32
    var combiningClass: UInt32
    var change: Int
  }

  /// Characters of class 0 that may join the one before.
  private static let joining: Set<UInt32> = {
    var joining: Set<UInt32> = []
    for pair in compositions.keys {
      let second = UInt32(truncatingIfNeeded: pair)
      if classes[second] == nil { joining.insert(second) }
    }
    joining.formUnion(0x1161...0x1175)
    joining.formUnion(0x11A8...0x11C2)
    return joining
  }()

  /// Normalizes a text.
  func normalize(_ text: inout AlignedText) {
    // ASCII is normal.
    guard text.bytes.contains(where: { $0 >= 0x80 }) else { return }
    var changes = TextChanges(of: text)
    var items: [Item] = []
    func flush() {
      Self.order(&items)
      if composes { Self.compose(&items) }
      for item in items { changes.put(item.scalar, change: item.change) }
      items.removeAll(keepingCapacity: true)
    }
    for scalar in text.scalars {
      var change = 0
      forEachPart(of: scalar) { part in
        let combiningClass = part < 0x80 ? 0 : Self.classes[part]?.first ?? 0
        if combiningClass == 0, part < 0x80 || !composes || !Self.joining.contains(part) { flush() }
        items.append(Item(scalar: part, combiningClass: combiningClass, change: change))
        change = 1
      }
    }
    flush()
    text = changes.result
  }

  /// Puts marks in the order of their classes; equal ones stay as they are.
  private static func order(_ items: inout [Item]) {
    guard items.count > 1 else { return }
    var start = 0
    while start < items.count {
      var end = start + 1
      if items[start].combiningClass > 0 {
        while end < items.count, items[end].combiningClass > 0 { end += 1 }
        if end - start > 1 {
          let ordered = items[start..<end].enumerated().sorted {
            ($0.element.combiningClass, $0.offset) < ($1.element.combiningClass, $1.offset)
          }
          items.replaceSubrange(start..<end, with: ordered.map(\.element))
        }
      }
      start = end
    }
  }

  private func forEachPart(of scalar: UInt32, _ body: (UInt32) -> Void) {
    if scalar < 0x80 { return body(scalar) }
    if (0xAC00..<0xD7A4).contains(scalar) {
      let index = scalar &- 0xAC00
      body(0x1100 &+ index / 588)
      body(0x1161 &+ index % 588 / 28)
      if index % 28 != 0 { body(0x11A7 &+ index % 28) }
      return
    }
    if isCompatible, let parts = Self.compatible[scalar] { return parts.forEach(body) }
    if let parts = Self.canonical[scalar] { return parts.forEach(body) }
    body(scalar)
  }

  private static func composite(_ first: UInt32, _ second: UInt32) -> UInt32? {
    if (0x1100..<0x1113).contains(first), (0x1161..<0x1176).contains(second) {
      return 0xAC00 &+ ((first &- 0x1100) &* 21 &+ second &- 0x1161) &* 28
    }
    if (0xAC00..<0xD7A4).contains(first), (first &- 0xAC00) % 28 == 0, (0x11A8..<0x11C3).contains(second) {
      return first &+ second &- 0x11A7
    }
    return compositions[UInt64(widening: first) << 32 | UInt64(widening: second)]
  }

  /// Composes what a stretch of characters allows.
  private static func compose(_ items: inout [Item]) {
    guard items.count > 1 else { return }
    var result: [Item] = []
    var starter = -1
    var lastClass: UInt32 = 0
    for item in items {
      if starter >= 0 {
        let isBlocked = result.count - 1 > starter && (lastClass >= item.combiningClass || lastClass == 0)
        if !isBlocked, let whole = composite(result[starter].scalar, item.scalar) {
          result[starter].scalar = whole
          // The character that goes was one of the text, or of a decomposition.
          result[starter].change += item.change - 1
          continue
        }
      }
      result.append(item)
      lastClass = item.combiningClass
      if item.combiningClass == 0 { starter = result.count - 1 }
    }
    items = result
  }
}
