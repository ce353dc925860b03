import CoreGraphics
import Testing

let deviceRGB = CGColorSpaceCreateDeviceRGB()
let deviceGray = CGColorSpaceCreateDeviceGray()

/// A context with bytes in the order red, green, blue, alpha.
func makeContext(_ width: Int, _ height: Int, info: CGBitmapInfo = CGBitmapInfo(alpha: .premultipliedLast)) -> CGContext {
  CGContext(data: nil, width: width, height: height, bitsPerComponent: 8, bytesPerRow: width * 4, space: deviceRGB, bitmapInfo: info)!
}

extension CGContext {
  /// The bytes of a pixel; `y` counts rows from the top.
  func pixel(_ x: Int, _ y: Int) -> [UInt8] {
    let size = bitsPerPixel / 8
    let start = y * bytesPerRow + x * size
    let bytes = UnsafeRawBufferPointer(start: data, count: (height - 1) * bytesPerRow + width * size)
    return Array(bytes[start..<start + size])
  }

  /// All bytes without padding.
  var rows: [UInt8] { (0..<height).flatMap { y in (0..<width).flatMap { pixel($0, y) } } }
}

/// An image of pixels with four bytes.
func makeImage(
  _ bytes: [UInt8], _ width: Int, _ height: Int, alpha: CGImageAlphaInfo = .premultipliedLast, interpolate: Bool = true
) -> CGImage {
  CGImage(
    width: width, height: height, bitsPerComponent: 8, bitsPerPixel: 32, bytesPerRow: 4 * width, space: deviceRGB,
    bitmapInfo: CGBitmapInfo(alpha: alpha), provider: CGDataProvider(data: Data(bytes) as CFData)!, decode: nil,
    shouldInterpolate: interpolate, intent: .defaultIntent)!
}

func largestDifference(_ first: [UInt8], _ second: [UInt8]) -> Int {
  first.count == second.count ? zip(first, second).map { abs(Int($0) - Int($1)) }.max() ?? 0 : .max
}
