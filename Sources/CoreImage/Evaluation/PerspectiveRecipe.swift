import CoreGraphics

/// A quadrilateral of an image as a rectangle.
struct PerspectiveRecipe: Recipe {
  let input: any Recipe
  let extent: PixelRegion
  /// From the rectangle to the image: `x' = (m0 x + m1 y + m2) / (m6 x + m7 y + 1)`, `y'` with the next three numbers.
  private let map: [Double]

  /// Corners in the coordinates of the image. Nil if three of them lie on a line. The rectangle is as wide and as high as the longer ones of
  /// opposite sides.
  init?(_ input: any Recipe, topLeft: CGPoint, topRight: CGPoint, bottomLeft: CGPoint, bottomRight: CGPoint) {
    func distance(_ first: CGPoint, _ second: CGPoint) -> Double { hypot(first.x - second.x, first.y - second.y) }
    let width = max(distance(topLeft, topRight), distance(bottomLeft, bottomRight)).rounded()
    let height = max(distance(topLeft, bottomLeft), distance(topRight, bottomRight)).rounded()
    guard width >= 1, height >= 1, width < 1e6, height < 1e6 else { return nil }
    // The map of the unit square with the corners (0,0), (1,0), (1,1), (0,1) (Heckbert 1989, section 2.2.3).
    let (p0, p1, p2, p3) = (bottomLeft, bottomRight, topRight, topLeft)
    let (sx, sy) = (p0.x - p1.x + p2.x - p3.x, p0.y - p1.y + p2.y - p3.y)
    let (dx1, dx2, dy1, dy2) = (p1.x - p2.x, p3.x - p2.x, p1.y - p2.y, p3.y - p2.y)
    let determinant = dx1 * dy2 - dx2 * dy1
    guard determinant != 0, determinant.isFinite else { return nil }
    let (g, h) = ((sx * dy2 - dx2 * sy) / determinant, (dx1 * sy - sx * dy1) / determinant)
    let unit = [
      p1.x - p0.x + g * p1.x, p3.x - p0.x + h * p3.x, p0.x, p1.y - p0.y + g * p1.y, p3.y - p0.y + h * p3.y, p0.y, g, h,
    ]
    guard unit.allSatisfy(\.isFinite) else { return nil }
    map = zip(unit, [width, height, 1, width, height, 1, width, height]).map { $0 / $1 }
    self.input = input
    extent = PixelRegion(x: 0..<Int(width), y: 0..<Int(height))
  }

  var reach: Int { input.reach }

  /// Nil on the horizon and behind it.
  private func point(_ x: Double, _ y: Double) -> CGPoint? {
    let depth = map[6] * x + map[7] * y + 1
    guard depth > 1e-9 else { return nil }
    return CGPoint(x: (map[0] * x + map[1] * y + map[2]) / depth, y: (map[3] * x + map[4] * y + map[5]) / depth)
  }

  func tile(_ region: PixelRegion, _ renderer: Renderer) throws(RenderError) -> Tile {
    let corners = [region.x.lowerBound, region.x.upperBound].flatMap { x in
      [region.y.lowerBound, region.y.upperBound].map { y in point(Double(x), Double(y)) }
    }
    let found = corners.compactMap { $0 }
    var needed = input.extent
    if found.count == corners.count, let left = found.map(\.x).min(), let right = found.map(\.x).max(),
      let bottom = found.map(\.y).min(), let top = found.map(\.y).max()
    {
      needed = PixelRegion(left: left - 2, bottom: bottom - 2, right: right + 2, top: top + 2).intersection(needed)
    }
    if needed.isEmpty { return .clear(region) }
    let source = try renderer.tile(input, needed)
    return try unsafe Tile(region) { pixels throws(RenderError) in
      var place = 0
      for y in region.y {
        for x in region.x {
          let point = point(Double(x) + 0.5, Double(y) + 0.5)
          unsafe pixels[place] = point.map { source.bilinear($0.x, $0.y) } ?? .zero
          place += 1
        }
      }
    }
  }
}
