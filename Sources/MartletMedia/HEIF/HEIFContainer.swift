import MartletTensor

/// The items of a HEIF file: pictures, parts of pictures and metadata, with their properties.
///
/// Sources: ISO/IEC 14496-12, 8.11 (items); ISO/IEC 23008-12, 6 and 7 (pictures); ISO/IEC 23000-22, 7 (order of turning and cropping).
struct HEIFContainer: Sendable {
  /// A box: its type and what is in it.
  struct Box: Sendable {
    let type: ArraySlice<UInt8>
    let content: OrderedBytes

    func hasType(_ name: StaticString) -> Bool { OrderedBytes(type, .bigEndian).has(name, at: 0) }

    /// The version and flags that the content of many boxes begins with, and what follows.
    var versioned: (version: Int, flags: Int, content: OrderedBytes)? {
      guard let version = content.integer(at: 0, byteCount: 1), let flags = content.integer(at: 1, byteCount: 3),
        let rest = content.rest(from: 4)
      else { return nil }
      return (version, flags, OrderedBytes(rest, .bigEndian))
    }
  }

  struct Item: Sendable {
    let id: Int
    let type: ArraySlice<UInt8>
    let isHidden: Bool
    /// In the order in which they apply.
    var properties: [Box] = []
    /// Where the content lies, in the file or in the box `idat`.
    var extents: [(start: Int, count: Int)] = []
    var isInItemData = false

    func hasType(_ name: StaticString) -> Bool { OrderedBytes(type, .bigEndian).has(name, at: 0) }
    func property(_ name: StaticString) -> Box? { properties.first { $0.hasType(name) } }
  }

  /// A relation of one item to others.
  struct Reference: Sendable {
    let type: ArraySlice<UInt8>
    let source: Int
    let targets: [Int]

    func hasType(_ name: StaticString) -> Bool { OrderedBytes(type, .bigEndian).has(name, at: 0) }
  }

  private(set) var primary: Int?
  private(set) var items: [Item] = []
  private(set) var references: [Reference] = []
  private var indices: [Int: Int] = [:]
  private var itemData: ArraySlice<UInt8> = []
  private let file: OrderedBytes

  /// Reads the boxes; damaged ones are left out.
  /// - Returns: nil if the file has no items.
  init?(_ bytes: [UInt8]) {
    file = OrderedBytes(bytes[...], .bigEndian)
    guard let meta = Self.boxes(file).first(where: { $0.hasType("meta") })?.versioned else { return nil }
    let boxes = Self.boxes(meta.content)
    for box in boxes where box.hasType("iinf") { readItems(box) }
    for box in boxes {
      if box.hasType("pitm"), let (version, _, content) = box.versioned {
        primary = content.integer(at: 0, byteCount: version == 0 ? 2 : 4)
      } else if box.hasType("iref") {
        readReferences(box)
      } else if box.hasType("iprp") {
        readProperties(Self.boxes(box.content))
      } else if box.hasType("iloc") {
        readLocations(box)
      } else if box.hasType("idat") {
        itemData = box.content.bytes
      }
    }
    guard !items.isEmpty else { return nil }
  }

  func item(_ id: Int) -> Item? { indices[id].map { items[$0] } }

  /// The content of an item of at most `limit` bytes; nil if it is longer or lies outside of the file.
  func content(of item: Item, atMost limit: Int) -> [UInt8]? {
    let place = item.isInItemData ? OrderedBytes(itemData, .bigEndian) : file
    var result: [UInt8] = []
    for extent in item.extents {
      // A length of 0 means the rest.
      let part = extent.count == 0 ? place.rest(from: extent.start) : place.part(at: extent.start, count: extent.count)
      guard let part, part.count <= limit - result.count else { return nil }
      result += part
    }
    return result
  }

  /// The kind of picture that the brands of a file promise; nil for other files of this family, such as films.
  static func type(of file: OrderedBytes) -> PictureType? {
    guard let first = boxes(file, atMost: 1).first, first.hasType("ftyp") else { return nil }
    let content = first.content
    // The main brand, a version, and further brands.
    let positions = [0] + Array(stride(from: 8, to: min(content.count, 256), by: 4))
    func has(_ brands: [StaticString], in positions: [Int]) -> Bool {
      positions.contains { position in brands.contains { content.has($0, at: position) } }
    }
    if has(["crx "], in: [0]) { return .canonRaw3 }
    if has(["avif", "avis"], in: [0]) { return .avif }
    if has(["heic", "heix", "hevc", "hevx", "heim", "heis"], in: [0]) { return .heic }
    guard has(["mif1", "msf1", "miaf"], in: [0]) else { return nil }
    if has(["avif"], in: positions) { return .avif }
    return has(["heic", "heix"], in: positions) ? .heic : .heif
  }

  // MARK: Boxes

  /// The boxes that follow each other in some bytes, up to the first one that is not complete.
  private static func boxes(_ bytes: OrderedBytes, atMost limit: Int = 65_536) -> [Box] {
    var result: [Box] = []
    var position = 0
    while result.count < limit, let declared = bytes.integer(at: position, byteCount: 4),
      let type = bytes.part(at: position + 4, count: 4)
    {
      var headerByteCount = 8
      var size = declared
      if declared == 1 {
        guard let long = bytes.integer(at: position + 8, byteCount: 8) else { break }
        size = long
        headerByteCount = 16
      } else if declared == 0 {
        size = bytes.count - position
      }
      guard size >= headerByteCount, let whole = bytes.part(at: position, count: size) else { break }
      result.append(Box(type: type, content: OrderedBytes(whole.dropFirst(headerByteCount), .bigEndian)))
      position += size  // In range: the box lies within the bytes.
    }
    return result
  }

  private mutating func readItems(_ box: Box) {
    guard let (version, _, content) = box.versioned, let entries = content.rest(from: version == 0 ? 2 : 4) else { return }
    for entry in Self.boxes(OrderedBytes(entries, .bigEndian)) where entry.hasType("infe") {
      guard let (version, flags, content) = entry.versioned, version == 2 || version == 3 else { continue }
      let idByteCount = version == 2 ? 2 : 4
      // The number, whether the item is encrypted, and the type.
      guard let id = content.integer(at: 0, byteCount: idByteCount), let type = content.part(at: idByteCount + 2, count: 4),
        indices[id] == nil
      else { continue }
      indices[id] = items.count
      items.append(Item(id: id, type: type, isHidden: flags & 1 != 0))
    }
  }

  private mutating func readReferences(_ box: Box) {
    guard let (version, _, content) = box.versioned else { return }
    let idByteCount = version == 0 ? 2 : 4
    for reference in Self.boxes(content) {
      guard let source = reference.content.integer(at: 0, byteCount: idByteCount),
        let count = reference.content.integer(at: idByteCount, byteCount: 2)
      else { continue }
      // In range: a number of 16 bits times at most four.
      let targets = (0..<count).compactMap {
        reference.content.integer(at: idByteCount + 2 + $0 * idByteCount, byteCount: idByteCount)
      }
      references.append(Reference(type: reference.type, source: source, targets: targets))
    }
  }

  private mutating func readProperties(_ boxes: [Box]) {
    guard let container = boxes.first(where: { $0.hasType("ipco") }) else { return }
    let properties = Self.boxes(container.content)
    for box in boxes where box.hasType("ipma") {
      guard let (version, flags, content) = box.versioned, let entryCount = content.integer(at: 0, byteCount: 4) else { continue }
      let idByteCount = version == 0 ? 2 : 4
      let numberByteCount = flags & 1 == 0 ? 1 : 2
      var position = 4
      for _ in 0..<entryCount {
        guard let id = content.integer(at: position, byteCount: idByteCount),
          let count = content.integer(at: position + idByteCount, byteCount: 1)
        else { break }
        position += idByteCount + 1
        for _ in 0..<count {
          guard let number = content.integer(at: position, byteCount: numberByteCount) else { break }
          position += numberByteCount
          // The highest bit says whether readers must know the property; the number counts from 1.
          let index = (number & (numberByteCount == 1 ? 0x7F : 0x7FFF)) - 1
          if let item = indices[id], properties.indices.contains(index) { items[item].properties.append(properties[index]) }
        }
      }
    }
  }

  private mutating func readLocations(_ box: Box) {
    guard let (version, _, content) = box.versioned, let sizes = content.integer(at: 0, byteCount: 2) else { return }
    let (offsetByteCount, lengthByteCount) = (sizes >> 12, sizes >> 8 & 15)
    let (baseByteCount, indexByteCount) = (sizes >> 4 & 15, version == 0 ? 0 : sizes & 15)
    guard [offsetByteCount, lengthByteCount, baseByteCount, indexByteCount].allSatisfy({ [0, 4, 8].contains($0) }) else { return }
    var position = 2
    func next(_ byteCount: Int) -> Int? {
      guard let value = content.integer(at: position, byteCount: byteCount) else { return nil }
      position += byteCount  // In range: the number lies within the box.
      return value
    }
    guard let itemCount = next(version < 2 ? 2 : 4) else { return }
    // Numbers may have no bytes at all, so that the box alone does not bound how many there are.
    var extentsLeft = content.count
    for _ in 0..<itemCount {
      guard let id = next(version < 2 ? 2 : 4), let method = version == 0 ? 0 : next(2), next(2) != nil,
        let base = next(baseByteCount), let extentCount = next(2)
      else { return }
      for _ in 0..<extentCount {
        extentsLeft -= 1
        guard extentsLeft >= 0, next(indexByteCount) != nil, let offset = next(offsetByteCount), let length = next(lengthByteCount) else {
          return
        }
        // Other methods refer to other items.
        guard method & 15 <= 1, let item = indices[id], let start = (Extent(base) + offset).value else { continue }
        items[item].extents.append((start, length))
        items[item].isInItemData = method & 15 == 1
      }
    }
  }
}
