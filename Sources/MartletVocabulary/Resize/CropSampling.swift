/// Boxes of images, resized with linear interpolation.
package struct CropSampling: Sendable, Hashable {
  /// The meaning of a box's four numbers.
  package enum BoxForm: Sendable, Hashable {
    /// First and last row and column: (top, left, bottom, right), or with the columns first.
    case corners(widthFirst: Bool)
    /// Centre and size: (row, column, height, width), or with the columns first.
    case centerSize(widthFirst: Bool)
  }

  package var mode: SamplingMode
  package var boxForm: BoxForm
  /// True if the coordinate 1 is the last row or column; false if it is pixel 1.
  package var isNormalized: Bool
  /// Factor applied to all coordinates.
  package var scale: Float
  /// Value of points outside the image; nil to mirror the image.
  package var padding: Float?

  package init(mode: SamplingMode, boxForm: BoxForm, isNormalized: Bool, scale: Float, padding: Float?) {
    self.mode = mode
    self.boxForm = boxForm
    self.isNormalized = isNormalized
    self.scale = scale
    self.padding = padding
  }
}
