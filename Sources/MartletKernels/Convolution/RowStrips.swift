/// Strips of the rows of a convolution's result, each made from the rows of its input that it reads, which exist only meanwhile: in
/// memory of the thread's own that stays in its second-level cache.
struct RowStrips: Sendable {
  let inputHeight: Int
  let outputHeight: Int
  /// Of the kernel, without dilation.
  let taps: Int
  let stride: Int
  let dilation: Int
  let padding: Int
  /// Of the input.
  let rowByteCount: Int

  /// Bytes of a strip of the input, about.
  private static let stripByteCount = 768 * 1024

  /// An even number where there are several.
  var count: Int {
    let wanted = max(8, (inputHeight * rowByteCount + Self.stripByteCount - 1) / Self.stripByteCount)
    return max(1, min((wanted + 1) / 2 * 2, outputHeight))
  }

  /// Rows of the result that a strip makes.
  func rows(_ strip: Int) -> Range<Int> { evenPart(strip, of: count, outputHeight) }

  /// Rows of the input that rows of the result read.
  func covered(_ rows: Range<Int>) -> Range<Int> {
    let first = max(0, rows.lowerBound * stride - padding)
    let end = min(inputHeight, (rows.upperBound - 1) * stride - padding + (taps - 1) * dilation + 1)
    return first..<max(first, end)
  }

  /// Rows of the input that the largest strip reads.
  var largestCount: Int { (0..<count).map { covered(rows($0)).count }.max() ?? 0 }
}
