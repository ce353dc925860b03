import MartletBytes
import MartletTensor

/// A serialised model without the values of network weights and the nodes of trees, and these where they lie in the file.
///
/// Weights make up nearly all of a network, and nodes nearly all of a forest. Decoding the whole model would copy them into arrays and messages.
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
  /// In the order of the references in `message`.
  private(set) var values: [Values] = []

  /// Messages with the nodes of trees, in the order of the references in `message`: the only node of an ensemble there has the position in
  /// this list as its tree.
  private(set) var trees: [Trees] = []

  /// The nodes of an ensemble.
  enum Trees {
    /// A `TreeEnsembleParameters` message.
    case nodes(ByteView)
    case packed(PackedTrees, columnCount: Int)
  }

  /// Large parts of the parameters of classic models in a compiled form, whose messages lack them, by the positions of the model in nested
  /// pipelines.
  private(set) var tables: [[Int]: StoredTables] = [:]

  /// An outline that was stored.
  init(message: ByteView, values: [Values], trees: [Trees], tables: [[Int]: StoredTables] = [:]) {
    self.message = message
    self.values = values
    self.trees = trees
    self.tables = tables
  }

  /// - Parameter specification: a `Model` message.
  /// - Throws: `FileError` if a message with weights is damaged or nested too deeply.
  init(_ specification: ByteView) throws(FileError) {
    message = specification
    guard try Self.hasLargeParts(specification, .model, depth: 0) else { return }
    let outline = try Self.rewritten(specification, .model, depth: 0) { part, bytes throws(FileError) in
      switch part {
      case .weights: try outlineWeights(bytes)
      case .trees: try outlineTrees(bytes)
      default: nil
      }
    }
    message = ByteView(of: MappedFile(copying: outline, name: specification.owner.path))
  }

  /// True if a model, or one of a pipeline, is a network or has trees. Other models are decoded where they lie.
  private static func hasLargeParts(_ bytes: ByteView, _ message: Message, depth: Int) throws(FileError) -> Bool {
    guard depth <= maximumDepth else { throw bytes.error(field: "model", "is nested too deeply") }
    var fields = ProtobufFields(bytes, part: "model")
    while let field = try fields.next() {
      guard let part = message.part(field.number), case .bytes(let content) = field.payload else { continue }
      switch part {
      case .network, .trees: return true
      default: break
      }
      if try hasLargeParts(content, part, depth: depth + 1) { return true }
    }
    return false
  }

  // MARK: References

  /// The position of the values that `rawValue` of a `WeightParams` message in `message` stands for; nil if it is empty.
  func position(_ rawValue: some Collection<UInt8>) -> Int? {
    var position = 0
    for byte in rawValue.reversed() { position = position << 8 | Int(widening: byte) }
    return rawValue.count == Self.referenceByteCount && values.indices.contains(position) ? position : nil
  }

  /// What a node with this tree in `message` stands for.
  func trees(of reference: UInt64) -> Trees? {
    guard let position = Int(exactly: reference), trees.indices.contains(position) else { return nil }
    return trees[position]
  }

  private static let referenceByteCount = 4

  private mutating func reference(to new: Values) -> [UInt8] {
    values.append(new)
    return (0..<Self.referenceByteCount).map { UInt8(truncatingIfNeeded: (values.count - 1) >> (8 * $0)) }
  }

  // MARK: Messages

  /// The kinds of messages that contain weights.
  private enum Message {
    case model, pipelineHolder, pipeline, treeModel, trees, network, layer, branch, loop, weights
    case activation, parametricActivation
    case convolution, convolution3D, product, batchedProduct, batchNorm, layerNorm, scale, constant, custom
    case recurrent, gru, lstm, gates

    /// The kind of message that a field contains; nil for a field without weights.
    func part(_ field: Int) -> Message? {
      switch (self, field) {
      case (.model, 303), (.model, 403), (.model, 500): .network
      case (.model, 200), (.model, 201): .pipelineHolder
      case (.model, 202), (.pipelineHolder, 1): .pipeline
      case (.pipeline, 1): .model
      case (.model, 302), (.model, 402): .treeModel
      case (.treeModel, 1): .trees
      case (.network, 1): .layer
      case (.layer, 100): .convolution
      case (.layer, 130): .activation
      case (.layer, 140), (.layer, 150), (.layer, 1040): .product
      case (.layer, 160): .batchNorm
      case (.layer, 245): .scale
      case (.layer, 250), (.layer, 290), (.layer, 1070): .constant
      case (.layer, 400): .recurrent
      case (.layer, 410): .gru
      case (.layer, 420), (.layer, 430): .lstm
      case (.layer, 500): .custom
      case (.layer, 605): .branch
      case (.layer, 615): .loop
      case (.layer, 1045): .batchedProduct
      case (.layer, 1350): .layerNorm
      case (.layer, 1471): .convolution3D
      case (.branch, 1...2), (.loop, 3...4): .network
      case (.activation, 25), (.activation, 71): .parametricActivation
      case (.recurrent, 10), (.gru, 10), (.lstm, 10...11): .activation
      case (.lstm, 20): .gates
      case (.parametricActivation, 1...2), (.convolution, 90...91), (.convolution3D, 60...61), (.product, 20...21),
        (.batchedProduct, 8...9), (.batchNorm, 15...18), (.layerNorm, 3...4), (.scale, 2), (.scale, 5), (.constant, 2), (.custom, 20),
        (.recurrent, 30...32), (.gru, 30...32), (.gru, 50...52), (.gru, 70...72), (.gates, 1...4), (.gates, 20...23),
        (.gates, 40...43), (.gates, 60...62):
        .weights
      default: nil
      }
    }
  }

  /// Maximum nesting depth of messages, as when decoding.
  private static let maximumDepth = 100

  /// The message with some of the messages in it replaced.
  /// - Parameter content: the new content of a message; nil to rewrite the messages in it.
  private static func rewritten(
    _ bytes: ByteView, _ message: Message, depth: Int, content: (Message, ByteView) throws(FileError) -> [UInt8]?
  ) throws(FileError) -> [UInt8] {
    guard depth <= maximumDepth else { throw bytes.error(field: "model", "is nested too deeply") }
    if let replaced = try content(message, bytes) { return replaced }
    var writer = ProtobufWriter()
    var fields = ProtobufFields(bytes, part: "model")
    while let field = try fields.next() {
      if let part = message.part(field.number), case .bytes(let inner) = field.payload {
        writer.append(try rewritten(inner, part, depth: depth + 1, content: content), as: field.number)
      } else {
        writer.append(field.stored)
      }
    }
    return writer.bytes
  }

  /// The outline of a `TreeEnsembleParameters` message by itself, and the message without nodes.
  static func trees(in message: ByteView) throws(FileError) -> (SpecificationOutline, ByteView) {
    var outline = SpecificationOutline(message: .empty, values: [], trees: [])
    let parameters = try outline.outlineTrees(message)
    return (outline, ByteView(of: MappedFile(copying: parameters, name: message.owner.path)))
  }

  private mutating func outlineTrees(_ bytes: ByteView) throws(FileError) -> [UInt8] {
    var writer = ProtobufWriter()
    var reference: [UInt8]?
    var fields = ProtobufScanner(bytes)
    var last = fields
    while let (number, kind) = try fields.next() {
      try fields.skip(kind)
      if number == 1, kind == .bytes {
        if reference == nil { reference = ProtobufWriter.message(number: 1, varint: UInt64(clamping: trees.count)) }
      } else {
        writer.append(last.content(upTo: fields))
      }
      fields.releaseRead()
      last = fields
    }
    if let reference {
      writer.append(reference, as: 1)
      trees.append(.nodes(bytes))
    }
    return writer.bytes
  }

  /// Joins the pieces of a list of numbers. Of repeated bytes the last ones win, as in any decoder.
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
      writer.append(reference(to: .float32(floats.count == 1 ? only : ByteView(joining: floats))), as: 30)
    } else if let (number, content) = found.first(where: { !$0.value.isEmpty }) {
      writer.append(reference(to: number == 2 ? .float16(content) : number == 30 ? .packed(content) : .int8(content)), as: 30)
    }
    return writer.bytes
  }

  // MARK: Changed models

  /// A serialised model with other values for some weights and everything else as it is.
  ///
  /// - Parameter changed: float32 values, little-endian, by the position of the weights.
  static func replacing(_ changed: [Int: [UInt8]], in specification: ByteView) throws(FileError) -> [UInt8] {
    var counter = SpecificationOutline(message: specification, values: [], trees: [])
    return try rewritten(specification, .model, depth: 0) { part, bytes throws(FileError) -> [UInt8]? in
      var writer = ProtobufWriter()
      switch part {
      case .weights: break
      case .trees:
        writer.append(bytes)
        return writer.bytes
      default: return nil
      }
      let position = counter.values.count
      _ = try counter.outlineWeights(bytes)
      guard counter.values.count > position, let values = changed[position] else {
        writer.append(bytes)
        return writer.bytes
      }
      writer.append(values, as: 1)
      var fields = ProtobufFields(bytes, part: "weights")
      while let field = try fields.next() {
        if ![1, 2, 30, 31].contains(field.number) { writer.append(field.stored) }
      }
      return writer.bytes
    }
  }

  /// A serialised model with changed fields, or with those of a model in its pipelines.
  ///
  /// - Parameters:
  ///   - edits: by the numbers of the model's fields.
  ///   - path: the positions of the model in nested pipelines, outermost first; empty for the model itself.
  static func editing(
    _ edits: [Int: MessageEdit], ofModelAt path: ArraySlice<Int>, in specification: ByteView
  ) throws(FileError) -> [UInt8] {
    try editing(edits, path, specification, .model)
  }

  private static func editing(
    _ edits: [Int: MessageEdit], _ path: ArraySlice<Int>, _ bytes: ByteView, _ message: Message
  ) throws(FileError) -> [UInt8] {
    if case .model = message, path.isEmpty {
      return try MessageEdit.apply(edits, to: bytes, part: "model")
    }
    var writer = ProtobufWriter()
    var fields = ProtobufFields(bytes, part: "model")
    var member = 0
    while let field = try fields.next() {
      guard case .bytes(let inner) = field.payload, let part = message.part(field.number) else {
        writer.append(field.stored)
        continue
      }
      switch (message, part) {
      case (.model, .pipelineHolder), (.model, .pipeline), (.pipelineHolder, .pipeline):
        writer.append(try editing(edits, path, inner, part), as: field.number)
      case (.pipeline, .model):
        let isWanted = member == path.first
        member += 1
        if isWanted {
          writer.append(try editing(edits, path.dropFirst(), inner, .model), as: field.number)
        } else {
          writer.append(field.stored)
        }
      default: writer.append(field.stored)
      }
    }
    return writer.bytes
  }
}
