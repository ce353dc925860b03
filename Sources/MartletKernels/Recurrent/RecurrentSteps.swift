package import MartletTensor
package import MartletVocabulary

/// The sequential part of a recurrent layer, after the product of all inputs with the input weights. All tensors are float32.
package struct RecurrentSteps: Sendable {
  package var cell: RecurrentCell
  /// `[steps, batch, gates × hidden]`, row-major: the product of the inputs and the input weights, plus the bias. Overwritten.
  package var gates: TensorView
  /// One hidden × hidden matrix per gate, each packed by `MatrixProduct.pack`, one after another.
  package var weights: TensorView
  /// `[gates × hidden]`, added to the product with the hidden state.
  package var hiddenBias: TensorView?
  /// `[3 × hidden]`: factors of the cell state in an LSTM's input, forget and output gates.
  package var peephole: TensorView?
  /// `[batch, hidden]`, row-major: the state before the first step, replaced by the state after the last one.
  package var hidden: TensorView
  /// An LSTM's cell state, with the layout of `hidden`.
  package var memory: TensorView?
  /// `[batch, hidden]`: scratch memory for a GRU.
  package var scratch: TensorView?
  /// `[steps, batch, hidden]`, row-major: the state after each step.
  package var sequence: TensorView?
  /// True if the steps run from the last input to the first.
  package var isReversed: Bool
  /// True if `sequence` is in the order of the steps; false if it is in the order of the inputs.
  package var keepsStepOrder: Bool

  package init(
    _ cell: RecurrentCell, gates: TensorView, weights: TensorView, hiddenBias: TensorView?, peephole: TensorView?,
    hidden: TensorView, memory: TensorView?, scratch: TensorView?, sequence: TensorView?, isReversed: Bool, keepsStepOrder: Bool
  ) {
    self.cell = cell
    self.gates = gates
    self.weights = weights
    self.hiddenBias = hiddenBias
    self.peephole = peephole
    self.hidden = hidden
    self.memory = memory
    self.scratch = scratch
    self.sequence = sequence
    self.isReversed = isReversed
    self.keepsStepOrder = keepsStepOrder
  }

  /// Size of `weights` for `gateCount` gates, in floats; nil if it overflows.
  package static func packedCount(gateCount: Int, hidden: Int) -> Int? {
    let (count, overflow) = MatrixProduct.packedCount(k: hidden, n: hidden, for: .single).multipliedReportingOverflow(by: gateCount)
    return overflow ? nil : count
  }

  /// Packs constant weights `[gates × hidden, hidden]`.
  package static func pack(
    _ weights: UnsafeRawPointer, _ dtype: DType, strides: [Int], gateCount: Int, hidden: Int, into packed: UnsafeMutablePointer<Float>
  ) {
    let size = MatrixProduct.packedCount(k: hidden, n: hidden, for: .single)
    for gate in 0..<gateCount {
      unsafe MatrixProduct.pack(
        weights + gate * hidden * strides[0] * dtype.byteCount, dtype, kStride: strides[1], nStride: strides[0], k: hidden,
        n: hidden, for: .single, into: packed + gate * size)
    }
  }

  /// A kernel that packs weights `[gates × hidden, hidden]` known only at run time.
  package static func packing(_ weights: TensorView, gateCount: Int, hidden: Int, into packed: TensorView) -> Kernel {
    { context in
      unsafe pack(
        context.address(weights), weights.dtype, strides: weights.strides, gateCount: gateCount, hidden: hidden,
        into: context.pointer(packed))
    }
  }

  /// Elements of a row per call of the element-wise part.
  private static let blockLength = 256

  package func kernel() -> Kernel {
    let (steps, batch, width) = (gates.shape[0], gates.shape[1], hidden.shape[1])
    let gateCount = cell.gateCount
    let panels = mk_gemm_panel_count(width)
    let packedSize = MatrixProduct.packedCount(k: width, n: width, for: .single)
    // Gates whose matrices are applied to the hidden state at the beginning of a step, and for a GRU those applied later in the step.
    let early: [Int]
    switch cell.kind {
    case .gru: early = [0, 2]
    default: early = Array(0..<gateCount)
    }
    let flops = 2 * Double(width) * Double(mk_gemm_panel_width())
    let split = WorkSplit(rows: batch, panels: panels, batches: early.count, flopsPerCell: flops, prefersPanels: batch < 28)
    let lateSplit = WorkSplit(rows: batch, panels: panels, batches: 1, flopsPerCell: flops, prefersPanels: batch < 28)
    let blocksPerRow = (width + Self.blockLength - 1) / Self.blockLength
    let layer = self
    return { context in
      let gateBase = unsafe context.pointer(layer.gates, as: Float.self)
      let packed = unsafe context.pointer(layer.weights, as: Float.self)
      let bias = unsafe layer.hiddenBias.map { unsafe context.pointer($0, as: Float.self) }
      let h = unsafe context.pointer(layer.hidden, as: Float.self)
      let room = unsafe layer.scratch.map { unsafe context.pointer($0, as: Float.self) }
      let rowStride = gateCount * width
      for step in 0..<steps {
        let input = layer.isReversed ? steps - 1 - step : step
        let row = unsafe gateBase + input * batch * rowStride

        /// Adds the product of `a` and the gate's matrix.
        func multiply(_ gate: Int, _ a: UnsafeMutablePointer<Float>, _ rows: Range<Int>, _ range: Range<Int>) {
          // If a GRU's reset gate is applied after the matrix, the candidate gate's product is kept separately.
          let isApart = layer.cell.kind == .gruResetAfter && gate == 1
          var epilogue = unsafe mk_epilogue()
          unsafe epilogue.bias = bias.map { unsafe UnsafePointer($0 + gate * width) }
          unsafe epilogue.alpha = 1
          var gemm = unsafe mk_gemm(
            a: a, a_row_stride: width, a_k_stride: 1, b: packed + gate * packedSize, b_is_half: 0,
            c: isApart ? room! : row + gate * width, c_row_stride: isApart ? width : rowStride, k: width, n: width,
            accumulate: isApart ? 0 : 1, epilogue: epilogue, a_scale: nil, scratch: nil, a_dtype: 0, c_dtype: 0, a_is_in_scratch: 0)
          unsafe mk_gemm_f32(&gemm, rows.lowerBound, rows.upperBound, range.lowerBound, range.upperBound)
        }
        /// Runs `body(offset of a block in the gates, offset in the states, column, count)` for all blocks.
        func forBlocks(_ body: (_ gate: Int, _ place: Int, _ column: Int, _ count: Int) -> Void) {
          context.parallelRanges(batch * blocksPerRow, grain: 8) { blocks, _ in
            for block in blocks {
              let (line, part) = block.quotientAndRemainder(dividingBy: blocksPerRow)
              let column = part * Self.blockLength
              body(line * rowStride + column, line * width + column, column, min(Self.blockLength, width - column))
            }
          }
        }
        let output = unsafe layer.sequence.map {
          unsafe context.pointer($0, as: Float.self) + (layer.keepsStepOrder ? step : input) * batch * width
        }

        context.parallel(split.chunkCount) { chunk, _ in
          let (gate, rows, range) = split.chunk(chunk)
          unsafe multiply(early[gate], h, rows, range)
        }
        switch layer.cell.kind {
        case .plain:
          forBlocks { gate, place, _, count in
            unsafe layer.cell.activation.apply(count, row + gate, h + place)
            if let output = unsafe output { unsafe (output + place).update(from: h + place, count: count) }
          }
        case .gru:
          forBlocks { gate, place, _, count in
            let r = unsafe row + gate
            unsafe layer.cell.gateActivation.apply(count, r, r)
            for i in 0..<count { unsafe room![place + i] = r[i] * h[place + i] }
          }
          context.parallel(lateSplit.chunkCount) { chunk, _ in
            let (_, rows, range) = lateSplit.chunk(chunk)
            unsafe multiply(1, room!, rows, range)
          }
          forBlocks { gate, place, _, count in
            unsafe layer.updateGRU(row + gate, h + place, width, count)
            if let output = unsafe output { unsafe (output + place).update(from: h + place, count: count) }
          }
        case .gruResetAfter:
          forBlocks { gate, place, _, count in
            let r = unsafe row + gate
            unsafe layer.cell.gateActivation.apply(count, r, r)
            let n = unsafe r + width
            for i in 0..<count { unsafe n[i] += r[i] * room![place + i] }
            unsafe layer.updateGRU(r, h + place, width, count)
            if let output = unsafe output { unsafe (output + place).update(from: h + place, count: count) }
          }
        case .lstm:
          let c = unsafe context.pointer(layer.memory!, as: Float.self)
          let peephole = unsafe layer.peephole.map { unsafe context.pointer($0, as: Float.self) }
          forBlocks { gate, place, column, count in
            let (opening, new) = unsafe (row + gate + 2 * width, row + gate + 3 * width)
            unsafe layer.cell.stepLSTM(
              row + gate, before: c + place, c + place, shown: new, peephole.map { unsafe $0 + column }, width, count)
            for i in 0..<count { unsafe h[place + i] = opening[i] * new[i] }
            if let output = unsafe output { unsafe (output + place).update(from: h + place, count: count) }
          }
        }
      }
    }
  }

  /// `gates` holds the activated reset gate, the sum of the candidate gate and the sum of the update gate, `stride` elements apart.
  @inline(__always)
  private func updateGRU(_ gates: UnsafeMutablePointer<Float>, _ h: UnsafeMutablePointer<Float>, _ stride: Int, _ count: Int) {
    let n = unsafe gates + stride
    let z = unsafe gates + 2 * stride
    unsafe cell.activation.apply(count, n, n)
    unsafe cell.gateActivation.apply(count, z, z)
    for i in 0..<count { unsafe h[i] = (1 - z[i]) * n[i] + z[i] * h[i] }
  }
}
