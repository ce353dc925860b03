package import MartletTensor

/// Fourier transforms along one axis of dense arrays of shape (`outer`, axis, `inner`). Each line is computed in double precision for all
/// element types.
package struct FourierKernel: Sendable {
  package enum Kind: Sendable {
    /// Complex to complex; the extents are equal.
    case complex(isInverse: Bool)
    /// Real to complex; the target holds the first elements of the spectrum.
    case realToComplex
    /// Complex to real: the inverse transform of a Hermitian spectrum. The source holds at least its first half. Imaginary parts of
    /// frequencies that are their own conjugates are ignored.
    case complexToReal
  }

  package var kind: Kind
  package var outer: Int
  package var inner: Int
  /// Extents of the axis in source and target.
  package var sourceExtent: Int
  package var targetExtent: Int
  /// Factor applied to every result.
  package var scale: Double
  package var transform: FourierTransform

  /// - Parameter transform: a transform with the length of the real line, or of the complex one.
  package init(
    _ kind: Kind, outer: Int, inner: Int, sourceExtent: Int, targetExtent: Int, scale: Double, transform: FourierTransform
  ) {
    self.kind = kind
    self.outer = outer
    self.inner = inner
    self.sourceExtent = sourceExtent
    self.targetExtent = targetExtent
    self.scale = scale
    self.transform = transform
  }

  /// Bytes of scratch memory that each worker needs.
  package var scratchByteCount: Int { (2 * transform.count + transform.scratchCount) * 8 }

  /// - Parameters:
  ///   - source, target: both in single or both in double precision; for `complex`, they may be the same memory.
  package func kernel(from source: TensorView, to target: TensorView, scratch: TensorView) -> Kernel {
    let isDouble = target.dtype == .float64 || target.dtype == .complex128
    return { context in
      context.parallelRanges(outer * inner, grain: max(1, 4096 / transform.count)) { range, worker in
        let line = unsafe context.scratch(scratch, worker: worker, as: Double.self)
        if isDouble {
          unsafe run(
            range, context.address(source).assumingMemoryBound(to: Double.self),
            context.address(target).assumingMemoryBound(to: Double.self), line)
        } else {
          unsafe run(
            range, context.address(source).assumingMemoryBound(to: Float.self),
            context.address(target).assumingMemoryBound(to: Float.self), line)
        }
      }
    }
  }

  private func run<T: BinaryFloatingPoint>(
    _ range: Range<Int>, _ source: UnsafeMutablePointer<T>, _ target: UnsafeMutablePointer<T>, _ line: UnsafeMutablePointer<Double>
  ) {
    let count = transform.count
    for number in range {
      let (block, lane) = number.quotientAndRemainder(dividingBy: inner)
      let first = block * sourceExtent * inner + lane
      var isInverse = false
      switch kind {
      case .realToComplex:
        for k in 0..<count {
          unsafe line[2 * k] = Double(source[first + k * inner])
          unsafe line[2 * k + 1] = 0
        }
      case .complex(let inverse):
        isInverse = inverse
        for k in 0..<count {
          unsafe line[2 * k] = Double(source[2 * (first + k * inner)])
          unsafe line[2 * k + 1] = Double(source[2 * (first + k * inner) + 1])
        }
      case .complexToReal:
        isInverse = true
        for k in 0...count / 2 {
          let (re, im) = unsafe (Double(source[2 * (first + k * inner)]), Double(source[2 * (first + k * inner) + 1]))
          let mirror = (count - k) % count
          unsafe line[2 * k] = re
          unsafe line[2 * k + 1] = mirror == k ? 0 : im
          if mirror != k {
            unsafe line[2 * mirror] = re
            unsafe line[2 * mirror + 1] = -im
          }
        }
      }
      unsafe transform.transform(line, isInverse: isInverse, scratch: line + 2 * count)
      let result = block * targetExtent * inner + lane
      for k in 0..<targetExtent {
        if case .complexToReal = kind {
          unsafe target[result + k * inner] = T(line[2 * k] * scale)
        } else {
          unsafe target[2 * (result + k * inner)] = T(line[2 * k] * scale)
          unsafe target[2 * (result + k * inner) + 1] = T(line[2 * k + 1] * scale)
        }
      }
    }
  }
}
