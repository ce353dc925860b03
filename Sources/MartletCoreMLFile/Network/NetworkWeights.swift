package import MartletBytes
import MartletTensor

/// Weights of a layer, where they lie in the file. Values are little-endian and need not be aligned.
package final class NetworkWeights: Sendable {
  package enum Encoding: Sendable {
    case float32, float16
    /// Packed values of 1 to 8 bits, the most significant bits of each byte first.
    case quantized(bitCount: Int, Quantization)
    /// Signed bytes, of which each is to be multiplied with the scale of its output channel.
    case int8(scales: [Float])
  }

  package enum Quantization: Sendable {
    /// `value * scale + bias`, with one scale and bias, or one per output channel.
    case linear(scales: [Float], biases: [Float])
    /// A table with an entry for each value.
    case table([Float])
  }

  package let encoding: Encoding
  package let elementCount: Int
  package let data: ByteView
  /// True if training may change the weights.
  package let isUpdatable: Bool
  /// Position among all weights of the model's specification, which identifies them; nil for weights elsewhere.
  package let position: Int?

  init(encoding: Encoding, elementCount: Int, data: ByteView, isUpdatable: Bool, position: Int?) {
    self.encoding = encoding
    self.elementCount = elementCount
    self.data = data
    self.isUpdatable = isUpdatable
    self.position = position
  }
}

extension NetworkReader {
  /// The weights of a field.
  /// - Parameters:
  ///   - count: number of elements; nil for any.
  ///   - channels: number of output channels, which may have quantisation parameters of their own.
  /// - Throws: `FileError` if the values have another number or an encoding that is not one of the format.
  func weights(_ weights: SpecWeightParams, _ field: String, count: Extent?, channels: Extent = 1) throws(FileError) -> NetworkWeights {
    guard let position = outline.position(weights.rawValue) else { throw error(field, "have no values") }
    let values = outline.values[position]
    let quantization = weights.quantization
    func quantizationScales(_ scales: [Float], _ name: String) throws(FileError) -> [Float] {
      guard scales.count == 1 || Extent(scales.count) == channels else {
        throw error(field, "\(name) has \(scales.count) entries for \(channels) channels")
      }
      return scales
    }
    let encoding: NetworkWeights.Encoding
    let data: ByteView
    let elementCount: Int
    switch values {
    case .float32(let view):
      (encoding, data, elementCount) = (.float32, view, view.count / 4)
      guard view.count % 4 == 0 else { throw error(field, "\(view.count) bytes are no whole number of float32 values") }
    case .float16(let view):
      (encoding, data, elementCount) = (.float16, view, view.count / 2)
      guard view.count % 2 == 0 else { throw error(field, "\(view.count) bytes are no whole number of float16 values") }
    case .int8(let view):
      guard case .linearQuantization(let linear)? = quantization.quantizationType, quantization.numberOfBits == 8, linear.bias.isEmpty
      else {
        throw error(field, "int8 values need a linear quantisation of 8 bits without bias")
      }
      (encoding, data, elementCount) = (.int8(scales: try quantizationScales(linear.scale, "the scale")), view, view.count)
    case .packed(let view):
      guard let count, let elements = count.value, let bitCount = Int(exactly: quantization.numberOfBits), (1...8).contains(bitCount) else {
        throw error(field, "values of \(quantization.numberOfBits) bits are not supported")
      }
      guard (count * bitCount).dividedRoundingUp(by: 8) == Extent(view.count) else {
        throw error(field, "\(view.count) bytes do not hold \(count) values of \(bitCount) bits")
      }
      (data, elementCount) = (view, elements)
      switch quantization.quantizationType {
      case .linearQuantization(let linear)?:
        let biases = linear.bias.isEmpty ? [] : try quantizationScales(linear.bias, "the bias")
        encoding = .quantized(bitCount: bitCount, .linear(scales: try quantizationScales(linear.scale, "the scale"), biases: biases))
      case .lookupTableQuantization(let table)?:
        guard table.floatValue.count == 1 << bitCount else {
          throw error(field, "a table of \(table.floatValue.count) entries does not match values of \(bitCount) bits")
        }
        encoding = .quantized(bitCount: bitCount, .table(table.floatValue))
      case nil: throw error(field, "quantised values have neither a scale nor a table")
      }
    }
    if let count, Extent(elementCount) != count { throw error(field, "have \(elementCount) values instead of \(count)") }
    return NetworkWeights(encoding: encoding, elementCount: elementCount, data: data, isUpdatable: weights.isUpdatable, position: position)
  }
}
