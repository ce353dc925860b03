/// Boxes of images, resized with linear interpolation.
package struct CropSampling: Sendable, Hashable {
  /// What the four numbers of a box are.
  package enum BoxForm: Sendable, Hashable {
    /// First and last row and column: (top, left, bottom, right), or with the columns first.
    case corners(widthFirst: Bool)
    /// Middle and size: (row, column, height, width), or with the columns first.
    case centerSize(widthFirst: Bool)
  }

  package var mode: SamplingMode
  package var boxForm: BoxForm
  /// Whether 1 is the last row or column, and not pixel 1.
  package var isNormalized: Bool
  /// Factor of all coordinates.
  package var scale: Float
  /// Value of points outside of the image; nil to mirror the image there.
  package var padding: Float?

  package init(mode: SamplingMode, boxForm: BoxForm, isNormalized: Bool, scale: Float, padding: Float?) {
    self.mode = mode
    self.boxForm = boxForm
    self.isNormalized = isNormalized
    self.scale = scale
    self.padding = padding
  }
}
