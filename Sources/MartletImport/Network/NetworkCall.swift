import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor

/// A layer that is being imported. Rows read inputs and parameters from it and assign its outputs.
struct NetworkCall: GraphWriting {
  let layer: NetworkLayer
  let importer: NetworkGraphImporter

  init(_ layer: NetworkLayer, importer: NetworkGraphImporter) {
    self.layer = layer
    self.importer = importer
  }

  var builder: GraphBuilder { importer.builder }

  // MARK: Inputs

  var inputCount: Int { layer.inputs.count }

  func input(_ position: Int = 0) throws(CallError) -> ValueID {
    guard layer.inputs.indices.contains(position) else { throw CallError("input \(position) is missing") }
    return try importer.blob(layer.inputs[position])
  }

  func optionalInput(_ position: Int) throws(CallError) -> ValueID? { position < inputCount ? try input(position) : nil }

  func inputs() throws(CallError) -> [ValueID] {
    var result: [ValueID] = []
    for position in layer.inputs.indices { result.append(try input(position)) }
    return result
  }

  func rank(_ value: ValueID) throws(CallError) -> Int { try signature(of: value).rank }

  // MARK: Outputs

  func set(_ value: ValueID, output position: Int = 0) throws(CallError) {
    guard layer.outputs.indices.contains(position) else { throw CallError("output \(position) is missing") }
    let name = layer.outputs[position]
    if builder.name(of: value) == nil { builder.setName(name, of: value) }
    importer.names.assign(name, value)
  }

  /// Assigns an image as a blob with the leading axes of `other`.
  func set(image: ValueID, like other: ValueID, output position: Int = 0) throws(CallError) {
    try set(try blob(image, like: other), output: position)
  }

  // MARK: Images

  /// The last three axes as an image [N, C, H, W]: axes before them are one.
  func image(_ value: ValueID) throws(CallError) -> ValueID {
    if let known = importer.knownImage(of: value) { return known }
    let signature = try signature(of: value)
    let image: ValueID
    switch signature.rank {
    case 4: return value
    case 3: image = try unsqueezed(value, axis: 0)
    case 5...:
      let last = try extents(of: value).suffix(3)
      image = try reshaped(value, [try product(of: value, axes: 0..<signature.rank - 3)] + last)
    default: throw CallError("the input has rank \(signature.rank), less than 3")
    }
    importer.note(image, asImageOf: value)
    return image
  }

  /// An image as a blob with the leading axes of `other`.
  func blob(_ image: ValueID, like other: ValueID) throws(CallError) -> ValueID {
    let rank = try rank(other)
    if rank == 4 { return image }
    let blob: ValueID
    if rank == 3 {
      blob = try applied(Squeeze(axes: [0]), [image])
    } else {
      blob = try reshaped(image, try extents(of: other).dropLast(3) + Array(try extents(of: image).suffix(3)))
    }
    importer.note(image, asImageOf: blob)
    return blob
  }

  // MARK: Pointwise

  /// A float32 function of blobs that broadcast. If all of them have forms as images with the same leading axes, it is computed on these.
  ///
  /// - Parameter constants: further operands, which broadcast to the last three axes, or to all axes of the widest blob.
  func pointwise(
    _ label: String, _ values: [ValueID], constants: [ValueID] = [], _ body: (inout PointwiseBuilder, [Int]) throws -> Void
  ) throws -> ValueID {
    let images = try pointwiseImages(values, constants)
    var build = try PointwiseBuilder(.float32)
    let registers = ((images ?? values) + constants).map { build.load($0) }
    try body(&build, registers)
    let result = try applied(build.node(label, dtype: .float32), build.operands)
    return try images != nil && rank(result) == 4 ? blob(result, like: values[0]) : result
  }

  /// The values as images, if the operands of a pointwise node all have such a form.
  private func pointwiseImages(_ values: [ValueID], _ constants: [ValueID]) throws -> [ValueID]? {
    guard let images = try commonImages(values), try constants.allSatisfy({ try rank($0) <= 4 }) else { return nil }
    return images
  }

  /// The values as images, if this keeps how they broadcast and they are not images anyway.
  private func commonImages(_ values: [ValueID]) throws(CallError) -> [ValueID]? {
    guard let first = values.first else { return nil }
    let leading = try signature(of: first).dimensions.dropLast(3)
    guard leading.count > 1, values.count == 1 || leading.allSatisfy(\.isFixed) else { return nil }
    var images: [ValueID] = []
    for value in values {
      guard try signature(of: value).dimensions.dropLast(3) == leading, let image = importer.knownImage(of: value) else { return nil }
      images.append(image)
    }
    return images
  }

  /// Assigns a pointwise function of all inputs.
  func setPointwise(_ label: String, _ body: (inout PointwiseBuilder, [Int]) throws -> Void) throws {
    try set(try pointwise(label, try inputs(), body))
  }

  // MARK: Numbers

  /// The elements of a blob of rank 1 as integers; those computed from data are truncated, and end a plan where they are extents.
  ///
  /// - Parameter count: their number, if the blob's shape does not tell.
  func integers(_ value: ValueID, count: Int? = nil) throws(CallError) -> [GraphNumber] {
    if let known = importer.knownNumbers(of: value) { return known }
    let signature = try signature(of: value)
    var vector = value
    if signature.rank != 1, let shape = signature.fixedShape, let total = Extent.product(shape).value {
      vector = try reshaped(value, to: [total])
    }
    guard let numbers = try elements(of: vector, count: count) else {
      throw CallError("the blob \(signature) is not a list of numbers of known length")
    }
    var result: [GraphNumber] = []
    for number in numbers { result.append(try integer(number)) }
    try importer.note(result, of: value)
    return result
  }

  /// The only element of a blob as an integer.
  func integer(_ value: ValueID) throws(CallError) -> GraphNumber {
    let all = try integers(value, count: 1)
    guard all.count == 1 else { throw CallError("the blob has \(all.count) elements, not one") }
    return all[0]
  }

  func integer(_ number: GraphNumber) throws(CallError) -> GraphNumber {
    switch number {
    case .known(let scalar):
      guard let value = Int64(exactly: scalar.doubleValue.rounded(.towardZero)) else { throw CallError("\(scalar) is not an integer") }
      return .known(.int(value))
    case .computed(let value):
      if case .scalar(.double) = builder.type(of: value) { return .computed(self.number(ScalarFunction(.toInt), [value], .int)) }
      return number
    }
  }

  /// The only element of a blob as a scalar of the graph.
  func scalar(_ value: ValueID) throws(CallError) -> ValueID {
    if let known = importer.knownNumbers(of: value), known.count == 1 { return self.value(of: known[0]) }
    let vector = try reshaped(value, to: [1])
    guard let elements = try elements(of: vector), elements.count == 1 else { throw CallError("the blob is not one number") }
    return self.value(of: elements[0])
  }

  /// A blob of whole numbers as indices.
  func indices(_ value: ValueID) throws(CallError) -> ValueID { try converted(value, to: .int32) }

  /// The axis of a value as a position from the front.
  func axis(_ axis: Int, of value: ValueID) throws(CallError) -> Int { try normalized(axis, rank: try rank(value)) }

  // MARK: Constants

  func constant(_ value: Float) -> ValueID { builder.addConstant(Constant([value], shape: [1])) }
}
