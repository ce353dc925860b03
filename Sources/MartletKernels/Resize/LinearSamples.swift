/// The element types in which images are resampled.
package protocol ResampleElement: BinaryFloatingPoint, BitwiseCopyable, Sendable {}

extension Float: ResampleElement {}
extension Double: ResampleElement {}

/// For each position of a resized axis, its two neighbouring source positions and their weights.
package struct LinearSamples<T: ResampleElement>: Sendable {
  let first: [Int]
  let second: [Int]
  let firstWeights: [T]
  let secondWeights: [T]

  /// - Parameters:
  ///   - count, extent: number of result and source positions.
  ///   - step: distance between neighbouring result positions, in source positions.
  @_specialize(where T == Float)
  @_specialize(where T == Double)
  package init(count: Int, extent: Int, step: T, alignCorners: Bool) {
    self.init(
      places: (0..<count).map { alignCorners ? step * T($0) : max(step * (T($0) + 0.5) - 0.5, 0) }, extent: extent)
  }

  /// - Parameters:
  ///   - places: for each result position, its source coordinate, at least 0. Coordinates beyond the last position are clamped to it.
  @_specialize(where T == Float)
  @_specialize(where T == Double)
  package init(places: [T], extent: Int) {
    var first: [Int] = []
    var second: [Int] = []
    var firstWeights: [T] = []
    var secondWeights: [T] = []
    for place in places {
      let start = place < T(extent - 1) ? Int(place) : extent - 1
      let weight = min(max(place - T(start), 0), 1)
      first.append(start)
      second.append(min(start + 1, extent - 1))
      firstWeights.append(1 - weight)
      secondWeights.append(weight)
    }
    self.first = first
    self.second = second
    self.firstWeights = firstWeights
    self.secondWeights = secondWeights
  }
}

/// For each position of a resized axis, the source positions that are averaged and their weights.
package struct ResampleWindows<T: ResampleElement>: Sendable {
  let starts: [Int]
  let counts: [Int]
  /// `stride` weights per position.
  let weights: [T]
  let stride: Int

  /// Maximum number of source positions in a window.
  package static func windowLength(extent: Int, step: T) -> Int {
    min(Int(min(max(step, 1).rounded(.up) * 2 + 1, T(extent))), extent)
  }

  /// Triangular windows, two source pixels or two result pixels wide, whichever is wider.
  @_specialize(where T == Float)
  @_specialize(where T == Double)
  package static func antialiased(count: Int, extent: Int, step: T) -> ResampleWindows {
    let support = max(step, 1)
    let inverse = step >= 1 ? 1 / step : 1
    // A row of weights need not be longer than the source. `step` is below 2^31.
    let stride = windowLength(extent: extent, step: step)
    var starts: [Int] = []
    var counts: [Int] = []
    var weights = [T](repeating: 0, count: count * stride)
    for position in 0..<count {
      let center = step * (T(position) + 0.5)
      let start = min(Int(max((center - support + 0.5).rounded(.towardZero), 0)), extent - 1)
      let end = min(Int(min((center + support + 0.5).rounded(.towardZero), T(extent))), extent)
      let size = min(max(end - start, 1), stride)
      var total: T = 0
      for index in 0..<size {
        let distance = abs((T(start + index) - center + 0.5) * inverse)
        let weight = distance < 1 ? 1 - distance : 0
        weights[position * stride + index] = weight
        total += weight
      }
      if total > 0 {
        for index in 0..<size { weights[position * stride + index] /= total }
      } else {
        weights[position * stride] = 1
      }
      starts.append(start)
      counts.append(size)
    }
    return ResampleWindows(starts: starts, counts: counts, weights: weights, stride: stride)
  }
}
