package import MartletTensor

/// `alpha * A B + bias + beta * residual` in Double, Int64 (wrapping) or a complex type, for types without vector
/// kernels.
package struct ExactMatrixProduct: Sendable {
  let a: TensorView
  let b: TensorView
  let c: TensorView
  let bias: TensorView?
  let residual: TensorView?
  let alpha: Double
  let beta: Double

  /// All views have the batch axes of C; C is row-major.
  package init(
    a: TensorView, b: TensorView, c: TensorView, bias: TensorView?, residual: TensorView?, alpha: Double, beta: Double
  ) {
    self.a = a
    self.b = b
    self.c = c
    self.bias = bias
    self.residual = residual
    self.alpha = alpha
    self.beta = beta
  }

  @_specialize(where T == Double)
  @_specialize(where T == Int64)
  package func kernel<T: ExactElement>(_ type: T.Type) -> Kernel {
    let rank = c.rank
    let batchExtents = Array(c.shape.dropLast(2))
    let (m, n, k) = (c.shape[rank - 2], c.shape[rank - 1], a.shape[rank - 1])
    let batches = batchExtents.reduce(1, *)
    if c.isEmpty { return { _ in } }
    let matrix = self
    return { context in
      let x = context.elements(matrix.a, as: T.self)
      let y = context.elements(matrix.b, as: T.self)
      let z = context.elements(matrix.c, as: T.self)
      let biases = matrix.bias.map { context.elements($0, as: T.self) }
      let residuals = matrix.residual.map { context.elements($0, as: T.self) }
      context.parallelRanges(batches * m, grain: max(1, 16384 / max(n * k, 1))) { range, _ in
        for row in range {
          let (batch, i) = row.quotientAndRemainder(dividingBy: m)
          let aOffset = offset(batch, batchExtents, matrix.a.strides) + i * matrix.a.strides[rank - 2]
          let bOffset = offset(batch, batchExtents, matrix.b.strides)
          let cOffset = offset(batch, batchExtents, matrix.c.strides) + i * matrix.c.strides[rank - 2]
          for j in 0..<n {
            var sum = T.zero
            for p in 0..<k {
              sum = T.multiplyAdd(
                x[aOffset + p * matrix.a.strides[rank - 1]],
                y[bOffset + p * matrix.b.strides[rank - 2] + j * matrix.b.strides[rank - 1]], sum)
            }
            if matrix.alpha != 1 { sum = T.scaled(sum, matrix.alpha) }
            if let biases { sum = T.sum(sum, biases[j]) }
            if let residuals, let residual = matrix.residual {
              let value =
                residuals[
                  offset(batch, batchExtents, residual.strides) + i * residual.strides[rank - 2] + j * residual.strides[rank - 1]]
              sum = T.sum(sum, matrix.beta == 1 ? value : T.scaled(value, matrix.beta))
            }
            z[cOffset + j * matrix.c.strides[rank - 1]] = sum
          }
        }
      }
    }
  }
}

/// Arithmetic that does not trap, for kernels generic over Double, Int64 and complex numbers.
package protocol ExactElement: BitwiseCopyable, Sendable {
  static var zero: Self { get }
  /// `a * b + c`.
  static func multiplyAdd(_ a: Self, _ b: Self, _ c: Self) -> Self
  static func sum(_ a: Self, _ b: Self) -> Self
  static func scaled(_ a: Self, _ factor: Double) -> Self
}

extension Double: ExactElement {
  package static func multiplyAdd(_ a: Double, _ b: Double, _ c: Double) -> Double { a * b + c }
  package static func sum(_ a: Double, _ b: Double) -> Double { a + b }
  package static func scaled(_ a: Double, _ factor: Double) -> Double { a * factor }
}

extension Int64: ExactElement {
  package static func multiplyAdd(_ a: Int64, _ b: Int64, _ c: Int64) -> Int64 { a &* b &+ c }
  package static func sum(_ a: Int64, _ b: Int64) -> Int64 { a &+ b }
  package static func scaled(_ a: Int64, _ factor: Double) -> Int64 {
    Int64(exactly: factor.rounded(.towardZero)).map { a &* $0 } ?? a
  }
}

/// A complex number in its memory layout.
package struct Complex<Real: BinaryFloatingPoint & BitwiseCopyable & Sendable>: ExactElement {
  var real: Real
  var imaginary: Real

  package static var zero: Complex { Complex(real: 0, imaginary: 0) }

  package static func multiplyAdd(_ a: Complex, _ b: Complex, _ c: Complex) -> Complex {
    Complex(
      real: a.real * b.real - a.imaginary * b.imaginary + c.real, imaginary: a.real * b.imaginary + a.imaginary * b.real + c.imaginary)
  }

  package static func sum(_ a: Complex, _ b: Complex) -> Complex {
    Complex(real: a.real + b.real, imaginary: a.imaginary + b.imaginary)
  }

  package static func scaled(_ a: Complex, _ factor: Double) -> Complex {
    Complex(real: a.real * Real(factor), imaginary: a.imaginary * Real(factor))
  }
}
