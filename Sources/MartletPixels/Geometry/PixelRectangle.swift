/// A rectangle of a picture in pixels, with the origin at the upper left; edges may lie within pixels.
package struct PixelRectangle: Sendable, Hashable {
  package var columns: Range<Double>
  package var rows: Range<Double>

  package init(columns: Range<Double>, rows: Range<Double>) {
    self.columns = columns
    self.rows = rows
  }

  /// Whole pixels.
  package init(x: Int, y: Int, width: Int, height: Int) {
    self.init(columns: Double(x)..<Double(x) + Double(width), rows: Double(y)..<Double(y) + Double(height))
  }

  package var width: Double { columns.upperBound - columns.lowerBound }
  package var height: Double { rows.upperBound - rows.lowerBound }

  /// True if the rectangle is not empty and lies within a picture.
  package func isInside(width: Int, height: Int) -> Bool {
    columns.lowerBound >= 0 && rows.lowerBound >= 0 && columns.upperBound <= Double(width) && rows.upperBound <= Double(height)
      && !columns.isEmpty && !rows.isEmpty
  }
}
