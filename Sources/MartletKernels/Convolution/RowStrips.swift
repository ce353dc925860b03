/// Strips of output rows of a convolution whose input rows are computed strip by strip, in per-thread memory that stays in the L2 cache.
struct RowStrips: Sendable {
  let inputHeight: Int
  let outputHeight: Int
  /// Rows of the kernel, without dilation.
  let taps: Int
  let stride: Int
  let dilation: Int
  let padding: Int
  /// Bytes of an input row.
  let rowByteCount: Int

  /// Approximate size of an input strip in bytes.
  private static let stripByteCount = 768 * 1024

  /// Number of strips; even if there are several.
  var count: Int {
    let wanted = max(8, (inputHeight * rowByteCount + Self.stripByteCount - 1) / Self.stripByteCount)
    return max(1, min((wanted + 1) / 2 * 2, outputHeight))
  }

  /// The output rows of a strip.
  func rows(_ strip: Int) -> Range<Int> { evenPart(strip, of: count, outputHeight) }

  /// The input rows that output rows read.
  func covered(_ rows: Range<Int>) -> Range<Int> {
    let first = max(0, rows.lowerBound * stride - padding)
    let end = min(inputHeight, (rows.upperBound - 1) * stride - padding + (taps - 1) * dilation + 1)
    return first..<max(first, end)
  }

  /// Number of input rows that the largest strip reads.
  var largestCount: Int { (0..<count).map { covered(rows($0)).count }.max() ?? 0 }
}
