import MartletTensor

/// Orientation of stored rows and columns relative to the upright image: the values of the EXIF tag `Orientation`.
package enum ImageOrientation: Int, Sendable, CaseIterable {
  case up = 1
  case upMirrored = 2
  case down = 3
  case downMirrored = 4
  case leftMirrored = 5
  case right = 6
  case rightMirrored = 7
  case left = 8

  /// Whether stored rows are columns of the upright image.
  package var exchangesAxes: Bool { rawValue >= 5 }

  /// Position in the upright image of the stored pixel at a column and row; `width` and `height` are those of the stored image.
  func uprightPosition(column: Int, row: Int, width: Int, height: Int) -> (x: Int, y: Int) {
    switch self {
    case .up: (column, row)
    case .upMirrored: (width - 1 - column, row)
    case .down: (width - 1 - column, height - 1 - row)
    case .downMirrored: (column, height - 1 - row)
    case .leftMirrored: (row, column)
    case .right: (height - 1 - row, column)
    case .rightMirrored: (height - 1 - row, width - 1 - column)
    case .left: (row, width - 1 - column)
    }
  }
}

extension Image {
  /// The upright image of pixels stored in `orientation`.
  package func upright(from orientation: ImageOrientation) -> Image {
    if orientation == .up { return self }
    let exchangesAxes = orientation.exchangesAxes
    let resultWidth = exchangesAxes ? height : width
    let resultHeight = exchangesAxes ? width : height
    let channelCount = format.channelCount
    var result = [UInt8](repeating: 0, count: pixels.count)
    var source = 0
    for row in 0..<height {
      for column in 0..<width {
        let (x, y) = orientation.uprightPosition(column: column, row: row, width: width, height: height)
        let start = (y * resultWidth + x) * channelCount
        for channel in 0..<channelCount { result[start + channel] = pixels[source + channel] }
        source += channelCount
      }
    }
    return Image(checkedWidth: resultWidth, height: resultHeight, format: format, pixels: result)
  }
}

extension ImageOrientation {
  /// The orientation in a JPEG file's EXIF block; nil if there is none or the block is damaged. Like other viewers, a reader then shows
  /// the image as stored.
  ///
  /// Source: the APP1 segment of Exif 2.3 (a TIFF 6.0 directory), tag 0x0112 of directory 0.
  static func ofJPEG(_ segments: JPEGSegments) -> ImageOrientation? {
    segments.exif.flatMap { ofTIFF($0) }
  }

  /// The orientation in a PNG file's `eXIf` chunk; nil as for JPEG files.
  ///
  /// Source: Portable Network Graphics, third edition, 11.3.4.5: the TIFF block without a preceding signature.
  static func ofPNG(_ chunks: PNGChunks) -> ImageOrientation? {
    chunks.exif.flatMap { ofTIFF($0) }
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
      return (isLittleEndian ? Array(bytes.reversed()) : Array(bytes)).reduce(0) { $0 << 8 | Int(widening: $1) }
    }
    guard integer(at: 2, byteCount: 2) == 42, let directory = integer(at: 4, byteCount: 4),
      let count = integer(at: directory, byteCount: 2)
    else { return nil }
    for index in 0..<count {
      let entry = directory + 2 + 12 * index
      guard let tag = integer(at: entry, byteCount: 2) else { return nil }
      guard tag == 0x0112 else { continue }
      // One value of type SHORT, stored in the first bytes of the value field.
      guard integer(at: entry + 2, byteCount: 2) == 3, let value = integer(at: entry + 8, byteCount: 2) else { return nil }
      return ImageOrientation(rawValue: value)
    }
    return nil
  }
}
