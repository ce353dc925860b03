package import MartletGraph
import MartletKernels
package import MartletTensor

/// Dequantises a tensor of integers: `(stored - zeroPoint) * scale`.
///
/// Integer weights of a file are constants behind this operator until the passes are done: patterns with integer kernels find them by
/// `QuantizedWeight`. The remaining ones become constants with a compressed form, in which products use them (`storedIntegers`); other
/// operators compute them when they are packed.
/// - Operands: `stored`; blockwise `scales` with the rank of the result, where each extent divides that of the result. Per-channel scales
///   have the extent of the channel axis there and 1 elsewhere; optional `zeroPoints` with the shape of `scales`.
/// - Shapes: the result has the shape of `stored`; with `storage` `.nibbles(n)`, the last extent is `n` where `stored` has `(n + 1) / 2`
///   bytes.
/// - DTypes: `stored` int8, uint8, int16, uint16, int32; for nibbles uint8. The result is floating point.
/// - Accuracy: differences are exact, and rounded once to float32 before the multiplication.
/// - Sources: constants of XNNPACK payloads; `quantized_decomposed::dequantize_per_*` on constants; MIL
///   `constexpr_blockwise_shift_scale`, `constexpr_affine_dequantize`.
package struct Dequantize: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("stored", .data, .stored), .init("scales", .parameter, .floating), .init("zeroPoints", .parameter, .real, isOptional: true),
    ], accuracy: .ulp)

  /// Storage format of the integers.
  package enum Storage: Sendable, Hashable {
    case elements
    /// Two values from 0 to 15 in a byte, even positions of a row in the low half. Rows of `lastExtent` values start at byte boundaries.
    case nibbles(lastExtent: Int)
  }

  package var storage: Storage
  /// Zero point of all elements; operand 2 is subtracted in addition.
  package var zeroPoint: Int32
  /// Dtype of the result.
  package var dtype: DType
  package var name: String { "dequantize" }
  package var attributes: [(name: String, value: String)] {
    let lies = if case .nibbles(let extent) = storage { "nibbles \(extent)" } else { "elements" }
    return [("storage", lies), ("zeroPoint", "\(zeroPoint)"), ("dtype", dtype.name)]
  }

  package init(storage: Storage = .elements, zeroPoint: Int32 = 0, dtype: DType = .float32) {
    self.storage = storage
    self.zeroPoint = zeroPoint
    self.dtype = dtype
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let stored = try operands.tensor(0)
    let scales = try operands.tensor(1)
    var shape = stored.shape
    switch storage {
    case .elements:
      guard [.int8, .uint8, .int16, .uint16, .int32].contains(stored.dtype) else {
        throw .unsupported("dequantising \(stored.dtype)")
      }
    case .nibbles(let extent):
      // In range: the extent is less than the largest integer.
      guard stored.dtype == .uint8, let last = shape.last, extent >= 0, extent < Int.max, last == (extent + 1) / 2 else {
        throw .invalid("\(stored) does not hold rows of \(extent) 4-bit values")
      }
      shape[shape.count - 1] = extent
    }
    guard dtype.isFloatingPoint, scales.dtype.isFloatingPoint, scales.rank == shape.count,
      zip(shape, scales.shape).allSatisfy({ $0 == 0 || $1 > 0 && $0 % $1 == 0 })
    else { throw .invalid("scales \(scales) do not fit \(shape)") }
    if let points = operands.optionalTensor(2), points.shape != scales.shape || points.dtype.isComplex {
      throw .invalid("zero points \(points) do not fit scales \(scales)")
    }
    return [.tensor(TensorType(dtype, shape))]
  }

  package var traits: OperatorTraits { .decodesWeight }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard case .nibbles(let extent) = storage else { return operands.shape(0) }
    return operands.shape(0, replacingLast: [.fixed(extent)])
  }

  package func compression(of operands: [Constant?]) -> Constant.Compression? {
    guard let stored = operands[0], let scales = operands[1] else { return nil }
    var data = stored
    if case .nibbles(let extent) = storage {
      // Rows that end in the middle of a byte are not a stream without gaps.
      guard extent % 2 == 0, stored.isRowMajor,
        let unpacked = try? CompressedConstant.unpacked(
          stored, bits: 4, isSigned: false, shape: stored.type.shape.dropLast() + [extent])
      else { return nil }
      data = unpacked
    }
    return .blocks(data: data, scales: scales, offsets: operands.count > 2 ? operands[2] : nil, zeroPoint: zeroPoint)
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.staging(0, as: .float32)
    let kernel = DequantizeKernel(
      stored: node.contiguous(0), isNibbles: storage != .elements, scales: try node.parameter(1, as: .float32),
      zeroPoints: node.has(2) ? try node.parameter(2, as: .int32) : nil, zeroPoint: zeroPoint, output: output)
    node.emit("dequantize \(output.shape)", kernel.kernel())
    node.finish(0, from: output)
  }
}
