/// Placement of a buffer's planes in one memory block.
struct PixelBufferLayout {
  struct Plane {
    let width: Int
    let height: Int
    let bytesPerRow: Int
    /// Offset from the start of the block, in bytes.
    let offset: Int
  }

  let planes: [Plane]
  let byteCount: Int
  /// Required alignment of the block in bytes, a power of two.
  let baseAlignment: Int

  /// Default alignment of rows and planes, in bytes.
  static let defaultAlignment = 64
  private static let largestAlignment = 1 << 20

  /// - Returns: a result code other than success if such a buffer cannot be created.
  static func layout(width: Int, height: Int, format: OSType, attributes: CFDictionary?) -> PixelBufferResult<PixelBufferLayout> {
    guard let formatLayout = PixelFormatLayout(format) else { return .failure(kCVReturnInvalidPixelFormat) }
    guard let rowAlignment = alignment(kCVPixelBufferBytesPerRowAlignmentKey, in: attributes),
      let planeAlignment = alignment(kCVPixelBufferPlaneAlignmentKey, in: attributes)
    else { return .failure(kCVReturnInvalidPixelBufferAttributes) }
    guard width > 0, height > 0 else { return .failure(kCVReturnInvalidSize) }
    var planes: [Plane] = []
    var end = 0
    for plane in formatLayout.planes {
      let extents = plane.extents(imageWidth: width, imageHeight: height)
      guard let offset = end.roundedUp(toMultipleOf: planeAlignment),
        let bytesPerRow = plane.rowByteCount(width: extents.width)?.roundedUp(toMultipleOf: rowAlignment),
        let byteCount = bytesPerRow.product(extents.height), let planeEnd = offset.sum(byteCount)
      else { return .failure(kCVReturnInvalidSize) }
      planes.append(Plane(width: extents.width, height: extents.height, bytesPerRow: bytesPerRow, offset: offset))
      end = planeEnd
    }
    return .success(PixelBufferLayout(planes: planes, byteCount: end, baseAlignment: max(planeAlignment, defaultAlignment)))
  }

  /// The alignment in `attributes`, or the default if there is none; nil if the value is not a power of two.
  private static func alignment(_ key: CFString, in attributes: CFDictionary?) -> Int? {
    guard let value = attributes?[key] else { return defaultAlignment }
    guard let alignment = (value as? NSNumber)?.intValue, alignment > 0, alignment <= largestAlignment,
      alignment & (alignment - 1) == 0
    else { return nil }
    return alignment
  }
}

/// A value, or the result code of a failure.
enum PixelBufferResult<Value> {
  case success(Value)
  case failure(CVReturn)
}

extension Int {
  /// The product; nil if it overflows.
  func product(_ other: Int) -> Int? {
    let (result, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? nil : result
  }

  /// The sum; nil if it overflows.
  func sum(_ other: Int) -> Int? {
    let (result, overflow) = addingReportingOverflow(other)
    return overflow ? nil : result
  }

  /// Rounds up to a multiple of a positive number; nil if that overflows.
  func roundedUp(toMultipleOf multiple: Int) -> Int? {
    sum(multiple - 1).map { $0 / multiple * multiple }
  }
}
