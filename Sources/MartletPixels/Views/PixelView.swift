package import MartletTensor

/// Pixels of an image in memory that the value does not own. The memory must outlive the value.
package enum PixelView {
  /// Gray or colour samples of 8 or 10 bits.
  case colors(PixelSource)
  /// One floating-point sample per pixel.
  case numbers(NumberPlane)

  package var width: Int {
    switch self {
    case .colors(let source): source.width
    case .numbers(let plane): plane.width
    }
  }

  package var height: Int {
    switch self {
    case .colors(let source): source.height
    case .numbers(let plane): plane.height
    }
  }
}

/// Floating-point samples, one per pixel, in memory that the value does not own. The memory must outlive the value.
@safe
package struct NumberPlane {
  package let width: Int
  package let height: Int
  package let dtype: DType
  package let base: UnsafeMutableRawPointer
  /// Elements between the starts of consecutive rows.
  private let rowLength: Int

  /// - Parameter rowByteCount: a multiple of the element's size.
  /// - Returns: nil if an extent is below 1, a row does not fit `rowByteCount`, or the byte count overflows.
  package init?(width: Int, height: Int, dtype: DType, base: UnsafeMutableRawPointer, rowByteCount: Int) {
    guard width > 0, height > 0, rowByteCount / dtype.byteCount >= width, (Extent(rowByteCount) * height).isRepresentable
    else { return nil }
    self.width = width
    self.height = height
    self.dtype = dtype
    unsafe self.base = base
    rowLength = rowByteCount / dtype.byteCount
  }

  /// Distance between the starts of consecutive rows, in bytes.
  var rowByteCount: Int { rowLength * dtype.byteCount }

  /// The strides of the samples as a tensor of shape [1, 1, height, width].
  package var placement: ElementPlacement {
    ElementPlacement(dtype, strides: [height * rowLength, height * rowLength, rowLength, 1])
  }
}
