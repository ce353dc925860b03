import CoreGraphics
import MartletColor

/// One colour everywhere.
struct ColorRecipe: Recipe {
  let color: CIColor

  var extent: PixelRegion { .infinite }

  func tile(_ region: PixelRegion, _ renderer: Renderer) throws(RenderError) -> Tile {
    guard let components = color.straightComponents(in: renderer.space) else { throw .colors }
    return Tile(region, [SIMD4<Float>](repeating: components.premultiplied, count: region.width * region.height))
  }
}

/// No pixels.
struct EmptyRecipe: Recipe {
  var extent: PixelRegion { .empty }

  func tile(_ region: PixelRegion, _ renderer: Renderer) -> Tile { .clear(region) }
}

struct CropRecipe: Recipe {
  let input: any Recipe
  let extent: PixelRegion

  init(_ input: any Recipe, _ region: PixelRegion) {
    self.input = input
    extent = input.extent.intersection(region)
  }

  var reach: Int { input.reach }
  var moved: MovedPicture? { input.moved?.cropped(to: extent) }

  func tile(_ region: PixelRegion, _ renderer: Renderer) throws(RenderError) -> Tile { try renderer.tile(input, region) }
}

/// Pixels of a region, and around it the nearest ones of them without end.
struct ClampRecipe: Recipe {
  let input: any Recipe
  let inner: PixelRegion

  var extent: PixelRegion { inner.isEmpty ? .empty : .infinite }
  var reach: Int { input.reach }

  func tile(_ region: PixelRegion, _ renderer: Renderer) throws(RenderError) -> Tile {
    func nearest(_ range: Range<Int>, _ limits: Range<Int>) -> Range<Int> {
      let first = min(max(range.lowerBound, limits.lowerBound), limits.upperBound - 1)
      let last = min(max(range.upperBound - 1, limits.lowerBound), limits.upperBound - 1)
      return first..<last + 1
    }
    let needed = PixelRegion(x: nearest(region.x, inner.x), y: nearest(region.y, inner.y))
    let source = try renderer.tile(input, needed)
    if needed == region { return source }
    return try unsafe Tile(region) { pixels throws(RenderError) in
      for (row, y) in region.y.enumerated() {
        let start = source.index(needed.x.lowerBound, min(max(y, needed.y.lowerBound), needed.y.upperBound - 1))
        for (column, x) in region.x.enumerated() {
          let place = min(max(x, needed.x.lowerBound), needed.x.upperBound - 1) - needed.x.lowerBound
          unsafe pixels[row * region.width + column] = source.pixels[start + place]
        }
      }
    }
  }
}

/// Says how the pixels are looked up when the image is transformed.
struct SamplingRecipe: Recipe {
  let input: any Recipe
  let isNearest: Bool

  /// Overrides the setting of the image's own node.
  init(input: any Recipe, isNearest: Bool) {
    self.input = (input as? SamplingRecipe)?.input ?? input
    self.isNearest = isNearest
  }

  var extent: PixelRegion { input.extent }
  var reach: Int { input.reach }
  var moved: MovedPicture? { input.moved }

  func tile(_ region: PixelRegion, _ renderer: Renderer) throws(RenderError) -> Tile { try input.tile(region, renderer) }
}

/// Changes each pixel on its own.
struct PointRecipe: Recipe {
  enum Change: Sendable {
    case premultiply
    case unpremultiply
    /// Alpha becomes 1 within a region, 0 outside of it; colours are those that the image has over black.
    case opaque
    /// Sums of red, green, blue and alpha, not multiplied by alpha, times each of the first four vectors, plus the last one.
    case matrix(SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, SIMD4<Float>, bias: SIMD4<Float>)
    /// Red, green and blue, not multiplied by alpha, become 1 above a number, else 0.
    case threshold(Float)
    case toWorkingSpace(CGColorSpace)
    case fromWorkingSpace(CGColorSpace)
  }

  let input: any Recipe
  let change: Change
  let extent: PixelRegion

  init(_ input: any Recipe, _ change: Change, extent: PixelRegion? = nil) {
    self.input = input
    self.change = change
    self.extent = extent ?? input.extent
  }

  var reach: Int { input.reach }

  func tile(_ region: PixelRegion, _ renderer: Renderer) throws(RenderError) -> Tile {
    var tile = try renderer.tile(input, region)
    switch change {
    case .premultiply: tile.map { SIMD4($0.x * $0.w, $0.y * $0.w, $0.z * $0.w, $0.w) }
    case .unpremultiply: tile.map { $0.w == 0 ? $0 : SIMD4($0.x / $0.w, $0.y / $0.w, $0.z / $0.w, $0.w) }
    case .opaque: tile.map { SIMD4($0, alpha: 1) }
    case .matrix(let red, let green, let blue, let alpha, let bias):
      // The matrix by columns: one multiplication for each component of the colour.
      let ofRed = SIMD4(red.x, green.x, blue.x, alpha.x), ofGreen = SIMD4(red.y, green.y, blue.y, alpha.y)
      let ofBlue = SIMD4(red.z, green.z, blue.z, alpha.z), ofAlpha = SIMD4(red.w, green.w, blue.w, alpha.w)
      tile.map { pixel in
        let color = pixel.straight
        return (ofRed * color.x + ofGreen * color.y + (ofBlue * color.z + ofAlpha * color.w) + bias).premultiplied
      }
    case .threshold(let limit):
      tile.map { pixel in
        let color = pixel.straight
        return SIMD4(color.x > limit ? 1 : 0, color.y > limit ? 1 : 0, color.z > limit ? 1 : 0, color.w).premultiplied
      }
    case .toWorkingSpace(let space): try convert(&tile, renderer.toWorkingSpace(from: space))
    case .fromWorkingSpace(let space): try convert(&tile, renderer.fromWorkingSpace(to: space))
    }
    return tile
  }

  private func convert(_ tile: inout Tile, _ transform: ColorTransform?) {
    guard let transform, !transform.isIdentity else { return }
    let alphas = tile.pixels.map(\.w)
    tile.map(\.straight)
    transform.convert(&tile.pixels)
    for index in tile.pixels.indices { tile.pixels[index] = SIMD4(tile.pixels[index], alpha: alphas[index]).premultiplied }
  }
}

/// One image over another.
struct CompositeRecipe: Recipe {
  let input: any Recipe
  let background: any Recipe

  var extent: PixelRegion { input.extent.union(background.extent) }
  var reach: Int { max(input.reach, background.reach) }

  func tile(_ region: PixelRegion, _ renderer: Renderer) throws(RenderError) -> Tile {
    var result = try renderer.tile(background, region)
    let above = region.intersection(input.extent)
    if above.isEmpty { return result }
    let source = try renderer.tile(input, above)
    for y in above.y {
      let (from, to) = (source.index(above.x.lowerBound, y), result.index(above.x.lowerBound, y))
      for column in 0..<above.width {
        let color = source.pixels[from + column]
        result.pixels[to + column] = color + result.pixels[to + column] * (1 - color.w)
      }
    }
    return result
  }
}

/// An image where a mask is 1, another one where it is 0, and mixtures between.
struct BlendRecipe: Recipe {
  enum Weight: Sendable { case red, green, blue, alpha, luma }

  let input: any Recipe
  let background: any Recipe
  let mask: any Recipe
  let weight: Weight

  var extent: PixelRegion { input.extent.intersection(mask.extent).union(background.extent) }
  var reach: Int { max(input.reach, background.reach, mask.reach) }

  func tile(_ region: PixelRegion, _ renderer: Renderer) throws(RenderError) -> Tile {
    var result = try renderer.tile(background, region)
    let source = try renderer.tile(input, region)
    let shares = try renderer.tile(mask, region)
    for index in result.pixels.indices {
      let pixel = shares.pixels[index]
      let share =
        switch weight {
        case .red: pixel.x
        case .green: pixel.y
        case .blue: pixel.z
        case .alpha: pixel.w
        case .luma: 0.2126 * pixel.x + 0.7152 * pixel.y + 0.0722 * pixel.z
        }
      let limited = share > 0 ? min(share, 1) : 0
      result.pixels[index] = source.pixels[index] * limited + result.pixels[index] * (1 - limited)
    }
    return result
  }
}
