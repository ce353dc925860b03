import MartletKernels

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

  /// True if stored rows are columns of the upright image.
  package var exchangesAxes: Bool { rawValue >= 5 }

  /// This orientation, and then another one applied to the result.
  package func followed(by next: ImageOrientation) -> ImageOrientation {
    // Where two corners of a picture of 2 x 2 pixels go tells the orientations apart.
    func corners(_ position: (Int, Int) -> (x: Int, y: Int)) -> [Int] {
      [position(0, 0), position(1, 0)].flatMap { [$0.x, $0.y] }
    }
    let result = corners { column, row in
      let first = uprightPosition(column: column, row: row, width: 2, height: 2)
      return next.uprightPosition(column: first.x, row: first.y, width: 2, height: 2)
    }
    return Self.allCases.first { single in
      corners { single.uprightPosition(column: $0, row: $1, width: 2, height: 2) } == result
    } ?? .up
  }

  /// Position in the upright image of the stored pixel at a column and row; `width` and `height` are those of the stored image.
  package func uprightPosition(column: Int, row: Int, width: Int, height: Int) -> (x: Int, y: Int) {
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

extension ImageOrientation {
  /// Where stored pixels lie in the upright image, in bytes: the first one, the next one of a row, and the first one of the next row.
  /// - Parameters:
  ///   - width, height: size of the stored image.
  ///   - rowByteCount: from row to row of the upright image.
  package func strides(width: Int, height: Int, pixelByteCount: Int, rowByteCount: Int) -> (origin: Int, column: Int, row: Int) {
    func offset(_ column: Int, _ row: Int) -> Int {
      let (x, y) = uprightPosition(column: column, row: row, width: width, height: height)
      return y * rowByteCount + x * pixelByteCount
    }
    let origin = offset(0, 0)
    return (origin, offset(1, 0) - origin, offset(0, 1) - origin)
  }
}

extension Image {
  /// The upright image of pixels stored in `orientation`.
  package func upright(from orientation: ImageOrientation) -> Image {
    if orientation == .up { return self }
    let exchangesAxes = orientation.exchangesAxes
    let resultWidth = exchangesAxes ? height : width
    let channelCount = format.channelCount
    let strides = orientation.strides(width: width, height: height, pixelByteCount: channelCount, rowByteCount: resultWidth * channelCount)
    return unsafe Image(width: resultWidth, height: exchangesAxes ? width : height, format: format) { target in
      unsafe pixels.withUnsafeBufferPointer { source in
        let source = source.baseAddress!
        // Blocks of rows, so that neither their cache lines nor those of the columns that they become are left before they are full.
        PixelStripes.run(rowCount: (height + 63) / 64, pixelsPerRow: 64 * width) { blocks in
          let first = blocks.lowerBound * 64
          unsafe PixelRows.arrange(
            source + first * width * channelCount, rowByteCount: width * channelCount, width: width,
            height: min(height, blocks.upperBound * 64) - first, pixelByteCount: channelCount,
            to: target + (strides.origin + first * strides.row), columnStride: strides.column, rowStride: strides.row)
        }
      }
    }
  }
}
