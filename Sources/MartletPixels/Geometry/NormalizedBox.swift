/// A rectangle of a picture in units of its extents, with the origin at the lower left.
package struct NormalizedBox: Sendable, Hashable {
  package var x: Double
  package var y: Double
  package var width: Double
  package var height: Double

  package init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  package static let whole = NormalizedBox(x: 0, y: 0, width: 1, height: 1)

  /// True if the box is not empty and lies within the picture, except for rounding.
  package var isInside: Bool {
    let slack = 1e-6
    return width > 0 && height > 0 && x >= -slack && y >= -slack && x + width <= 1 + slack && y + height <= 1 + slack
  }

  /// The pixels that the box covers in a picture, rounded to whole ones, at least one along each axis; rows count from the top.
  /// - Precondition: the box is inside of the picture, whose extents are at least 1.
  package func pixels(width: Int, height: Int) -> (columns: Range<Int>, rows: Range<Int>) {
    func pixels(_ start: Double, _ end: Double, of extent: Int) -> Range<Int> {
      // In range: about the extent at most.
      let lower = min(max(0, Int((start * Double(extent)).rounded())), extent - 1)
      return lower..<max(lower + 1, min(extent, Int((end * Double(extent)).rounded())))
    }
    return (pixels(x, x + self.width, of: width), pixels(1 - (y + self.height), 1 - y, of: height))
  }
}
