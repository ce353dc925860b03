import Foundation
package import MartletTensor

/// How the bits of a row divide into pixels, and those of a pixel into components.
///
/// Bits are counted from the most significant one of the first byte, after the bytes of each unit have been put into big-endian order.
package struct PixelLayout: Hashable, Sendable {
  package let bitsPerComponent: Int
  package let bitsPerPixel: Int
  /// Number of colour components that are stored: 0 for alpha alone.
  package let colorCount: Int
  package let alphaInfo: CGImageAlphaInfo
  package let isFloat: Bool
  /// Mask for the position of a byte in its row: position XOR mask is its position in memory. 0, 1 or 3.
  package let byteSwap: Int
  /// The first bit of the first colour component.
  package let colorStart: Int
  /// The first bit of alpha; nil without alpha.
  package let alphaStart: Int?

  /// Nil if the properties do not fit together.
  /// - Parameter componentCount: number of components of the colour space.
  init?(bitsPerComponent: Int, bitsPerPixel: Int, componentCount: Int, bitmapInfo: CGBitmapInfo) {
    guard let alpha = CGImageAlphaInfo(rawValue: bitmapInfo.rawValue & CGBitmapInfo.alphaInfoMask.rawValue),
      let order = CGImageByteOrderInfo(rawValue: bitmapInfo.rawValue & CGBitmapInfo.byteOrderMask.rawValue),
      bitmapInfo.rawValue & ~0x711F == 0
    else { return nil }
    self.bitsPerComponent = bitsPerComponent
    self.bitsPerPixel = bitsPerPixel
    alphaInfo = alpha
    isFloat = bitmapInfo.contains(.floatComponents)
    guard (isFloat ? [16, 32] : [1, 2, 4, 5, 8, 16]).contains(bitsPerComponent) else { return nil }
    colorCount = alpha == .alphaOnly ? 0 : componentCount
    let hasSlot = alpha != .none && alpha != .alphaOnly
    let used = bitsPerComponent * (colorCount + (alpha == .none ? 0 : 1))
    let colorBits = bitsPerComponent * colorCount
    // Components of 5 bits leave one bit of 16 to skip.
    let isSkipping = alpha == .noneSkipFirst || alpha == .noneSkipLast
    let least = isSkipping && bitsPerComponent == 5 ? colorBits + 1 : used
    guard bitsPerPixel >= least, bitsPerPixel <= 256, bitsPerPixel == least || bitsPerPixel % 8 == 0 else { return nil }
    guard bitsPerComponent != 5 || bitsPerPixel == 16 && isSkipping && componentCount == 3 else { return nil }
    switch order {
    case .order16Little: byteSwap = 1
    case .order32Little: byteSwap = 3
    case .orderDefault, .order16Big, .order32Big: byteSwap = 0
    case .orderMask: return nil
    }
    let isFirst = alpha == .first || alpha == .premultipliedFirst || alpha == .noneSkipFirst
    colorStart = isFirst && hasSlot ? bitsPerPixel - colorBits : 0
    switch alpha {
    case .premultipliedFirst, .first: alphaStart = bitsPerPixel - colorBits - bitsPerComponent
    case .premultipliedLast, .last: alphaStart = colorBits
    case .alphaOnly: alphaStart = 0
    case .none, .noneSkipFirst, .noneSkipLast: alphaStart = nil
    }
  }

  package var isPremultiplied: Bool { alphaInfo == .premultipliedFirst || alphaInfo == .premultipliedLast }

  /// Bytes of a row of pixels without padding, in whole units of the byte order.
  package func rowByteCount(width: Int) -> Extent {
    (Extent(width) * bitsPerPixel).dividedRoundingUp(by: 8 * (byteSwap + 1)) * (byteSwap + 1)
  }

  /// Bytes from the first row to the end of the last one.
  func byteCount(width: Int, height: Int, bytesPerRow: Int) -> Extent {
    (Extent(height) - 1) * bytesPerRow + rowByteCount(width: width)
  }

  /// Where the bytes of a pixel lie, if each component is a byte: colours, then alpha. Nil for other layouts.
  package var byteOffsets: (color: [Int], alpha: Int?, stride: Int)? {
    guard bitsPerComponent == 8, !isFloat, bitsPerPixel % 8 == 0, bitsPerPixel % (8 * (byteSwap + 1)) == 0 else { return nil }
    let color = (0..<colorCount).map { (colorStart / 8 + $0) ^ byteSwap }
    return (color, alphaStart.map { $0 / 8 ^ byteSwap }, bitsPerPixel / 8)
  }
}
