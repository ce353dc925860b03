package import MartletVocabulary

extension SamplingMode {
  /// Distance from `a` to point `index`, not yet limited to `0 ... b - a`.
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

  /// Point `index` of `count` points between `start` and `end`: from `start` on, also where `end` lies before it.
  @inline(__always)
  func place<T: ResampleElement>(_ index: Int, of count: Int, from start: T, to end: T) -> T {
    let length = abs(end - start)
    let distance = min(max(distance(index, of: count, length: length), 0), length)
    return end < start ? start - distance : start + distance
  }

  /// Positions nearest to the points on an axis of `extent` positions. For `regular` these are the positions whose areas hold the
  /// beginnings of the result's pixels, for `unalignCorners` those that hold their middles.
  package func nearestPositions(count: Int, extent: Int) -> [Int] {
    (0..<count).map { index in
      switch self {
      // Exact, so that what falls on an edge belongs to the pixel behind it.
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
  ///   - count, extent: positions of the result and of the source.
  ///   - mode: where the result's positions lie.
  package init(count: Int, extent: Int, mode: SamplingMode) {
    self.init(
      places: (0..<count).map { index in
        min(max(mode.distance(index, of: count, length: T(extent - 1)), 0), T(extent - 1))
      }, extent: extent)
  }
}
