import MartletBytes
import MartletTensor

/// Element type, shape and memory order of a stored tensor. The values are validated: extents are not negative, the dim order is a
/// permutation, and the element and byte counts do not overflow.
package struct TensorLayout: Sendable, Hashable {
  package let scalarType: ScalarType
  /// Extent of each axis, outermost logical axis first.
  package let sizes: [Int]
  /// Axis order in memory, outermost first; `0, 1, 2, ...` is row-major.
  package let dimOrder: [Int]
  package let elementCount: Int
  /// Size of all elements in bytes, without gaps; `nil` if `scalarType` packs several elements into a byte.
  package let byteCount: Int?

  package var rank: Int { sizes.count }

  /// Whether the elements are in row-major order. Axes of extent 1 are ignored.
  package var isContiguous: Bool {
    let moved = dimOrder.filter { sizes[$0] != 1 }
    return zip(moved, moved.dropFirst()).allSatisfy { $0 < $1 }
  }

  /// Reads the layout of `table` from the given slots. A missing dim order means row-major.
  ///
  /// - Throws: `FileError` if the rules above are violated or the scalar type is unknown.
  init(of table: FlatBufferTable, scalarTypeSlot: Int, sizesSlot: Int, dimOrderSlot: Int) throws(FileError) {
    let scalarType = try table.scalarType(scalarTypeSlot)
    let sizes = try table.ints(sizesSlot, "sizes", of: Int32.self) ?? []
    var dimOrder = Shape.rowMajorOrder(rank: sizes.count)
    // Most tensors are row-major, and share that list.
    if let order = try table.bytes(dimOrderSlot, "dim_order"), try !Self.isRowMajor(order, rank: sizes.count) {
      dimOrder = try table.ints(dimOrderSlot, "dim_order", of: UInt8.self) ?? []
    }

    if let negative = sizes.first(where: { $0 < 0 }) {
      throw table.error("the extent \(negative) in \(Self.text(sizes)) is negative", field: "sizes")
    }
    guard Self.isPermutation(dimOrder, of: sizes.count) else {
      throw table.error("\(Self.text(dimOrder)) is not a permutation of the \(sizes.count) axes", field: "dim_order")
    }
    guard let elementCount = Shape.elementCount(sizes) else {
      throw table.error("the element count of \(Self.text(sizes)) overflows", field: "sizes")
    }
    var byteCount: Int?
    if let elementByteCount = scalarType.byteCount {
      byteCount = (Extent(elementCount) * elementByteCount).value
      guard byteCount != nil else { throw table.error("the byte count of \(Self.text(sizes)) overflows", field: "sizes") }
    }
    self.scalarType = scalarType
    self.sizes = sizes
    self.dimOrder = dimOrder
    self.elementCount = elementCount
    self.byteCount = byteCount
  }

  /// True if a stored axis order is `0, 1, 2, ...`.
  private static func isRowMajor(_ order: ByteView, rank: Int) throws(FileError) -> Bool {
    guard order.count == rank else { return false }
    for axis in 0..<rank {
      guard Int(widening: try order.load(UInt8.self, at: axis)) == axis else { return false }
    }
    return true
  }

  private static func isPermutation(_ order: [Int], of count: Int) -> Bool {
    guard order.count == count else { return false }
    // Fast path: most tensors share this list.
    if order == Shape.rowMajorOrder(rank: count) { return true }
    var seen = [Bool](repeating: false, count: count)
    for axis in order {
      guard axis >= 0, axis < count, !seen[axis] else { return false }
      seen[axis] = true
    }
    return true
  }

  /// The first elements of a list, short enough for a message.
  private static func text(_ numbers: [Int]) -> String {
    let shown = numbers.prefix(8).map(String.init).joined(separator: ", ")
    return "[" + shown + (numbers.count > 8 ? ", ...]" : "]")
  }
}
