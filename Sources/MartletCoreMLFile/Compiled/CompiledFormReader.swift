import MartletBytes
import MartletFeatures
import MartletTensor

/// Reads `model.bin`. The content is not trusted: all values are checked against the tables and the remaining bytes.
final class CompiledFormReader {
  /// Maximum nesting depth of values, blocks and types.
  private static let deepestNesting = 100
  /// Maximum number of parts of a type. Types refer to earlier ones, so that a few could expand to more than can ever be visited.
  private static let largestType = 1 << 16
  /// Maximum number of elements for which capacity is reserved in advance.
  private static let reservedElements = 1024

  private let header: CompiledForm.Header
  private let file: ByteView
  private let folder: CoreMLFolder
  let structure: ByteView
  /// Offset of the next value in `structure`.
  private var position = 0
  private var depth = 0
  private var texts: [String] = []
  private var types: [MILType] = []
  /// Depth and number of parts of each type.
  private var typeExtents: [TypeExtent] = []
  /// Properties of constants of each type; nil if there can be none.
  private var constantTypes: [ConstantType?] = []
  /// For each string, the number of the innermost enclosing block that defines it as a name; 0 if there is none.
  private var scopes: [Int] = []
  private var blockCount = 0
  private var weights: WeightFolder

  init(_ header: CompiledForm.Header, _ file: ByteView, folder: CoreMLFolder) {
    self.header = header
    self.file = file
    self.folder = folder
    structure = header.structure
    weights = WeightFolder(folder: nil, modelPath: folder.path)
  }

  /// Reads the model.
  func model() throws(FileError) -> CoreMLModel {
    texts = try list { () throws(FileError) in
      let count = try self.count()
      let text = try self.structure.slice(offset: self.position, count: count, field: "texts").text(field: "texts")
      self.position += count
      return text
    }
    let typeCount = try count()
    types.reserveCapacity(min(typeCount, Self.reservedElements))
    for _ in 0..<typeCount {
      let (type, extent) = try readType()
      types.append(type)
      typeExtents.append(extent)
      constantTypes.append(ConstantType(type))
    }
    scopes = [Int](repeating: 0, count: texts.count)
    let modelFolder = try text()
    weights = WeightFolder(folder: try modelFolder.isEmpty ? folder : folder.subfolder(modelFolder), modelPath: folder.path)
    var model: CoreMLModel
    switch try tag(CompiledForm.ModelTag.self) {
    case .programs: model = try readModel()
    case .specification: model = try CoreMLModel(try outline(), path: folder.path, filePath: file.owner.path, weights: weights)
    }
    guard position == structure.count else { throw error("there are \(structure.count - position) bytes after the model") }
    let packed = folder.hasFile(CompiledForm.packedWeightsPath)
    model.compiledForm = CompiledForm(
      identifier: header.identifier, files: [("model", file)] + weights.openFiles,
      packedWeights: packed ? try folder.open(CompiledForm.packedWeightsPath, part: "packed weights") : nil)
    return model
  }

  func error(_ reason: String) -> FileError { structure.error(at: min(position, structure.count), field: "structure", reason) }

  // MARK: Numbers

  /// A LEB128 integer.
  private func number() throws(FileError) -> UInt64 {
    var result: UInt64 = 0
    var shift: UInt64 = 0
    while position < structure.count, shift < 64 {
      // In bounds by the condition.
      let byte = unsafe structure.unsafeBaseAddress.load(fromByteOffset: position, as: UInt8.self)
      position += 1
      if shift == 63, byte > 1 { break }
      result |= UInt64(widening: byte & 127) << shift
      if byte < 128 { return result }
      shift += 7
    }
    throw error(position < structure.count ? "an integer has more than 64 bits" : "ends within an integer")
  }

  /// A count of elements that take at least one byte each.
  private func count() throws(FileError) -> Int {
    let number = try number()
    guard number <= UInt64(clamping: structure.count - position) else { throw error("\(number) elements exceed the remaining bytes") }
    return Int(clamping: number)
  }

  /// A non-negative integer.
  func extent() throws(FileError) -> Int {
    guard let extent = Int(exactly: try number()) else { throw error("a number is too large") }
    return extent
  }

  private func flag() throws(FileError) -> Bool {
    let number = try number()
    guard number <= 1 else { throw error("\(number) is neither 0 nor 1") }
    return number == 1
  }

  func tag<Tag: RawRepresentable>(_ type: Tag.Type) throws(FileError) -> Tag where Tag.RawValue == UInt64 {
    let number = try number()
    guard let tag = Tag(rawValue: number) else { throw error("\(number) is not known here") }
    return tag
  }

  private func element<Element>(of list: [Element]) throws(FileError) -> Element {
    let number = try number()
    guard number < UInt64(clamping: list.count) else { throw error("\(number) exceeds a table of \(list.count) entries") }
    return list[Int(clamping: number)]
  }

  private func text() throws(FileError) -> String { texts[try textNumber()] }

  private func textNumber() throws(FileError) -> Int {
    let number = try number()
    guard number < UInt64(clamping: texts.count) else { throw error("\(number) exceeds a table of \(texts.count) strings") }
    return Int(clamping: number)
  }

  /// An optional string, stored as its index plus one; 0 for nil.
  private func optionalText() throws(FileError) -> String? {
    let number = try number()
    guard number > 0 else { return nil }
    guard number <= UInt64(clamping: texts.count) else { throw error("\(number) exceeds a table of \(texts.count) strings") }
    return texts[Int(clamping: number - 1)]
  }

  private func type() throws(FileError) -> MILType { try element(of: types) }

  private func list<Element>(_ read: () throws(FileError) -> Element) throws(FileError) -> [Element] {
    let count = try count()
    var list: [Element] = []
    list.reserveCapacity(min(count, Self.reservedElements))
    for _ in 0..<count { list.append(try read()) }
    return list
  }

  private func nested<Result>(_ read: () throws(FileError) -> Result) throws(FileError) -> Result {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.deepestNesting else { throw error("is nested too deeply") }
    return try read()
  }

  // MARK: Types

  private struct TypeExtent {
    var depth = 1
    var partCount = 1
  }

  private func readType() throws(FileError) -> (MILType, TypeExtent) {
    var extent = TypeExtent()
    func part() throws(FileError) -> MILType {
      let number = try self.number()
      guard number < UInt64(clamping: self.types.count) else {
        throw self.error("\(number) exceeds a table of \(self.types.count) entries")
      }
      let part = self.typeExtents[Int(clamping: number)]
      extent.depth = max(extent.depth, part.depth + 1)
      extent.partCount += part.partCount
      guard extent.depth <= Self.deepestNesting else { throw self.error("a type is nested too deeply") }
      guard extent.partCount <= Self.largestType else { throw self.error("a type has more than \(Self.largestType) parts") }
      return self.types[Int(clamping: number)]
    }
    let type: MILType
    switch try tag(CompiledForm.TypeTag.self) {
    case .tensor:
      let dataType = try element(of: CompiledForm.dataTypes)
      type = .tensor(MILTensorType(dataType, try list { () throws(FileError) in try self.dimension() }))
    case .unrankedTensor: type = .tensor(MILTensorType(try element(of: CompiledForm.dataTypes), nil))
    case .list: type = .list(element: try part(), length: try dimension())
    case .tuple: type = .tuple(try list { () throws(FileError) in try part() })
    case .dictionary: type = .dictionary(key: try part(), value: try part())
    case .state: type = .state(try part())
    }
    return (type, extent)
  }

  private func dimension() throws(FileError) -> MILDimension {
    switch try tag(CompiledForm.DimensionTag.self) {
    case .constant: .constant(try extent())
    case .unknown: .unknown(variadic: false)
    case .variadic: .unknown(variadic: true)
    }
  }

  // MARK: Models

  private func readModel() throws(FileError) -> CoreMLModel {
    guard let kind = CoreMLModelKind(rawValue: try text()) else { throw error("the kind of the model is not known") }
    let version = try extent()
    let isUpdatable = try flag()
    let description = try description()
    let content: CoreMLModel.Content
    switch try tag(CompiledForm.ContentTag.self) {
    case .program: content = .program(try program())
    case .pipeline:
      let stages = try nested { () throws(FileError) in
        try self.list { () throws(FileError) in (name: try self.text(), model: try self.readModel()) }
      }
      content = .pipeline(stages.enumerated().map { CoreMLModel.PipelineStage(name: $1.name, at: $0, $1.model) })
    }
    return try CoreMLModel(
      path: folder.path, specificationVersion: version, kind: kind, isUpdatable: isUpdatable, description: description, content: content)
  }

  private func outline() throws(FileError) -> SpecificationOutline {
    let message = try bytes()
    let values = try list { () throws(FileError) -> SpecificationOutline.Values in
      switch try self.tag(CompiledForm.WeightTag.self) {
      case .float32: .float32(try self.bytes())
      case .float16: .float16(try self.bytes())
      case .packed: .packed(try self.bytes())
      case .int8: .int8(try self.bytes())
      }
    }
    let trees = try list { () throws(FileError) in try self.trees() }
    var tables: [[Int]: StoredTables] = [:]
    for _ in 0..<(try count()) {
      let position = try list { () throws(FileError) in try self.extent() }
      tables[position] = try self.tables()
    }
    return SpecificationOutline(message: message, values: values, trees: trees, tables: tables)
  }

  private func trees() throws(FileError) -> SpecificationOutline.Trees {
    switch try tag(CompiledForm.TreesTag.self) {
    case .nodes: return .nodes(try bytes())
    case .packed:
      let (trees, nodes, columns) = (try extent(), try extent(), try extent())
      guard trees <= nodes, columns <= TreeEnsemble.maximumColumns else { throw error("trees have counts that are not possible") }
      return .packed(PackedTrees(treeCount: trees, nodeCount: nodes, bytes: try bytes()), columnCount: columns)
    }
  }

  /// A piece of the data.
  func bytes() throws(FileError) -> ByteView {
    let count = try extent()
    return try header.data.slice(offset: try extent(), count: count, field: "data")
  }

  private func program() throws(FileError) -> MILProgram {
    let version = Int64(bitPattern: try number())
    let attributes = try attributes()
    let functions = try list { () throws(FileError) in
      let name = try self.text()
      let opset = try self.text()
      let (inputs, names) = try self.namedTypes()
      let attributes = try self.attributes()
      return MILFunction(name: name, inputs: inputs, opset: opset, block: try self.block(names), attributes: attributes)
    }
    guard !functions.isEmpty else { throw error("the program has no function") }
    return MILProgram(version: version, functions: functions, attributes: attributes)
  }

  /// Names and types of values, and the indices of the names.
  private func namedTypes() throws(FileError) -> ([MILNamedType], names: [Int]) {
    let count = try count()
    var types: [MILNamedType] = []
    var names: [Int] = []
    types.reserveCapacity(min(count, Self.reservedElements))
    names.reserveCapacity(min(count, Self.reservedElements))
    for _ in 0..<count {
      names.append(try textNumber())
      types.append(MILNamedType(name: texts[names[names.count - 1]], type: try type()))
    }
    return (types, names)
  }

  /// A block. The names of the function's inputs are defined in addition to its own.
  private func block(_ inputNames: [Int]) throws(FileError) -> MILBlock {
    try nested { () throws(FileError) in
      self.blockCount += 1
      var scope = Scope(number: self.blockCount)
      try self.define(inputNames, in: &scope)
      let (inputs, names) = try self.namedTypes()
      try self.define(names, in: &scope)
      let outputs = try self.list { () throws(FileError) in try self.textNumber() }
      let attributes = try self.attributes()
      let operations = try self.list { () throws(FileError) in try self.operation(&scope) }
      for output in outputs { try self.require(output) }
      for (name, outer) in scope.replaced { self.scopes[name] = outer }
      return MILBlock(inputs: inputs, operations: operations, outputs: outputs.map { self.texts[$0] }, attributes: attributes)
    }
  }

  /// The names defined in a block.
  private struct Scope {
    let number: Int
    /// The previous definitions of the names.
    var replaced: [(name: Int, outer: Int)] = []
  }

  /// Checks that every name is defined only once in a block. (Uses are checked against definitions in the same or an enclosing block.)
  private func define(_ names: [Int], in scope: inout Scope) throws(FileError) {
    for name in names {
      guard scopes[name] != scope.number else { throw error("'\(texts[name])' is defined twice") }
      scope.replaced.append((name, scopes[name]))
      scopes[name] = scope.number
    }
  }

  private func require(_ name: Int) throws(FileError) {
    guard scopes[name] != 0 else { throw error("'\(texts[name])' is not defined before it is used") }
  }

  private func operation(_ scope: inout Scope) throws(FileError) -> MILOperation {
    let type = try text()
    let inputCount = try count()
    var inputs: [String: MILArgument] = [:]
    inputs.reserveCapacity(min(inputCount, Self.reservedElements))
    for _ in 0..<inputCount {
      let parameter = try text()
      inputs[parameter] = MILArgument(try list { () throws(FileError) in try self.binding() })
    }
    let (outputs, names) = try namedTypes()
    let attributes = try attributes()
    let blocks = try list { () throws(FileError) in try self.block([]) }
    try define(names, in: &scope)
    return MILOperation(type: type, inputs: inputs, outputs: outputs, blocks: blocks, attributes: attributes)
  }

  /// A binding: the index of a name plus one, or 0 followed by a value.
  private func binding() throws(FileError) -> MILBinding {
    let number = try number()
    guard number > 0 else { return .value(try value()) }
    guard number <= UInt64(clamping: texts.count) else { throw error("\(number) exceeds a table of \(texts.count) strings") }
    try require(Int(clamping: number - 1))
    return .name(texts[Int(clamping: number - 1)])
  }

  private func attributes() throws(FileError) -> [String: MILValue] {
    let count = try count()
    var attributes: [String: MILValue] = [:]
    attributes.reserveCapacity(min(count, Self.reservedElements))
    for _ in 0..<count {
      let name = try text()
      attributes[name] = try value()
    }
    return attributes
  }

  // MARK: Values

  private func value() throws(FileError) -> MILValue {
    try nested { () throws(FileError) in
      switch try self.tag(CompiledForm.ValueTag.self) {
      case .data: .tensor(try self.immediateTensor())
      case .weightFile: .tensor(try self.weightTensor())
      case .texts: .tensor(try self.textTensor())
      case .list:
        try self.listValue()
      case .tuple: .tuple(try self.list { () throws(FileError) in try self.value() })
      case .dictionary:
        .dictionary(try self.list { () throws(FileError) in (key: try self.value(), value: try self.value()) })
      }
    }
  }

  private func listValue() throws(FileError) -> MILValue {
    let element = try type()
    return .list(try list { () throws(FileError) in try self.value() }, element: element)
  }

  /// Element type, shape and element count of constants.
  private struct ConstantType {
    let type: MILTensorType
    let shape: [Int]
    let elementCount: Int

    init?(_ type: MILType) {
      guard case .tensor(let type) = type, let shape = type.shape, let count = MartletCoreMLFile.elementCount(of: shape) else { return nil }
      self.type = type
      self.shape = shape
      elementCount = count
    }
  }

  private func constantType() throws(FileError) -> ConstantType {
    guard let type = try element(of: constantTypes) else { throw error("a constant has a type that no constant can have") }
    return type
  }

  private func immediateTensor() throws(FileError) -> MILTensor {
    let constant = try constantType()
    guard let byteCount = constant.type.dataType.byteCount(elementCount: constant.elementCount) else {
      throw error("a constant is too large")
    }
    let data = try header.data.slice(offset: try extent(), count: byteCount, field: "data")
    return MILTensor(dataType: constant.type.dataType, shape: constant.shape, elementCount: constant.elementCount, data: data)
  }

  private func weightTensor() throws(FileError) -> MILTensor {
    let constant = try constantType()
    return try weights.tensor(constant.type, fileName: try text(), recordOffset: try number())
  }

  private func textTensor() throws(FileError) -> MILTensor {
    let constant = try constantType()
    let strings = try list { () throws(FileError) in try self.text() }
    guard constant.type.dataType == .string, strings.count == constant.elementCount else {
      throw error("\(strings.count) strings do not fit the type \(constant.type)")
    }
    return MILTensor(dataType: .string, shape: constant.shape, elementCount: strings.count, data: .empty, strings: strings)
  }
}

// MARK: - Descriptions

extension CompiledFormReader {
  private func description() throws(FileError) -> ModelDescription {
    var metadata = ModelMetadata(
      shortDescription: try text(), version: try text(), author: try text(), license: try text(), userDefined: [:])
    for _ in 0..<(try count()) {
      let key = try text()
      metadata.userDefined[key] = try text()
    }
    let functions = try list { () throws(FileError) in
      FunctionDescription(
        name: try self.text(), inputs: try self.features(), outputs: try self.features(), states: try self.features(),
        predictedFeatureName: try self.optionalText(), predictedProbabilitiesName: try self.optionalText())
    }
    let defaultName = try optionalText()
    guard Set(functions.map(\.name)).count == functions.count, functions.contains(where: { $0.name == defaultName ?? "" }) else {
      throw error("the functions' names do not form a valid description")
    }
    return ModelDescription(
      metadata: metadata, functions: functions, defaultFunctionName: defaultName, trainingInputs: try features())
  }

  private func features() throws(FileError) -> [FeatureDescription] {
    let features = try list { () throws(FileError) in
      let name = try self.text()
      let shortDescription = try self.text()
      let isOptional = try self.flag()
      return FeatureDescription(name: name, shortDescription: shortDescription, type: try self.featureType(), isOptional: isOptional)
    }
    guard Set(features.map(\.name)).count == features.count else { throw error("two features have the same name") }
    return features
  }

  private func featureType() throws(FileError) -> FeatureType {
    switch try tag(CompiledForm.FeatureTag.self) {
    case .int64: .int64
    case .double: .double
    case .string: .string
    case .image: .image(try image())
    case .multiArray: .multiArray(try array())
    case .dictionary: .dictionary(key: try flag() ? .string : .int64)
    case .sequence: .sequence(SequenceFeature(element: try flag() ? .string : .int64, count: try range()))
    case .state: .state(try array())
    }
  }

  private func range() throws(FileError) -> SizeRange {
    let lower = try extent()
    guard try flag() else { return SizeRange(lowerBound: lower) }
    let upper = try extent()
    guard lower <= upper else { throw error("the range from \(lower) to \(upper) is empty") }
    return SizeRange(lowerBound: lower, upperBound: upper)
  }

  private func shape() throws(FileError) -> [Int] {
    let shape = try list { () throws(FileError) in try self.extent() }
    guard elementCount(of: shape) != nil else { throw error("an array of shape \(shape) is too large") }
    return shape
  }

  private func array() throws(FileError) -> ArrayFeature {
    let dataType = try element(of: CompiledForm.arrayTypes)
    let shape = try shape()
    let flexibility: ArrayFeature.Flexibility =
      switch try tag(CompiledForm.FlexibilityTag.self) {
      case .fixed: .fixed
      case .enumerated: .enumerated(try list { () throws(FileError) in try self.shape() })
      case .ranges: .ranges(try list { () throws(FileError) in try self.range() })
      }
    let defaultValue: ArrayFeature.DefaultValue? =
      switch try tag(CompiledForm.DefaultValueTag.self) {
      case .none: nil
      case .int: .int(Int32(bitPattern: UInt32(truncatingIfNeeded: try number())))
      case .float: .float(Float(bitPattern: UInt32(truncatingIfNeeded: try number())))
      case .double: .double(Double(bitPattern: try number()))
      }
    return ArrayFeature(dataType: dataType, shape: shape, flexibility: flexibility, defaultValue: defaultValue)
  }

  private func image() throws(FileError) -> ImageFeature {
    let size = try size()
    let colorSpace = try element(of: CompiledForm.colorSpaces)
    let flexibility: ImageFeature.Flexibility =
      switch try tag(CompiledForm.FlexibilityTag.self) {
      case .fixed: .fixed
      case .enumerated: .enumerated(try list { () throws(FileError) in try self.size() })
      case .ranges: .ranges(width: try range(), height: try range())
      }
    return ImageFeature(size: size, colorSpace: colorSpace, flexibility: flexibility)
  }

  private func size() throws(FileError) -> ImageFeature.Size {
    ImageFeature.Size(width: try extent(), height: try extent())
  }
}
