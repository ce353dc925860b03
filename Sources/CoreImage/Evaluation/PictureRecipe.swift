import CoreGraphics
import MartletBufferImages
import MartletColor

/// Pixels that come from outside: those of an image, or of a buffer with luma and chroma.
struct PictureRecipe: Recipe {
  enum Content: @unchecked Sendable {
    case image(CGImage)
    case buffer(BufferPicture)
  }

  let content: Content
  /// False if numbers are taken for those of the working space.
  let isManaged: Bool

  var width: Int {
    switch content {
    case .image(let image): image.width
    case .buffer(let buffer): buffer.width
    }
  }

  var height: Int {
    switch content {
    case .image(let image): image.height
    case .buffer(let buffer): buffer.height
    }
  }

  /// Nil for an image mask.
  var space: CGColorSpace? {
    switch content {
    case .image(let image): image.colorSpace
    case .buffer(let buffer): buffer.space
    }
  }

  var extent: PixelRegion { PixelRegion(x: 0..<width, y: 0..<height) }

  var moved: MovedPicture? { MovedPicture(self) }

  func tile(_ region: PixelRegion, _ renderer: Renderer) throws(RenderError) -> Tile {
    switch content {
    case .image(let image): try tile(image, region, renderer)
    case .buffer(let buffer): try tile(buffer, region, renderer)
    }
  }

  /// The space that colours are converted to: the working space, or that of the numbers themselves.
  private func target(_ renderer: Renderer) -> CGColorSpace {
    if isManaged, let working = renderer.space { return working }
    guard let space else { return CGColorSpaceCreateDeviceGray() }
    let base = space.baseColorSpace ?? space
    return base.model == .rgb || base.model == .monochrome ? base : CGColorSpaceCreateDeviceRGB()
  }

  private func tile(_ image: CGImage, _ region: PixelRegion, _ renderer: Renderer) throws(RenderError) -> Tile {
    let target = target(renderer)
    let layout = image.layout
    // Bytes of red, green and blue need no other numbers between them and the result.
    if let source = image.colorSpace, image.decodeRange.isEmpty, let offsets = layout.byteOffsets, offsets.color.count == 3,
      let transform = ColorTransforms.transform(from: source, to: target), transform.convertsBytes,
      let reader = ImageReader(image, space: source)
    {
      return try unsafe Tile(region) { pixels throws(RenderError) in
        var bytes = [UInt8](repeating: 0, count: 4 * region.width)
        for (place, y) in region.y.enumerated() {
          reader.readStoredBytes(row: height - 1 - y, columns: region.x, into: &bytes)
          unsafe transform.convert(bytes, isPremultiplied: layout.isPremultiplied, count: region.width, to: pixels + place * region.width)
        }
      }
    }
    guard let reader = ImageReader(image, space: target) else { throw .colors }
    return try unsafe Tile(region) { pixels throws(RenderError) in
      var row: [Pixel] = []
      for (place, y) in region.y.enumerated() {
        reader.readPixels(row: height - 1 - y, columns: region.x, into: &row)
        let start = place * region.width
        for (index, pixel) in row.enumerated() { unsafe pixels[start + index] = SIMD4(pixel.color, alpha: pixel.alpha) }
      }
    }
  }

  private func tile(_ buffer: BufferPicture, _ region: PixelRegion, _ renderer: Renderer) throws(RenderError) -> Tile {
    guard let transform = ColorTransforms.transform(from: buffer.space, to: target(renderer)) else { throw .colors }
    return try unsafe Tile(region) { pixels throws(RenderError) in
      let rows = height - region.y.upperBound..<height - region.y.lowerBound
      unsafe buffer.readBytes(rows: rows, columns: region.x) { row, bytes in
        let line = unsafe pixels + (rows.upperBound - 1 - row) * region.width
        if transform.convertsBytes {
          unsafe transform.convert(bytes, isPremultiplied: false, count: region.width, to: line)
        } else {
          for index in 0..<region.width {
            let color = unsafe SIMD4<Float>(Float(bytes[4 * index]), Float(bytes[4 * index + 1]), Float(bytes[4 * index + 2]), 0) / 255
            let converted = transform.convert(color)
            unsafe line[index] = SIMD4(converted, alpha: Float(bytes[4 * index + 3]) / 255).premultiplied
          }
        }
      }
    }
  }
}

extension SIMD4<Float> {
  /// Red, green and blue of a colour, with an alpha.
  init(_ color: SIMD4<Float>, alpha: Float) { self.init(color.x, color.y, color.z, alpha) }
}
