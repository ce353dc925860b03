/// How stored rows and columns relate to the upright picture: the values of the EXIF tag `Orientation`.
package enum ImageOrientation: Int, Sendable, CaseIterable {
  case up = 1
  case upMirrored = 2
  case down = 3
  case downMirrored = 4
  case leftMirrored = 5
  case right = 6
  case rightMirrored = 7
  case left = 8
}

extension Image {
  /// The upright picture of pixels stored in `orientation`.
  package func upright(from orientation: ImageOrientation) -> Image {
    if orientation == .up { return self }
    let exchangesAxes = orientation.rawValue >= 5
    let resultWidth = exchangesAxes ? height : width
    let resultHeight = exchangesAxes ? width : height
    let channelCount = format.channelCount
    var result: [UInt8] = []
    result.reserveCapacity(pixels.count)
    for y in 0..<resultHeight {
      for x in 0..<resultWidth {
        let (column, row) =
          switch orientation {
          case .up: (x, y)
          case .upMirrored: (width - 1 - x, y)
          case .down: (width - 1 - x, height - 1 - y)
          case .downMirrored: (x, height - 1 - y)
          case .leftMirrored: (y, x)
          case .right: (y, height - 1 - x)
          case .rightMirrored: (width - 1 - y, height - 1 - x)
          case .left: (width - 1 - y, x)
          }
        let start = (row * width + column) * channelCount
        for channel in 0..<channelCount { result.append(pixels[start + channel]) }
      }
    }
    return Image(checkedWidth: resultWidth, height: resultHeight, format: format, pixels: result)
  }
}

extension ImageOrientation {
  /// The orientation that a JPEG file's EXIF block states; nil if there is none, or the block is damaged: like other
  /// viewers, a reader shows such a picture as stored.
  ///
  /// Source: the APP1 segment of Exif 2.3 (a TIFF 6.0 directory), tag 0x0112 of directory 0.
  static func ofJPEG(_ segments: JPEGSegments) -> ImageOrientation? {
    segments.exif.flatMap { ofTIFF($0) }
  }

  private static func ofTIFF(_ block: ArraySlice<UInt8>) -> ImageOrientation? {
    let isLittleEndian: Bool
    if block.starts(with: [0x49, 0x49]) {
      isLittleEndian = true
    } else if block.starts(with: [0x4D, 0x4D]) {
      isLittleEndian = false
    } else {
      return nil
    }
    func integer(at offset: Int, byteCount: Int) -> Int? {
      guard offset <= block.count - byteCount else { return nil }
      let start = block.startIndex + offset
      let bytes = block[start..<start + byteCount]
      return (isLittleEndian ? Array(bytes.reversed()) : Array(bytes)).reduce(0) { $0 << 8 | Int($1) }
    }
    guard integer(at: 2, byteCount: 2) == 42, let directory = integer(at: 4, byteCount: 4),
      let count = integer(at: directory, byteCount: 2)
    else { return nil }
    for index in 0..<count {
      let entry = directory + 2 + 12 * index
      guard let tag = integer(at: entry, byteCount: 2) else { return nil }
      guard tag == 0x0112 else { continue }
      // One value of type SHORT, kept in the first bytes of the value field.
      guard integer(at: entry + 2, byteCount: 2) == 3, let value = integer(at: entry + 8, byteCount: 2) else { return nil }
      return ImageOrientation(rawValue: value)
    }
    return nil
  }
}
