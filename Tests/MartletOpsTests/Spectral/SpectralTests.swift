import Foundation
import MartletGraph
import MartletOps
import MartletTensor
import MartletTesting
import Testing

/// The discrete Fourier transform by its definition.
private func transform(_ x: [SIMD2<Double>], isInverse: Bool) -> [SIMD2<Double>] {
  x.indices.map { k in
    x.indices.reduce(SIMD2(0, 0)) { sum, j in
      let angle = (isInverse ? 2 : -2) * Double.pi * Double(j * k % x.count) / Double(x.count)
      let (c, s) = (cos(angle), sin(angle))
      return sum + SIMD2(x[j].x * c - x[j].y * s, x[j].x * s + x[j].y * c)
    }
  }
}

@Suite struct SpectralTests {
  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8, 9, 12, 15, 16, 25, 31, 32, 37, 49, 61, 64, 74, 97, 120, 128, 131, 210, 263])
  func realTransformsOfAnyLengthMatchTheDefinition(_ length: Int) throws {
    var random = SeededGenerator(seed: UInt64(length))
    let x = (0..<3 * length).map { _ in Double.random(in: -1...1, using: &random) }
    let lines = (0..<3).map { transform(x[$0 * length..<($0 + 1) * length].map { SIMD2($0, 0) }, isInverse: false) }
    let full = try runTensorOperator(
      RealFourier(axes: [1], scaling: .none, isOneSided: false), [.tensor(HostTensor(.float64, [3, length], x))])
    #expect(zip(full.elements(as: SIMD2<Double>.self), lines.joined()).allSatisfy { abs($0.x - $1.x) + abs($0.y - $1.y) < 1e-11 })
    let half = try runTensorOperator(
      RealFourier(axes: [0], scaling: .none, isOneSided: true),
      [.laidOut(HostTensor(.float64, [3, length], x).permuted([1, 0]), [1, 0])])
    #expect(half.shape == [length / 2 + 1, 3])
    let columns = half.permuted([1, 0]).elements(as: SIMD2<Double>.self)
    let heads = lines.flatMap { $0.prefix(length / 2 + 1) }
    #expect(zip(columns, heads).allSatisfy { abs($0.x - $1.x) + abs($0.y - $1.y) < 1e-11 })
    let back = try runTensorOperator(
      InverseRealFourier(axes: [0], scaling: .byCount, lastExtent: .constant(length)), [.tensor(half)])
    #expect(zip(back.permuted([1, 0]).elements(as: Double.self), x).allSatisfy { abs($0 - $1) < 1e-13 })
  }

  @Test(arguments: [[0, 1, 2], [2, 0], [1]], [FourierScaling.none, .bySquareRoot, .byCount])
  func severalAxesRoundTripWithEachScaling(_ axes: [Int], _ scaling: FourierScaling) throws {
    let shape = [4, 5, 6]
    var random = SeededGenerator(seed: 31)
    let x = random.floats(120)
    let count = Double(axes.reduce(1) { $0 * shape[$1] })
    let spectrum = try runTensorOperator(
      RealFourier(axes: axes, scaling: scaling, isOneSided: true), [.tensor(HostTensor(.float32, shape, x))])
    #expect(spectrum.dtype == .complex64)
    let inverse: FourierScaling = scaling == .none ? .byCount : scaling == .byCount ? .none : .bySquareRoot
    let back = try runTensorOperator(
      InverseRealFourier(axes: axes, scaling: inverse, lastExtent: .constant(shape[axes.last!])), [.tensor(spectrum)])
    #expect(zip(back.elements(as: Float.self), x).allSatisfy { abs($0 - $1) < 1e-5 })
    if axes.count == 3 {
      let sum = Double(spectrum.elements(as: SIMD2<Float>.self)[0].x)
      let factor = scaling == .none ? 1 : scaling == .byCount ? 1 / count : 1 / count.squareRoot()
      #expect(abs(sum - x.reduce(0) { $0 + Double($1) } * factor) < 1e-4)
    }
  }

  @Test func transformsThatDoNotFitAreRefused() {
    let real = TestOperand.tensor(HostTensor(zeros: .float32, shape: [4, 3]))
    for axes in [[], [2], [0, 0]] {
      #expect(throws: (any Error).self) {
        try runTensorOperator(RealFourier(axes: axes, scaling: .none, isOneSided: true), [real])
      }
    }
    let spectrum = TestOperand.tensor(HostTensor(zeros: .complex64, shape: [4, 3]))
    for extent in [0, -1, 6, 1 << 60] {
      #expect(throws: (any Error).self) {
        try runTensorOperator(InverseRealFourier(axes: [1], scaling: .none, lastExtent: .constant(extent)), [spectrum])
      }
    }
  }

  @Test(arguments: [1, 2, 8, 64, 28, 56, 112]) func hadamardTransformsAreOrthogonal(_ extent: Int) throws {
    let isWide = extent % 28 == 0
    var identity = [Double](repeating: 0, count: extent * extent)
    for i in 0..<extent { identity[i * extent + i] = 1 }
    let y = try runTensorOperator(Hadamard(), [.tensor(HostTensor(.float64, [extent, extent], identity))]).elements(as: Double.self)
    // Rows are the images of the unit vectors; every element has the same magnitude.
    let magnitude = 1 / Double(isWide ? extent / 28 : extent).squareRoot()
    #expect(y.allSatisfy { abs(abs($0) - magnitude) < 1e-12 })
    for i in 0..<extent {
      for j in 0..<extent {
        let dot = (0..<extent).reduce(0) { $0 + y[i * extent + $1] * y[j * extent + $1] }
        #expect(abs(dot - (i == j ? isWide ? 28 : 1 : 0)) < 1e-9)
      }
    }
    if !isWide {
      // Sylvester's order of rows.
      for i in 0..<extent {
        for j in 0..<extent { #expect((y[i * extent + j] < 0) == ((i & j).nonzeroBitCount % 2 == 1)) }
      }
    }
  }

  @Test(arguments: [0, 1, 2, 0.5, 3, Double.infinity]) func distancesOfEveryOrder(_ p: Double) throws {
    var random = SeededGenerator(seed: 33)
    let a = random.floats(2 * 1 * 3 * 4)
    var b = random.floats(5 * 6 * 4)
    b.replaceSubrange(0..<4, with: a[0..<4])
    func norm(_ x: ArraySlice<Float>, _ y: ArraySlice<Float>) -> Double {
      let differences = zip(x, y).map { abs(Double($0) - Double($1)) }
      if p == 0 { return Double(differences.count { $0 != 0 }) }
      if p == .infinity { return differences.max() ?? 0 }
      return pow(differences.reduce(0) { $0 + pow($1, p) }, 1 / p)
    }
    let y = try runTensorOperator(
      Distance(p: p), [.tensor(HostTensor(.float32, [2, 1, 3, 4], a)), .laidOut(HostTensor(.float32, [5, 6, 4], b), [2, 0, 1])])
    #expect(y.shape == [2, 5, 3, 6])
    for (index, value) in y.elements(as: Float.self).enumerated() {
      let (j, i, inner, outer) = (index % 6, index / 6 % 3, index / 18 % 5, index / 90)
      let first = (outer * 3 + i) * 4
      let second = (inner * 6 + j) * 4
      let expected = norm(a[first..<first + 4], b[second..<second + 4])
      #expect(abs(Double(value) - expected) < 1e-5 * max(1, expected))
    }
    let pairs = try runTensorOperator(PairDistance(p: p), [.tensor(HostTensor(.float32, [6, 4], Array(b[0..<24])))])
    var expected: [Double] = []
    for i in 0..<6 { for j in i + 1..<6 { expected.append(norm(b[i * 4..<i * 4 + 4], b[j * 4..<j * 4 + 4])) } }
    #expect(pairs.shape == [15])
    #expect(zip(pairs.elements(as: Float.self), expected).allSatisfy { abs(Double($0) - $1) < 1e-5 * max(1, $1) })
  }

  @Test(arguments: [(0, 3), (1, 3), (2, 0)]) func degenerateDistances(_ rows: Int, _ width: Int) throws {
    let x = TestOperand.tensor(HostTensor(zeros: .float32, shape: [rows, width]))
    #expect(try runTensorOperator(PairDistance(p: 2), [x]).elements(as: Float.self) == Array(repeating: 0, count: rows * (rows - 1) / 2))
    #expect(try runTensorOperator(Distance(p: 2), [x, x]).elements(as: Float.self) == Array(repeating: 0, count: rows * rows))
  }
}
