package import CoreGraphics
package import MartletPixels

/// The pixels of an image in 8 bits, with the colours of sRGB or of a device, over black. Those that are stored so are read in place.
package final class ImagePixels: Sendable {
  /// In pixels, as stored.
  package let width: Int
  package let height: Int
  private let content: Content
  private let format: PixelFormat

  private enum Content: Sendable {
    case image(CGImage, rowByteCount: Int)
    case bytes([UInt8])
  }

  /// - Returns: nil if the image has no pixels, or colours that cannot be converted.
  package init?(_ image: CGImage) {
    (width, height) = (image.width, image.height)
    if let format = Self.formatInPlace(image) {
      self.format = format
      content = .image(image, rowByteCount: image.bytesPerRow)
      return
    }
    guard let space = CGColorSpace(name: CGColorSpace.sRGB), let reader = ImageReader(image, space: space) else { return nil }
    format = .rgba8
    // In range: the image has its pixels in memory.
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 * width * height)
    var row = [UInt8](repeating: 0, count: 4 * width)
    for index in 0..<height {
      reader.readBytes(row: index, columns: 0..<width, into: &row)
      bytes += row
    }
    content = .bytes(bytes)
  }

  /// A picture whose colours are sRGB's.
  package init(_ image: Image) {
    (width, height) = (image.width, image.height)
    format = .rgb8
    content = .bytes(image.overBlack.converted(to: .rgb8).pixels)
  }

  /// The layout of pixels that need no conversion; nil for others.
  private static func formatInPlace(_ image: CGImage) -> PixelFormat? {
    let layout = image.layout
    guard let offsets = layout.byteOffsets, image.decodeRange.isEmpty, offsets.alpha == nil || layout.isPremultiplied,
      let space = image.colorSpace, space.colorTable == nil, space.keepsBytesInSRGB
    else { return nil }
    switch (offsets.color, offsets.stride) {
    case ([0], 1): return .gray8
    case ([0, 1, 2], 3): return .rgb8
    case ([2, 1, 0], 3): return .bgr8
    case ([0, 1, 2], 4): return .rgba8
    case ([2, 1, 0], 4): return .bgra8
    case ([1, 2, 3], 4): return .argb8
    case ([3, 2, 1], 4): return .abgr8
    default: return nil
    }
  }

  /// Calls `body` with a view of the pixels; nil if the image is shorter than it says.
  package func withSource<R>(_ body: (PixelSource) throws -> R) rethrows -> R? {
    switch content {
    case .bytes(let bytes):
      return try unsafe bytes.withUnsafeBytes { try unsafe call(body, with: $0, rowByteCount: width * format.pixelByteCount) }
    case .image(let image, let rowByteCount):
      guard let provider = image.dataProvider else { return nil }
      return try unsafe provider.withBytes { try unsafe call(body, with: $0, rowByteCount: rowByteCount) }
    }
  }

  private func call<R>(
    _ body: (PixelSource) throws -> R, with bytes: UnsafeRawBufferPointer, rowByteCount: Int
  ) rethrows -> R? {
    // In range: the image's initialiser has compared these sizes.
    guard let base = bytes.baseAddress, bytes.count >= rowByteCount * (height - 1) + width * format.pixelByteCount,
      let source = unsafe PixelSource(
        width: width, height: height, format: format, plane: PixelSource.Plane(base: base, rowByteCount: rowByteCount))
    else { return nil }
    return try body(source)
  }
}
