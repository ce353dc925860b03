import MartletBytes
import MartletTensor

/// A serialised model without the values of network weights, and those values where they lie in the file.
///
/// Weights make up nearly all of a network, and decoding the whole model would copy them into arrays.
struct SpecificationOutline {
  /// The values of a `WeightParams` message.
  enum Values {
    case float32(ByteView)
    case float16(ByteView)
    /// Quantised values of 1 to 8 bits each.
    case packed(ByteView)
    /// Quantised values of one signed byte each.
    case int8(ByteView)
  }

  /// The model. In each `WeightParams` message with values, `rawValue` refers to them instead; see `values(_:)`.
  private(set) var message: ByteView
  private var values: [Values] = []

  /// - Parameter specification: a `Model` message.
  /// - Throws: `FileError` if a message with weights is damaged or nested too deeply.
  init(_ specification: ByteView) throws(FileError) {
    message = specification
    guard try Self.mayHaveNetwork(specification) else { return }
    let outline = try outline(specification, .model, depth: 0)
    message = ByteView(of: MappedFile(copying: outline, name: specification.owner.path))
  }

  private static func mayHaveNetwork(_ model: ByteView) throws(FileError) -> Bool {
    var fields = ProtobufFields(model, part: "model")
    while let field = try fields.next() {
      if Message.model.parts[field.number] != nil { return true }
    }
    return false
  }

  // MARK: References

  /// The values that `rawValue` of a `WeightParams` message in `message` stands for; nil if it is empty.
  func values(_ rawValue: some Collection<UInt8>) -> Values? {
    var position = 0
    for byte in rawValue.reversed() { position = position << 8 | Int(widening: byte) }
    return rawValue.count == Self.referenceByteCount && values.indices.contains(position) ? values[position] : nil
  }

  private static let referenceByteCount = 4

  private mutating func reference(to new: Values) -> [UInt8] {
    values.append(new)
    return (0..<Self.referenceByteCount).map { UInt8(truncatingIfNeeded: (values.count - 1) >> (8 * $0)) }
  }

  // MARK: Messages

  /// The kinds of messages that contain weights.
  private enum Message {
    case model, pipelineHolder, pipeline, network, layer, branch, loop, weights
    case activation, parametricReLU, parametricSoftplus
    case convolution, convolution3D, product, batchedProduct, batchNorm, layerNorm, scale, bias, constant, custom
    case recurrent, gru, lstm, gates

    /// The fields that contain such messages.
    var parts: [Int: Message] {
      switch self {
      case .model: [200: .pipelineHolder, 201: .pipelineHolder, 202: .pipeline, 303: .network, 403: .network, 500: .network]
      case .pipelineHolder: [1: .pipeline]
      case .pipeline: [1: .model]
      case .network: [1: .layer]
      case .layer:
        [
          100: .convolution, 130: .activation, 140: .product, 150: .product, 160: .batchNorm, 245: .scale, 250: .bias, 290: .constant,
          400: .recurrent, 410: .gru, 420: .lstm, 430: .lstm, 500: .custom, 605: .branch, 615: .loop, 1040: .product,
          1045: .batchedProduct, 1070: .constant, 1350: .layerNorm, 1471: .convolution3D,
        ]
      case .branch: [1: .network, 2: .network]
      case .loop: [3: .network, 4: .network]
      case .activation: [25: .parametricReLU, 71: .parametricSoftplus]
      case .parametricReLU: Self.weights(in: [1])
      case .parametricSoftplus: Self.weights(in: [1, 2])
      case .convolution: Self.weights(in: [90, 91])
      case .convolution3D: Self.weights(in: [60, 61])
      case .product: Self.weights(in: [20, 21])
      case .batchedProduct: Self.weights(in: [8, 9])
      case .batchNorm: Self.weights(in: [15, 16, 17, 18])
      case .layerNorm: Self.weights(in: [3, 4])
      case .scale: Self.weights(in: [2, 5])
      case .bias, .constant: Self.weights(in: [2])
      case .custom: Self.weights(in: [20])
      case .recurrent: Self.weights(in: [30, 31, 32]).merging([10: .activation]) { $1 }
      case .gru: Self.weights(in: [30, 31, 32, 50, 51, 52, 70, 71, 72]).merging([10: .activation]) { $1 }
      case .lstm: [10: .activation, 11: .activation, 20: .gates]
      case .gates: Self.weights(in: [1, 2, 3, 4, 20, 21, 22, 23, 40, 41, 42, 43, 60, 61, 62])
      case .weights: [:]
      }
    }

    private static func weights(in fields: [Int]) -> [Int: Message] { Dictionary(uniqueKeysWithValues: fields.map { ($0, .weights) }) }
  }

  /// Maximum nesting depth of messages, as when decoding.
  private static let maximumDepth = 100

  private mutating func outline(_ bytes: ByteView, _ message: Message, depth: Int) throws(FileError) -> [UInt8] {
    guard depth <= Self.maximumDepth else { throw bytes.error(field: "model", "is nested too deeply") }
    if case .weights = message { return try outlineWeights(bytes) }
    let parts = message.parts
    var writer = ProtobufWriter()
    var fields = ProtobufFields(bytes, part: "model")
    while let field = try fields.next() {
      if let part = parts[field.number], case .bytes(let content) = field.payload {
        writer.append(try outline(content, part, depth: depth + 1), as: field.number)
      } else {
        writer.append(field.stored)
      }
    }
    return writer.bytes
  }

  /// Of lists of numbers all pieces count, of bytes the last ones, as for every decoder.
  private mutating func outlineWeights(_ bytes: ByteView) throws(FileError) -> [UInt8] {
    var writer = ProtobufWriter()
    var floats: [ByteView] = []
    var found: [Int: ByteView] = [:]
    var fields = ProtobufFields(bytes, part: "weights")
    while let field = try fields.next() {
      switch (field.number, field.payload) {
      case (1, .bytes(let content)): floats.append(content)
      case (1, .fixed32): floats.append(try field.stored.suffix(from: field.stored.count - 4))
      case (2, .bytes(let content)), (30, .bytes(let content)), (31, .bytes(let content)): found[field.number] = content
      case (40, _), (50, _): writer.append(field.stored)
      default: break
      }
    }
    floats.removeAll(where: \.isEmpty)
    let lists = (floats.isEmpty ? 0 : 1) + found.values.count { !$0.isEmpty }
    guard lists <= 1 else { throw bytes.error(field: "weights", "have values in more than one encoding") }
    if let only = floats.first {
      writer.append(reference(to: .float32(floats.count == 1 ? only : Self.joined(floats))), as: 30)
    } else if let (number, content) = found.first(where: { !$0.value.isEmpty }) {
      writer.append(reference(to: number == 2 ? .float16(content) : number == 30 ? .packed(content) : .int8(content)), as: 30)
    }
    return writer.bytes
  }

  private static func joined(_ pieces: [ByteView]) -> ByteView {
    var bytes: [UInt8] = []
    for piece in pieces { unsafe piece.withUnsafeBytes { unsafe bytes.append(contentsOf: $0) } }
    return ByteView(of: MappedFile(copying: bytes, name: pieces[0].owner.path))
  }
}
