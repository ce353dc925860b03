import MartletGraph
import MartletKernels
package import MartletTensor
package import MartletVocabulary

/// Output format of a quantised operator with exact integer sums.
package enum IntegerOutput: Sendable, Hashable {
  /// Quantised to int8 with a scale, a zero point and bounds.
  case quantized(IntegerRange)
  /// Dequantised to float32, with an activation.
  case real(Activation)

  /// Largest number of products whose sum is exact.
  package static let greatestDepth = IntegerWeights.greatestDepth

  package var dtype: DType {
    switch self {
    case .quantized: .int8
    case .real: .float32
    }
  }

  var result: IntegerResult {
    switch self {
    case .quantized(let range): .quantized(zeroPoint: range.zeroPoint, lowest: range.lowest, highest: range.highest)
    case .real(let activation): .real(activation)
    }
  }

  /// Scale of the results.
  var scale: Float {
    switch self {
    case .quantized(let range): range.scale
    case .real: 1
    }
  }
}

extension IntegerRange: CustomStringConvertible {
  package var description: String { "\(scale) at \(zeroPoint) in \(lowest)...\(highest)" }
}

extension NodePlan {
  /// The elements of a constant floating-point operand in row-major order, as float32; nil if the operand is absent.
  func floats(_ index: Int) throws(OperatorError) -> [Float]? {
    guard has(index) else { return nil }
    guard let constant = constant(index), constant.type.dtype.isFloatingPoint else {
      throw .unsupported("operand \(index) is not a floating-point constant")
    }
    do {
      return try constant.floats()
    } catch {
      throw .invalid("constant operand \(index) cannot be read: \(error)")
    }
  }

  /// Packs the constant int8 weights in operand 1 for `form`, and computes the column parameters from the scales in operand 3 and the
  /// bias in operand 2.
  func integerWeights(
    _ form: IntegerWeights, inputScale: Float, output: IntegerOutput
  ) throws(OperatorError) -> (packed: TensorView, parameters: TensorView, hasRealBias: Bool) {
    guard let weight = constant(1), weight.type.dtype == .int8 else { throw .unsupported("weights that are not an int8 constant") }
    let strides = form.strides
    let packed = try packed(
      [weight], layout: "int8 parts of panels",
      parameters: [
        form.groups, form.outputChannels, form.inputChannels, form.kernel.height, form.kernel.width, strides.output, strides.input,
        strides.y, strides.x, form.offset, form.isBlank ? 1 : 0, form.depthTaps?.count ?? 0, form.depthTaps?.stride ?? 0,
        form.isWinograd ? 1 : 0,
      ], dtype: .int8, byteCount: form.packedByteCount
    ) { storage in
      let bytes = try weight.bytes()
      unsafe form.pack(bytes.pointer.assumingMemoryBound(to: Int8.self), into: storage.pointer.assumingMemoryBound(to: Int8.self))
      withExtendedLifetime(bytes.owner) {}
    }
    guard let scales = try floats(3) else { throw .invalid("weights without scales") }
    let columns = IntegerParameters(
      // In range: the channels of a weight.
      inputScale: inputScale, weightScales: scales, bias: try floats(2), channels: form.groups * form.outputChannels,
      outputScale: output.scale, result: output.result)
    let sources = [constant(3)!] + (has(2) ? [constant(2)!] : [])
    let bits = [Int(widening: inputScale.bitPattern), Int(widening: output.scale.bitPattern)]
    let isReal = if case .real = output { 1 } else { 0 }
    let parameters = try self.packed(
      sources, layout: "int8 columns",
      parameters: bits + [isReal, form.groups, form.outputChannels, form.isDepthwise ? 1 : 0, has(2) ? 1 : 0]
    ) {
      let storage = try TensorStorage(allocating: IntegerParameters.byteCount(form), inLargePages: true)
      unsafe columns.pack(form, into: storage.pointer)
      return storage
    }
    return (packed, parameters, columns.hasRealBias)
  }
}

extension Constant {
  /// The elements as float32 in row-major order.
  func floats() throws -> [Float] {
    let bytes = try bytes()
    defer { withExtendedLifetime(bytes.owner) {} }
    if type.dtype == .float32, isRowMajor, unsafe Int(bitPattern: bytes.pointer) % MemoryLayout<Float>.alignment == 0 {
      return unsafe Array(UnsafeBufferPointer(start: bytes.pointer.assumingMemoryBound(to: Float.self), count: type.elementCount))
    }
    var numbers = [Float](repeating: 0, count: type.elementCount)
    unsafe numbers.withUnsafeMutableBytes { target in
      guard let start = target.baseAddress else { return }
      unsafe StridedCopy.copy(from: bytes.pointer, type, strides: strides, to: start, as: .float32)
    }
    return numbers
  }
}
