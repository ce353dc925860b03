import MartletBytes
import MartletFeatures
import MartletTensor

extension CoreMLModel {
  /// The content of `model.bin` for this model, which was read from `folder`; the file will be stored in the same folder.
  ///
  /// - Parameters:
  ///   - leastTableCount: number of entries from which a table of a classic model is stored beside the message; with fewer, reading the
  ///     message takes no time.
  ///   - pack: the form of trees that the engine walks.
  /// - Returns: nil for a model other than a program that was compiled by another tool.
  package func compiledForm(
    identifier: CompiledForm.Identifier, in folder: CoreMLFolder, leastTableCount: Int = 2048, pack: (TreeEnsemble) throws -> [UInt8]
  ) throws -> [UInt8]? {
    // The folder that "@model_path" stands for.
    let modelFolder = folder.hasFile("Manifest.json") ? try PackageManifest(folder).rootModel.folder : ""
    var writer = CompiledFormWriter(rootPath: folder.path)
    writer.append(.programs)
    if writer.append(self) { return writer.file(identifier, modelFolder: modelFolder) }
    guard folder.hasFile("Manifest.json") else { return nil }
    let root = try PackageManifest(folder).rootModel
    let specification = try (root.folder.isEmpty ? folder : folder.subfolder(root.folder)).open(root.name, part: "model")
    writer = CompiledFormWriter(rootPath: folder.path)
    writer.append(.specification)
    try writer.append(try SpecificationOutline(specification), tables: StoredTables.all(of: self, leastCount: leastTableCount), pack: pack)
    return writer.file(identifier, modelFolder: modelFolder)
  }
}

/// Writes `model.bin`.
///
/// Methods that many others call in loops, or that call themselves, are not inlined: copies of them within one another take long to compile.
struct CompiledFormWriter {
  /// A sequence of LEB128 integers.
  struct Numbers {
    var bytes: [UInt8] = []

    @inline(never) mutating func append(_ number: UInt64) {
      var rest = number
      while rest >= 128 {
        bytes.append(UInt8(truncatingIfNeeded: rest) | 128)
        rest >>= 7
      }
      bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    mutating func append(_ number: Int) { append(UInt64(bitPattern: Int64(widening: number))) }
  }

  /// The compiled folder. Models of a pipeline may be in subfolders.
  fileprivate let rootPath: String
  /// Path of the current model's folder relative to the compiled folder, with a trailing "/"; empty if the weights are in the root's
  /// folder.
  private var prefix = ""
  var body = Numbers()
  private var texts: [String: Int] = [:]
  private var textList: [String] = []
  private var types: [MILType: Int] = [:]
  private var typeTable = Numbers()
  private var data: [UInt8] = []

  fileprivate init(rootPath: String) { self.rootPath = rootPath }

  /// The content of the whole file.
  fileprivate mutating func file(_ identifier: CompiledForm.Identifier, modelFolder: String) -> [UInt8] {
    var structure = Numbers()
    let folder = text(modelFolder)
    structure.append(textList.count)
    for text in textList {
      structure.append(text.utf8.count)
      structure.bytes += Array(text.utf8)
    }
    structure.append(types.count)
    structure.bytes += typeTable.bytes
    structure.append(folder)
    structure.bytes += body.bytes

    let engine = Array(CompiledForm.engineVersion.utf8)
    let structureOffset = CompiledForm.headerByteCount + engine.count
    let dataOffset = (structureOffset + structure.bytes.count + 63) / 64 * 64
    var file: [UInt8] = []
    file.reserveCapacity(dataOffset + data.count)
    file += CompiledForm.magic.withUTF8Buffer { unsafe Array($0) }
    func little(_ number: some FixedWidthInteger) -> [UInt8] {
      (0..<number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
    }
    file += little(CompiledForm.formatVersion) + little(UInt32(clamping: engine.count)) + little(identifier.high) + little(identifier.low)
    for number in [structureOffset, structure.bytes.count, dataOffset, data.count] { file += little(UInt64(clamping: number)) }
    file += engine + structure.bytes
    file += [UInt8](repeating: 0, count: dataOffset - file.count)
    file += data
    return file
  }

  // MARK: Tables

  @inline(never) private mutating func text(_ text: String) -> Int {
    if let known = texts[text] { return known }
    let number = textList.count
    texts[text] = number
    textList.append(text)
    return number
  }

  /// A type refers only to earlier types.
  @inline(never) private mutating func type(_ type: MILType) -> Int {
    if let known = types[type] { return known }
    switch type {
    case .tensor(let tensor):
      typeTable.append((tensor.dimensions == nil ? CompiledForm.TypeTag.unrankedTensor : .tensor).rawValue)
      typeTable.append(dataType(tensor.dataType))
      if let dimensions = tensor.dimensions {
        typeTable.append(dimensions.count)
        for item in dimensions { appendToTypes(item) }
      }
    case .list(let element, let length):
      let element = self.type(element)
      typeTable.append(CompiledForm.TypeTag.list.rawValue)
      typeTable.append(element)
      appendToTypes(length)
    case .tuple(let elements):
      let elements = elements.map { self.type($0) }
      typeTable.append(CompiledForm.TypeTag.tuple.rawValue)
      typeTable.append(elements.count)
      for element in elements { typeTable.append(element) }
    case .dictionary(let key, let value):
      let (key, value) = (self.type(key), self.type(value))
      typeTable.append(CompiledForm.TypeTag.dictionary.rawValue)
      typeTable.append(key)
      typeTable.append(value)
    case .state(let wrapped):
      let wrapped = self.type(wrapped)
      typeTable.append(CompiledForm.TypeTag.state.rawValue)
      typeTable.append(wrapped)
    }
    types[type] = types.count
    return types.count - 1
  }

  private mutating func appendToTypes(_ dimension: MILDimension) {
    switch dimension {
    case .constant(let extent):
      typeTable.append(CompiledForm.DimensionTag.constant.rawValue)
      typeTable.append(extent)
    case .unknown(let isVariadic): typeTable.append((isVariadic ? CompiledForm.DimensionTag.variadic : .unknown).rawValue)
    }
  }

  private func dataType(_ type: MILDataType) -> Int {
    guard let number = CompiledForm.dataTypes.firstIndex(of: type) else { preconditionFailure("\(type) has no number") }
    return number
  }

  // MARK: Models

  private mutating func append(text: String) { body.append(self.text(text)) }

  private mutating func append(_ flag: Bool) { body.append(flag ? 1 : 0 as UInt64) }

  private mutating func append<Element>(_ list: [Element], _ append: (inout Self, Element) -> Void) {
    body.append(list.count)
    for element in list { append(&self, element) }
  }

  fileprivate mutating func append(_ tag: CompiledForm.ModelTag) { body.append(tag.rawValue) }

  /// Weights are aligned, so that they can be used in place.
  /// - Parameter tables: what the message is stored without.
  fileprivate mutating func append(
    _ outline: SpecificationOutline, tables: [(position: [Int], tables: StoredTables)], pack: (TreeEnsemble) throws -> [UInt8]
  ) throws {
    var message = outline.message
    for (position, _) in tables {
      let shorter = try SpecificationOutline.editing(StoredTables.removed, ofModelAt: position[...], in: message)
      message = ByteView(of: MappedFile(copying: shorter, name: message.owner.path))
    }
    append(data: message)
    append(outline.values) { writer, values in
      switch values {
      case .float32(let view): writer.append(view, .float32)
      case .float16(let view): writer.append(view, .float16)
      case .packed(let view): writer.append(view, .packed)
      case .int8(let view): writer.append(view, .int8)
      }
    }
    body.append(outline.trees.count)
    for part in outline.trees {
      guard case .nodes(let message) = part else { continue }
      // An ensemble in several pieces, which may be incomplete by themselves, stays as it is.
      guard let trees = try? TreeEnsemble(message: message) else {
        body.append(CompiledForm.TreesTag.nodes.rawValue)
        append(data: message)
        continue
      }
      body.append(CompiledForm.TreesTag.packed.rawValue)
      for count in [trees.treeCount, trees.nodeCount, trees.columnCount] { body.append(count) }
      let packed = try pack(trees)
      append(data: ByteView(of: MappedFile(copying: packed)))
    }
    append(tables) { writer, entry in
      writer.append(entry.position) { $0.body.append($1) }
      writer.append(entry.tables)
    }
  }

  private mutating func append(_ weights: ByteView, _ tag: CompiledForm.WeightTag) {
    body.append(tag.rawValue)
    append(data: weights)
  }

  private mutating func append(data view: ByteView) {
    body.append(view.count)
    append(aligned: view)
  }

  /// Appends the place of bytes, which are aligned.
  private mutating func append(aligned view: ByteView) { unsafe view.withUnsafeBytes { unsafe append(aligned: $0) } }

  mutating func append(aligned bytes: UnsafeRawBufferPointer) {
    let alignment = bytes.count < 64 ? 16 : 64
    data += [UInt8](repeating: 0, count: (alignment - data.count % alignment) % alignment)
    body.append(data.count)
    unsafe data.append(contentsOf: bytes)
  }

  /// True if the model consists of programs only.
  fileprivate mutating func append(_ model: CoreMLModel) -> Bool {
    append(text: model.kind.rawValue)
    body.append(model.specificationVersion)
    append(model.isUpdatable)
    append(model.description)
    switch model.content {
    case .program(let program):
      body.append(CompiledForm.ContentTag.program.rawValue)
      append(program)
      return true
    case .pipeline(let stages):
      body.append(CompiledForm.ContentTag.pipeline.rawValue)
      body.append(stages.count)
      for stage in stages {
        append(text: stage.name)
        let outer = prefix
        defer { prefix = outer }
        if stage.model.path.hasPrefix(rootPath + "/") { prefix = stage.model.path.dropFirst(rootPath.count + 1) + "/" }
        guard append(stage.model) else { return false }
      }
      return true
    default: return false
    }
  }

  private mutating func append(_ program: MILProgram) {
    body.append(UInt64(bitPattern: program.version))
    append(program.attributes)
    append(program.functions) { writer, function in
      writer.append(text: function.name)
      writer.append(text: function.opset)
      writer.append(function.inputs)
      writer.append(function.attributes)
      writer.append(function.block)
    }
  }

  @inline(never) private mutating func append(_ named: [MILNamedType]) {
    append(named) { writer, value in
      writer.append(text: value.name)
      writer.body.append(writer.type(value.type))
    }
  }

  @inline(never) private mutating func append(_ block: MILBlock) {
    append(block.inputs)
    append(block.outputs) { $0.append(text: $1) }
    append(block.attributes)
    append(block.operations) { writer, operation in
      writer.append(text: operation.type)
      writer.append(operation.inputs.sortedByKey) { writer, input in
        writer.append(text: input.key)
        writer.append(input.value.bindings) { writer, binding in
          switch binding {
          case .name(let name):
            // A name is stored as the index of its string plus one; 0 stands for a value.
            writer.body.append(writer.text(name) + 1)
          case .value(let value):
            writer.body.append(0 as UInt64)
            writer.append(value)
          }
        }
      }
      writer.append(operation.outputs)
      writer.append(operation.attributes)
      writer.append(operation.blocks) { $0.append($1) }
    }
  }

  @inline(never) private mutating func append(_ attributes: [String: MILValue]) {
    append(attributes.sortedByKey) { writer, attribute in
      writer.append(text: attribute.key)
      writer.append(attribute.value)
    }
  }

  @inline(never) private mutating func append(_ value: MILValue) {
    switch value {
    case .tensor(let tensor): append(tensor)
    case .list(let values, let element):
      body.append(CompiledForm.ValueTag.list.rawValue)
      body.append(type(element))
      append(values) { $0.append($1) }
    case .tuple(let values):
      body.append(CompiledForm.ValueTag.tuple.rawValue)
      append(values) { $0.append($1) }
    case .dictionary(let pairs):
      body.append(CompiledForm.ValueTag.dictionary.rawValue)
      append(pairs) { writer, pair in
        writer.append(pair.key)
        writer.append(pair.value)
      }
    }
  }

  @inline(never) private mutating func append(_ tensor: MILTensor) {
    let tag: CompiledForm.ValueTag = tensor.dataType == .string ? .texts : tensor.source == nil ? .data : .weightFile
    body.append(tag.rawValue)
    // The type in the table determines element type and shape.
    body.append(type(.tensor(MILTensorType(tensor.dataType, tensor.shape.map { .constant($0) }))))
    if let source = tensor.source {
      append(text: prefix + source.path)
      body.append(source.recordOffset)
    } else if tensor.dataType == .string {
      append(tensor.strings) { $0.append(text: $1) }
    } else {
      append(aligned: tensor.data)
    }
  }

  // MARK: Descriptions

  private mutating func append(_ description: ModelDescription) {
    let metadata = description.metadata
    for text in [metadata.shortDescription, metadata.version, metadata.author, metadata.license] { append(text: text) }
    append(metadata.userDefined.sortedByKey) { writer, entry in
      writer.append(text: entry.key)
      writer.append(text: entry.value)
    }
    append(description.functions) { writer, function in
      writer.append(text: function.name)
      for features in [function.inputs, function.outputs, function.states] { writer.append(features) }
      writer.append(optional: function.predictedFeatureName)
      writer.append(optional: function.predictedProbabilitiesName)
    }
    append(optional: description.defaultFunctionName)
    append(description.trainingInputs)
  }

  private mutating func append(optional text: String?) { body.append(text.map { self.text($0) + 1 } ?? 0) }

  private mutating func append(_ features: [FeatureDescription]) {
    append(features) { writer, feature in
      writer.append(text: feature.name)
      writer.append(text: feature.shortDescription)
      writer.append(feature.isOptional)
      writer.append(feature.type)
    }
  }

  private mutating func append(_ type: FeatureType) {
    func tag(_ tag: CompiledForm.FeatureTag) -> UInt64 { tag.rawValue }
    switch type {
    case .int64: body.append(tag(.int64))
    case .double: body.append(tag(.double))
    case .string: body.append(tag(.string))
    case .image(let image):
      body.append(tag(.image))
      append(image)
    case .multiArray(let array):
      body.append(tag(.multiArray))
      append(array)
    case .dictionary(let key):
      body.append(tag(.dictionary))
      append(key == .string)
    case .sequence(let sequence):
      body.append(tag(.sequence))
      append(sequence.element == .string)
      append(sequence.count)
    case .state(let array):
      body.append(tag(.state))
      append(array)
    }
  }

  private mutating func append(_ range: SizeRange) {
    body.append(range.lowerBound)
    append(range.upperBound != nil)
    if let upperBound = range.upperBound { body.append(upperBound) }
  }

  private mutating func append(shape: [Int]) { append(shape) { $0.body.append($1) } }

  private mutating func append(_ array: ArrayFeature) {
    body.append(CompiledForm.arrayTypes.firstIndex(of: array.dataType) ?? 0)
    append(shape: array.shape)
    switch array.flexibility {
    case .fixed: body.append(CompiledForm.FlexibilityTag.fixed.rawValue)
    case .enumerated(let shapes):
      body.append(CompiledForm.FlexibilityTag.enumerated.rawValue)
      append(shapes) { $0.append(shape: $1) }
    case .ranges(let ranges):
      body.append(CompiledForm.FlexibilityTag.ranges.rawValue)
      append(ranges) { $0.append($1) }
    }
    switch array.defaultValue {
    case nil: body.append(CompiledForm.DefaultValueTag.none.rawValue)
    case .int(let number):
      body.append(CompiledForm.DefaultValueTag.int.rawValue)
      body.append(UInt64(widening: UInt32(bitPattern: number)))
    case .float(let number):
      body.append(CompiledForm.DefaultValueTag.float.rawValue)
      body.append(UInt64(widening: number.bitPattern))
    case .double(let number):
      body.append(CompiledForm.DefaultValueTag.double.rawValue)
      body.append(number.bitPattern)
    }
  }

  private mutating func append(_ image: ImageFeature) {
    append(image.size)
    body.append(CompiledForm.colorSpaces.firstIndex(of: image.colorSpace) ?? 0)
    switch image.flexibility {
    case .fixed: body.append(CompiledForm.FlexibilityTag.fixed.rawValue)
    case .enumerated(let sizes):
      body.append(CompiledForm.FlexibilityTag.enumerated.rawValue)
      append(sizes) { $0.append($1) }
    case .ranges(let width, let height):
      body.append(CompiledForm.FlexibilityTag.ranges.rawValue)
      append(width)
      append(height)
    }
  }

  private mutating func append(_ size: ImageFeature.Size) {
    body.append(size.width)
    body.append(size.height)
  }
}
