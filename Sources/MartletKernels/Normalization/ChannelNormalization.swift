package import MartletTensor

/// Normalisations that scale and shift each channel. Tensors are dense and have the same type, float32 or float64.
package enum ChannelNormalization {
  /// Group normalisation of row-major `x`: `outer` times `groups` groups of `channels` planes of `plane` elements each.
  ///
  /// Groups without elements have mean 0 and rstd NaN.
  /// - Parameters: `gamma`, `beta` of `groups * channels` elements; `mean`, `rstd` of `outer * groups`; `y` may be `x`.
  package static func groupNorm(
    outer: Int, groups: Int, channels: Int, plane: Int, x: TensorView, gamma: TensorView?, beta: TensorView?, epsilon: Double,
    y: TensorView, mean: TensorView, rstd: TensorView
  ) -> Kernel {
    { context in
      context.parallelRanges(outer * groups, grain: max(1, 8192 / max(channels * plane, 1))) { range, _ in
        if x.dtype == .float64 {
          normalize(
            range, groups, channels, plane, context.elements(x, as: Double.self), gamma.map { context.elements($0) },
            beta.map { context.elements($0) }, epsilon, context.elements(y), context.elements(mean), context.elements(rstd)
          ) { first, count in
            var mean = 0.0
            var squares = 0.0
            unsafe mk_moments_rows_f64(1, count, count, context.pointer(x, as: Double.self) + first, &mean, &squares)
            return (mean, squares / Double(count))
          }
        } else {
          normalize(
            range, groups, channels, plane, context.elements(x, as: Float.self), gamma.map { context.elements($0) },
            beta.map { context.elements($0) }, epsilon, context.elements(y), context.elements(mean), context.elements(rstd)
          ) { first, count in
            var mean: Float = 0
            var squares: Float = 0
            unsafe mk_moments_rows_f32(1, count, count, context.pointer(x, as: Float.self) + first, &mean, &squares)
            return (Double(mean), Double(squares) / Double(count))
          }
        }
      }
    }
  }

  @inline(__always)
  private static func normalize<T: BinaryFloatingPoint & BitwiseCopyable>(
    _ range: Range<Int>, _ groups: Int, _ channels: Int, _ plane: Int, _ x: Elements<T>, _ gamma: Elements<T>?,
    _ beta: Elements<T>?, _ epsilon: Double, _ y: Elements<T>, _ mean: Elements<T>, _ rstd: Elements<T>,
    _ moments: (_ first: Int, _ count: Int) -> (mean: Double, variance: Double)
  ) {
    let count = channels * plane
    for group in range {
      if count == 0 {
        mean[group] = 0
        rstd[group] = .nan
        continue
      }
      let (center, variance) = moments(group * count, count)
      let inverse = 1 / (variance + epsilon).squareRoot()
      mean[group] = T(center)
      rstd[group] = T(inverse)
      for channel in 0..<channels {
        let number = group % groups * channels + channel
        let scale = T(inverse * (gamma.map { Double($0[number]) } ?? 1))
        let shift = beta.map { $0[number] } ?? 0
        let first = group * count + channel * plane
        let center = T(center)
        for i in first..<first + plane { y[i] = (x[i] - center) * scale + shift }
      }
    }
  }

  /// Turns statistics of channels into factors: `scale = gamma / sqrt(variance + epsilon)`, `shift = beta - mean * scale`.
  /// - Parameters: `factors` holds the scales of all channels, then their shifts.
  package static func factors(
    channels: Int, gamma: TensorView?, beta: TensorView?, mean: TensorView, variance: TensorView, epsilon: Double,
    factors: TensorView
  ) -> Kernel {
    { context in
      if mean.dtype == .float64 {
        compute(
          channels, gamma.map { context.elements($0, as: Double.self) }, beta.map { context.elements($0) },
          context.elements(mean), context.elements(variance), epsilon, context.elements(factors))
      } else {
        compute(
          channels, gamma.map { context.elements($0, as: Float.self) }, beta.map { context.elements($0) },
          context.elements(mean), context.elements(variance), epsilon, context.elements(factors))
      }
    }
  }

  private static func compute<T: BinaryFloatingPoint & BitwiseCopyable>(
    _ channels: Int, _ gamma: Elements<T>?, _ beta: Elements<T>?, _ mean: Elements<T>, _ variance: Elements<T>,
    _ epsilon: Double, _ factors: Elements<T>
  ) {
    for channel in 0..<channels {
      let scale = (gamma.map { Double($0[channel]) } ?? 1) / (Double(variance[channel]) + epsilon).squareRoot()
      factors[channel] = T(scale)
      factors[channels + channel] = T((beta.map { Double($0[channel]) } ?? 0) - Double(mean[channel]) * scale)
    }
  }

  /// `1 / sqrt(variance + epsilon)` of every channel.
  package static func inverseDeviation(channels: Int, variance: TensorView, epsilon: Double, to target: TensorView) -> Kernel {
    { context in
      if variance.dtype == .float64 {
        let x = context.elements(variance, as: Double.self)
        let y = context.elements(target, as: Double.self)
        for channel in 0..<channels { y[channel] = 1 / (x[channel] + epsilon).squareRoot() }
      } else {
        let x = context.elements(variance, as: Float.self)
        let y = context.elements(target, as: Float.self)
        for channel in 0..<channels { y[channel] = Float(1 / (Double(x[channel]) + epsilon).squareRoot()) }
      }
    }
  }

  /// `y = x * scale + shift` by channel, for `outer` blocks of `channels` planes of `inner` elements. `y` may be `x`.
  package static func scaleShift(
    outer: Int, channels: Int, inner: Int, x: TensorView, factors: TensorView, y: TensorView
  ) -> Kernel {
    if outer * channels * inner == 0 { return { _ in } }
    let planes = outer * channels
    return { context in
      if x.dtype == .float64 {
        let factors = context.elements(factors, as: Double.self)
        let source = context.elements(x, as: Double.self)
        let target = context.elements(y, as: Double.self)
        context.parallelRanges(planes, grain: max(1, 8192 / inner)) { range, _ in
          for plane in range {
            let channel = plane % channels
            let (scale, shift) = (factors[channel], factors[channels + channel])
            for i in plane * inner..<(plane + 1) * inner { target[i] = source[i] * scale + shift }
          }
        }
        return
      }
      let factors = unsafe context.pointer(factors, as: Float.self)
      let source = unsafe context.pointer(x, as: Float.self)
      let target = unsafe context.pointer(y, as: Float.self)
      if inner == 1 {
        context.parallelRanges(outer, grain: max(1, 16 * 1024 / channels)) { range, _ in
          let start = range.lowerBound * channels
          unsafe mk_scale_shift_rows_f32(range.count, channels, source + start, factors, factors + channels, target + start)
        }
        return
      }
      context.parallelRanges(planes, grain: max(1, 16 * 1024 / inner)) { range, _ in
        var plane = range.lowerBound
        while plane < range.upperBound {
          let channel = plane % channels
          let count = min(channels - channel, range.upperBound - plane)
          unsafe mk_scale_shift_planes_f32(
            count, inner, source + plane * inner, factors + channel, factors + channels + channel, target + plane * inner)
          plane += count
        }
      }
    }
  }
}
