package import MartletTensor
package import MartletVocabulary

extension PlaneSampling {
  /// A kernel that samples at the coordinates given by a grid.
  /// - Parameters:
  ///   - x: `[N, C, H, W]`, any strides, H and W not 0.
  ///   - grid: `[N, h, w, 2]`, x before y, any strides.
  ///   - y: `[N, C, h, w]`, any strides.
  package func kernel(_ x: TensorView, grid: TensorView, to y: TensorView) -> Kernel {
    kernel(x, y) { context in
      let places = context.elements(grid, as: Float.self)
      let strides = grid.strides
      return { image, row, column in
        let place = image * strides[0] + row * strides[1] + column * strides[2]
        return (places[place], places[place + strides[3]])
      }
    }
  }

  /// A kernel that samples at `(a₀ u + a₁ v + a₂, a₃ u + a₄ v + a₅)` for result coordinates (u, v) from -1 to 1.
  /// - Parameter matrices: `[N or 1, 6]`, any strides.
  package func kernel(_ x: TensorView, matrices: TensorView, to y: TensorView) -> Kernel {
    let (rows, columns) = (y.shape[2], y.shape[3])
    let alignCorners = alignCorners
    return kernel(x, y) { context in
      let a = context.elements(matrices, as: Float.self)
      let (imageStride, stride) = (matrices.shape[0] == 1 ? 0 : matrices.strides[0], matrices.strides[1])
      func place(_ index: Int, _ count: Int) -> Float {
        if alignCorners { return count > 1 ? Float(2 * index) / Float(count - 1) - 1 : 0 }
        return Float(2 * index + 1) / Float(count) - 1
      }
      return { image, row, column in
        let start = image * imageStride
        let (u, v) = (place(column, columns), place(row, rows))
        return (
          a[start] * u + a[start + stride] * v + a[start + 2 * stride],
          a[start + 3 * stride] * u + a[start + 4 * stride] * v + a[start + 5 * stride]
        )
      }
    }
  }

  private func kernel(
    _ x: TensorView, _ y: TensorView,
    places: @escaping @Sendable (KernelContext) -> (_ image: Int, _ row: Int, _ column: Int) -> (x: Float, y: Float)
  ) -> Kernel {
    { [self] context in
      let source = context.elements(x, as: Float.self)
      let target = context.elements(y, as: Float.self)
      let place = places(context)
      let (height, width) = (y.shape[2], y.shape[3])
      context.parallelRanges(y.shape[0] * height, grain: max(1, 2 * 1024 / max(width * y.shape[1], 1))) { lines, _ in
        for line in lines {
          let (image, row) = line.quotientAndRemainder(dividingBy: height)
          for column in 0..<width {
            let point = place(image, row, column)
            sample(
              source, x, image * x.strides[0], point.x, point.y, target,
              image * y.strides[0] + row * y.strides[2] + column * y.strides[3], y.strides[1])
          }
        }
      }
    }
  }

  /// Computes one pixel in all channels.
  @inline(__always)
  private func sample(
    _ source: Elements<Float>, _ x: TensorView, _ image: Int, _ horizontal: Float, _ vertical: Float, _ target: Elements<Float>,
    _ pixel: Int, _ channelStride: Int
  ) {
    let (height, width) = (x.shape[2], x.shape[3])
    let (v, u) = (inside(pixels(vertical, height), height), inside(pixels(horizontal, width), width))
    var outside: Float = 0
    if case .constant(let value) = padding { outside = value }
    func value(_ row: Int, _ column: Int, _ channel: Int) -> Float {
      guard row >= 0, row < height, column >= 0, column < width else { return outside }
      return source[image + row * x.strides[2] + column * x.strides[3] + channel * x.strides[1]]
    }
    if takesNearest {
      let (row, column) = (index(v.rounded(.toNearestOrEven)), index(u.rounded(.toNearestOrEven)))
      for channel in 0..<x.shape[1] { target[pixel + channel * channelStride] = value(row, column, channel) }
      return
    }
    let (top, left) = (index(v.rounded(.down)), index(u.rounded(.down)))
    // If a coordinate is not finite, its neighbours are outside.
    let bottomWeight = v.isFinite ? v - v.rounded(.down) : 0
    let rightWeight = u.isFinite ? u - u.rounded(.down) : 0
    // The neighbour after the last pixel has weight 0 unless pixels outside contribute.
    for channel in 0..<x.shape[1] {
      var upper = (1 - rightWeight) * value(top, left, channel)
      if rightWeight > 0 { upper += rightWeight * value(top, left + 1, channel) }
      var result = (1 - bottomWeight) * upper
      if bottomWeight > 0 {
        var lower = (1 - rightWeight) * value(top + 1, left, channel)
        if rightWeight > 0 { lower += rightWeight * value(top + 1, left + 1, channel) }
        result += bottomWeight * lower
      }
      target[pixel + channel * channelStride] = result
    }
  }

  /// A floating-point integer as an index; -2 for NaN and for numbers beyond any axis.
  @inline(__always)
  private func index(_ value: Float) -> Int { value >= -1 && value < 0x1p40 ? Int(value) : -2 }

  @inline(__always)
  private func pixels(_ value: Float, _ extent: Int) -> Float {
    switch coordinates {
    case .pixels: value
    case .minusOneToOne: alignCorners ? (value + 1) / 2 * Float(extent - 1) : ((value + 1) * Float(extent) - 1) / 2
    case .zeroToOne: alignCorners ? value * Float(extent - 1) : value * Float(extent) - 0.5
    }
  }

  /// Moves a coordinate into the image according to the padding mode.
  @inline(__always)
  private func inside(_ value: Float, _ extent: Int) -> Float {
    switch padding {
    case .constant: value
    case .border: clipped(value, extent)
    case .reflection: clipped(reflected(value, low: 0, span: Float(extent - 1)), extent)
    case .symmetric: clipped(reflected(value, low: -0.5, span: Float(extent)), extent)
    }
  }

  /// Limits a coordinate to `0 ... extent - 1`; NaN becomes 0.
  @inline(__always)
  private func clipped(_ value: Float, _ extent: Int) -> Float {
    value > 0 ? min(value, Float(extent - 1)) : 0
  }

  @inline(__always)
  private func reflected(_ value: Float, low: Float, span: Float) -> Float {
    if span == 0 { return 0 }
    let rest = abs(value - low).truncatingRemainder(dividingBy: 2 * span)
    return (rest <= span ? rest : 2 * span - rest) + low
  }
}
