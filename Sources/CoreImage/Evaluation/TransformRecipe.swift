import CoreGraphics
import MartletKernels
import MartletPixels
import MartletTensor
import MartletVocabulary
import Synchronization

/// An image under an affine map.
///
/// Where the map keeps axes, each axis is resampled on its own; a pixel that the image covers in part gets that share of it. Other maps take
/// the bilinear mean of four pixels, transparent ones outside of the image, after an image that becomes smaller has been scaled down along
/// its own axes.
struct TransformRecipe: Recipe {
  let input: any Recipe
  let transform: CGAffineTransform
  let filter: ResamplingFilter
  /// Nil leaves it to the renderer.
  let isAntialiased: Bool?
  let extent: PixelRegion
  private let inverse: CGAffineTransform

  /// The image under a map, without nodes that change nothing. A map without inverse leaves no pixels.
  static func make(
    _ input: any Recipe, _ transform: CGAffineTransform, filter: ResamplingFilter = .bilinear, isAntialiased: Bool? = nil
  ) -> any Recipe {
    guard transform.isFinite, let inverse = transform.snapped.inverse, inverse.isFinite else { return EmptyRecipe() }
    let map = transform.snapped
    if map.isIdentity { return input }
    switch input {
    case let color as ColorRecipe: return color
    case let first as TransformRecipe where first.filter == filter && first.isAntialiased == isAntialiased:
      return make(first.input, first.transform.concatenating(map), filter: filter, isAntialiased: isAntialiased)
    case let sampled as SamplingRecipe:
      return make(sampled.input, map, filter: sampled.isNearest ? .nearest : filter, isAntialiased: isAntialiased)
    default: return TransformRecipe(input, map, inverse, filter, isAntialiased)
    }
  }

  private init(
    _ input: any Recipe, _ transform: CGAffineTransform, _ inverse: CGAffineTransform, _ filter: ResamplingFilter, _ isAntialiased: Bool?
  ) {
    self.input = input
    self.transform = transform
    self.inverse = inverse
    self.filter = filter
    self.isAntialiased = isAntialiased
    extent = input.extent.applying(transform)
  }

  var reach: Int {
    let scale = max(hypot(transform.a, transform.b), hypot(transform.c, transform.d))
    return Int(min(Double(input.reach) * scale + 4, 1e6))
  }

  var moved: MovedPicture? { input.moved?.applying(transform) }

  func tile(_ region: PixelRegion, _ renderer: Renderer) throws(RenderError) -> Tile {
    if transform.turn != nil, transform.tx == transform.tx.rounded(), transform.ty == transform.ty.rounded() {
      return try turned(region, renderer)
    }
    let isAntialiased = isAntialiased ?? renderer.isAntialiased
    let isShrinking = hypot(transform.a, transform.b) < 1 || hypot(transform.c, transform.d) < 1
    if filter == .nearest || (isShrinking && !isAntialiased) { return try sampled(region, renderer, input, inverse) }
    if transform.b == 0, transform.c == 0 {
      return try scaled(region, x: (transform.a, transform.tx), y: (transform.d, transform.ty), input.extent, renderer) {
        needed throws(RenderError) in try renderer.tile(input, needed)
      }
    }
    if transform.a == 0, transform.d == 0 {
      return try scaled(region, x: (transform.c, transform.tx), y: (transform.b, transform.ty), input.extent.transposed(), renderer) {
        needed throws(RenderError) in try renderer.tile(input, needed.transposed()).transposed()
      }
    }
    // First smaller along the image's own axes.
    let (xScale, yScale) = (min(hypot(transform.a, transform.b), 1), min(hypot(transform.c, transform.d), 1))
    if xScale == 1, yScale == 1 { return try sampled(region, renderer, input, inverse) }
    let scale = CGAffineTransform(scaleX: xScale, y: yScale)
    let smaller = Self.make(input, scale, filter: filter, isAntialiased: true)
    return try sampled(region, renderer, smaller, inverse.concatenating(scale))
  }

  // MARK: Turns

  private func turned(_ region: PixelRegion, _ renderer: Renderer) throws(RenderError) -> Tile {
    let source = try renderer.tile(input, region.applying(inverse))
    return try unsafe Tile(region) { pixels throws(RenderError) in
      for (row, y) in region.y.enumerated() {
        // The middle of a pixel becomes the middle of one.
        let first = CGPoint(x: Double(region.x.lowerBound) + 0.5, y: Double(y) + 0.5).applying(inverse)
        var place = source.index(Int(first.x.rounded(.down)), Int(first.y.rounded(.down)))
        let step = Int(inverse.a) + Int(inverse.b) * source.region.width
        for column in 0..<region.width {
          unsafe pixels[row * region.width + column] = source.pixels[place]
          place += step
        }
      }
    }
  }

  // MARK: Axes

  /// How an axis of the result comes from one of the image.
  private struct Axis {
    /// Positions of the image that are needed.
    let needed: Range<Int>
    private let low: Double
    private let high: Double
    private let isReversed: Bool
    private let outputs: Range<Int>
    private let edges: ClosedRange<Double>
    private let filter: ResamplingFilter

    init(_ outputs: Range<Int>, scale: Double, offset: Double, _ extent: Range<Int>, _ filter: ResamplingFilter) {
      self.outputs = outputs
      self.filter = filter
      isReversed = scale < 0
      let ends = [(Double(outputs.lowerBound) - offset) / scale, (Double(outputs.upperBound) - offset) / scale]
      (low, high) = (min(ends[0], ends[1]), max(ends[0], ends[1]))
      let margin = filter.radius * max(1, 1 / abs(scale)) + 2
      func limited(_ value: Double) -> Int { Int(min(max(value, -Double(PixelRegion.limit)), Double(PixelRegion.limit))) }
      needed = (limited((low - margin).rounded(.down))..<limited((high + margin).rounded(.up))).clamped(to: extent)
      let far = Double(PixelRegion.limit)
      let sides = [extent.lowerBound, extent.upperBound].map { side in
        abs(side) >= PixelRegion.limit ? (Double(side) * scale < 0 ? -far : far) : PixelRegion.snapped(Double(side) * scale + offset)
      }
      edges = min(sides[0], sides[1])...max(sides[0], sides[1])
    }

    var table: ResamplingAxis {
      ResamplingAxis(
        .init(
          from: needed.count, part: low - Double(needed.lowerBound)..<high - Double(needed.lowerBound), to: outputs.count, filter: filter,
          precision: .once))
    }

    /// The place of an output in the order of the image's positions.
    func place(_ index: Int) -> Int { isReversed ? outputs.count - 1 - index : index }

    /// How much of an output the image covers.
    func coverage(_ index: Int) -> Float {
      let position = Double(outputs.lowerBound + index)
      return Float(min(max(min(edges.upperBound, position + 1) - max(edges.lowerBound, position), 0), 1))
    }

    var coverages: [Float] { outputs.indices.map { coverage($0 - outputs.lowerBound) } }
  }

  /// Pixels of an image that are scaled at once.
  private static let bandPixels = 1 << 15

  private func scaled(
    _ region: PixelRegion, x: (Double, Double), y: (Double, Double), _ extent: PixelRegion, _ renderer: Renderer,
    _ tile: (PixelRegion) throws(RenderError) -> Tile
  ) throws(RenderError) -> Tile {
    let columns = Axis(region.x, scale: x.0, offset: x.1, extent.x, filter)
    let rows = Axis(region.y, scale: y.0, offset: y.1, extent.y, filter)
    let needed = PixelRegion(x: columns.needed, y: rows.needed)
    if needed.isEmpty { return .clear(region) }
    try renderer.limit(needed)
    let (columnTable, rowTable) = (columns.table, rows.table)
    let (width, height) = (region.width, region.height)
    let (xShares, yShares) = (columns.coverages, rows.coverages)
    let failure = Mutex<RenderError?>(nil)
    return try unsafe Tile(region) { pixels throws(RenderError) in
      unsafe withUnsafeTemporaryAllocation(of: SIMD4<Float>.self, capacity: width * needed.height + width) { memory in
        let narrow = memory.baseAddress!
        let line = unsafe narrow + width * needed.height
        // Bands that stay in the cache, unless much around them is needed.
        let bandHeight = max(Self.bandPixels / needed.width, 4 * input.reach, 1)
        PixelStripes.run(rowCount: needed.height, pixelsPerRow: needed.width, largest: bandHeight) { band in
          if failure.withLock({ $0 != nil }) { return }
          let bottom = needed.y.lowerBound
          do throws(RenderError) {
            let source = try tile(PixelRegion(x: needed.x, y: bottom + band.lowerBound..<bottom + band.upperBound))
            unsafe source.pixels.withUnsafeBufferPointer { pixels in
              for (place, row) in band.enumerated() {
                unsafe columnTable.resample(
                  row: UnsafeRawPointer(pixels.baseAddress! + place * needed.width).assumingMemoryBound(to: Float.self), channelCount: 4,
                  outputs: 0..<width, to: UnsafeMutableRawPointer(narrow + row * width).assumingMemoryBound(to: Float.self))
              }
            }
          } catch {
            failure.withLock { $0 = error }
          }
        }
        if failure.withLock({ $0 != nil }) { return }
        for row in 0..<height {
          unsafe rowTable.resample(
            rows: UnsafeRawPointer(narrow).assumingMemoryBound(to: Float.self), rowStride: 4 * width, firstRow: 0, count: 4 * width,
            output: rows.place(row), dtype: .float32, to: line)
          let share = yShares[row]
          for column in 0..<width {
            unsafe pixels[row * width + column] = line[columns.place(column)] * (share * xShares[column])
          }
        }
      }
      if let error = failure.withLock({ $0 }) { throw error }
    }
  }

  // MARK: Other maps

  /// - Parameter map: from the result to the source.
  private func sampled(
    _ region: PixelRegion, _ renderer: Renderer, _ source: any Recipe, _ map: CGAffineTransform
  ) throws(RenderError) -> Tile {
    let needed = region.applying(map).expanded(by: 2).intersection(source.extent)
    if needed.isEmpty { return .clear(region) }
    let tile = try renderer.tile(source, needed)
    let isNearest = filter == .nearest
    return try unsafe Tile(region) { pixels throws(RenderError) in
      var place = 0
      for y in region.y {
        for x in region.x {
          let point = CGPoint(x: Double(x) + 0.5, y: Double(y) + 0.5).applying(map)
          unsafe pixels[place] = isNearest ? tile.nearest(point.x, point.y) : tile.bilinear(point.x, point.y)
          place += 1
        }
      }
    }
  }
}

extension Tile {
  private static func limited(_ value: Double) -> Int { Int(min(max(value.rounded(.down), -0x1p40), 0x1p40)) }

  /// The pixel that contains a point, moved inwards by no more than a rounding error.
  func nearest(_ x: Double, _ y: Double) -> SIMD4<Float> { pixel(Self.limited(x + 1e-9), Self.limited(y + 1e-9)) }

  /// The mean of the four pixels around a point, by distance.
  func bilinear(_ x: Double, _ y: Double) -> SIMD4<Float> {
    let (column, row) = (Self.limited(x - 0.5), Self.limited(y - 0.5))
    let (right, top) = (Float(x - 0.5 - Double(column)), Float(y - 0.5 - Double(row)))
    let lower = pixel(column, row) * (1 - right) + pixel(column + 1, row) * right
    let upper = pixel(column, row + 1) * (1 - right) + pixel(column + 1, row + 1) * right
    return lower * (1 - top) + upper * top
  }
}

extension CGAffineTransform {
  var isFinite: Bool { [a, b, c, d, tx, ty].allSatisfy { $0.isFinite && abs($0) < 1e12 } }

  /// The map with factors that are 0, 1 or -1 but for rounding errors, and offsets that are whole numbers but for them, made exact.
  var snapped: CGAffineTransform {
    let size = max(abs(a), abs(b), abs(c), abs(d))
    func factor(_ value: CGFloat) -> CGFloat {
      if abs(value) < 1e-9 * size { return 0 }
      return abs(abs(value) - 1) < 1e-9 ? (value < 0 ? -1 : 1) : value
    }
    func offset(_ value: CGFloat) -> CGFloat {
      let whole = value.rounded()
      return abs(value - whole) < 1e-6 ? whole : value
    }
    return CGAffineTransform(a: factor(a), b: factor(b), c: factor(c), d: factor(d), tx: offset(tx), ty: offset(ty))
  }
}
