extension CGImage {
  /// The image with what a mask leaves of it: nothing where an image mask is painted or an image of shades is black, all where the mask's
  /// samples say the opposite. The mask is stretched to the size of the image. Nil for a mask of another kind.
  public func masking(_ mask: CGImage) -> CGImage? {
    guard let colorSpace, mask.isMask || mask.colorSpace?.model == .monochrome && mask.alphaInfo == .none else { return nil }
    let space = colorSpace.model == .rgb ? colorSpace : .deviceRGB
    let isDeep = bitsPerComponent > 8
    let info = CGBitmapInfo(alpha: .premultipliedLast, byteOrder: isDeep ? .order16Host : .orderDefault)
    guard
      let context = unsafe CGContext(
        data: nil, width: width, height: height, bitsPerComponent: isDeep ? 16 : 8, bytesPerRow: 0, space: space, bitmapInfo: info)
    else { return nil }
    let area = CGRect(x: 0, y: 0, width: width, height: height)
    context.clip(to: area, mask: mask)
    context.draw(self, in: area)
    return context.makeImage()
  }
}
