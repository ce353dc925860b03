package import MartletTensor
package import MartletVocabulary

extension GridSampling {
  /// - Parameters:
  ///   - x: images `[N, C, H, W]` with any strides, H and W greater than 0.
  ///   - grid: `[N, h, w, 2]`, x before y, with any strides.
  ///   - y: `[N, C, h, w]` with any strides.
  @_specialize(where T == Float)
  @_specialize(where T == Double)
  package func kernel<T: ResampleElement>(_ x: TensorView, _ grid: TensorView, to y: TensorView, as type: T.Type) -> Kernel {
    { [self] context in
      let source = context.elements(x, as: type)
      let places = context.elements(grid, as: type)
      let target = context.elements(y, as: type)
      let (height, width) = (y.shape[2], y.shape[3])
      context.parallelRanges(y.shape[0] * height, grain: max(1, 2 * 1024 / max(width * y.shape[1], 1))) { lines, _ in
        for line in lines {
          let (image, row) = line.quotientAndRemainder(dividingBy: height)
          for column in 0..<width {
            let place = image * grid.strides[0] + row * grid.strides[1] + column * grid.strides[2]
            sample(
              source, x, image * x.strides[0], places[place], places[place + grid.strides[3]],
              target, image * y.strides[0] + row * y.strides[2] + column * y.strides[3], y.strides[1])
          }
        }
      }
    }
  }

  /// Computes one pixel in all channels.
  @inline(__always)
  private func sample<T: ResampleElement>(
    _ source: Elements<T>, _ x: TensorView, _ image: Int, _ gridX: T, _ gridY: T, _ target: Elements<T>, _ pixel: Int,
    _ channelStride: Int
  ) {
    let (height, width) = (x.shape[2], x.shape[3])
    let channels = x.shape[1]
    switch interpolation {
    case .nearest:
      let i = index(coordinate(gridY, height).rounded(.toNearestOrEven))
      let j = index(coordinate(gridX, width).rounded(.toNearestOrEven))
      let inside = i >= 0 && i < height && j >= 0 && j < width
      let place = image + i * (inside ? x.strides[2] : 0) + j * (inside ? x.strides[3] : 0)
      for channel in 0..<channels {
        target[pixel + channel * channelStride] = inside ? source[place + channel * x.strides[1]] : 0
      }
    case .bilinear:
      let (v, u) = (coordinate(gridY, height), coordinate(gridX, width))
      let (top, left) = (index(v.rounded(.down)), index(u.rounded(.down)))
      let (bottomWeight, rightWeight) = (v - v.rounded(.down), u - u.rounded(.down))
      let (topWeight, leftWeight) = (1 - bottomWeight, 1 - rightWeight)
      // Pixels outside have weight 0 and an arbitrary position inside.
      let rows = (bound(top, height, topWeight), bound(top + 1, height, bottomWeight))
      let columns = (bound(left, width, leftWeight), bound(left + 1, width, rightWeight))
      let (a, b) = (rows.0.weight * columns.0.weight, rows.0.weight * columns.1.weight)
      let (c, d) = (rows.1.weight * columns.0.weight, rows.1.weight * columns.1.weight)
      let first = image + rows.0.index * x.strides[2]
      let second = image + rows.1.index * x.strides[2]
      let (west, east) = (columns.0.index * x.strides[3], columns.1.index * x.strides[3])
      for channel in 0..<channels {
        let offset = channel * x.strides[1]
        var sum: T = 0
        if rows.0.isInside && columns.0.isInside { sum += a * source[first + west + offset] }
        if rows.0.isInside && columns.1.isInside { sum += b * source[first + east + offset] }
        if rows.1.isInside && columns.0.isInside { sum += c * source[second + west + offset] }
        if rows.1.isInside && columns.1.isInside { sum += d * source[second + east + offset] }
        target[pixel + channel * channelStride] = sum
      }
    case .bicubic:
      let (v, u) = (unnormalized(gridY, height), unnormalized(gridX, width))
      let (top, left) = (v.rounded(.down), u.rounded(.down))
      let rowWeights = cubicWeights(v - top)
      let columnWeights = cubicWeights(u - left)
      for channel in 0..<channels {
        let offset = image + channel * x.strides[1]
        var sum: T = 0
        for row in 0..<4 {
          // Unlike the other modes, bicubic interpolation pads each pixel separately.
          let i = index(padded(top + T(row - 1), height))
          var line: T = 0
          for column in 0..<4 {
            let j = index(padded(left + T(column - 1), width))
            let isInside = i >= 0 && i < height && j >= 0 && j < width
            if isInside { line += columnWeights[column] * source[offset + i * x.strides[2] + j * x.strides[3]] }
          }
          sum += rowWeights[row] * line
        }
        target[pixel + channel * channelStride] = sum
      }
    }
  }

  /// A position and its weight; the weight is 0 if the position is outside the axis.
  @inline(__always)
  private func bound<T: ResampleElement>(_ position: Int, _ extent: Int, _ weight: T) -> (index: Int, weight: T, isInside: Bool) {
    if position >= 0, position < extent { return (position, weight, true) }
    return (0, weight, false)
  }

  /// A floating-point integer as an index; -2 for NaN and for numbers beyond any axis.
  @inline(__always)
  private func index<T: ResampleElement>(_ value: T) -> Int {
    value >= -1 && value < 0x1p40 ? Int(value) : -2
  }

  @inline(__always)
  private func coordinate<T: ResampleElement>(_ value: T, _ extent: Int) -> T { padded(unnormalized(value, extent), extent) }

  @inline(__always)
  private func unnormalized<T: ResampleElement>(_ value: T, _ extent: Int) -> T {
    alignCorners ? (value + 1) / 2 * T(extent - 1) : ((value + 1) * T(extent) - 1) / 2
  }

  /// Moves a coordinate into the image according to the padding mode.
  @inline(__always)
  private func padded<T: ResampleElement>(_ value: T, _ extent: Int) -> T {
    switch padding {
    case .zeros: value
    case .border: clipped(value, extent)
    case .reflection:
      alignCorners
        ? clipped(reflected(value, low: 0, high: T(extent - 1)), extent)
        : clipped(reflected(value, low: -0.5, high: T(extent) - 0.5), extent)
    }
  }

  /// Limits a coordinate to `0...extent - 1`; NaN becomes 0.
  @inline(__always)
  private func clipped<T: ResampleElement>(_ value: T, _ extent: Int) -> T {
    value > 0 ? (value < T(extent - 1) ? value : T(extent - 1)) : 0
  }

  @inline(__always)
  private func reflected<T: ResampleElement>(_ value: T, low: T, high: T) -> T {
    let span = high - low
    if span == 0 { return 0 }
    let distance = abs(value - low)
    let flips = (distance / span).rounded(.down)
    let rest = distance.truncatingRemainder(dividingBy: span)
    return flips.truncatingRemainder(dividingBy: 2) == 0 ? rest + low : span - rest + low
  }

  /// Weights of the four neighbours for a coordinate at distance `t` after the second of them (Keys' cubic kernel with a = -0.75).
  @inline(__always)
  private func cubicWeights<T: ResampleElement>(_ t: T) -> [4 of T] {
    let a: T = -0.75
    func near(_ x: T) -> T { ((a + 2) * x - (a + 3)) * x * x + 1 }
    func far(_ x: T) -> T { ((a * x - 5 * a) * x + 8 * a) * x - 4 * a }
    return [far(t + 1), near(t), near(1 - t), far(2 - t)]
  }
}
