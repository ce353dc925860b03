package import MartletGraph
import MartletKernels
package import MartletTensor
package import MartletVocabulary

/// Product of dynamically quantised rows with the transpose of a quantised matrix. Rows are quantised to 8 bits at run time.
/// - Operands: `x` […, K]; constant `weight` [N, K], int8 or, with `isNibbles`, uint8 with two values per byte, stored with an offset of
///   8; optional constant `bias` [N]; constant scales of the weights: [N, blocks], or [1, 1] for int8.
/// - Shapes: result […, N]. - DTypes: float32.
/// - Accuracy: limited by the quantisation of rows and weights. Sums are exact for int8 weights, and within each block for 4-bit weights.
/// - Sources: XNNPACK's dynamically quantised fully connected nodes (qd8-qc8w, qd8-qc4w, qd8-qb4w); `choose_qparams_per_token_asymmetric`,
///   `quantize_per_token` and `dequantize_per_token` around `aten::linear`; products of Core ML's networks with `int8DynamicQuantize`.
package struct DynamicLinear: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("x", .data, .float32), .init("weight", .weight, .eightBit), .init("bias", .parameter, .floating, isOptional: true),
      .init("scales", .parameter, .floating),
    ], accuracy: .quantizationStep)

  /// Number of products per sum: the last extent of `x`.
  package var depth: Int
  package var isNibbles: Bool
  package var quantization: RowQuantization
  package var activation: Activation
  package var name: String { "dynamic_linear" }

  package init(depth: Int, isNibbles: Bool, quantization: RowQuantization, activation: Activation = .none) {
    self.depth = depth
    self.isNibbles = isNibbles
    self.quantization = quantization
    self.activation = activation
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let weight = try operands.tensor(1)
    let scales = try operands.tensor(3)
    guard weight.rank == 2, weight.shape[1] == (isNibbles ? (depth + 1) / 2 : depth), weight.dtype == (isNibbles ? .uint8 : .int8),
      x.shape.last == depth, x.dtype == .float32, (1...IntegerWeights.greatestDepth).contains(depth), scales.rank == 2,
      scales.shape[0] == weight.shape[0] || scales.shape == [1, 1], scales.shape[1] > 0,
      isNibbles ? depth % scales.shape[1] == 0 && scales.shape[0] == weight.shape[0] : scales.shape[1] == 1
    else { throw .unsupported("\(name) of \(x) with \(weight) and scales \(scales)") }
    return [.tensor(TensorType(.float32, x.shape.dropLast() + [weight.shape[0]]))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0, replacingLast: [operands.extent(1, axis: 0)])
  }

  package func fusing(_ activation: Activation, _ dtype: DType, hasResidual: Bool) -> (any PlannedOperator)? {
    guard self.activation == .none, dtype == .float32 else { return nil }
    var fused = self
    fused.activation = activation
    return fused
  }

  package func packs(operand: Int) -> Bool { operand > 0 }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let y = node.staging(0, as: .float32)
    if y.isEmpty { return }
    let x = node.contiguous(0, as: .float32)
    let columns = y.shape[y.rank - 1]
    let rows = y.elementCount / columns
    let blocks = node.operandType(3).shape[1]
    let nibbles = NibbleWeights(depth: depth, columns: columns, block: depth / blocks)
    let rowStride = isNibbles ? nibbles.rowStride : depth
    if isNibbles, let stored = try storedNibbles(nibbles, rows: rows, node) {
      let a = quantizedRows(x, rows: rows, rowStride: rowStride, node, arrangedFor: nibbles)
      node.emit(
        "\(name) 4-bit \(y.shape) k \(depth)", flops: 2 * Double(rows) * Double(columns) * Double(depth),
        bytes: Double(stored.matrix.byteCount + stored.scales.byteCount + x.byteCount + y.byteCount), work: .integerProduct,
        nibbles.kernelInPlace(
          a.rows, rows: rows, scales: a.scales, zeroPoints: a.zeroPoints, matrix: stored.matrix, blockScales: stored.scales,
          sums: stored.sums, bias: node.has(2) ? try paddedBias(node) : nil, to: y, activation: activation))
      node.finish(0, from: y)
      return
    }
    if !isNibbles, let stored = try storedBytes(rows: rows, columns: columns, node) {
      let a = quantizedRows(x, rows: rows, rowStride: rowStride, node)
      node.emit(
        "\(name) \(y.shape) k \(depth)", flops: 2 * Double(rows) * Double(columns) * Double(depth), work: .integerProduct,
        IntegerMatrixInPlace(depth: depth, columns: columns).kernel(
          a.rows, rows: rows, scales: a.scales, zeroPoints: a.zeroPoints, matrix: stored.matrix, columnScales: stored.scales,
          bias: node.has(2) ? try paddedBias(node) : nil, to: y, activation: activation))
      node.finish(0, from: y)
      return
    }
    let (quantized, scales, zeroPoints) = quantizedRows(x, rows: rows, rowStride: rowStride, node)
    if isNibbles {
      let packed = try pack(nibbles, node)
      let bias = node.has(2) ? try paddedBias(node) : nil
      node.emit(
        "\(name) 4-bit \(y.shape) k \(depth)", flops: 2 * Double(rows) * Double(columns) * Double(depth), work: .integerProduct,
        nibbles.kernel(
          quantized, rows: rows, scales: scales, zeroPoints: zeroPoints, packed: packed, bias: bias, to: y, activation: activation))
    } else {
      guard let weight = node.constant(1) else { throw .unsupported("weights that are not constant") }
      let form = IntegerWeights(
        strides: (weight.strides[0], weight.strides[1], 0, 0), groups: 1, outputChannels: columns, inputChannels: depth, kernel: (1, 1))
      let weights = try node.integerWeights(form, inputScale: 1, output: .real(activation))
      var product = IntegerConvolution(
        rows: rows, of: quantized, rowStride: rowStride, inputZeroPoint: 0, output: y, weights: form, packed: weights.packed,
        parameters: weights.parameters, hasRealBias: true, result: .real(activation))
      product.rows = (scales, zeroPoints)
      node.emit(
        "\(name) \(y.shape) k \(depth)", flops: product.operations, work: .integerProduct,
        product.kernel(scratch: node.workerScratch(byteCount: product.scratchByteCount)))
    }
    node.finish(0, from: y)
  }

  /// The rows of `x` as int8, their scales and their zero points. Products of the same rows share them.
  /// - Parameter arrangedFor: weights in place, for which the rows are arranged.
  private func quantizedRows(
    _ x: TensorView, rows: Int, rowStride: Int, _ node: NodePlan, arrangedFor nibbles: NibbleWeights? = nil
  ) -> (rows: TensorView, scales: TensorView, zeroPoints: TensorView) {
    let key = RowsKey(quantization: quantization, rowStride: rowStride, isArranged: nibbles != nil)
    let results = node.builder.derived(from: x, key) {
      let quantized = node.temporary(.int8, [rows, rowStride])
      let (scales, zeroPoints) = (node.temporary(.float32, [rows]), node.temporary(.int32, [rows]))
      node.emit(
        "quantize rows \(x.shape)", bytes: Double(x.elementCount * 5),
        IntegerPointwise.quantizeRows(
          x, rows: rows, count: depth, quantization, to: quantized, rowStride: rowStride, scales: scales, zeroPoints: zeroPoints))
      guard let nibbles else { return [quantized, scales, zeroPoints] }
      let arranged = node.temporary(.uint8, [rows, nibbles.arrangedByteCount])
      node.emit(
        "arrange rows \(x.shape)", bytes: Double(quantized.byteCount + arranged.byteCount),
        nibbles.arrangement(of: quantized, rows: rows, to: arranged))
      return [arranged, scales, zeroPoints]
    }
    return (results[0], results[1], results[2])
  }

  /// What quantised rows depend on besides the rows.
  private struct RowsKey: Hashable {
    let quantization: RowQuantization
    let rowStride: Int
    let isArranged: Bool
  }

  /// The 4-bit matrix and its scales where they lie, and its column sums; nil if they must be packed.
  private func storedNibbles(
    _ nibbles: NibbleWeights, rows: Int, _ node: NodePlan
  ) throws(OperatorError) -> (matrix: TensorView, scales: TensorView, sums: TensorView)? {
    guard nibbles.isUsedInPlace, let weight = node.constant(1), let scales = node.constant(3), weight.isStored, weight.isRowMajor,
      scales.isStored, scales.isRowMajor, NibbleWeights.readsScales(scales.type.dtype)
    else { return nil }
    let sums = try node.packed(
      [weight, scales], layout: "4-bit column sums", parameters: [nibbles.depth, nibbles.columns, nibbles.block],
      // In range: a list as long as the matrix has columns.
      byteCount: nibbles.columns * 4
    ) { storage in
      let (weights, factors) = (try weight.bytes(), try scales.bytes())
      unsafe nibbles.writeColumnSums(
        of: weights.pointer, scales: factors.pointer, scales.type.dtype, to: storage.pointer.assumingMemoryBound(to: Float.self))
      withExtendedLifetime((weights.owner, factors.owner)) {}
    }
    return (try node.storedNumbers(weight, rows: rows), try node.storedNumbers(scales, rows: rows), sums)
  }

  /// The int8 matrix where it lies, and its scales; nil if it must be packed.
  private func storedBytes(
    rows: Int, columns: Int, _ node: NodePlan
  ) throws(OperatorError) -> (matrix: TensorView, scales: TensorView)? {
    let matrix = IntegerMatrixInPlace(depth: depth, columns: columns)
    guard let weight = node.constant(1), weight.type.dtype == .int8, weight.isStored, weight.isRowMajor, node.constant(3) != nil,
      matrix.isPreferred(rows: rows)
    else { return nil }
    let scales = try node.parameter(3, as: .float32)
    return (try node.storedNumbers(weight, rows: rows), scales)
  }

  private func pack(_ nibbles: NibbleWeights, _ node: NodePlan) throws(OperatorError) -> TensorView {
    guard let weight = node.constant(1), let scales = try node.floats(3) else { throw .unsupported("weights that are not constant") }
    return try node.packed(
      [weight, node.constant(3)!], layout: "4-bit panels", parameters: [nibbles.depth, nibbles.columns, nibbles.block], dtype: .uint8,
      byteCount: nibbles.packedByteCount
    ) {
      let bytes = try weight.bytes()
      var numbers = [Int8](repeating: 0, count: nibbles.columns * nibbles.depth)
      for row in 0..<nibbles.columns {
        for k in 0..<nibbles.depth {
          let byte = unsafe bytes.pointer.load(
            fromByteOffset: row * weight.strides[0] + k / 2 * weight.strides[1], as: UInt8.self)
          numbers[row * nibbles.depth + k] = Int8(truncatingIfNeeded: k % 2 == 0 ? byte & 15 : byte >> 4) - 8
        }
      }
      withExtendedLifetime(bytes.owner) {}
      let storage = try TensorStorage(allocating: nibbles.packedByteCount, inLargePages: true)
      unsafe nibbles.pack(numbers, scales: scales, into: storage.pointer.assumingMemoryBound(to: UInt8.self))
      return storage
    }
  }

  /// The bias padded to a multiple of 32 elements.
  private func paddedBias(_ node: NodePlan) throws(OperatorError) -> TensorView? {
    guard let bias = try node.floats(2), let constant = node.constant(2) else { return nil }
    return try node.packed([constant], layout: "padded to 32", parameters: []) {
      let storage = TensorStorage(zeroedByteCount: (bias.count + 31) / 32 * 32 * 4)
      for (index, value) in bias.enumerated() {
        unsafe storage.pointer.storeBytes(of: value, toByteOffset: index * 4, as: Float.self)
      }
      return storage
    }
  }
}
