import Foundation
import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

/// A random image `[2, 3, height, width]`.
private func image(_ height: Int, _ width: Int) -> (tensor: HostTensor, at: (Int, Int, Int, Int) -> Double) {
  var random = SeededGenerator(seed: UInt64(height * 100 + width))
  let elements = random.floats(6 * height * width)
  return (HostTensor(.float32, [2, 3, height, width], elements), { Double(elements[(($0 * 3 + $1) * height + $2) * width + $3]) })
}

private func expectClose(_ result: HostTensor, _ shape: [Int], _ comment: Comment, _ expected: (Int, Int, Int, Int) -> Double) {
  #expect(result.shape == shape, comment)
  let elements = result.elements(as: Float.self)
  var position = 0
  for n in 0..<shape[0] {
    for c in 0..<shape[1] {
      for i in 0..<shape[2] {
        for j in 0..<shape[3] {
          let want = expected(n, c, i, j)
          if !(abs(Double(elements[position]) - want) < 2e-5) {
            Issue.record("element \([n, c, i, j]): \(elements[position]), expected \(want); \(comment)")
            return
          }
          position += 1
        }
      }
    }
  }
}

private func target(_ height: Int, _ width: Int) -> ResizeTarget {
  ResizeTarget(size: [.constant(height), .constant(width)], factors: nil)
}

@Suite struct ResizeTests {
  static let sizes = [(5, 7, 10, 14), (5, 7, 5, 7), (5, 7, 1, 1), (1, 1, 4, 3), (9, 8, 4, 5), (4, 6, 11, 9)]

  @Test(arguments: sizes) func nearestPixelsAreTaken(_ size: (Int, Int, Int, Int)) throws {
    let (height, width, newHeight, newWidth) = size
    let x = image(height, width)
    for operand in layouts(x.tensor) {
      let result = try runTensorOperator(ResizeNearest(target: target(newHeight, newWidth)), [operand])
      expectClose(result, [2, 3, newHeight, newWidth], "\(size)") { x.at($0, $1, $2 * height / newHeight, $3 * width / newWidth) }
    }
  }

  @Test func factorsGiveTheSizeAndTheStep() throws {
    let x = image(5, 7)
    let result = try runTensorOperator(ResizeNearest(target: ResizeTarget(size: nil, factors: [1.5, 0.6])), [.tensor(x.tensor)])
    expectClose(result, [2, 3, 7, 4], "1.5, 0.6") { x.at($0, $1, Int(Double($2) / 1.5), Int(Double($3) / 0.6)) }
    for factors in [[0, 1], [-1, 1], [.nan, 1], [.infinity, 1], [1e-9, 1], [1e30, 1], [1]] as [[Double]] {
      #expect(throws: (any Error).self) {
        try runTensorOperator(ResizeNearest(target: ResizeTarget(size: nil, factors: factors)), [.tensor(x.tensor)])
      }
    }
  }

  @Test(arguments: sizes, [false, true]) func linearInterpolationUsesFourNeighbours(_ size: (Int, Int, Int, Int), _ corners: Bool) throws {
    let (height, width, newHeight, newWidth) = size
    let x = image(height, width)
    func place(_ position: Int, _ extent: Int, _ count: Int) -> Double {
      if corners { return count > 1 ? Double(position) * Double(extent - 1) / Double(count - 1) : 0 }
      return max((Double(position) + 0.5) * Double(extent) / Double(count) - 0.5, 0)
    }
    for operand in layouts(x.tensor) {
      let op = ResizeBilinear(target: target(newHeight, newWidth), alignCorners: corners, antialiases: false)
      expectClose(try runTensorOperator(op, [operand]), [2, 3, newHeight, newWidth], "\(size) \(corners)") { n, c, i, j in
        let (v, u) = (place(i, height, newHeight), place(j, width, newWidth))
        let (top, left) = (min(Int(v), height - 1), min(Int(u), width - 1))
        let (down, right) = (min(top + 1, height - 1), min(left + 1, width - 1))
        let (a, b) = (v - Double(top), u - Double(left))
        return (1 - a) * ((1 - b) * x.at(n, c, top, left) + b * x.at(n, c, top, right))
          + a * ((1 - b) * x.at(n, c, down, left) + b * x.at(n, c, down, right))
      }
    }
  }

  @Test(arguments: sizes) func antialiasedPixelsAverageWhatTheyCover(_ size: (Int, Int, Int, Int)) throws {
    let (height, width, newHeight, newWidth) = size
    let x = image(height, width)
    /// Weights of a triangle around the pixel's centre.
    func weights(_ position: Int, _ extent: Int, _ count: Int) -> [Double] {
      let step = Double(extent) / Double(count)
      let support = max(step, 1)
      let center = (Double(position) + 0.5) * step
      let raw: [Double] = (0..<extent).map { index in
        let distance = abs(Double(index) + 0.5 - center)
        return max(1 - distance / support, 0)
      }
      let sum = raw.reduce(0, +)
      return raw.map { $0 / sum }
    }
    for operand in layouts(x.tensor) {
      let op = ResizeBilinear(target: target(newHeight, newWidth), alignCorners: false, antialiases: true)
      expectClose(try runTensorOperator(op, [operand]), [2, 3, newHeight, newWidth], "\(size)") { n, c, i, j in
        let columns = weights(j, width, newWidth)
        return weights(i, height, newHeight).enumerated().reduce(0) { sum, row in
          sum + row.element * columns.indices.reduce(0) { $0 + columns[$1] * x.at(n, c, row.offset, $1) }
        }
      }
    }
  }

  @Test(arguments: [GridSampling.Interpolation.bilinear, .nearest, .bicubic], [GridSampling.Padding.zeros, .border, .reflection])
  func gridsSampleImages(_ interpolation: GridSampling.Interpolation, _ padding: GridSampling.Padding) throws {
    let (height, width) = (5, 4)
    let x = image(height, width)
    var random = SeededGenerator(seed: 3)
    // Halves of pixels would be ties for the nearest one: no grid of random floats has them.
    let places = random.floats(2 * 6 * 7 * 2, in: -2.5...2.5)
    let grid = HostTensor(.float32, [2, 6, 7, 2], places)
    for corners in [false, true] {
      func moved(_ value: Double, _ extent: Int) -> Double {
        switch padding {
        case .zeros: return value
        case .border: return min(max(value, 0), Double(extent - 1))
        case .reflection:
          let (low, high) = corners ? (0, Double(extent - 1)) : (-0.5, Double(extent) - 0.5)
          var mirrored = value
          while mirrored < low || mirrored > high { mirrored = mirrored < low ? 2 * low - mirrored : 2 * high - mirrored }
          return min(max(mirrored, 0), Double(extent - 1))
        }
      }
      func pixel(_ n: Int, _ c: Int, _ i: Double, _ j: Double) -> Double {
        guard i >= 0, i < Double(height), j >= 0, j < Double(width) else { return 0 }
        return x.at(n, c, Int(i), Int(j))
      }
      func place(_ value: Float, _ extent: Int) -> Double {
        corners ? (Double(value) + 1) / 2 * Double(extent - 1) : ((Double(value) + 1) * Double(extent) - 1) / 2
      }
      func cubic(_ distance: Double) -> Double {
        let (d, a) = (abs(distance), -0.75)
        if d <= 1 { return (a + 2) * pow(d, 3) - (a + 3) * pow(d, 2) + 1 }
        return d < 2 ? a * pow(d, 3) - 5 * a * pow(d, 2) + 8 * a * d - 4 * a : 0
      }
      for operand in layouts(x.tensor) {
        let op = GridSample(GridSampling(interpolation, padding, alignCorners: corners))
        let result = try runTensorOperator(op, [operand, .tensor(grid)])
        expectClose(result, [2, 3, 6, 7], "\(interpolation) \(padding) \(corners)") { n, c, i, j in
          let at = ((n * 6 + i) * 7 + j) * 2
          let (u, v) = (place(places[at], width), place(places[at + 1], height))
          switch interpolation {
          case .nearest: return pixel(n, c, moved(v, height).rounded(), moved(u, width).rounded())
          case .bilinear:
            let (y, z) = (moved(v, height), moved(u, width))
            var sum = 0.0
            for row in [floor(y), floor(y) + 1] {
              for column in [floor(z), floor(z) + 1] {
                sum += (1 - abs(y - row)) * (1 - abs(z - column)) * pixel(n, c, row, column)
              }
            }
            return sum
          case .bicubic:
            var sum = 0.0
            for row in -1...2 {
              for column in -1...2 {
                let (y, z) = (floor(v) + Double(row), floor(u) + Double(column))
                sum += cubic(v - y) * cubic(u - z) * pixel(n, c, moved(y, height), moved(z, width))
              }
            }
            return sum
          }
        }
      }
    }
  }

  /// Expected: what ExecuTorch's runtime gives, worked out by hand from its arithmetic in integers.
  @Test(arguments: [GridSampling.Interpolation.bilinear, .nearest, .bicubic])
  func integerImagesAreSampledAtWholePlaces(_ interpolation: GridSampling.Interpolation) throws {
    let x = HostTensor(.int32, [1, 1, 3, 3], (1...9).map { Int32($0) })
    // x before y: (0, 0), (1, -1), (2, 0).
    let grid = HostTensor(.int32, [1, 1, 3, 2], [Int32(0), 0, 1, -1, 2, 0])
    func sample(_ padding: GridSampling.Padding, _ corners: Bool) throws -> [Int32] {
      let op = GridSample(GridSampling(interpolation, padding, alignCorners: corners))
      return try runTensorOperator(op, [.tensor(x), .tensor(grid)]).elements(as: Int32.self)
    }
    // Places ((c + 1) * 3 - 1) / 2 rounded to zero: -1 is at 0, 0 at 1, 1 at 2, 2 at 4.
    #expect(try sample(.zeros, false) == [5, 3, 0])
    #expect(try sample(.border, false) == [5, 3, 6])
    // 4 mirrored in an axis of extent 3 is 2.
    #expect(try sample(.reflection, false) == [5, 3, 6])
    // Places (c + 1) / 2 * 2: -1 and 0 at 0, 1 and 2 at 2.
    #expect(try sample(.zeros, true) == [1, 3, 3])
  }

  @Test func placesThatAreNoNumbersLieOutside() throws {
    let x = HostTensor(.float32, [1, 1, 2, 2], [Float](repeating: 1, count: 4))
    let grid = HostTensor(.float32, [1, 1, 3, 2], [Float.nan, 0, .infinity, 0, -1e30, 0])
    for interpolation in [GridSampling.Interpolation.nearest, .bilinear] {
      let op = GridSample(GridSampling(interpolation, .zeros, alignCorners: false))
      #expect(try runTensorOperator(op, [.tensor(x), .tensor(grid)]).elements(as: Float.self) == [0, 0, 0])
    }
  }
}
