package import MartletMedia
package import MartletTensor

/// Pixels of a picture in somebody else's memory, which must outlive the value.
package enum PixelView {
  /// Gray or colours of 8 or 10 bits.
  case colors(PixelSource)
  /// One number for each pixel.
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

/// Floating-point numbers, one for each pixel, in somebody else's memory, which must outlive the value.
@safe
package struct NumberPlane {
  package let width: Int
  package let height: Int
  let dtype: DType
  let base: UnsafeMutableRawPointer
  /// Elements from the start of a row to the next one's.
  private let rowLength: Int

  /// - Parameter rowByteCount: a multiple of the element's size.
  /// - Returns: nil if an extent is below 1, a row does not fit `rowByteCount`, or the byte count overflows.
  package init?(width: Int, height: Int, dtype: DType, base: UnsafeMutableRawPointer, rowByteCount: Int) {
    guard width > 0, height > 0, rowByteCount / dtype.byteCount >= width, !rowByteCount.multipliedReportingOverflow(by: height).overflow else {
      return nil
    }
    self.width = width
    self.height = height
    self.dtype = dtype
    unsafe self.base = base
    rowLength = rowByteCount / dtype.byteCount
  }

  /// Where the elements of a tensor [1, 1, height, width] lie.
  var placement: ElementPlacement {
    ElementPlacement(dtype, strides: [height * rowLength, height * rowLength, rowLength, 1])
  }
}
