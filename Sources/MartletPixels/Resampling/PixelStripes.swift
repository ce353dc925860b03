package import MartletKernels

/// Division of a picture's rows among the threads of the pool.
package enum PixelStripes {
  /// Pixels below which waking another thread takes longer than the work.
  private static let fewestPixels = 1 << 16

  /// Runs `body` for ranges that make up `0..<rowCount`, at once for small pictures. Results must not depend on the division.
  /// - Parameters:
  ///   - pixelsPerRow: pixels that are read or written for a row.
  ///   - largest: maximum number of rows in a range; at least 1.
  package static func run(
    rowCount: Int, pixelsPerRow: Int, largest: Int = .max, pool: ThreadPool = ThreadPool(), _ body: (Range<Int>) -> Void
  ) {
    guard rowCount > 0 else { return }
    let work = rowCount.multipliedReportingOverflow(by: max(1, pixelsPerRow))
    let worthwhile = work.overflow ? Int.max : work.partialValue / fewestPixels
    let threads = min(pool.limit, worthwhile, rowCount)
    let fewest = (rowCount - 1) / max(1, largest) + 1
    // A few stripes for each thread even out what else the machine does.
    let count = threads <= 1 ? fewest : max(fewest, min(4 * threads, rowCount))
    func stripe(_ index: Int) -> Range<Int> {
      let (each, rest) = rowCount.quotientAndRemainder(dividingBy: count)
      return index * each + index * rest / count..<(index + 1) * each + (index + 1) * rest / count
    }
    guard threads > 1 else {
      for index in 0..<count { body(stripe(index)) }
      return
    }
    pool.run(count) { index, _ in body(stripe(index)) }
  }
}
