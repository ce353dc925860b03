package import MartletKernels
import MartletTensor

/// A picture of numbers in another size, made row by row. A row has a plane for each component, one after another. Weights and sums are in
/// single precision.
@safe
package struct NumberResampler {
  private let width: Int
  private let planeCount: Int
  private let columns: ResamplingAxis
  private let rows: ResamplingAxis
  private let fill: (_ row: Int, _ planes: UnsafeMutablePointer<Float>) -> Void

  /// Bytes for what is resampled along one axis only, for each thread.
  private static let scratchByteCount = 1 << 20

  /// - Parameters:
  ///   - columns, rows: axes with the precision `.once`.
  ///   - fill: writes a row of the picture, for any number of threads.
  package init(
    planeCount: Int, columns: ResamplingAxis.Parameters, rows: ResamplingAxis.Parameters,
    fill: @escaping (_ row: Int, _ planes: UnsafeMutablePointer<Float>) -> Void
  ) {
    precondition(columns.precision == .once && rows.precision == .once && planeCount > 0)
    width = columns.inputExtent
    self.planeCount = planeCount
    self.columns = KeptAxes.axis(columns)
    self.rows = KeptAxes.axis(rows)
    unsafe self.fill = fill
  }

  /// Calls `body` once for each row of the result with its planes. Calls for different rows may be concurrent.
  package func forEachRow(pool: ThreadPool = ThreadPool(), _ body: (_ row: Int, _ planes: UnsafePointer<Float>) -> Void) {
    let rowLength = planeCount * columns.count
    let rowStep = max(1, rows.inputs(of: 0..<rows.count).count / rows.count)
    let windowRows = rows.inputs(of: 0..<1).count
    let largest = max(1, (Self.scratchByteCount / (4 * rowLength) - windowRows) / rowStep)
    PixelStripes.run(rowCount: rows.count, pixelsPerRow: rowStep * width, largest: largest, pool: pool) { stripe in
      unsafe resample(stripe, rowLength, body)
    }
  }

  private func resample(_ outputs: Range<Int>, _ rowLength: Int, _ body: (_ row: Int, _ planes: UnsafePointer<Float>) -> Void) {
    let inputs = rows.inputs(of: outputs)
    unsafe ScratchMemory.with(Float.self, capacity: planeCount * width) { line in
      unsafe ScratchMemory.with(Float.self, capacity: rowLength * (inputs.count + 1)) { resampled in
        let result = unsafe resampled + rowLength * inputs.count
        for (index, row) in inputs.enumerated() {
          unsafe fill(row, line)
          for plane in 0..<planeCount {
            let target = unsafe resampled + index * rowLength + plane * columns.count
            if let start = columns.copiedStart {
              unsafe target.update(from: line + plane * width + start, count: columns.count)
            } else {
              unsafe columns.resample(row: line + plane * width, channelCount: 1, outputs: 0..<columns.count, to: target)
            }
          }
        }
        for row in outputs {
          if let start = rows.copiedStart {
            unsafe body(row, resampled + (start + row - inputs.lowerBound) * rowLength)
            continue
          }
          unsafe rows.resample(
            rows: resampled, rowStride: rowLength, firstRow: inputs.lowerBound, count: rowLength, output: row, dtype: .float32, to: result)
          unsafe body(row, result)
        }
      }
    }
  }
}
