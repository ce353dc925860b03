package import MartletKernels
import MartletTensor
package import MartletVocabulary

/// A picture of another size, made row by row, in stored orientation.
///
/// With the precision `.eachAxis`, results are those of Pillow's `Image.resize`: one axis is resampled after the other, with fixed-point
/// weights, and samples are rounded to 8 bits after each. With `.once`, sums are in single precision and rounded once, at the end.
package struct PixelResampler {
  /// What a row of the result consists of.
  package enum Samples: Sendable, Hashable {
    /// The bytes of the source's pixels, in their order.
    case stored
    /// Red, green and blue, and a byte that means nothing; one sample if the source is gray.
    case colors
  }

  /// The axis that is resampled first, on which rounding to 8 bits depends.
  package enum Order: Sendable {
    /// As Pillow does.
    case columnsFirst
    /// For a picture that is turned by a quarter afterwards: the result is Pillow's for the turned picture.
    case rowsFirst
  }

  private enum Input {
    case memory(PixelSource)
    case made(MadePixels)
  }

  private let input: Input
  private let order: Order
  let columns: ResamplingAxis
  let rows: ResamplingAxis
  /// The bytes of the input's pixels that are resampled.
  private let channels: PixelChannels
  /// Bytes of a pixel of the result: 1 to 4.
  package let channelCount: Int

  private init(
    _ input: Input, _ channels: (PixelChannels, count: Int), _ columns: ResamplingAxis, _ rows: ResamplingAxis,
    _ order: Order = .columnsFirst
  ) {
    self.input = input
    (self.channels, channelCount) = channels
    self.columns = columns
    self.rows = rows
    self.order = order
  }

  /// - Parameters:
  ///   - part: the part of the source that becomes the result, in pixels; nil is all of it.
  ///   - width, height: at least 1.
  package init(
    source: PixelSource, part: PixelRectangle? = nil, width: Int, height: Int, filter: ResamplingFilter = .bilinear,
    edge: ResamplingAxis.Edge = .dropped, precision: ResamplingAxis.Precision = .eachAxis, samples: Samples = .colors
  ) {
    self.init(
      source: source, columns: .init(from: source.width, part: part?.columns, to: width, filter: filter, edge: edge, precision: precision),
      rows: .init(from: source.height, part: part?.rows, to: height, filter: filter, edge: edge, precision: precision), samples: samples)
  }

  /// A resampler along axes that are at hand.
  /// - Precondition: the axes start from the source's extents.
  init(source: PixelSource, columns: ResamplingAxis, rows: ResamplingAxis, order: Order) {
    precondition(columns.parameters.inputExtent == source.width && rows.parameters.inputExtent == source.height)
    precondition(order == .columnsFirst || columns.parameters.precision == .eachAxis, "sums that are rounded once have no order")
    self.init(.memory(source), Self.channels(of: source, .colors), columns, rows, order)
  }

  /// A resampler of a picture, or a part of it, by axes of its own.
  package init(source: PixelSource, columns: ResamplingAxis.Parameters, rows: ResamplingAxis.Parameters, samples: Samples) {
    precondition(columns.inputExtent == source.width && rows.inputExtent == source.height)
    precondition(samples == .colors || !source.format.isYCbCr, "luma and chroma have no pixels of their own")
    self.init(.memory(source), Self.channels(of: source, samples), KeptAxes.axis(columns), KeptAxes.axis(rows))
  }

  /// A resampler of pixels that are made, by axes of its own. The result has all four bytes.
  package init(source: MadePixels, columns: ResamplingAxis.Parameters, rows: ResamplingAxis.Parameters) {
    precondition(columns.inputExtent == source.width && rows.inputExtent == source.height)
    self.init(.made(source), (PixelFormat.rgba8.storedChannels, 4), KeptAxes.axis(columns), KeptAxes.axis(rows))
  }

  private static func channels(of source: PixelSource, _ samples: Samples) -> (PixelChannels, count: Int) {
    switch samples {
    case .stored: (source.format.storedChannels, source.format.pixelByteCount)
    case .colors: (source.format.colorChannels, source.format == .gray8 ? 1 : 4)
    }
  }

  /// Calls `body` with memory for a row of pixels that do not lie in memory; nil if there are none.
  private func withRowMemory(_ body: (UnsafeMutablePointer<UInt8>?) -> Void) {
    switch input {
    case .memory(let source): unsafe source.withRowMemory(body)
    case .made(let source):
      unsafe ScratchMemory.with(UInt8.self, capacity: 4 * source.width) { unsafe body($0) }
    }
  }

  /// Pixels of a row, of which those in `columns` are valid.
  private func row(_ row: Int, columns: Range<Int>, _ memory: UnsafeMutablePointer<UInt8>?) -> UnsafePointer<UInt8> {
    switch input {
    case .memory(let source): return unsafe source.row(row, columns: columns, memory)
    case .made(let source):
      guard let memory = unsafe memory else { preconditionFailure("rows that are made have memory") }
      unsafe source.fill(row, columns, memory + 4 * columns.lowerBound)
      return unsafe UnsafePointer(memory)
    }
  }

  /// Bytes for what is resampled along one axis only, for each thread.
  private static let scratchByteCount = 1 << 20

  /// Calls `body` once for each row of the result, or part of one: the row, its first column, the number of pixels, and their samples. Calls
  /// for different rows may be concurrent.
  /// - Parameters:
  ///   - columnRange, rowRange: the part of the result that is needed; nil is all of it.
  package func forEachRow(
    columns columnRange: Range<Int>? = nil, rows rowRange: Range<Int>? = nil, pool: ThreadPool = ThreadPool(),
    _ body: (_ row: Int, _ column: Int, _ count: Int, _ samples: UnsafePointer<UInt8>) -> Void
  ) {
    let columnRange = columnRange ?? 0..<columns.count
    let rowRange = rowRange ?? 0..<rows.count
    guard !columnRange.isEmpty, !rowRange.isEmpty else { return }
    let isFixed = columns.parameters.precision == .eachAxis
    let sampleByteCount = isFixed ? 1 : 4
    let pixelByteCount = channelCount * sampleByteCount
    // Rows of the source for one row of the result, and from one to the next.
    let inputRows = rows.inputs(of: rowRange)
    let rowStep = max(1, inputRows.count / rowRange.count)
    let windowRows = rows.inputs(of: rowRange.lowerBound..<rowRange.lowerBound + 1).count
    let inputColumnCount = columns.inputs(of: columnRange).count
    // Where a row's window is tall, a stripe is narrow. Before the columns are resampled, rows have the input's width.
    let columnStep = order == .rowsFirst ? max(1, inputColumnCount / columnRange.count) : 1
    let blockWidth = min(columnRange.count, max(16, Self.scratchByteCount / (pixelByteCount * columnStep * (windowRows + rowStep))))
    let largest = max(1, (Self.scratchByteCount / (pixelByteCount * columnStep * blockWidth) - windowRows) / rowStep)
    PixelStripes.run(rowCount: rowRange.count, pixelsPerRow: rowStep * inputColumnCount, largest: largest, pool: pool) { stripe in
      let outputs = rowRange.lowerBound + stripe.lowerBound..<rowRange.lowerBound + stripe.upperBound
      for column in stride(from: columnRange.lowerBound, to: columnRange.upperBound, by: blockWidth) {
        let block = column..<min(column + blockWidth, columnRange.upperBound)
        if order == .rowsFirst {
          unsafe resampleRowsFirst(outputs, block, body)
        } else if isFixed {
          unsafe resample(as: UInt8.self, outputs, block, body)
        } else {
          unsafe resample(as: Float.self, outputs, block, body)
        }
      }
    }
  }

  /// Rows `outputs` of columns `block`, with intermediate samples of a type.
  private func resample<Sample: IntermediateSample>(
    as type: Sample.Type, _ outputs: Range<Int>, _ block: Range<Int>,
    _ body: (_ row: Int, _ column: Int, _ count: Int, _ samples: UnsafePointer<UInt8>) -> Void
  ) {
    let inputs = rows.inputs(of: outputs)
    let inputColumns = columns.inputs(of: block)
    let rowLength = block.count * channelCount
    unsafe ScratchMemory.with(Sample.self, capacity: rowLength * inputs.count) { resampled in
      unsafe ScratchMemory.with(UInt8.self, capacity: rowLength) { result in
        unsafe withRowMemory { memory in
          for (index, row) in inputs.enumerated() {
            let pixels = unsafe self.row(row, columns: inputColumns, memory)
            unsafe Sample.resample(columns, pixels, channels, channelCount, block, to: resampled + index * rowLength)
          }
          for row in outputs {
            unsafe Sample.resample(rows, resampled, rowLength, firstRow: inputs.lowerBound, output: row, to: result)
            unsafe body(row, block.lowerBound, block.count, result)
          }
        }
      }
    }
  }
}

extension PixelResampler {
  /// Rows `outputs` of columns `block`: each row of the result is made of the input's rows, then its columns are resampled.
  private func resampleRowsFirst(
    _ outputs: Range<Int>, _ block: Range<Int>,
    _ body: (_ row: Int, _ column: Int, _ count: Int, _ samples: UnsafePointer<UInt8>) -> Void
  ) {
    let inputs = rows.inputs(of: outputs)
    let inputColumns = columns.inputs(of: block)
    let rowLength = inputColumns.count * channelCount
    let inPlace = PixelChannels(step: channelCount, places: channelCount == 1 ? [0, -1, -1, -1] : [0, 1, 2, 3])
    unsafe ScratchMemory.with(UInt8.self, capacity: rowLength * inputs.count) { stored in
      // Resampling of columns counts from the first pixel of a row.
      unsafe ScratchMemory.with(UInt8.self, capacity: columns.parameters.inputExtent * channelCount) { whole in
        unsafe ScratchMemory.with(UInt8.self, capacity: block.count * channelCount) { result in
          unsafe withRowMemory { memory in
            for (index, row) in inputs.enumerated() {
              let pixels = unsafe self.row(row, columns: inputColumns, memory)
              unsafe PixelRows.reorder(
                pixels + inputColumns.lowerBound * channels.step, channels, to: stored + index * rowLength, step: channelCount,
                count: inputColumns.count)
            }
            for row in outputs {
              unsafe UInt8.resample(
                rows, stored, rowLength, firstRow: inputs.lowerBound, output: row, to: whole + inputColumns.lowerBound * channelCount)
              unsafe UInt8.resample(columns, whole, inPlace, channelCount, block, to: result)
              unsafe body(row, block.lowerBound, block.count, result)
            }
          }
        }
      }
    }
  }
}

/// A picture whose rows are made when they are needed, for any number of threads: red, green, blue and alpha of 8 bits.
@safe
package struct MadePixels {
  package let width: Int
  package let height: Int
  let fill: (_ row: Int, _ columns: Range<Int>, _ pixels: UnsafeMutablePointer<UInt8>) -> Void

  /// - Parameters:
  ///   - width, height: at least 1.
  ///   - fill: writes the pixels of some columns of a row, four bytes each.
  package init(
    width: Int, height: Int, fill: @escaping (_ row: Int, _ columns: Range<Int>, _ pixels: UnsafeMutablePointer<UInt8>) -> Void
  ) {
    precondition(width > 0 && height > 0)
    self.width = width
    self.height = height
    unsafe self.fill = fill
  }
}

/// Samples between the two axes.
private protocol IntermediateSample: BitwiseCopyable {
  /// Resamples a row of pixels.
  static func resample(
    _ axis: ResamplingAxis, _ row: UnsafePointer<UInt8>, _ channels: PixelChannels, _ channelCount: Int, _ outputs: Range<Int>,
    to target: UnsafeMutablePointer<Self>)
  /// Makes a row of bytes of rows.
  static func resample(
    _ axis: ResamplingAxis, _ rows: UnsafePointer<Self>, _ rowLength: Int, firstRow: Int, output: Int,
    to target: UnsafeMutablePointer<UInt8>)
}

extension UInt8: IntermediateSample {
  static func resample(
    _ axis: ResamplingAxis, _ row: UnsafePointer<UInt8>, _ channels: PixelChannels, _ channelCount: Int, _ outputs: Range<Int>,
    to target: UnsafeMutablePointer<UInt8>
  ) {
    if let start = axis.copiedStart {
      unsafe PixelRows.reorder(
        row + (start + outputs.lowerBound) * channels.step, channels, to: target, step: channelCount, count: outputs.count)
    } else {
      unsafe axis.resample(row: row, channels, channelCount: channelCount, outputs: outputs, to: target)
    }
  }

  static func resample(
    _ axis: ResamplingAxis, _ rows: UnsafePointer<UInt8>, _ rowLength: Int, firstRow: Int, output: Int,
    to target: UnsafeMutablePointer<UInt8>
  ) {
    if let start = axis.copiedStart {
      unsafe target.update(from: rows + (start + output - firstRow) * rowLength, count: rowLength)
    } else {
      unsafe axis.resample(rows: rows, rowStride: rowLength, firstRow: firstRow, count: rowLength, output: output, to: target)
    }
  }
}

extension Float: IntermediateSample {
  static func resample(
    _ axis: ResamplingAxis, _ row: UnsafePointer<UInt8>, _ channels: PixelChannels, _ channelCount: Int, _ outputs: Range<Int>,
    to target: UnsafeMutablePointer<Float>
  ) {
    unsafe axis.resample(row: row, channels, channelCount: channelCount, outputs: outputs, to: target)
  }

  static func resample(
    _ axis: ResamplingAxis, _ rows: UnsafePointer<Float>, _ rowLength: Int, firstRow: Int, output: Int,
    to target: UnsafeMutablePointer<UInt8>
  ) {
    unsafe axis.resample(rows: rows, rowStride: rowLength, firstRow: firstRow, count: rowLength, output: output, dtype: .uint8, to: target)
  }
}
