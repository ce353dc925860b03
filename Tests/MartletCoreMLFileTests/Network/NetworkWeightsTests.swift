import Foundation
import MartletBytes
import MartletCoreMLFile
import CoreMLMessages
import SwiftProtobuf
import Testing

/// Weights of networks are read where they lie in the file.
struct NetworkWeightsTests {
  /// An inner product with three outputs and two inputs.
  private static func model(_ change: (inout SpecInnerProductLayerParams) -> Void) -> SpecModel {
    NetworkSample.model { layer in
      layer.innerProduct.inputChannels = 2
      layer.innerProduct.outputChannels = 3
      change(&layer.innerProduct)
    }
  }

  private static let floats = model { $0.weights.floatValue = [1, 2, 3, 4, 5, 6] }

  private func weights(_ model: SpecModel) throws -> (NetworkWeights, MappedFile) {
    try weights(model.serializedBytes())
  }

  private func weights(_ bytes: [UInt8]) throws -> (NetworkWeights, MappedFile) {
    let file = MappedFile(copying: bytes, name: "test")
    let model = try CoreMLModel(specification: file.bytes, weights: nil)
    guard case .network(let network) = model.content, case .innerProduct(let product) = network.layers[0].operation else {
      throw Sample.OtherKind()
    }
    return (product.weights, file)
  }

  private func elements(_ weights: NetworkWeights) -> [UInt8] { unsafe weights.data.withUnsafeBytes { unsafe [UInt8]($0) } }

  @Test func `float32 values are a view of the file`() throws {
    let (weights, file) = try weights(Self.floats)
    #expect(weights.data.owner === file && weights.data.count == 24 && weights.elementCount == 6)
    #expect(elements(weights).suffix(8) == [0, 0, 160, 64, 0, 0, 192, 64])
    guard case .float32 = weights.encoding else { throw Sample.OtherKind() }
  }

  @Test func `float16, signed bytes and packed values keep their encoding`() throws {
    let (half, file) = try weights(Self.model { $0.weights.float16Value = Data(0..<12) })
    guard case .float16 = half.encoding else { throw Sample.OtherKind() }
    #expect(half.data.owner === file && elements(half) == Array(0..<12) && half.elementCount == 6)

    let (bytes, _) = try weights(
      Self.model {
        $0.weights.int8RawValue = Data(0..<6)
        $0.weights.quantization.numberOfBits = 8
        $0.weights.quantization.linearQuantization.scale = [0.5, 1, 2]
      })
    guard case .int8(let scales) = bytes.encoding else { throw Sample.OtherKind() }
    #expect(scales == [0.5, 1, 2] && elements(bytes) == Array(0..<6))

    // Six values of three bits take 18 bits.
    let (packed, _) = try weights(
      Self.model {
        $0.weights.rawValue = Data([1, 2, 3])
        $0.weights.quantization.numberOfBits = 3
        $0.weights.quantization.lookupTableQuantization.floatValue = [0, 1, 2, 3, 4, 5, 6, 7]
      })
    guard case .quantized(bitCount: 3, .table(let table)) = packed.encoding else { throw Sample.OtherKind() }
    #expect(table == [0, 1, 2, 3, 4, 5, 6, 7] && elements(packed) == [1, 2, 3] && packed.elementCount == 6)
  }

  /// Other writers may split a list of numbers, or store each with a key of its own.
  @Test func `lists in pieces are joined`() throws {
    let packed = serializedField(1, [0, 0, 128, 63, 0, 0, 0, 64])
    let single: [UInt8] = [13, 0, 0, 64, 64]
    let values = packed + serializedField(1, []) + single + single + serializedField(1, [0, 0, 128, 64, 0, 0, 160, 64])
    let product = [8, 2, 16, 3] + serializedField(20, values)
    let layer = serializedField(2, [120]) + serializedField(3, [121]) + serializedField(140, product)
    let (weights, _) = try weights(NetworkSample.serialized(serializedField(1, layer)))
    let floats = unsafe weights.data.withUnsafeBytes { bytes in
      (0..<6).map { Float(bitPattern: unsafe bytes.loadUnaligned(fromByteOffset: 4 * $0, as: UInt32.self)) }
    }
    #expect(floats == [1, 2, 3, 3, 4, 5])
  }

  @Test func `values that do not match their declaration are refused`() {
    Sample.expect("weights: have 5 values instead of 6", Self.floats) { $0.product.weights.floatValue.removeLast() }
    Sample.expect("weights: have no values", Self.floats) { $0.product.weights.floatValue = [] }
    Sample.expect("more than one encoding", Self.floats) { $0.product.weights.float16Value = Data(count: 12) }
    Sample.expect("11 bytes are no whole number of float16 values", Self.floats) {
      $0.product.weights = SpecWeightParams()
      $0.product.weights.float16Value = Data(count: 11)
    }
    Sample.expect("a table of 3 entries does not match values of 2 bits", Self.floats) {
      $0.product.weights = SpecWeightParams()
      $0.product.weights.rawValue = Data(count: 2)
      $0.product.weights.quantization.numberOfBits = 2
      $0.product.weights.quantization.lookupTableQuantization.floatValue = [1, 2, 3]
    }
    Sample.expect("values of 9 bits are not supported", Self.floats) {
      $0.product.weights = SpecWeightParams()
      $0.product.weights.rawValue = Data(count: 7)
      $0.product.weights.quantization.numberOfBits = 9
    }
    Sample.expect("neither a scale nor a table", Self.floats) {
      $0.product.weights = SpecWeightParams()
      $0.product.weights.rawValue = Data(count: 6)
      $0.product.weights.quantization.numberOfBits = 8
    }
    Sample.expect("the scale has 2 entries for 3 channels", Self.floats) {
      $0.product.weights = SpecWeightParams()
      $0.product.weights.rawValue = Data(count: 6)
      $0.product.weights.quantization.numberOfBits = 8
      $0.product.weights.quantization.linearQuantization.scale = [1, 2]
    }
    Sample.expect("have 6 values instead of more than", Self.floats) {
      $0.product.inputChannels = 1 << 40
      $0.product.outputChannels = 1 << 40
    }
    Sample.expect("bias: have no values", Self.floats) { $0.product.hasBias_p = true }
  }

  /// The paths on which the reader takes values out of the file are those of the format: a field that it missed would be copied.
  @Test func `every field with weights is known`() throws {
    let paths = try FormatFields().pathsToWeights()
    #expect(paths.count > 60)
    // Weights inside branches and loops.
    for path in paths + [[605, 1, 1, 140, 20], [605, 2, 1, 140, 20], [615, 3, 1, 140, 20], [615, 4, 1, 140, 20]] {
      // The error shows that the reader looked inside the message.
      let weights = serializedField(2, [1, 2]) + serializedField(30, [7])
      let layer = path.reversed().reduce(weights) { serializedField($1, $0) }
      for network in [303, 403, 500] {
        let model = try NetworkSample.serialized(serializedField(1, layer), as: network)
        let error = #expect(throws: FileError.self, "fields \(path)") { try self.weights(model) }
        #expect(error?.reason.contains("more than one encoding") == true, "fields \(path)")
      }
    }
  }
}
