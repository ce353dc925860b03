/// For each output position of an axis, the window of input positions and their weights, which sum to 1.
struct ResamplingWindows {
  /// Treatment of positions beyond the edges.
  enum Edge {
    /// Ignored; the remaining weights are renormalised.
    case dropped
    /// The outermost sample is repeated.
    case repeated
  }

  private(set) var starts: [Int] = []
  private(set) var counts: [Int] = []
  /// `stride` weights for each output position, the first `counts` of which are used.
  private(set) var weights: [Double] = []
  let stride: Int

  /// The filter widens when downsampling. Extents must be at least 1.
  init(from inputExtent: Int, to outputExtent: Int, filter: ImageResize.Filter, edge: Edge) {
    let scale = Double(inputExtent) / Double(outputExtent)
    let widening = max(scale, 1)
    let support = filter.radius * widening
    stride = Int(support.rounded(.up)) * 2 + 1
    weights.reserveCapacity(stride * outputExtent)
    for position in 0..<outputExtent {
      let center = (Double(position) + 0.5) * scale
      let first = Int((center - support + 0.5).rounded(.down))
      let end = Int(center + support + 0.5)
      // Never empty: the filter covers at least one position on either side of its centre, which lies on the axis.
      let inside = max(0, first)..<min(inputExtent, end)
      var window = [Double](repeating: 0, count: inside.count)
      for input in first..<end where edge == .repeated || inside.contains(input) {
        let place = min(max(input, inside.lowerBound), inside.upperBound - 1)
        window[place - inside.lowerBound] += filter.weight(at: (Double(input) - center + 0.5) / widening)
      }
      let sum = window.reduce(0, +)
      starts.append(inside.lowerBound)
      counts.append(window.count)
      for weight in window { weights.append(sum == 0 ? weight : weight / sum) }
      for _ in window.count..<stride { weights.append(0) }
    }
  }
}
