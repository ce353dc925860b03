/// For each output position of one axis, the run of input positions it is made of and their weights, which sum to 1.
struct ResamplingWindows {
  /// What a filter meets beyond the first and the last position.
  enum Edge {
    /// Nothing: the weights of the others grow.
    case dropped
    /// The first or last sample again.
    case repeated
  }

  private(set) var starts: [Int] = []
  private(set) var counts: [Int] = []
  /// `stride` weights for each output position, of which `counts` are used.
  private(set) var weights: [Double] = []
  let stride: Int

  /// The filter widens with the reduction. Extents are at least 1.
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
      // Never empty: a filter reaches a whole position to either side of a centre that is on the axis.
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
