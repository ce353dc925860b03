/// Where the planes of a buffer are in one run of bytes.
struct PixelBufferLayout {
  struct Plane {
    let width: Int
    let height: Int
    let bytesPerRow: Int
    /// From the first byte of the run.
    let offset: Int
  }

  let planes: [Plane]
  let byteCount: Int
  /// A multiple that the run's address is to be of, a power of two.
  let baseAlignment: Int

  /// Multiples that rows and planes start at, where attributes do not say otherwise.
  static let defaultAlignment = 64
  private static let largestAlignment = 1 << 20

  /// - Returns: a result code other than success when there is no such buffer.
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

  /// The alignment that `attributes` name under `key`, which must be a power of two, or else the default; nil if it is none.
  private static func alignment(_ key: CFString, in attributes: CFDictionary?) -> Int? {
    guard let value = attributes?[key] else { return defaultAlignment }
    guard let alignment = (value as? NSNumber)?.intValue, alignment > 0, alignment <= largestAlignment,
      alignment & (alignment - 1) == 0
    else { return nil }
    return alignment
  }
}

/// A value, or the result code that says why there is none.
enum PixelBufferResult<Value> {
  case success(Value)
  case failure(CVReturn)
}

extension Int {
  /// The product, or nil if it overflows.
  func product(_ other: Int) -> Int? {
    let (result, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? nil : result
  }

  /// The sum, or nil if it overflows.
  func sum(_ other: Int) -> Int? {
    let (result, overflow) = addingReportingOverflow(other)
    return overflow ? nil : result
  }

  /// The least multiple of `multiple`, a positive number, that is no smaller; nil if that overflows.
  func roundedUp(toMultipleOf multiple: Int) -> Int? {
    sum(multiple - 1).map { $0 / multiple * multiple }
  }
}
