package import MartletTensor

/// A 1 × 1 convolution of an 8-bit image fused with the depthwise convolution of its quantised result. The intermediate image is never
/// stored as a whole: each strip of output rows computes the intermediate rows that it reads.
///
/// Results are equal to those of the two separate convolutions. Rows shared by two strips are computed twice.
package struct ExpandedIntegerDepthwise: Sendable {
  /// The 1 × 1 convolution of one image, with quantised results. The address of its output is not used.
  package var expansion: IntegerConvolution
  /// The depthwise convolution of the expanded image, whose channels are contiguous. The address of its input is not used.
  package var depthwise: IntegerConvolution

  package init(expansion: IntegerConvolution, depthwise: IntegerConvolution) {
    self.expansion = expansion
    self.depthwise = depthwise
  }

  private var rowByteCount: Int { depthwise.inputExtents.width * depthwise.input.pixelStride }

  private var strips: RowStrips {
    RowStrips(
      inputHeight: depthwise.inputExtents.height, outputHeight: depthwise.outputExtents.height, taps: depthwise.weights.kernel.height,
      stride: depthwise.stride.y, dilation: depthwise.dilation.y, padding: depthwise.padding.top, rowByteCount: rowByteCount)
  }

  /// Size of a strip in bytes, rounded up to the alignment.
  private var stripByteCount: Int { TensorStorage.alignedByteCount(strips.largestCount * rowByteCount) }

  /// Scratch bytes per worker.
  package var scratchByteCount: Int {
    stripByteCount + expansion.scratchByteCount(pixels: strips.largestCount * depthwise.inputExtents.width)
  }

  /// Multiplications and additions of one run, including padding.
  package var operations: Double { expansion.operations + depthwise.operations }

  /// - Parameter scratch: `scratchByteCount` bytes for each worker.
  package func kernel(scratch: TensorView) -> Kernel {
    let me = self
    let strips = strips
    let (rowByteCount, stripByteCount, width) = (rowByteCount, stripByteCount, depthwise.inputExtents.width)
    return { context in
      let expansion = unsafe me.expansion.description(context)
      let depthwise = unsafe me.depthwise.description(context)
      context.parallel(strips.count) { strip, worker in
        let rows = strips.rows(strip)
        let covered = strips.covered(rows)
        let memory = unsafe context.scratch(scratch, worker: worker, as: UInt8.self)
        // The address that row 0 would have; only the rows of the strip are written and read.
        let middle = unsafe memory - covered.lowerBound * rowByteCount
        var first = unsafe expansion
        unsafe first.output = UnsafeMutableRawPointer(middle)
        unsafe mk_q8_conv2d_run(
          &first, covered.lowerBound * width, covered.upperBound * width, 0, me.expansion.weights.panelCount, memory + stripByteCount)
        var second = unsafe depthwise
        unsafe second.input = UnsafeRawPointer(middle)
        unsafe mk_q8_depthwise2d_run(&second, rows.lowerBound, rows.upperBound)
      }
    }
  }
}
