/// How a matrix of results, rows by panels of columns, is divided into chunks for threads. The division depends on the
/// extents alone.
package struct WorkSplit: Sendable {
  private let rows: Int
  private let panels: Int
  private let rowsPerChunk: Int
  private let panelsPerChunk: Int
  private let rowChunks: Int
  package let panelChunks: Int
  package let chunkCount: Int

  /// Work below this is not worth handing to another thread.
  private static let smallestChunkFlops = 200_000.0
  private static let chunkTarget = 12

  /// - Parameters:
  ///   - flopsPerCell: work of one row of one panel.
  ///   - tileRows: row chunks are multiples of it: the rows of a register tile in the widest kernel.
  ///   - prefersPanels: whether to split panels first, because they are what is costly to read.
  package init(rows: Int, panels: Int, batches: Int, flopsPerCell: Double, tileRows: Int = 14, prefersPanels: Bool = false) {
    self.rows = rows
    self.panels = panels
    let total = flopsPerCell * Double(rows) * Double(panels) * Double(batches)
    let wanted = max(1, min(Self.chunkTarget, Int(total / Self.smallestChunkFlops)))
    let perBatch = max(1, (wanted + batches - 1) / batches)
    let tiles = (rows + tileRows - 1) / tileRows
    // Rows first: chunks of rows share the panels; few rows split by panels, which then share the rows.
    var rowChunks = min(perBatch, max(1, tiles / 2))
    var panelChunks = 1
    if prefersPanels, panels > 1 {
      panelChunks = min(panels, perBatch)
      rowChunks = min(tiles, max(1, perBatch / panelChunks))
    } else if rowChunks < perBatch {
      panelChunks = min(panels, (perBatch + rowChunks - 1) / rowChunks)
      if tiles < 8 {
        panelChunks = min(panels, perBatch)
        rowChunks = max(1, min(rowChunks, perBatch / panelChunks))
      }
    }
    let tilesPerChunk = (tiles + rowChunks - 1) / rowChunks
    rowsPerChunk = tilesPerChunk * tileRows
    panelsPerChunk = (panels + panelChunks - 1) / panelChunks
    self.rowChunks = (rows + rowsPerChunk - 1) / rowsPerChunk
    self.panelChunks = (panels + panelsPerChunk - 1) / panelsPerChunk
    chunkCount = self.rowChunks * self.panelChunks * batches
  }

  package func panelRange(_ part: Int) -> Range<Int> {
    part * panelsPerChunk..<min((part + 1) * panelsPerChunk, panels)
  }

  package func chunk(_ index: Int) -> (batch: Int, rows: Range<Int>, panels: Range<Int>) {
    let (rest, panelPart) = index.quotientAndRemainder(dividingBy: panelChunks)
    let (batch, rowPart) = rest.quotientAndRemainder(dividingBy: rowChunks)
    return (batch, rowPart * rowsPerChunk..<min((rowPart + 1) * rowsPerChunk, rows), panelRange(panelPart))
  }
}
