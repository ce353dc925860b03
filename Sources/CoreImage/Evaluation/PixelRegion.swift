import CoreGraphics

/// A rectangle of pixels in the coordinates of an image, whose y axis points upwards.
///
/// Edges lie within ±2^30. A region that reaches them has no end there.
struct PixelRegion: Hashable, Sendable {
  static let limit = 1 << 30
  static let empty = PixelRegion(x: 0..<0, y: 0..<0)
  static let infinite = PixelRegion(x: -limit..<limit, y: -limit..<limit)

  var x: Range<Int>
  var y: Range<Int>

  init(x: Range<Int>, y: Range<Int>) {
    self.x = x
    self.y = y
  }

  /// The pixels that a rectangle touches by more than a rounding error. Empty for rectangles that are null, empty or not numbers.
  init(_ rect: CGRect) {
    guard !rect.isNull, rect.width > 0, rect.height > 0, rect.minX.isFinite || rect.isInfinite, !rect.minY.isNaN else {
      self = .empty
      return
    }
    self.init(left: rect.minX, bottom: rect.minY, right: rect.maxX, top: rect.maxY)
  }

  init(left: Double, bottom: Double, right: Double, top: Double) {
    func edge(_ value: Double, _ rule: FloatingPointRoundingRule) -> Int {
      // In range: limited before it is converted.
      Int(Self.snapped(min(max(value, -Double(Self.limit)), Double(Self.limit))).rounded(rule))
    }
    guard left < right, bottom < top else {
      self = .empty
      return
    }
    let (x0, x1) = (edge(left, .down), edge(right, .up))
    let (y0, y1) = (edge(bottom, .down), edge(top, .up))
    self.init(x: x0..<max(x0, x1), y: y0..<max(y0, y1))
    if isEmpty { self = .empty }
  }

  /// The whole number that a number is but for rounding errors, or the number.
  static func snapped(_ value: Double) -> Double {
    let whole = value.rounded()
    return abs(value - whole) <= 1e-6 * max(1, abs(value) * 1e-6) ? whole : value
  }

  var isEmpty: Bool { x.isEmpty || y.isEmpty }
  var width: Int { x.count }
  var height: Int { y.count }
  /// True if a side has no end.
  var isUnbounded: Bool {
    x.lowerBound <= -Self.limit || x.upperBound >= Self.limit || y.lowerBound <= -Self.limit || y.upperBound >= Self.limit
  }

  var rect: CGRect {
    if self == .infinite { return .infinite }
    return CGRect(x: x.lowerBound, y: y.lowerBound, width: width, height: height)
  }

  func intersection(_ other: PixelRegion) -> PixelRegion {
    let result = PixelRegion(x: x.clamped(to: other.x), y: y.clamped(to: other.y))
    return result.isEmpty ? .empty : result
  }

  /// The smallest region that contains both.
  func union(_ other: PixelRegion) -> PixelRegion {
    if isEmpty { return other }
    if other.isEmpty { return self }
    return PixelRegion(
      x: min(x.lowerBound, other.x.lowerBound)..<max(x.upperBound, other.x.upperBound),
      y: min(y.lowerBound, other.y.lowerBound)..<max(y.upperBound, other.y.upperBound))
  }

  func contains(_ other: PixelRegion) -> Bool { other.isEmpty || intersection(other) == other }

  private static func moved(_ edge: Int, by distance: Int) -> Int {
    abs(edge) >= limit ? edge : max(-limit, min(limit, edge + distance))
  }

  /// The region with `margin` more pixels on every side.
  func expanded(by margin: Int) -> PixelRegion {
    if isEmpty { return .empty }
    return PixelRegion(
      x: Self.moved(x.lowerBound, by: -margin)..<Self.moved(x.upperBound, by: margin),
      y: Self.moved(y.lowerBound, by: -margin)..<Self.moved(y.upperBound, by: margin))
  }

  func transposed() -> PixelRegion { PixelRegion(x: y, y: x) }

  /// The region that contains what an affine map makes of this one.
  func applying(_ transform: CGAffineTransform) -> PixelRegion {
    if isEmpty { return .empty }
    let far = Double.infinity
    func end(_ edge: Int) -> Double { abs(edge) >= Self.limit ? (edge < 0 ? -far : far) : Double(edge) }
    let (xs, ys) = ((end(x.lowerBound), end(x.upperBound)), (end(y.lowerBound), end(y.upperBound)))
    /// Least and greatest sum of multiples of both axes; a factor of 0 has no share in it.
    func span(_ a: Double, _ c: Double, _ offset: Double) -> (Double, Double) {
      func ends(_ factor: Double, _ range: (Double, Double)) -> (Double, Double) {
        if factor == 0 { return (0, 0) }
        return factor > 0 ? (factor * range.0, factor * range.1) : (factor * range.1, factor * range.0)
      }
      let (first, second) = (ends(a, xs), ends(c, ys))
      return (first.0 + second.0 + offset, first.1 + second.1 + offset)
    }
    let (left, right) = span(transform.a, transform.c, transform.tx)
    let (bottom, top) = span(transform.b, transform.d, transform.ty)
    return PixelRegion(left: left, bottom: bottom, right: right, top: top)
  }
}
