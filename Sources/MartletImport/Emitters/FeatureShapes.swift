import MartletFeatures
import MartletTensor

/// Shapes of features as dimensions of tensors.
extension ArrayFeature {
  /// The extents as dimensions: fixed ones, and open ones with the bound of the flexible shapes.
  var dimensions: [Dimension] {
    switch flexibility {
    case .fixed: return shape.map { .fixed($0) }
    case .enumerated(let shapes):
      let all = ([shape] + shapes).filter { $0.count == shape.count }
      return shape.indices.map { axis in Dimension(choices: all.map { $0[axis] }) }
    case .ranges(let ranges):
      guard ranges.count == shape.count || shape.isEmpty else { return shape.map { .fixed($0) } }
      return ranges.map { Dimension($0) }
    }
  }
}

extension ImageFeature {
  /// [1, C, H, W].
  var dimensions: [Dimension] {
    let channels: Dimension = .fixed(colorSpace == .rgb || colorSpace == .bgr ? 3 : 1)
    switch flexibility {
    case .fixed: return [.fixed(1), channels, .fixed(size.height), .fixed(size.width)]
    case .enumerated(let sizes):
      let all = [size] + sizes
      return [.fixed(1), channels, Dimension(choices: all.map(\.height)), Dimension(choices: all.map(\.width))]
    case .ranges(let width, let height): return [.fixed(1), channels, Dimension(height), Dimension(width)]
    }
  }
}

extension Dimension {
  fileprivate init(choices: [Int]) {
    self = Set(choices).count == 1 ? .fixed(choices[0]) : .symbolic(bound: choices.max())
  }

  fileprivate init(_ range: SizeRange) {
    self = range.upperBound == range.lowerBound ? .fixed(range.lowerBound) : .symbolic(bound: range.upperBound)
  }
}
