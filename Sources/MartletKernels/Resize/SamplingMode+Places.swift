package import MartletVocabulary

extension SamplingMode {
  /// Distance from `a` to point `index`, before it is limited to `0 ... b - a`.
  @inline(__always)
  package func distance<T: ResampleElement>(_ index: Int, of count: Int, length: T, as type: T.Type = T.self) -> T {
    let position = T(index)
    switch self {
    case .strictAlignCorners: return count > 1 ? position * (length / T(count - 1)) : 0
    case .alignCorners: return count > 1 ? position * (length / T(count - 1)) : length / 2
    case .regular: return position * ((length + 1) / T(count))
    case .offsetCorners:
      let step = max(1, length) / T(count)
      return step / 2 + position * step
    case .unalignCorners: return (position + 0.5) * ((length + 1) / T(count)) - 0.5
    }
  }

  /// Point `index` of `count` points from `start` to `end`. `end` may be less than `start`.
  @inline(__always)
  func place<T: ResampleElement>(_ index: Int, of count: Int, from start: T, to end: T) -> T {
    let length = abs(end - start)
    let distance = min(max(distance(index, of: count, length: length), 0), length)
    return end < start ? start - distance : start + distance
  }

  /// Positions nearest to the points on an axis of `extent` positions. For `regular`, these are the pixels that contain the left edges of
  /// the result's pixels, and for `unalignCorners` those that contain their centres.
  package func nearestPositions(count: Int, extent: Int) -> [Int] {
    (0..<count).map { index in
      switch self {
      // Exact arithmetic, so that a point on an edge belongs to the pixel after it.
      case .regular: return min(index * extent / count, extent - 1)
      case .unalignCorners: return min((2 * index + 1) * extent / (2 * count), extent - 1)
      default:
        let distance = distance(index, of: count, length: Double(extent - 1))
        return min(max(Int((distance + 0.5).rounded(.down)), 0), extent - 1)
      }
    }
  }
}

extension LinearSamples {
  /// - Parameters:
  ///   - count, extent: number of result and source positions.
  ///   - mode: the convention for the coordinates of result positions.
  package init(count: Int, extent: Int, mode: SamplingMode) {
    self.init(
      places: (0..<count).map { index in
        min(max(mode.distance(index, of: count, length: T(extent - 1)), 0), T(extent - 1))
      }, extent: extent)
  }
}
