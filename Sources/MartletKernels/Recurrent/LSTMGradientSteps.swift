package import MartletTensor
package import MartletVocabulary

/// The derivative of the sequential part of an LSTM: one pass over the steps that computes the cell states, and one back that computes
/// the gradients. All tensors are float32 and row-major.
package struct LSTMGradientSteps: Sendable {
  package var cell: RecurrentCell
  /// `[steps, batch, 4 × hidden]`: the sums of the gates before their activations, replaced by the gradients of these sums.
  package var gates: TensorView
  /// The `[4 × hidden, hidden]` matrix of the recursion, packed by `packing`.
  package var weights: TensorView
  /// `[steps, batch, hidden]`: the gradient of the state after each step; nil for zeros.
  package var states: TensorView?
  /// `[batch, hidden]`: the gradient of the last state, replaced by that of the initial one.
  package var hidden: TensorView
  /// `[batch, hidden]`: the gradient of the last cell state, replaced by that of the initial one.
  package var memory: TensorView
  /// `[batch, hidden]`: the initial cell state.
  package var initial: TensorView
  /// `[3 × hidden]`: factors of the cell state in the input, forget and output gates.
  package var peephole: TensorView?
  /// `[3 × hidden]`: where the gradient of the peephole weights goes.
  package var peepholeGradient: TensorView?
  /// Scratch memory: `[steps, batch, hidden]` for cell states, the same for their activations, and `[batch, hidden]`.
  package var scratch: (cells: TensorView, shown: TensorView, row: TensorView)
  /// True if the steps run from the last input to the first. `gates` are in the order of the inputs.
  package var isReversed: Bool
  /// True if `states` are in the order of the steps; false if they are in the order of the inputs.
  package var keepsStepOrder: Bool

  package init(
    _ cell: RecurrentCell, gates: TensorView, weights: TensorView, states: TensorView?, hidden: TensorView, memory: TensorView,
    initial: TensorView, peephole: TensorView?, peepholeGradient: TensorView?,
    scratch: (cells: TensorView, shown: TensorView, row: TensorView), isReversed: Bool, keepsStepOrder: Bool
  ) {
    self.cell = cell
    self.gates = gates
    self.weights = weights
    self.states = states
    self.hidden = hidden
    self.memory = memory
    self.initial = initial
    self.peephole = peephole
    self.peepholeGradient = peepholeGradient
    self.scratch = scratch
    self.isReversed = isReversed
    self.keepsStepOrder = keepsStepOrder
  }

  /// Size of `weights` in floats.
  package static func packedCount(hidden: Int) -> Int { MatrixProduct.packedCount(k: 4 * hidden, n: hidden, for: .single) }

  /// A kernel that packs the matrix of the recursion, `[4 × hidden, hidden]`.
  package static func packing(_ weights: TensorView, into packed: TensorView) -> Kernel {
    let (rows, columns) = (weights.shape[0], weights.shape[1])
    return { context in
      unsafe MatrixProduct.pack(
        context.address(weights), weights.dtype, kStride: weights.strides[0], nStride: weights.strides[1], k: rows, n: columns,
        for: .single, into: context.pointer(packed))
    }
  }

  /// Elements of a row per call of the element-wise part.
  private static let blockLength = 256

  package func kernel() -> Kernel {
    let (steps, batch, width) = (gates.shape[0], gates.shape[1], hidden.shape[1])
    let rowStride = 4 * width
    let blocksPerRow = (width + Self.blockLength - 1) / Self.blockLength
    let panels = mk_gemm_panel_count(width)
    let split = WorkSplit(
      rows: batch, panels: panels, batches: 1, flopsPerCell: 8 * Double(width) * Double(mk_gemm_panel_width()),
      prefersPanels: batch < 28)
    let layer = self
    return { context in
      let gates = unsafe context.pointer(layer.gates, as: Float.self)
      let weights = unsafe context.pointer(layer.weights, as: Float.self)
      let states = unsafe layer.states.map { unsafe context.pointer($0, as: Float.self) }
      let h = unsafe context.pointer(layer.hidden, as: Float.self)
      let c = unsafe context.pointer(layer.memory, as: Float.self)
      let initial = unsafe context.pointer(layer.initial, as: Float.self)
      let peephole = unsafe layer.peephole.map { unsafe context.pointer($0, as: Float.self) }
      let cells = unsafe context.pointer(layer.scratch.cells, as: Float.self)
      let shown = unsafe context.pointer(layer.scratch.shown, as: Float.self)
      let room = unsafe context.pointer(layer.scratch.row, as: Float.self)

      /// Runs `body` for blocks of rows of the step: offset in the gates, offset in the states, column, count.
      func forBlocks(_ body: (_ gate: Int, _ place: Int, _ column: Int, _ count: Int) -> Void) {
        context.parallelRanges(batch * blocksPerRow, grain: 8) { blocks, _ in
          for block in blocks {
            let (line, part) = block.quotientAndRemainder(dividingBy: blocksPerRow)
            let column = part * Self.blockLength
            body(line * rowStride + column, line * width + column, column, min(Self.blockLength, width - column))
          }
        }
      }
      /// Offsets of the states and of the gates of a step, in elements.
      func offsets(_ step: Int) -> (states: Int, gates: Int) {
        let input = layer.isReversed ? steps - 1 - step : step
        return (step * batch * width, input * batch * rowStride)
      }
      /// The cell states before a step.
      func previous(_ step: Int) -> UnsafePointer<Float> {
        unsafe UnsafePointer(step == 0 ? initial : cells + offsets(step - 1).states)
      }

      for step in 0..<steps {
        let (state, row) = offsets(step)
        let before = unsafe previous(step)
        forBlocks { gate, place, column, count in
          unsafe layer.cell.stepLSTM(
            gates + row + gate, before: before + place, cells + state + place, shown: shown + state + place,
            peephole.map { unsafe $0 + column }, width,
            count)
        }
      }
      for step in (0..<steps).reversed() {
        if context.isCancelled { return }
        let (state, row) = offsets(step)
        let before = unsafe previous(step)
        let input = layer.isReversed ? steps - 1 - step : step
        let gradient = unsafe states.map { unsafe $0 + (layer.keepsStepOrder ? step : input) * batch * width }
        forBlocks { gate, place, column, count in
          if let gradient = unsafe gradient {
            for i in place..<place + count { unsafe h[i] += gradient[i] }
          }
          unsafe layer.backward(
            gates + row + gate, before: before + place, shown: shown + state + place, h + place, c + place, room + place,
            peephole.map { unsafe $0 + column }, width, count)
        }
        context.parallel(split.chunkCount) { chunk, _ in
          let (_, rows, range) = split.chunk(chunk)
          var epilogue = unsafe mk_epilogue()
          unsafe epilogue.alpha = 1
          var gemm = unsafe mk_gemm(
            a: gates + row, a_row_stride: rowStride, a_k_stride: 1, b: weights, b_is_half: 0, c: h, c_row_stride: width, k: rowStride,
            n: width, accumulate: 0, epilogue: epilogue, a_scale: nil, scratch: nil, a_dtype: 0, c_dtype: 0, a_is_in_scratch: 0)
          unsafe mk_gemm_f32(&gemm, rows.lowerBound, rows.upperBound, range.lowerBound, range.upperBound)
        }
      }
      guard let result = layer.peepholeGradient else { return }
      let sums = unsafe context.pointer(result, as: Float.self)
      context.parallelRanges(blocksPerRow, grain: 1) { blocks, _ in
        let columns = blocks.lowerBound * Self.blockLength..<min(blocks.upperBound * Self.blockLength, width)
        for part in 0..<3 { unsafe (sums + part * width + columns.lowerBound).update(repeating: 0, count: columns.count) }
        for step in 0..<steps {
          let (state, row) = offsets(step)
          let before = unsafe previous(step)
          for line in 0..<batch {
            let gate = unsafe gates + row + line * rowStride
            for i in columns {
              let (old, new) = unsafe (before[line * width + i], cells[state + line * width + i])
              unsafe sums[i] += gate[i] * old
              unsafe sums[width + i] += gate[width + i] * old
              unsafe sums[2 * width + i] += gate[2 * width + i] * new
            }
          }
        }
      }
    }
  }

  /// `gates` holds the activated gates, which are replaced by the gradients of their sums.
  /// - Parameters:
  ///   - before: the cell state before the step.
  ///   - shown: the activation of the cell state after the step.
  ///   - h: the gradient of the state after the step; overwritten.
  ///   - c: the gradient of the cell state after the step, replaced by that of the cell state before it.
  ///   - room: scratch memory.
  @inline(__always)
  private func backward(
    _ gates: UnsafeMutablePointer<Float>, before: UnsafePointer<Float>, shown: UnsafePointer<Float>, _ h: UnsafeMutablePointer<Float>,
    _ c: UnsafeMutablePointer<Float>, _ room: UnsafeMutablePointer<Float>, _ peephole: UnsafePointer<Float>?, _ stride: Int, _ count: Int
  ) {
    let (input, forget) = unsafe (gates, gates + stride)
    let (output, new) = unsafe (gates + 2 * stride, gates + 3 * stride)
    for i in 0..<count {
      unsafe room[i] = h[i] * shown[i]
      unsafe h[i] *= output[i]
    }
    unsafe cell.activation.multiplyByDerivative(count, shown, h)
    unsafe cell.gateActivation.multiplyByDerivative(count, output, room)
    for i in 0..<count {
      unsafe c[i] += h[i]
      unsafe output[i] = room[i]
    }
    if let p = unsafe peephole {
      for i in 0..<count { unsafe c[i] += room[i] * p[2 * stride + i] }
    }
    if let clip = cell.clip {
      for i in 0..<count {
        let v = unsafe forget[i] * before[i] + input[i] * new[i]
        unsafe c[i] = v < -clip || v > clip ? 0 : c[i]
      }
    }
    for i in 0..<count {
      unsafe room[i] = c[i] * new[i]
      unsafe h[i] = c[i] * input[i]
    }
    unsafe cell.cellActivation.multiplyByDerivative(count, new, h)
    for i in 0..<count {
      unsafe new[i] = h[i]
      unsafe h[i] = c[i] * before[i]
      unsafe c[i] *= forget[i]
    }
    if cell.couplesForgetGate {
      for i in 0..<count {
        unsafe room[i] -= h[i]
        unsafe forget[i] = 0
      }
    } else {
      unsafe cell.gateActivation.multiplyByDerivative(count, forget, h)
      for i in 0..<count { unsafe forget[i] = h[i] }
    }
    unsafe cell.gateActivation.multiplyByDerivative(count, input, room)
    for i in 0..<count { unsafe input[i] = room[i] }
    if let p = unsafe peephole {
      for i in 0..<count { unsafe c[i] += input[i] * p[i] + forget[i] * p[stride + i] }
    }
  }
}
