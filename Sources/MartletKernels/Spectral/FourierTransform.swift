import MartletTensor

import MartletSystem

/// The discrete Fourier transform of `count` complex numbers in double precision, without scaling.
///
/// Lengths with small prime factors use mixed-radix passes, others Bluestein's algorithm. Tables are computed once, so that `transform`
/// does not allocate.
package final class FourierTransform: Sendable {
  package let count: Int
  private let method: Method

  private enum Method: Sendable {
    case passes([Pass])
    case bluestein(Bluestein)
  }

  /// A pass that combines `radix` transforms of length `inner`; `blocks` is the product of the radices of earlier passes.
  private struct Pass: Sendable {
    let radix: Int
    let blocks: Int
    let inner: Int
    /// `exp(-2πi j blocks i / count)` at `(j * inner + i)`, real and imaginary parts.
    let twiddles: [Double]
    /// `exp(-2πi k / radix)`, real and imaginary parts.
    let roots: [Double]
  }

  private struct Bluestein: Sendable {
    let transform: FourierTransform
    /// `exp(-πi k² / count)`, real and imaginary parts.
    let chirp: [Double]
    /// Transform of the conjugate chirp, extended periodically and divided by the length.
    let kernel: [Double]
  }

  /// The largest prime factor for which mixed-radix passes are used.
  private static let largestRadix = 31

  /// - Parameter count: at least 1.
  package init(count: Int) {
    precondition(count >= 1)
    self.count = count
    let factors = Self.factors(of: count)
    if factors.allSatisfy({ $0 <= Self.largestRadix }) {
      method = .passes(Self.passes(count, factors))
    } else {
      method = .bluestein(Self.bluestein(count))
    }
  }

  /// Doubles of scratch memory that `transform` needs.
  package var scratchCount: Int {
    switch method {
    case .passes: 2 * count
    case .bluestein(let bluestein): 2 * bluestein.transform.count + bluestein.transform.scratchCount
    }
  }

  private static func factors(of count: Int) -> [Int] {
    var factors: [Int] = []
    var rest = count
    while rest % 4 == 0 {
      factors.append(4)
      rest /= 4
    }
    var prime = 2
    while prime * prime <= rest {
      while rest % prime == 0 {
        factors.append(prime)
        rest /= prime
      }
      prime += 1
    }
    if rest > 1 { factors.append(rest) }
    return factors
  }

  /// `exp(-2πi numerator / denominator)` with the angle reduced first.
  private static func root(_ numerator: Int, _ denominator: Int) -> (Double, Double) {
    let angle = -2 * Double.pi * Double(numerator % denominator) / Double(denominator)
    return (cos(angle), sin(angle))
  }

  private static func passes(_ count: Int, _ factors: [Int]) -> [Pass] {
    var passes: [Pass] = []
    var blocks = 1
    for radix in factors {
      let inner = count / (blocks * radix)
      var twiddles = [Double](repeating: 0, count: 2 * radix * inner)
      for j in 0..<radix {
        for i in 0..<inner {
          (twiddles[2 * (j * inner + i)], twiddles[2 * (j * inner + i) + 1]) = root(j * blocks * i, count)
        }
      }
      var roots = [Double](repeating: 0, count: 2 * radix)
      for k in 0..<radix { (roots[2 * k], roots[2 * k + 1]) = root(k, radix) }
      passes.append(Pass(radix: radix, blocks: blocks, inner: inner, twiddles: twiddles, roots: roots))
      blocks *= radix
    }
    return passes
  }

  private static func bluestein(_ count: Int) -> Bluestein {
    var length = 1
    while length < 2 * count - 1 { length *= 2 }
    let transform = FourierTransform(count: length)
    var chirp = [Double](repeating: 0, count: 2 * count)
    for k in 0..<count {
      // The square is reduced step by step: k² modulo 2 count.
      let square = (k % (2 * count)).multipliedFullWidth(by: k)
      let reduced = (2 * count).dividingFullWidth(square).remainder
      (chirp[2 * k], chirp[2 * k + 1]) = root(reduced, 2 * count)
    }
    var kernel = [Double](repeating: 0, count: 2 * length)
    for k in 0..<count {
      for position in Set([k, (length - k) % length]) {
        kernel[2 * position] = chirp[2 * k] / Double(length)
        kernel[2 * position + 1] = -chirp[2 * k + 1] / Double(length)
      }
    }
    var scratch = [Double](repeating: 0, count: transform.scratchCount)
    unsafe kernel.withUnsafeMutableBufferPointer { x in
      unsafe scratch.withUnsafeMutableBufferPointer { scratch in
        unsafe transform.transform(x.baseAddress!, isInverse: false, scratch: scratch.baseAddress!)
      }
    }
    return Bluestein(transform: transform, chirp: chirp, kernel: kernel)
  }

  /// Transforms `count` complex numbers in place: `y[k] = Σ x[j] exp(∓2πi jk / count)`, with plus for the inverse.
  /// - Parameters:
  ///   - x: alternating real and imaginary parts.
  ///   - scratch: `scratchCount` doubles.
  package func transform(_ x: UnsafeMutablePointer<Double>, isInverse: Bool, scratch: UnsafeMutablePointer<Double>) {
    if isInverse { unsafe conjugate(x) }
    switch method {
    case .passes(let passes):
      var (from, to) = unsafe (x, scratch)
      for pass in passes {
        unsafe Self.run(pass, from: from, to: to)
        unsafe (from, to) = (to, from)
      }
      if unsafe from != x { unsafe x.update(from: from, count: 2 * count) }
    case .bluestein(let bluestein):
      unsafe convolve(x, bluestein, scratch)
    }
    if isInverse { unsafe conjugate(x) }
  }

  private func conjugate(_ x: UnsafeMutablePointer<Double>) {
    for k in 0..<count { unsafe x[2 * k + 1] = -x[2 * k + 1] }
  }

  private func convolve(_ x: UnsafeMutablePointer<Double>, _ bluestein: Bluestein, _ scratch: UnsafeMutablePointer<Double>) {
    let length = bluestein.transform.count
    let work = unsafe scratch
    let inner = unsafe scratch + 2 * length
    unsafe work.update(repeating: 0, count: 2 * length)
    for k in 0..<count {
      let (re, im) = unsafe (x[2 * k], x[2 * k + 1])
      let (c, s) = (bluestein.chirp[2 * k], bluestein.chirp[2 * k + 1])
      unsafe work[2 * k] = re * c - im * s
      unsafe work[2 * k + 1] = re * s + im * c
    }
    unsafe bluestein.transform.transform(work, isInverse: false, scratch: inner)
    for k in 0..<length {
      let (re, im) = unsafe (work[2 * k], work[2 * k + 1])
      let (c, s) = (bluestein.kernel[2 * k], bluestein.kernel[2 * k + 1])
      unsafe work[2 * k] = re * c - im * s
      unsafe work[2 * k + 1] = re * s + im * c
    }
    unsafe bluestein.transform.transform(work, isInverse: true, scratch: inner)
    for k in 0..<count {
      let (re, im) = unsafe (work[2 * k], work[2 * k + 1])
      let (c, s) = (bluestein.chirp[2 * k], bluestein.chirp[2 * k + 1])
      unsafe x[2 * k] = re * c - im * s
      unsafe x[2 * k + 1] = re * s + im * c
    }
  }

  /// Reads element (i, q, k) at `i + inner * (q + radix * k)`, writes (i, k, j) at `i + inner * (k + blocks * j)`.
  private static func run(_ pass: Pass, from x: UnsafeMutablePointer<Double>, to y: UnsafeMutablePointer<Double>) {
    let (radix, blocks, inner) = (pass.radix, pass.blocks, pass.inner)
    for k in 0..<blocks {
      for i in 0..<inner {
        let source = unsafe x + 2 * (i + inner * radix * k)
        let target = unsafe y + 2 * (i + inner * k)
        let step = 2 * inner * blocks
        switch radix {
        case 2:
          let (ar, ai) = unsafe (source[0], source[1])
          let (br, bi) = unsafe (source[2 * inner], source[2 * inner + 1])
          unsafe store(ar + br, ai + bi, 0, i, pass, target)
          unsafe store(ar - br, ai - bi, 1, i, pass, target + step)
        case 4:
          let (ar, ai) = unsafe (source[0], source[1])
          let (br, bi) = unsafe (source[2 * inner], source[2 * inner + 1])
          let (cr, ci) = unsafe (source[4 * inner], source[4 * inner + 1])
          let (dr, di) = unsafe (source[6 * inner], source[6 * inner + 1])
          let (sr, si) = (ar + cr, ai + ci)
          let (tr, ti) = (ar - cr, ai - ci)
          let (ur, ui) = (br + dr, bi + di)
          let (vr, vi) = (br - dr, bi - di)
          unsafe store(sr + ur, si + ui, 0, i, pass, target)
          unsafe store(tr + vi, ti - vr, 1, i, pass, target + step)
          unsafe store(sr - ur, si - ui, 2, i, pass, target + 2 * step)
          unsafe store(tr - vi, ti + vr, 3, i, pass, target + 3 * step)
        default:
          for j in 0..<radix {
            var (re, im) = unsafe (source[0], source[1])
            var angle = 0
            for q in 1..<radix {
              angle += j
              if angle >= radix { angle -= radix }
              let (c, s) = (pass.roots[2 * angle], pass.roots[2 * angle + 1])
              let (xr, xi) = unsafe (source[2 * inner * q], source[2 * inner * q + 1])
              re += xr * c - xi * s
              im += xr * s + xi * c
            }
            unsafe store(re, im, j, i, pass, target + j * step)
          }
        }
      }
    }
  }

  @inline(__always)
  private static func store(
    _ re: Double, _ im: Double, _ j: Int, _ i: Int, _ pass: Pass, _ target: UnsafeMutablePointer<Double>
  ) {
    let index = 2 * (j * pass.inner + i)
    let (c, s) = (pass.twiddles[index], pass.twiddles[index + 1])
    unsafe target[0] = re * c - im * s
    unsafe target[1] = re * s + im * c
  }
}
