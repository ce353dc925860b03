import MartletTensor

/// The windows of a pooling along one axis.
package struct PoolWindow: Sendable {
  /// For each result position, the first position of the window inside the input, and the number of positions, `step` apart.
  package let starts: [Int]
  package let counts: [Int]
  /// Number of positions of the window inside the input or its padding: the divisor of averages that count padding.
  package let paddedCounts: [Int]
  package let step: Int

  /// Windows of `kernel` elements, `dilation` apart, every `stride` elements, over `extent` elements with `padding` before and
  /// `paddingAfter` after them.
  // In range: `outputExtent` has refused larger parameters.
  package init(extent: Int, output: Int, kernel: Int, stride: Int, padding: Int, paddingAfter: Int, dilation: Int) {
    var starts: [Int] = []
    var counts: [Int] = []
    var paddedCounts: [Int] = []
    for position in 0..<output {
      let origin = position * stride - padding
      let skipped = origin < 0 ? (-origin + dilation - 1) / dilation : 0
      let start = origin + skipped * dilation
      let available = start < extent ? (extent - 1 - start) / dilation + 1 : 0
      starts.append(start)
      counts.append(max(0, min(kernel - skipped, available)))
      let end = min(origin + (kernel - 1) * dilation + 1, extent + paddingAfter)
      paddedCounts.append(max(0, (end - origin + dilation - 1) / dilation))
    }
    self.starts = starts
    self.counts = counts
    self.paddedCounts = paddedCounts
    step = dilation
  }

  /// The windows of adaptive pooling: `extent` elements in `output` nearly equal, possibly overlapping parts. Both are less than 2^28.
  // In range: the product of two numbers of 28 bits.
  package init(adaptiveExtent extent: Int, output: Int) {
    starts = (0..<output).map { $0 * extent / max(output, 1) }
    counts = (0..<output).map { ($0 + 1) * extent }.enumerated().map { index, scaled in
      (scaled + output - 1) / output - index * extent / output
    }
    paddedCounts = counts
    step = 1
  }

  /// Maximum extent, window, step and padding along one axis.
  private static let largestParameter = 1 << 28

  /// The number of results of ordinary pooling. In ceil mode, a last window must start inside the input or the padding before it (PyTorch's
  /// rule). Nil if the window does not fit or a number exceeds `largestParameter`.
  // In range: with `largestParameter`, no product or sum overflows.
  package static func outputExtent(
    _ extent: Int, kernel: Int, stride: Int, paddingBefore: Int, paddingAfter: Int, dilation: Int, ceil: Bool
  ) -> Int? {
    let positive = 1...largestParameter
    let padding = 0...largestParameter
    guard positive.contains(kernel), positive.contains(stride), positive.contains(dilation), padding.contains(paddingBefore),
      padding.contains(paddingAfter), padding.contains(extent)
    else { return nil }
    let free = extent + paddingBefore + paddingAfter - dilation * (kernel - 1) - 1
    guard free >= 0 || (ceil && free + stride > 0) else { return nil }
    var result = (free + (ceil ? stride - 1 : 0)) / stride + 1
    if ceil, (result - 1) * stride >= extent + paddingBefore { result -= 1 }
    return result > 0 ? result : nil
  }
}
