/// The layouts of pixels that bitmap contexts have, as Apple's Quartz 2D guide lists them, and the ones with 16-bit floating-point
/// components.
enum BitmapFormat {
  /// The layout; nil if there is no context with these properties.
  static func layout(bitsPerComponent: Int, space: CGColorSpace?, bitmapInfo: CGBitmapInfo) -> PixelLayout? {
    guard let alpha = CGImageAlphaInfo(rawValue: bitmapInfo.rawValue & CGBitmapInfo.alphaInfoMask.rawValue) else { return nil }
    let model: CGColorSpaceModel
    if alpha == .alphaOnly {
      model = .monochrome
    } else {
      guard let space, space.supportsOutput else { return nil }
      model = space.model
    }
    let isFloat = bitmapInfo.contains(.floatComponents)
    guard
      let bitsPerPixel = bitsPerPixel(model, bitsPerComponent, alpha, isFloat: isFloat),
      orders(bitsPerComponent, bitsPerPixel).contains(bitmapInfo.rawValue & CGBitmapInfo.byteOrderMask.rawValue)
    else { return nil }
    let count = alpha == .alphaOnly ? 0 : space?.numberOfComponents ?? 0
    return PixelLayout(bitsPerComponent: bitsPerComponent, bitsPerPixel: bitsPerPixel, componentCount: count, bitmapInfo: bitmapInfo)
  }

  private static func bitsPerPixel(
    _ model: CGColorSpaceModel, _ bitsPerComponent: Int, _ alpha: CGImageAlphaInfo, isFloat: Bool
  ) -> Int? {
    switch (model, bitsPerComponent, isFloat) {
    case (.monochrome, 8, false): return [.none, .alphaOnly].contains(alpha) ? 8 : nil
    case (.monochrome, 16, _), (.monochrome, 32, true): return alpha == .none ? bitsPerComponent : nil
    case (.rgb, 5, false): return alpha == .noneSkipFirst ? 16 : nil
    case (.rgb, 8, false):
      return [.noneSkipFirst, .noneSkipLast, .premultipliedFirst, .premultipliedLast].contains(alpha) ? 32 : nil
    case (.rgb, 16, _), (.rgb, 32, true): return [.noneSkipLast, .premultipliedLast].contains(alpha) ? 4 * bitsPerComponent : nil
    case (.cmyk, 8, false), (.cmyk, 16, false), (.cmyk, 32, true): return alpha == .none ? 4 * bitsPerComponent : nil
    default: return nil
    }
  }

  /// The byte orders whose units are the components, or pixels of four bytes.
  private static func orders(_ bitsPerComponent: Int, _ bitsPerPixel: Int) -> [UInt32] {
    let unit = bitsPerComponent == 5 ? 16 : bitsPerComponent == 8 ? bitsPerPixel : bitsPerComponent
    let orders: [CGImageByteOrderInfo] =
      switch unit {
      case 16: [.orderDefault, .order16Little, .order16Big]
      case 32: [.orderDefault, .order32Little, .order32Big]
      default: [.orderDefault]
      }
    return orders.map(\.rawValue)
  }
}
