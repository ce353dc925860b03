/// The pixels of a region, rows from the bottom up: red, green and blue of the working space multiplied by alpha, and alpha.
struct Tile: Sendable {
  let region: PixelRegion
  var pixels: [SIMD4<Float>]

  init(_ region: PixelRegion, _ pixels: [SIMD4<Float>]) {
    self.region = region
    self.pixels = pixels
  }

  /// Pixels that `body` writes, all of them.
  init(_ region: PixelRegion, _ body: (UnsafeMutablePointer<SIMD4<Float>>) throws(RenderError) -> Void) throws(RenderError) {
    // In range: the renderer limits the size of regions.
    let total = region.width * region.height
    var failure: RenderError?
    let pixels = unsafe [SIMD4<Float>](unsafeUninitializedCapacity: total) { buffer, count in
      guard total > 0 else { return }
      do throws(RenderError) {
        unsafe try body(buffer.baseAddress!)
        count = total
      } catch {
        failure = error
      }
    }
    if let failure { throw failure }
    self.init(region, pixels)
  }

  static func clear(_ region: PixelRegion) -> Tile {
    Tile(region, [SIMD4<Float>](repeating: .zero, count: region.width * region.height))
  }

  /// The position of a pixel that lies in the region.
  func index(_ x: Int, _ y: Int) -> Int { (y - region.y.lowerBound) * region.width + x - region.x.lowerBound }

  /// Transparent outside of the region.
  func pixel(_ x: Int, _ y: Int) -> SIMD4<Float> {
    region.x.contains(x) && region.y.contains(y) ? pixels[index(x, y)] : .zero
  }

  /// The pixels in another region, transparent where there were none.
  func placed(in other: PixelRegion) -> Tile {
    if other == region { return self }
    var result = Tile.clear(other)
    let common = region.intersection(other)
    for y in common.y {
      let source = index(common.x.lowerBound, y)
      let target = result.index(common.x.lowerBound, y)
      result.pixels.replaceSubrange(target..<target + common.width, with: pixels[source..<source + common.width])
    }
    return result
  }

  /// Columns as rows.
  func transposed() -> Tile {
    var result = Tile.clear(region.transposed())
    for row in 0..<region.height {
      for column in 0..<region.width { result.pixels[column * region.height + row] = pixels[row * region.width + column] }
    }
    return result
  }

  mutating func map(_ body: (SIMD4<Float>) -> SIMD4<Float>) {
    unsafe pixels.withUnsafeMutableBufferPointer { pixels in
      for index in pixels.indices { unsafe pixels[index] = body(pixels[index]) }
    }
  }
}

extension SIMD4<Float> {
  /// The colour without its multiplication by alpha.
  var straight: SIMD4<Float> {
    if w == 1 || w == 0 { return self }
    var result = self / SIMD4(repeating: w)
    result.w = w
    return result
  }

  /// The colour multiplied by alpha, which is limited to 0…1.
  var premultiplied: SIMD4<Float> {
    let alpha = w > 0 ? Swift.min(w, 1) : 0
    var result = self * SIMD4(repeating: alpha)
    result.w = alpha
    return result
  }
}
