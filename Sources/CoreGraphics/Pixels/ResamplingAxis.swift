import Foundation

/// How samples of a resampled picture are weighted.
enum ResamplingFilter: Hashable, Sendable {
  case nearest
  /// The triangle filter, radius 1.
  case bilinear
  /// Keys' cubic with a = -0.5, radius 2.
  case bicubic
  /// Sinc windowed by sinc, radius 3.
  case lanczos

  var radius: Double {
    switch self {
    case .nearest: 0.5
    case .bilinear: 1
    case .bicubic: 2
    case .lanczos: 3
    }
  }

  func weight(at distance: Double) -> Double {
    let x = abs(distance)
    switch self {
    case .nearest: return x <= 0.5 ? 1 : 0
    case .bilinear: return max(0, 1 - x)
    case .bicubic:
      if x < 1 { return (1.5 * x - 2.5) * x * x + 1 }
      return x < 2 ? ((-0.5 * x + 2.5) * x - 4) * x + 2 : 0
    case .lanczos:
      func sinc(_ x: Double) -> Double { x == 0 ? 1 : sin(x * .pi) / (x * .pi) }
      return x < 3 ? sinc(x) * sinc(x / 3) : 0
    }
  }
}

/// For each output position of an axis, the window of input positions and their weights, which sum to 1.
///
/// Filters widen when there are fewer outputs than inputs, and positions beyond the edges are left out, as in Pillow's `Image.resize`.
struct ResamplingAxis: Sendable {
  private(set) var starts: [Int] = []
  private(set) var counts: [Int] = []
  /// `stride` weights for each output position, the first of which are used.
  private(set) var weights: [Double] = []
  let stride: Int
  /// The input that is the first output, if each output is one input and the next output the next input; nil otherwise.
  let copiedStart: Int?

  /// - Parameters:
  ///   - inputCount: number of input positions.
  ///   - scale: input positions from one output position to the next.
  ///   - offset: where the first output position begins on the input axis.
  ///   - count: number of output positions.
  init(inputCount: Int, scale: Double, offset: Double, count: Int, filter: ResamplingFilter) {
    let start = Int(min(max(offset.rounded(), -1), 0x1p40))
    let isCopy = scale == 1 && offset == offset.rounded() && start >= 0 && start + count <= inputCount
    copiedStart = isCopy ? start : nil
    let widening = max(scale, 1)
    let support = filter.radius * widening
    stride = filter == .nearest ? 1 : min(Int(support.rounded(.up)) * 2 + 1, inputCount)
    weights.reserveCapacity(stride * count)
    for position in 0..<count {
      let center = offset + (Double(position) + 0.5) * scale
      if filter == .nearest {
        starts.append(min(max(Int(center.rounded(.down)), 0), inputCount - 1))
        counts.append(1)
        weights.append(1)
        continue
      }
      // At least one position, the nearest one, of outputs that lie partly outside.
      let first = min(max(Int(center - support + 0.5), 0), inputCount - 1)
      let end = max(min(Int(center + support + 0.5), inputCount), first + 1)
      var window = (first..<end).map { filter.weight(at: (Double($0) - center + 0.5) / widening) }
      let sum = window.reduce(0, +)
      window = sum == 0 ? window.map { _ in 1 / Double(window.count) } : window.map { $0 / sum }
      starts.append(first)
      counts.append(window.count)
      weights += window + [Double](repeating: 0, count: stride - window.count)
    }
  }

  /// The input positions that any output needs.
  var inputRange: Range<Int> {
    guard let first = starts.min() else { return 0..<0 }
    return first..<(zip(starts, counts).map { $0 + $1 }.max() ?? first)
  }
}
