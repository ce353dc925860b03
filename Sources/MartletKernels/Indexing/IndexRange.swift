/// The indices that an axis has.
package struct IndexRange: Sendable {
  private let extent: Int64
  /// True if negative indices count from the end; otherwise they are out of range.
  private let allowsNegative: Bool

  package init(extent: Int, allowsNegative: Bool) {
    self.extent = Int64(extent)
    self.allowsNegative = allowsNegative
  }

  /// The index as a position on the axis.
  /// - Throws: `KernelError` if the axis does not have it.
  @inline(__always)
  package func position(_ given: Int64) throws -> Int {
    let index = given < 0 && allowsNegative ? given &+ extent : given
    guard index >= 0, index < extent else { throw KernelError("index \(given) is out of range for an axis of extent \(extent)") }
    return Int(index)
  }
}
