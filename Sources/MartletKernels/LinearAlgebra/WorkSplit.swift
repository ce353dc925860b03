/// Division of a matrix of results, rows by panels of columns, into chunks for threads. It depends only on the extents.
package struct WorkSplit: Sendable {
  private let rows: Int
  private let panels: Int
  private let unitRows: Int
  private let units: Int
  private let rowChunks: Int
  package let panelChunks: Int
  package let chunkCount: Int

  /// Minimum work of a chunk, in operations, that repays the hand-over to another thread.
  private static let smallestChunkFlops = 200_000.0
  /// Operations of a matrix product in some milliseconds.
  private static let largestChunkFlops = 5e8
  private static let mostChunks = 65_536.0
  private static let chunkTarget = 12

  /// Number of chunks to aim at for products that convert their operands: `each` for a worker. Each chunk repeats some conversions. The
  /// results are the same in any division.
  static func convertingTarget(workers: Int, each: Int = 3) -> Int { workers == 1 ? 1 : min(workers * each, chunkTarget) }

  /// Conversions to float32 of a matrix product's operands.
  package struct Conversions {
    /// Number of threads that share the work. Each converts its rows of A once, up to `rowsAtOnce` of them.
    var workers: Int
    /// Largest number of rows of A that a chunk converts once.
    var rowsAtOnce: Int
    var convertsA: Bool
    var convertsB: Bool

    /// Time of a conversion, memory traffic included, relative to that of a multiply-add.
    private static let weight = 3.0

    /// The division of `rows` x `panels` results that gives the busiest worker the least work.
    /// - Parameters:
    ///   - chunks: number of chunks to aim at.
    ///   - mostRowChunks: maximum number of chunks of rows.
    func division(rows: Int, panels: Int, batches: Int, chunks: Int, mostRowChunks: Int) -> (rowChunks: Int, panelChunks: Int) {
      let width = mk_gemm_panel_width()
      var best = (rowChunks: 1, panelChunks: 1)
      var least = Double.infinity
      let fewest = min(mostRowChunks, (rows + rowsAtOnce - 1) / rowsAtOnce)
      for rowChunks in fewest...mostRowChunks {
        let panelChunks = max(1, min(panels, (chunks + rowChunks - 1) / rowChunks))
        let rowsEach = (rows + rowChunks - 1) / rowChunks
        let columnsEach = (panels + panelChunks - 1) / panelChunks * width
        let turns = (batches * rowChunks * panelChunks + workers - 1) / workers
        let conversions = (convertsB ? Double(turns) * Double(columnsEach) : 0) + (convertsA ? Double(rows) : 0)
        let cost = Double(turns) * Double(rowsEach) * Double(columnsEach) + Self.weight * conversions
        if cost < least { (least, best) = (cost, (rowChunks, panelChunks)) }
      }
      return best
    }
  }

  /// Number of chunks for an amount of work: a few for each thread, each large enough to repay the hand-over and at most `largest`
  /// operations, so that a cancellation takes effect within milliseconds.
  package static func chunkCount(flops: Double, largest: Double, target: Int? = nil) -> Int {
    let fewest = Int(min(flops / largest, mostChunks))
    return max(1, fewest, Int(min(flops / smallestChunkFlops, Double(target ?? chunkTarget))))
  }

  /// - Parameters:
  ///   - flopsPerCell: work for one row of one panel.
  ///   - tileRows: rows of a register tile in the widest kernel.
  ///   - unitRows: row chunks have a multiple of this number of rows; `tileRows` if nil.
  ///   - prefersPanels: split panels first, because reading them dominates.
  ///   - target: number of chunks to aim at, if there is enough work; nil for the usual number.
  ///   - conversions: decides how rows and panels are split; nil for a product that converts nothing.
  package init(
    rows: Int, panels: Int, batches: Int, flopsPerCell: Double, tileRows: Int = 14, unitRows: Int? = nil, prefersPanels: Bool = false,
    target: Int? = nil, conversions: Conversions? = nil
  ) {
    self.rows = rows
    self.panels = panels
    self.unitRows = unitRows ?? tileRows
    units = (rows + self.unitRows - 1) / self.unitRows
    let total = flopsPerCell * Double(rows) * Double(panels) * Double(batches)
    let wanted = Self.chunkCount(flops: total, largest: Self.largestChunkFlops, target: target)
    let perBatch = max(1, (wanted + batches - 1) / batches)
    let tiles = (rows + tileRows - 1) / tileRows
    // Split rows first: chunks of rows share the panels. If there are few rows, split the panels, which share the rows. A chunk has at
    // least two tiles, because kernels prefetch the next panel while several tiles use one.
    let mostRowChunks = min(perBatch, max(1, tiles / 2))
    var rowChunks = mostRowChunks
    // Use an even number of chunks, so that two threads halve the rows of every kernel in the same way.
    if rowChunks > 1, rowChunks % 2 == 1 { rowChunks -= 1 }
    var panelChunks = 1
    if let conversions {
      (rowChunks, panelChunks) = conversions.division(
        rows: rows, panels: panels, batches: batches, chunks: perBatch, mostRowChunks: mostRowChunks)
    } else if prefersPanels, panels > 1 {
      panelChunks = min(panels, perBatch)
      rowChunks = min(tiles, max(1, perBatch / panelChunks))
    } else if tiles < 8 {
      panelChunks = max(1, min(panels, perBatch))
      rowChunks = max(1, min(rowChunks, perBatch / panelChunks))
    } else if rowChunks * 3 < perBatch * 2 {
      panelChunks = max(1, min(panels, (perBatch + rowChunks - 1) / rowChunks))
    }
    // Use chunks of equal numbers of panels. With a single panel per chunk, nothing is prefetched.
    if panelChunks > 1 {
      let each = (panels + panelChunks - 1) / panelChunks
      panelChunks = (panels + each - 1) / each
    }
    self.rowChunks = rowChunks
    self.panelChunks = panelChunks
    chunkCount = rowChunks * panelChunks * batches
  }

  /// `rowChunks` chunks of rows, each divided into `panelChunks` chunks of panels.
  package init(rows: Int, rowChunks: Int, panels: Int, panelChunks: Int) {
    (self.rows, self.panels) = (rows, panels)
    (unitRows, units) = (1, rows)
    (self.rowChunks, self.panelChunks) = (max(1, min(rowChunks, rows)), max(1, min(panelChunks, panels)))
    chunkCount = self.rowChunks * self.panelChunks
  }

  package func panelRange(_ part: Int) -> Range<Int> { evenPart(part, of: panelChunks, panels) }

  package func chunk(_ index: Int) -> (batch: Int, rows: Range<Int>, panels: Range<Int>) {
    let (rest, panelPart) = index.quotientAndRemainder(dividingBy: panelChunks)
    let (batch, rowPart) = rest.quotientAndRemainder(dividingBy: rowChunks)
    let units = evenPart(rowPart, of: rowChunks, units)
    return (batch, units.lowerBound * unitRows..<min(units.upperBound * unitRows, rows), panelRange(panelPart))
  }
}
