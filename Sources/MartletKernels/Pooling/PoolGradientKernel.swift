package import MartletTensor
package import MartletVocabulary

/// The gradient of a pooling over two spatial axes of float32 [N, C, H, W] views with any strides.
package struct PoolGradientKernel: Sendable {
  /// The gradient of the result.
  let gradient: TensorView
  let x: TensorView
  /// The gradient of `x`.
  let result: TensorView
  let rows: PoolWindow
  let columns: PoolWindow
  let reduction: PoolReduction

  package init(
    gradient: TensorView, x: TensorView, result: TensorView, rows: PoolWindow, columns: PoolWindow, reduction: PoolReduction
  ) {
    self.gradient = gradient
    self.x = x
    self.result = result
    self.rows = rows
    self.columns = columns
    self.reduction = reduction
  }

  /// Total number of elements in all windows.
  package var operationCount: Double {
    func total(_ counts: [Int]) -> Double { counts.reduce(0) { $0 + Double($1) } }
    return Double(gradient.shape[0] * gradient.shape[1]) * total(rows.counts) * total(columns.counts)
  }

  /// Channels that one thread computes together where they are adjacent in memory.
  static let blockLength = 64

  /// Windows may overlap, so that only images and channels are divided among threads.
  package func kernel() -> Kernel {
    let me = self
    let channels = x.shape[1]
    let length = x.strides[1] == 1 ? Self.blockLength : 1
    let blocks = (channels + length - 1) / length
    return { context in
      let upstream = context.elements(me.gradient, as: Float.self)
      let source = context.elements(me.x, as: Float.self)
      let target = context.elements(me.result, as: Float.self)
      context.parallelRanges(me.x.shape[0] * blocks, grain: 1) { range, _ in
        for unit in range {
          let (image, block) = unit.quotientAndRemainder(dividingBy: blocks)
          let own = block * length..<min((block + 1) * length, channels)
          me.clear(image, own, target)
          switch me.reduction {
          case .maximum: me.selectMaxima(image, own, upstream, source, target)
          case .average(let countsPadding, let divisor): me.spread(image, own, upstream, target, countsPadding, divisor)
          }
        }
      }
    }
  }

  private func clear(_ image: Int, _ channels: Range<Int>, _ target: Elements<Float>) {
    let strides = result.strides
    for row in 0..<result.shape[2] {
      for column in 0..<result.shape[3] {
        let place = image * strides[0] + row * strides[2] + column * strides[3]
        for channel in channels { target[place + channel * strides[1]] = 0 }
      }
    }
  }

  private func selectMaxima(
    _ image: Int, _ channels: Range<Int>, _ upstream: Elements<Float>, _ source: Elements<Float>, _ target: Elements<Float>
  ) {
    let (gs, xs, ts) = (gradient.strides, x.strides, result.strides)
    for i in 0..<gradient.shape[2] {
      for j in 0..<gradient.shape[3] {
        for channel in channels {
          var (best, place) = (-Float.infinity, (row: rows.starts[i], column: columns.starts[j]))
          for a in 0..<rows.counts[i] {
            let row = rows.starts[i] + a * rows.step
            for b in 0..<columns.counts[j] {
              let column = columns.starts[j] + b * columns.step
              let value = source[image * xs[0] + channel * xs[1] + row * xs[2] + column * xs[3]]
              if value > best || value != value { (best, place) = (value, (row, column)) }
            }
          }
          guard rows.counts[i] > 0, columns.counts[j] > 0 else { continue }
          target[image * ts[0] + channel * ts[1] + place.row * ts[2] + place.column * ts[3]] +=
            upstream[image * gs[0] + channel * gs[1] + i * gs[2] + j * gs[3]]
        }
      }
    }
  }

  private func spread(
    _ image: Int, _ channels: Range<Int>, _ upstream: Elements<Float>, _ target: Elements<Float>, _ countsPadding: Bool,
    _ divisor: Int?
  ) {
    let (gs, ts) = (gradient.strides, result.strides)
    for i in 0..<gradient.shape[2] {
      for j in 0..<gradient.shape[3] {
        let inside = rows.counts[i] * columns.counts[j]
        let count = divisor ?? (countsPadding ? rows.paddedCounts[i] * columns.paddedCounts[j] : inside)
        let from = image * gs[0] + i * gs[2] + j * gs[3]
        for a in 0..<rows.counts[i] {
          for b in 0..<columns.counts[j] {
            let place = image * ts[0] + (rows.starts[i] + a * rows.step) * ts[2] + (columns.starts[j] + b * columns.step) * ts[3]
            for channel in channels { target[place + channel * ts[1]] += upstream[from + channel * gs[1]] / Float(count) }
          }
        }
      }
    }
  }
}
