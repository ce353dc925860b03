import MartletBytes

/// Element type, shape and order in memory of a stored tensor, with sizes known to be sound: extents are not negative, the
/// dim order is a permutation, and the element and byte counts do not overflow.
package struct TensorLayout: Sendable, Hashable {
  package let scalarType: ScalarType
  /// Extent of each axis, outermost logical axis first.
  package let sizes: [Int]
  /// Axes from the outermost to the innermost in memory; `0, 1, 2, ...` is row-major.
  package let dimOrder: [Int]
  package let elementCount: Int
  /// Bytes of all elements without gaps; `nil` when `scalarType` packs several elements into a byte.
  package let byteCount: Int?

  package var rank: Int { sizes.count }

  /// Whether the elements are in row-major order, also counting orders that differ only in axes of extent 1.
  package var isContiguous: Bool {
    let moved = dimOrder.filter { sizes[$0] != 1 }
    return zip(moved, moved.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// Reads the layout of `table` from the slots given. A missing dim order means row-major.
  ///
  /// - Throws: `FileError` when the rules above are broken or the scalar type is unknown.
  init(of table: FlatBufferTable, scalarTypeSlot: Int, sizesSlot: Int, dimOrderSlot: Int) throws(FileError) {
    let scalarType = try table.scalarType(scalarTypeSlot)
    let sizes = try table.ints(sizesSlot, "sizes", of: Int32.self) ?? []
    let order = try table.ints(dimOrderSlot, "dim_order", of: UInt8.self)

    if let negative = sizes.first(where: { $0 < 0 }) {
      throw table.error("the extent \(negative) in \(Self.text(sizes)) is negative", field: "sizes")
    }
    let dimOrder = order ?? Array(sizes.indices)
    guard Self.isPermutation(dimOrder, of: sizes.count) else {
      throw table.error("\(Self.text(dimOrder)) is not a permutation of the \(sizes.count) axes", field: "dim_order")
    }
    guard let elementCount = Self.product(of: sizes) else {
      throw table.error("the element count of \(Self.text(sizes)) overflows", field: "sizes")
    }
    var byteCount: Int?
    if let elementByteCount = scalarType.byteCount {
      let (bytes, overflow) = elementCount.multipliedReportingOverflow(by: elementByteCount)
      guard !overflow else { throw table.error("the byte count of \(Self.text(sizes)) overflows", field: "sizes") }
      byteCount = bytes
    }
    self.scalarType = scalarType
    self.sizes = sizes
    self.dimOrder = dimOrder
    self.elementCount = elementCount
    self.byteCount = byteCount
  }

  private static func isPermutation(_ order: [Int], of count: Int) -> Bool {
    guard order.count == count else { return false }
    // Row-major, as most are.
    if order.elementsEqual(0..<count) { return true }
    var seen = [Bool](repeating: false, count: count)
    for axis in order {
      guard axis >= 0, axis < count, !seen[axis] else { return false }
      seen[axis] = true
    }
    return true
  }

  /// No tensor has more elements than this, nor would one without its extents of 0, so that no product of some of its
  /// extents overflows.
  static let largestElementCount = 1 << 52

  /// The product, 1 for none; `nil` when the extents other than 0 give more than `largestElementCount`. A zero anywhere gives 0.
  static func product(of extents: [Int]) -> Int? {
    var product = 1
    for extent in extents where extent != 0 {
      guard extent <= largestElementCount / product else { return nil }
      product *= extent
    }
    return extents.contains(0) ? 0 : product
  }

  /// The first numbers of a list, short enough for a message.
  private static func text(_ numbers: [Int]) -> String {
    let shown = numbers.prefix(8).map(String.init).joined(separator: ", ")
    return "[" + shown + (numbers.count > 8 ? ", ...]" : "]")
  }
}
