import MartletGraph
import MartletKernels
package import MartletTensor
import MartletVocabulary

/// Affine quantisation: `q = clamp(round(x / scale) + zeroPoint)`, `x = (q - zeroPoint) * scale`.
package struct QuantizationParameters: Sendable, Hashable {
  package var scale: Double
  package var zeroPoint: Int64

  package init(scale: Double, zeroPoint: Int64) {
    self.scale = scale
    self.zeroPoint = zeroPoint
  }
}

/// Quantisation as pointwise functions, so that it fuses with its neighbours.
///
/// Quantisation multiplies by the float32 reciprocal of the scale, rounds half to even, adds the zero point in float32 and clamps; NaN
/// becomes the lowest value. Dequantisation multiplies by the scale rounded to float32.
/// - Sources: `quantized_decomposed::quantize_per_*`, `dequantize_per_*`, `add.out`; MIL `quantize`, `dequantize`.
extension Pointwise {
  /// Quantises operand 0 with parameters known when planning.
  package static func quantize(
    _ parameters: QuantizationParameters, to range: ClosedRange<Int64>, from source: DType, as dtype: DType
  ) -> Pointwise {
    var program = PointwiseProgram()
    let x = program.append(.load(operand: 0, as: source == .float64 ? .float64 : .float32))
    let inverse = program.append(.literal(.double(inverse(parameters.scale, program.types[x])), as: program.types[x]))
    program.appendQuantization(
      program.append(.binary(.mul, x, inverse)), zeroPoint: zeroPoint(parameters.zeroPoint), to: range, as: dtype)
    return Pointwise(program, dtype: dtype, label: "quantize")
  }

  /// Quantises operand 0. Operand 1 holds the reciprocals of the scales and operand 2 the zero points, both float32 and broadcast; see
  /// `inverseScales` and `roundedZeroPoints`.
  package static func quantize(to range: ClosedRange<Int64>, from source: DType, as dtype: DType) -> Pointwise {
    var program = PointwiseProgram()
    let type: ComputeType = source == .float64 ? .float64 : .float32
    let x = program.append(.load(operand: 0, as: type))
    let inverse = program.append(.load(operand: 1, as: type))
    var value = program.append(.binary(.mul, x, inverse))
    if type == .float64 { value = program.append(.convert(value, to: .float32)) }
    value = program.append(.unary(.round, value))
    value = program.append(.binary(.add, value, program.append(.load(operand: 2, as: .float32))))
    program.appendClamp(value, to: range, as: dtype)
    return Pointwise(program, dtype: dtype, label: "quantize")
  }

  /// `1 / float32(scale)` for every element.
  package static var inverseScales: Pointwise {
    var program = PointwiseProgram()
    let one = program.append(.literal(.double(1), as: .float32))
    program.append(.binary(.div, one, program.append(.load(operand: 0, as: .float32))))
    return Pointwise(program, dtype: .float32, label: "inverse_scales")
  }

  /// Zero points narrowed to 32-bit integers, as float32.
  package static var roundedZeroPoints: Pointwise {
    var program = PointwiseProgram()
    let point = program.append(.narrow(program.append(.load(operand: 0, as: .int64)), .int32))
    program.append(.convert(point, to: .float32))
    return Pointwise(program, dtype: .float32, label: "zero_points")
  }

  /// Dequantises operand 0 with parameters known when planning.
  package static func dequantize(_ parameters: QuantizationParameters, from source: DType, as dtype: DType) -> Pointwise {
    var program = PointwiseProgram()
    program.appendDequantization(operand: 0, parameters, from: source)
    return Pointwise(program, dtype: dtype, label: "dequantize")
  }

  /// Dequantises operand 0. Operand 1 holds the scales and optional operand 2 integer zero points, both broadcast.
  package static func dequantize(hasZeroPoints: Bool, from source: DType, as dtype: DType) -> Pointwise {
    var program = PointwiseProgram()
    let type: ComputeType = source.byteCount <= 2 ? .float32 : .int64
    var value = program.append(.load(operand: 0, as: type))
    if hasZeroPoints { value = program.append(.binary(.sub, value, program.append(.load(operand: 2, as: type)))) }
    if type == .int64 { value = program.append(.convert(value, to: .float32)) }
    program.append(.binary(.mul, value, program.append(.load(operand: 1, as: .float32))))
    return Pointwise(program, dtype: dtype, label: "dequantize")
  }

  /// The quantised sum of two quantised operands.
  package static func quantizedAdd(
    _ a: QuantizationParameters, _ b: QuantizationParameters, result: QuantizationParameters, to range: ClosedRange<Int64>,
    dtype: DType
  ) -> Pointwise {
    var program = PointwiseProgram()
    let x = program.appendDequantization(operand: 0, a, from: dtype)
    let y = program.appendDequantization(operand: 1, b, from: dtype)
    let sum = program.append(.binary(.add, x, y))
    let inverse = program.append(.literal(.double(inverse(result.scale, .float32)), as: .float32))
    program.appendQuantization(
      program.append(.binary(.mul, sum, inverse)), zeroPoint: zeroPoint(result.zeroPoint), to: range, as: dtype)
    return Pointwise(program, dtype: dtype, label: "quantized_add")
  }

  /// The reciprocal of a float32 scale. A float32 program rounds the literal itself, to the same value as a float32 division; keeping the
  /// unrounded literal lets the exact scale be recovered from it.
  private static func inverse(_ scale: Double, _ type: ComputeType) -> Double {
    type == .float32 ? 1 / Double(Float(scale)) : Double(1 / Float(scale))
  }

  private static func zeroPoint(_ value: Int64) -> Double { Double(Float(Int32(truncatingIfNeeded: value))) }
}

extension PointwiseProgram {
  /// Appends `(x - zeroPoint) * scale`, computed in float32 from an integer operand.
  @discardableResult
  fileprivate mutating func appendDequantization(operand: Int, _ parameters: QuantizationParameters, from source: DType) -> Int {
    let point = Int64(widening: Int32(truncatingIfNeeded: parameters.zeroPoint))
    // Differences of narrow integers are exact in float32.
    let type: ComputeType = source.byteCount <= 2 && abs(point) < 1 << 22 ? .float32 : .int64
    var value = append(.load(operand: operand, as: type))
    if point != 0 { value = append(.binary(.sub, value, append(.literal(.int(point), as: type)))) }
    if type == .int64 { value = append(.convert(value, to: .float32)) }
    return append(.binary(.mul, value, append(.literal(.double(parameters.scale), as: .float32))))
  }

  /// Appends rounding of a scaled value, addition of the zero point, and clamping to a range.
  fileprivate mutating func appendQuantization(
    _ steps: Int, zeroPoint: Double, to range: ClosedRange<Int64>, as dtype: DType
  ) {
    var value = types[steps] == .float64 ? append(.convert(steps, to: .float32)) : steps
    value = append(.unary(.round, value))
    if zeroPoint != 0 { value = append(.binary(.add, value, append(.literal(.double(zeroPoint), as: .float32)))) }
    appendClamp(value, to: range, as: dtype)
  }

  /// Appends clamping of an integral float32 value to a range; NaN becomes the lower bound.
  fileprivate mutating func appendClamp(_ value: Int, to range: ClosedRange<Int64>, as dtype: DType) {
    let isNarrow = dtype.byteCount <= 2
    let low = isNarrow ? Double(range.lowerBound) : -0x1p62
    let high = isNarrow ? Double(range.upperBound) : 0x1p62
    var result = append(.binary(.fmax, value, append(.literal(.double(low), as: .float32))))
    result = append(.binary(.fmin, result, append(.literal(.double(high), as: .float32))))
    if isNarrow { return }
    // The bounds of wide integers are not representable in float32.
    result = append(.convert(result, to: .int64))
    result = append(.binary(.maximum, result, append(.literal(.int(range.lowerBound), as: .int64))))
    append(.binary(.minimum, result, append(.literal(.int(range.upperBound), as: .int64))))
  }
}
