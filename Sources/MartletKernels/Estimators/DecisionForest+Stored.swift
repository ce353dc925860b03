package import MartletTensor
import MartletVocabulary

/// The packed form of a forest as bytes, so that it can be mapped from a file. The form is the same on all processors.
///
/// Layout, little-endian: a header of twelve u64 (`Header`), then sections in the order of `Section`, each aligned to 64 bytes.
extension DecisionForest {
  private enum Section: Int, CaseIterable {
    case base, columns, cuts, nodes, roots, depths, values, entryStarts, dimensions, entries
  }

  /// Counts of what the sections hold, and flags.
  private struct Header {
    static let byteCount = 96

    var treeCount = 0
    var nodeCount = 0
    var columnCount = 0
    var dimensionCount = 0
    var rankCount = 0
    var cutCount = 0
    /// Numbers in `entries`, with `dimensionCount` zeros at the end, so that any node has entries.
    var entryCount = 0
    var isNarrow = false
    /// True if each leaf has a value for every dimension in order.
    var isDense = false
    var meanDepth: Double = 0

    var fields: [UInt64] {
      let counts = [treeCount, nodeCount, columnCount, dimensionCount, rankCount, cutCount, entryCount]
      return counts.map { UInt64(clamping: $0) } + [isNarrow ? 1 : 0, isDense ? 1 : 0, meanDepth.bitPattern, 0, 0]
    }

    init() {}

    init(_ fields: [UInt64]) throws(StoredForestError) {
      func count(_ index: Int) throws(StoredForestError) -> Int {
        guard let count = Extent(fields[index]).count else { throw StoredForestError("a count is too large") }
        return count
      }
      (treeCount, nodeCount, columnCount) = (try count(0), try count(1), try count(2))
      (dimensionCount, rankCount, cutCount, entryCount) = (try count(3), try count(4), try count(5), try count(6))
      (isNarrow, isDense, meanDepth) = (fields[7] != 0, fields[8] != 0, Double(bitPattern: fields[9]))
    }

    var isSingle: Bool { dimensionCount == 1 }

    func byteCount(_ section: Section) -> Extent {
      switch section {
      case .base: Extent(dimensionCount) * 8
      case .columns: Extent(rankCount) * 32
      case .cuts: Extent(cutCount) * 8
      case .nodes: Extent(nodeCount) * (isNarrow ? 8 : 12)
      case .roots, .depths: Extent(treeCount) * 4
      case .values: isSingle ? Extent(nodeCount) * 8 : Extent(0)
      case .entryStarts: isSingle ? Extent(0) : (Extent(nodeCount) + 1) * 4
      case .dimensions: isSingle || isDense ? Extent(0) : Extent(entryCount) * 4
      case .entries: isSingle ? Extent(0) : Extent(entryCount) * 8
      }
    }
  }

  // MARK: Writing

  package var stored: [UInt8] {
    var header = Header()
    (header.treeCount, header.nodeCount, header.columnCount) = (treeCount, nodeCount, columnCount)
    (header.dimensionCount, header.rankCount, header.cutCount) = (dimensionCount, tables.columns.count, tables.cuts.byteCount / 8)
    let isSingle = dimensionCount == 1
    header.entryCount = isSingle ? 0 : tables.entries.byteCount / 8 + dimensionCount
    (header.isNarrow, header.isDense, header.meanDepth) = (tables.isNarrow, !isSingle && tables.dimensions == nil, tables.meanDepth)
    var bytes: [UInt8] = []
    func append(_ numbers: some Sequence<UInt64>) {
      for number in numbers { unsafe withUnsafeBytes(of: number.littleEndian) { unsafe bytes.append(contentsOf: $0) } }
    }
    append(header.fields)
    for section in Section.allCases {
      bytes.append(contentsOf: repeatElement(0, count: TensorStorage.alignedByteCount(bytes.count) - bytes.count))
      let start = bytes.count
      switch section {
      case .base: append(base.map(\.bitPattern))
      case .columns:
        for column in tables.columns {
          append([column.source, column.missingIsLow ? 1 : 0, column.start, column.count].map { UInt64(clamping: $0) })
        }
      case .cuts: Self.append(tables.cuts, to: &bytes)
      case .nodes: Self.append(tables.nodes, to: &bytes)
      case .roots: Self.append(tables.roots, to: &bytes)
      case .depths: Self.append(tables.depths, to: &bytes)
      case .values: if let values = tables.values { Self.append(values, to: &bytes) }
      case .entryStarts: if !isSingle { Self.append(tables.entryStarts, to: &bytes) }
      case .dimensions: if !isSingle, let dimensions = tables.dimensions { Self.append(dimensions, to: &bytes) }
      case .entries: if !isSingle { Self.append(tables.entries, to: &bytes) }
      }
      // Room after the entries and their dimensions.
      let missing = header.byteCount(section).clamped - (bytes.count - start)
      bytes.append(contentsOf: repeatElement(0, count: max(missing, 0)))
    }
    return bytes
  }

  private static func append(_ storage: TensorStorage, to bytes: inout [UInt8]) {
    unsafe bytes.append(contentsOf: UnsafeRawBufferPointer(start: storage.pointer, count: storage.byteCount))
  }

  // MARK: Reading

  /// A forest in bytes that are used in place. Nothing in them is trusted.
  /// - Parameter storage: aligned to 64 bytes.
  /// - Throws: `StoredForestError` if a number is out of range.
  package convenience init(stored storage: TensorStorage) throws(StoredForestError) {
    guard storage.byteCount >= Header.byteCount, unsafe UInt(bitPattern: storage.pointer) % UInt(TensorStorage.alignment) == 0 else {
      throw StoredForestError("ends early")
    }
    let header = try Header((0..<12).map { unsafe storage.pointer.load(fromByteOffset: 8 * $0, as: UInt64.self) })
    guard (1...1 << 20).contains(header.dimensionCount), header.nodeCount > 0 || header.treeCount == 0, header.meanDepth.isFinite else {
      throw StoredForestError("has \(header.dimensionCount) dimensions")
    }
    var parts: [TensorStorage] = []
    var offset = Extent(Header.byteCount)
    for section in Section.allCases {
      offset = offset.dividedRoundingUp(by: TensorStorage.alignment) * TensorStorage.alignment
      let byteCount = header.byteCount(section)
      guard (offset + byteCount).fits(storage.byteCount), let start = offset.value, let count = byteCount.value else {
        throw StoredForestError("ends early")
      }
      parts.append(unsafe TensorStorage(reading: UnsafeRawPointer(storage.pointer + start), byteCount: count, of: storage))
      offset += byteCount
    }
    func part(_ section: Section) -> TensorStorage { parts[section.rawValue] }
    func words(_ section: Section) -> UnsafeBufferPointer<UInt32> {
      unsafe UnsafeBufferPointer(
        start: part(section).pointer.assumingMemoryBound(to: UInt32.self), count: part(section).byteCount / 4)
    }
    var columns: [ForestTables.Column] = []
    for index in 0..<header.rankCount {
      let fields = (0..<4).map { unsafe part(.columns).pointer.load(fromByteOffset: 32 * index + 8 * $0, as: UInt64.self) }
      guard fields[0] < UInt64(clamping: header.columnCount), let start = Extent(fields[2]).count, let count = Extent(fields[3]).count,
        (Extent(start) + count).fits(header.cutCount), !header.isNarrow || count < Int(UInt16.max) - 1
      else { throw StoredForestError("column \(index) is out of range") }
      columns.append(ForestTables.Column(source: Int(clamping: fields[0]), missingIsLow: fields[1] != 0, start: start, count: count))
    }
    try Self.checkNodes(part(.nodes), header, rankCount: max(columns.count, 1))
    guard unsafe words(.roots).allSatisfy({ $0 < UInt32(clamping: header.nodeCount) }) else {
      throw StoredForestError("a root is out of range")
    }
    // A walk ends after as many steps, wherever it is.
    guard unsafe words(.depths).allSatisfy({ $0 <= UInt32(clamping: header.nodeCount) }) else {
      throw StoredForestError("a depth is out of range")
    }
    if !header.isSingle {
      var last: UInt32 = 0
      let starts = unsafe words(.entryStarts)
      for index in 0..<starts.count {
        let start = unsafe starts[index]
        guard start >= last, (Extent(Int(clamping: start)) + header.dimensionCount).fits(header.entryCount) else {
          throw StoredForestError("the values of a node are out of range")
        }
        last = start
      }
      guard unsafe words(.dimensions).allSatisfy({ $0 < UInt32(clamping: header.dimensionCount) }) else {
        throw StoredForestError("a dimension is out of range")
      }
    }
    let tables = ForestTables(
      treeCount: header.treeCount, nodeCount: header.nodeCount, columnCount: header.columnCount, columns: columns, cuts: part(.cuts),
      isNarrow: header.isNarrow, nodes: part(.nodes), roots: part(.roots), depths: part(.depths),
      values: header.isSingle ? part(.values) : nil, entryStarts: part(.entryStarts),
      dimensions: header.isSingle || header.isDense ? nil : part(.dimensions), entries: part(.entries))
    let base = (0..<header.dimensionCount).map { unsafe part(.base).pointer.load(fromByteOffset: 8 * $0, as: Double.self) }
    self.init(tables, base: base)
  }

  /// Checks that both successors of each node are nodes, and that its column is one.
  private static func checkNodes(_ nodes: TensorStorage, _ header: Header, rankCount: Int) throws(StoredForestError) {
    let (count, columns) = (UInt32(clamping: header.nodeCount), UInt32(clamping: rankCount))
    func check(_ cut: UInt32, _ column: UInt32, _ left: UInt32, leafCut: UInt32) -> Bool {
      // No rank is above the cut of a leaf.
      left < count && (cut == leafCut || left < count - 1) && column < columns
    }
    var isValid = true
    for index in 0..<header.nodeCount {
      if header.isNarrow {
        let node = unsafe nodes.pointer + 8 * index
        let (cut, column) = unsafe (node.load(as: UInt16.self), node.load(fromByteOffset: 2, as: UInt16.self))
        isValid =
          unsafe isValid
          && check(
            UInt32(cut), UInt32(column), node.load(fromByteOffset: 4, as: UInt32.self), leafCut: UInt32(UInt16.max))
      } else {
        let node = unsafe nodes.pointer + 12 * index
        isValid =
          unsafe isValid
          && check(
            node.load(as: UInt32.self), node.load(fromByteOffset: 4, as: UInt32.self), node.load(fromByteOffset: 8, as: UInt32.self),
            leafCut: .max)
      }
    }
    guard isValid else { throw StoredForestError("a node is out of range") }
  }
}

/// A stored forest that is damaged.
package struct StoredForestError: Error, CustomStringConvertible {
  package let description: String

  init(_ reason: String) { description = "the stored forest \(reason)" }
}
