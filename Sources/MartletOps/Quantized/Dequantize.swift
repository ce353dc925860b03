package import MartletGraph
import MartletKernels
package import MartletTensor

/// Real numbers of a tensor that is stored as integers: `(stored - zeroPoint) * scale`.
///
/// Weights that a file holds as integers are constants behind this operator until the passes are done: patterns with integer
/// kernels find them by `QuantizedWeight`. What is left becomes a constant that is computed when it is packed.
/// - Operands: `stored`; `scales`, which hold for blocks: of the result's rank, each extent dividing the result's, so that
///   one scale per channel has the channels' extent on their axis and 1 elsewhere; optional `zeroPoints` of the shape of
///   `scales`.
/// - Shapes: the result has the shape of `stored`, or with `storage` `.nibbles(n)` the last extent `n` where `stored` has
///   `(n + 1) / 2` bytes.
/// - DTypes: `stored` int8, uint8, int16, uint16, int32; for nibbles uint8. The result is of a floating-point type.
/// - Accuracy: differences are exact, and rounded once to float32 before the product.
/// - Sources: constants of XNNPACK payloads; `quantized_decomposed::dequantize_per_*` on constants; MIL
///   `constexpr_blockwise_shift_scale`, `constexpr_affine_dequantize`.
package struct Dequantize: PlannedOperator {
  /// How integers lie in the operand.
  package enum Storage: Sendable, Hashable {
    case elements
    /// Two numbers from 0 to 15 in a byte, the even one of a row in the low half; rows of `lastExtent` start at whole bytes.
    case nibbles(lastExtent: Int)
  }

  package var storage: Storage
  /// Of all elements; operand 2 comes on top.
  package var zeroPoint: Int32
  /// Of the result.
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
      guard stored.dtype == .uint8, let last = shape.last, extent >= 0, extent < Int.max, last == (extent + 1) / 2 else {
        throw .invalid("\(stored) does not hold rows of \(extent) 4-bit numbers")
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

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.staging(0, as: .float32)
    let kernel = DequantizeKernel(
      stored: node.contiguous(0), isNibbles: storage != .elements, scales: try node.parameter(1, as: .float32),
      zeroPoints: node.has(2) ? try node.parameter(2, as: .int32) : nil, zeroPoint: zeroPoint, output: output)
    node.emit("dequantize \(output.shape)", kernel.kernel())
    node.finish(0, from: output)
  }
}
