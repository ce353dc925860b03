package import MartletTensor
package import MartletVocabulary

/// Pooling over two spatial axes of [N, C, H, W] views, directly from the definition, for any strides.
package struct PoolKernel: Sendable {
  let x: TensorView
  let y: TensorView
  /// Positions of the maxima as row-major positions in the [H, W] plane: int64.
  let indices: TensorView?
  let rows: PoolWindow
  let columns: PoolWindow
  let reduction: PoolReduction

  package init(x: TensorView, y: TensorView, indices: TensorView?, rows: PoolWindow, columns: PoolWindow, reduction: PoolReduction) {
    self.x = x
    self.y = y
    self.indices = indices
    self.rows = rows
    self.columns = columns
    self.reduction = reduction
  }

  /// Total number of elements in all windows.
  package var operationCount: Double {
    func total(_ counts: [Int]) -> Double { counts.reduce(0) { $0 + Double($1) } }
    return Double(y.shape[0] * y.shape[1]) * total(rows.counts) * total(columns.counts)
  }

  @_specialize(where T == Float)
  @_specialize(where T == Double)
  @_specialize(where T == Int64)
  package func kernel<T: PoolElement>(_ type: T.Type) -> Kernel {
    if y.isEmpty { return { _ in } }
    let me = self
    return { context in
      let source = context.elements(me.x, as: T.self)
      let target = context.elements(me.y, as: T.self)
      let places = me.indices.map { context.elements($0, as: Int64.self) }
      let (height, width) = (me.y.shape[2], me.y.shape[3])
      let channels = me.y.shape[1]
      let (xs, ys) = (me.x.strides, me.y.strides)
      let inputWidth = me.x.shape[3]
      context.parallelRanges(me.y.shape[0] * height, grain: max(1, 8192 / max(width * channels, 1))) { range, _ in
        for row in range {
          let (batch, i) = row.quotientAndRemainder(dividingBy: height)
          for j in 0..<width {
            let window = me.rows.counts[i] * me.columns.counts[j]
            let divisor: Int
            switch me.reduction {
            case .maximum: divisor = 1
            case .average(let countsPadding, let fixed):
              divisor = fixed ?? (countsPadding ? me.rows.paddedCounts[i] * me.columns.paddedCounts[j] : window)
            }
            for c in 0..<channels {
              let base = batch * xs[0] + c * xs[1]
              var value = me.reduction == .maximum ? T.lowest : T.zero
              var place = me.rows.starts[i] * inputWidth + me.columns.starts[j]
              for a in 0..<me.rows.counts[i] {
                let h = me.rows.starts[i] + a * me.rows.step
                for b in 0..<me.columns.counts[j] {
                  let w = me.columns.starts[j] + b * me.columns.step
                  let element = source[base + h * xs[2] + w * xs[3]]
                  if me.reduction == .maximum {
                    if element > value || element != element {
                      value = element
                      place = h * inputWidth + w
                    }
                  } else {
                    value = T.sum(value, element)
                  }
                }
              }
              if me.reduction != .maximum { value = T.quotient(value, divisor) }
              let position = batch * ys[0] + c * ys[1] + i * ys[2] + j * ys[3]
              target[position] = value
              if let places, let view = me.indices {
                places[batch * view.strides[0] + c * view.strides[1] + i * view.strides[2] + j * view.strides[3]] = Int64(place)
              }
            }
          }
        }
      }
    }
  }
}

/// Element types that can be pooled.
package protocol PoolElement: BitwiseCopyable, Sendable, Comparable {
  static var zero: Self { get }
  static var lowest: Self { get }
  static func sum(_ a: Self, _ b: Self) -> Self
  static func quotient(_ a: Self, _ divisor: Int) -> Self
}

extension Float: PoolElement {
  package static var lowest: Float { -.infinity }
  package static func sum(_ a: Float, _ b: Float) -> Float { a + b }
  package static func quotient(_ a: Float, _ divisor: Int) -> Float { a / Float(divisor) }
}

extension Double: PoolElement {
  package static var lowest: Double { -.infinity }
  package static func quotient(_ a: Double, _ divisor: Int) -> Double { a / Double(divisor) }
}

extension Int64: PoolElement {
  package static var lowest: Int64 { .min }
  package static func quotient(_ a: Int64, _ divisor: Int) -> Int64 {
    divisor == 0 ? 0 : a.dividedReportingOverflow(by: Int64(divisor)).partialValue
  }
}
