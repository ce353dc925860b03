import Foundation
import MartletTensor

/// Bits of rows of pixels.
enum PixelBits {
  /// Rows of an image from column `x` and row `y` on, with the first pixel at the first bit. `rowByteCount` bytes of each are kept; bits
  /// beyond the end of a row of the image are 0.
  static func shifted(
    _ provider: CGDataProvider, _ layout: PixelLayout, bytesPerRow: Int, x: Int, y: Int, rows: Int, rowByteCount: Int
  ) -> Data {
    // In range: positions of bytes that the provider has, or that are compared with their number.
    let firstBit = x * layout.bitsPerPixel
    var result = Data(count: rows * rowByteCount)
    unsafe provider.withBytes { bytes in
      for row in 0..<rows {
        let start = (y + row) * bytesPerRow
        func byte(_ index: Int) -> UInt16 {
          let position = start + (index ^ layout.byteSwap)
          return index < bytesPerRow && position < bytes.count ? UInt16(widening: unsafe bytes[position]) : 0
        }
        for index in 0..<rowByteCount {
          let first = firstBit / 8 + index
          let pair = byte(first) << 8 | byte(first + 1)
          let shifted = pair >> UInt16(truncatingIfNeeded: 8 - firstBit % 8)
          result[row * rowByteCount + (index ^ layout.byteSwap)] = UInt8(truncatingIfNeeded: shifted)
        }
      }
    }
    return result
  }
}
