import MartletTensor

/// What a picture file may ask for. A file of a few kilobytes can declare gigabytes, so every limit is compared before memory is taken.
package struct PictureLimits: Sendable, Equatable {
  /// Pixels of one picture.
  package var pixelCount = 1 << 27
  /// Pixels along one side.
  package var extent = 65_535
  /// Scans of a JPEG file.
  package var scanCount = 500
  /// Inflated bytes of a profile, and of all other metadata together.
  package var metadataByteCount = 8 << 20

  package static let standard = PictureLimits()

  package init() {}

  /// - Throws: `MediaError.Reason.tooLarge` naming what exceeds its limit.
  func check(width: Int, height: Int, file: String) throws(MediaError) {
    guard width > 0, height > 0 else {
      throw MediaError(file: file, field: "width and height", reason: .invalid("\(width) x \(height) is empty"))
    }
    let longest = max(width, height)
    guard longest <= extent else {
      throw MediaError(file: file, field: "width and height", reason: .tooLarge(declared: longest, limit: extent))
    }
    let pixels = Extent(width) * height
    guard pixels.fits(pixelCount) else {
      throw MediaError(file: file, field: "pixel count", reason: .tooLarge(declared: pixels.clamped, limit: pixelCount))
    }
  }

  func check(metadataByteCount count: Int, file: String, field: String) throws(MediaError) {
    guard count <= metadataByteCount else {
      throw MediaError(file: file, field: field, reason: .tooLarge(declared: count, limit: metadataByteCount))
    }
  }

  /// Pixels that all scans of a JPEG together may visit.
  private static let largestWork = 1 << 30
  /// Number of scans that a file of any size may have; encoders write ten.
  private static let usualScanCount = 16

  /// Each scan visits every pixel, whatever its size.
  func check(scanCount count: Int, pixelCount: Extent, file: String) throws(MediaError) {
    let limit = min(max(Self.largestWork / max(pixelCount.clamped, 1), Self.usualScanCount), scanCount)
    guard count <= limit else {
      throw MediaError(file: file, field: "number of scans", reason: .tooLarge(declared: count, limit: limit))
    }
  }
}
