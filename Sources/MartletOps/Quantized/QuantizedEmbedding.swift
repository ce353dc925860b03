package import MartletGraph
import MartletKernels
package import MartletTensor
package import MartletVocabulary

/// Looks up rows of a quantised table: `y[…, :] = (table[indices[…]] - zeroPoints) * scales`.
/// - Operands: `table` [V, bytes of a row]; `scales` [V] or [V, groups]; optional `zeroPoints` with the same shape; `indices` int32 or
///   int64.
/// - DTypes: the table int8 or uint8; the result any floating-point type, computed in float32.
/// - Errors: an index out of range fails the call.
/// - Sources: `quantized_decomposed::embedding_byte`, `embedding_4bit`, `embedding_2bit`; MIL `gather` of a table that
///   `constexpr_blockwise_shift_scale` or `constexpr_affine_dequantize` decodes.
package struct QuantizedEmbedding: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("table", .weight, .eightBit), .init("scales", .parameter, .floating),
      .init("zeroPoints", .parameter, .real, isOptional: true), .init("indices", .indices, .integer),
    ], accuracy: .ulp)

  package var packing: TablePacking
  /// Dtype of the result.
  package var dtype: DType
  /// Whether negative indices count from the end; otherwise they are out of range.
  package var allowsNegative: Bool
  package var name: String { "quantized_embedding" }
  package var tableOperands: Range<Int>? { 0..<3 }

  package init(_ packing: TablePacking, dtype: DType, allowsNegative: Bool = false) {
    self.packing = packing
    self.dtype = dtype
    self.allowsNegative = allowsNegative
  }

  /// Number of elements and of scales in a row of the table.
  private func extents(_ table: TensorType, _ scales: TensorType) throws(OperatorError) -> (width: Int, groups: Int) {
    guard table.rank == 2, table.dtype == (packing == .int8 ? .int8 : .uint8) else {
      throw .invalid("\(table) is not a table of \(packing.rawValue)")
    }
    let groups = scales.rank == 2 ? scales.shape[1] : 1
    guard let width = (Extent(table.shape[1]) * packing.perByte).value, scales.rank == 1 || scales.rank == 2,
      scales.shape[0] == table.shape[0],
      width == 0 || (groups > 0 && width % groups == 0)
    else { throw .invalid("scales \(scales.shape) do not fit a table of \(table.shape) bytes") }
    return (width, groups)
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let scales = try operands.tensor(1)
    let (width, _) = try extents(try operands.tensor(0), scales)
    if let zeroPoints = operands.optionalTensor(2), zeroPoints.shape != scales.shape {
      throw .invalid("zero points \(zeroPoints.shape) do not fit scales \(scales.shape)")
    }
    let indices = try operands.tensor(3)
    guard indices.dtype.isInteger else { throw .invalid("indices of type \(indices.dtype)") }
    guard dtype.isFloatingPoint else { throw .unsupported("\(name) as \(dtype)") }
    return [.tensor(TensorType(dtype, indices.shape + [width]))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    var width: SymbolicExtent?
    if case .fixed(let bytes)? = operands.extent(0, axis: 1) { width = (Extent(bytes) * packing.perByte).value.map { .fixed($0) } }
    return operands.shape(3, appending: width)
  }

  package func packs(operand: Int) -> Bool { operand == 1 || operand == 2 }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let table = node.contiguous(0)
    let (width, groups) = try extents(table.type, node.operandType(1))
    let scales = try node.parameter(1, as: .float32)
    let zeroPoints = node.has(2) ? try node.parameter(2, as: .float32) : nil
    let indices = node.contiguous(3, as: .int64)
    let y = node.staging(0, as: .float32)
    node.emit(
      "\(name) \(y.shape)", bytes: Double(y.elementCount * 5), evenIfEmpty: true,
      QuantizedTable(packing, rows: table.shape[0], width: width, groups: groups, allowsNegative: allowsNegative).kernel(
        table: table, scales: scales, zeroPoints: zeroPoints, indices: indices, to: y))
    node.finish(0, from: y)
  }
}
