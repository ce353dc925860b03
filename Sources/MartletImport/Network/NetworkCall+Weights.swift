import MartletBytes
import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor

/// Weights of layers as constants, which keep the precision and the place that they have in the file.
extension NetworkCall {
  /// The weights as a float32 value of this shape, which has their number of elements.
  ///
  /// - Parameters:
  ///   - outputAxis: the axis of the output channels, whose scales and biases quantised weights may have.
  func weights(_ weights: NetworkWeights, shape: [Int], outputAxis: Int = 0) throws -> ValueID {
    if let changing = importer.changingWeights {
      if let value = try changing.value(of: weights, shape: shape, in: self) { return value }
    }
    return builder.addConstant(try constant(weights, shape: shape, outputAxis: outputAxis))
  }

  func constant(_ weights: NetworkWeights, shape: [Int], outputAxis: Int = 0) throws(CallError) -> Constant {
    guard Extent.product(shape).value == weights.elementCount else {
      throw CallError("\(weights.elementCount) weights do not have the shape \(shape)")
    }
    switch weights.encoding {
    case .float32: return try stored(weights, .float32, shape)
    case .float16:
      let half = try stored(weights, .float16, shape)
      return try compressed { () throws(OperatorError) in try CompressedConstant.cast(half, to: .float32) }
    case .int8(let scales):
      return try scaled(try stored(weights, .int8, shape), scales: scales, biases: [], axis: outputAxis)
    case .quantized(let bits, .linear(let scales, let biases)):
      return try scaled(try indices(weights, bits: bits, shape: shape), scales: scales, biases: biases, axis: outputAxis)
    case .quantized(let bits, .table(let entries)):
      let indices = try indices(weights, bits: bits, shape: shape)
      let table = Constant(entries, shape: shape.map { _ in 1 } + [entries.count, 1])
      return try compressed { () throws(OperatorError) in try CompressedConstant.lookedUp(indices, table: table, vectorAxis: nil) }
    }
  }

  /// Weights that integer kernels can multiply, and their scale as a matrix of one element; nil for other weights.
  func int8Weights(_ weights: NetworkWeights, shape: [Int]) throws -> (weights: ValueID, scale: ValueID)? {
    guard case .int8(let scales) = weights.encoding, scales.count == 1,
      shape.allSatisfy({ (1...IntegerOutput.greatestDepth).contains($0) }), Extent.product(shape).value == weights.elementCount
    else { return nil }
    return (builder.addConstant(try stored(weights, .int8, shape)), builder.addConstant(Constant(scales, shape: [1, 1])))
  }

  /// One number for each channel, or the same for all, as a value that broadcasts to the channels of [C, H, W].
  func perChannel(_ weights: NetworkWeights) throws -> ValueID { try self.weights(weights, shape: [weights.elementCount, 1, 1]) }

  /// The numbers of a short list of weights.
  func numbers(_ weights: NetworkWeights) -> [Double]? {
    guard weights.elementCount <= builder.mostElements else { return nil }
    switch weights.encoding {
    case .float32:
      return (0..<weights.elementCount).compactMap { index in
        (try? weights.data.load(UInt32.self, at: index * 4)).map { Double(Float(bitPattern: $0)) }
      }
    case .float16, .int8, .quantized: return nil
    }
  }

  private func stored(_ weights: NetworkWeights, _ dtype: DType, _ shape: [Int]) throws(CallError) -> Constant {
    if weights.elementCount == 0 { return Constant(HostTensor(zeros: dtype, shape: shape)) }
    return try builder.constants.constant(
      weights.data, type: TensorType(dtype, shape), strides: Shape.contiguousStrides(shape))
  }

  private func indices(_ weights: NetworkWeights, bits: Int, shape: [Int]) throws(CallError) -> Constant {
    try unpacked(weights.data, bits: bits, isSigned: false, highBitFirst: true, shape: shape)
  }
}
