import MartletCoreMLFile
import MartletFeatures
import MartletGraph
import MartletOps
import MartletTensor

/// Converts a function of an ML Program to a graph: operations become nodes in the same order, and blocks become regions.
final class MILFunctionImporter {
  let function: MILFunction
  let declared: FunctionDescription
  let builder: GraphBuilder
  /// Names are assigned once. A block sees the names of enclosing blocks.
  let names: Names<String, MILBound>

  init(
    _ function: MILFunction, declared: FunctionDescription, file: String, constants: ConstantPool, limits: GraphBuilder.Limits
  ) {
    self.function = function
    self.declared = declared
    builder = GraphBuilder(declared.programName, file: file, constants: constants, limits: limits)
    names = Names(builder, areVariables: false)
    names.reserveCapacity(function.inputs.count + function.block.operations.count)
  }

  func importFunction() throws -> Graph {
    try addInputs()
    try importBlock(function.block)
    let declaredOutputs = declared.outputs.map(\.name)
    var outputs: [ValueID] = []
    for name in declaredOutputs.isEmpty ? function.block.outputs : declaredOutputs {
      do {
        let value = try tensor(named: name)
        outputs.append(value)
        if builder.name(of: value) == nil { builder.setName(name, of: value) }
      } catch {
        throw CallError("output '\(name)': \(error.reason)")
      }
    }
    return try builder.graph(outputs: outputs)
  }

  // MARK: Inputs

  /// Adds the inputs in the order of the description, followed by those that it does not list.
  private func addInputs() throws {
    let types = Dictionary(function.inputs.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
    for feature in declared.inputs {
      guard let type = types[feature.name] else { throw CallError("the function has no input '\(feature.name)'") }
      try addInput(feature.name, type, feature.type)
    }
    for feature in declared.states {
      guard let type = types[feature.name] else { throw CallError("the function has no state '\(feature.name)'") }
      try addState(feature.name, type)
    }
    for input in function.inputs where names[input.name] == nil {
      if case .state = input.type { try addState(input.name, input.type) } else { try addInput(input.name, input.type, nil) }
    }
  }

  private func addInput(_ name: String, _ type: MILType, _ feature: FeatureType?) throws(CallError) {
    let signature = try Self.inputSignature(name, type, feature)
    names.define(name, MILBound(tensor: builder.addInput(.tensor(signature), name: name), signature))
  }

  /// The type of an input, with unknown extents bounded according to the description.
  static func inputSignature(_ name: String, _ type: MILType, _ feature: FeatureType?) throws(CallError) -> TensorSignature {
    guard case .tensor(let tensor) = type else { throw CallError("input '\(name)' is a \(type), not a tensor") }
    var signature = try TensorSignature(tensor)
    guard let feature else { return signature }
    guard let bounded = feature.dimensions, bounded.count == signature.rank else { return signature }
    for axis in signature.dimensions.indices where signature.dimensions[axis] == .symbolic(bound: nil) {
      signature.dimensions[axis] = bounded[axis]
    }
    return signature
  }

  private func addState(_ name: String, _ type: MILType) throws(CallError) {
    guard let tensor = type.tensor else { throw CallError("state '\(name)' is a \(type), not a tensor") }
    let signature = try TensorSignature(tensor)
    guard let shape = signature.fixedShape, HostTensor.byteCount(dtype: signature.dtype, shape: shape) != nil else {
      throw CallError("state '\(name)' has no fixed shape")
    }
    let position = builder.addState(StateDeclaration(name: name, type: TensorType(signature.dtype, shape), initial: nil))
    names.define(name, MILBound(state: position, signature))
  }

  // MARK: Operations

  func importBlock(_ block: MILBlock) throws {
    for (index, operation) in block.operations.enumerated() {
      let name = operation.resultName
      try builder.located(at: "operation \(index) '\(name)'", op: operation.type) {
        guard let row = MILRegistry.rows[operation.type] else { throw CallError("the operator is not supported") }
        var call = MILCall(operation, importer: self)
        try builder.operation(operation.type, name, number: operation.number, source: call.source) { try row(&call) }
      }
    }
  }

  /// The meaning of a name.
  func bound(_ name: String) throws(CallError) -> MILBound {
    guard let bound = names[name] else { throw CallError("'\(name)' has no value") }
    return bound
  }

  // MARK: Forms of a value

  /// The tensor with this name.
  func tensor(named name: String) throws(CallError) -> ValueID {
    var bound = try bound(name)
    if let tensor = bound.tensor { return tensor }
    let tensor = try tensor(of: bound, name: name)
    bound.tensor = tensor
    names.define(name, bound)
    return tensor
  }

  /// Adds the tensor of a bound that is not in the graph yet.
  func tensor(of bound: MILBound, name: String?) throws(CallError) -> ValueID {
    if let tensor = bound.tensor { return tensor }
    if let value = bound.value {
      guard let tensor = value.tensor else { throw CallError("\(Self.title(name)) is a \(value.type), not a tensor") }
      return builder.addConstant(try constant(tensor), name: name)
    }
    guard let numbers = bound.numbers, let signature = bound.signature else {
      throw CallError("\(Self.title(name)) is not a tensor")
    }
    return try builder.tensor(of: numbers, rank: signature.rank, dtype: signature.dtype)
  }

  private static func title(_ name: String?) -> String { name.map { "'\($0)'" } ?? "the value" }

  /// A constant of the file. Its bytes stay in the file if they are aligned.
  private func constant(_ tensor: MILTensor) throws(CallError) -> Constant {
    guard let dtype = DType(ofConstants: tensor.dataType) else {
      throw CallError("constants of type \(tensor.dataType.textName) are not supported here")
    }
    guard tensor.shape.count <= 16 else { throw CallError("a constant has \(tensor.shape.count) axes, more than 16") }
    if tensor.elementCount == 0 {
      guard HostTensor.byteCount(dtype: dtype, shape: tensor.shape) != nil else { throw CallError("\(tensor.shape) is not a valid shape") }
      return Constant(HostTensor(zeros: dtype, shape: tensor.shape))
    }
    if let booleans = tensor.booleans, let host = HostTensor(dtype: .bool, shape: tensor.shape, bytes: booleans.map { $0 ? 1 : 0 }) {
      return Constant(host)
    }
    let strides = Shape.contiguousStrides(tensor.shape)
    if let values = tensor.dataType.valuesOfFloat8 {
      guard let table = HostTensor(values.map { .double($0) }, dtype: dtype, shape: [1, values.count, 1]) else {
        throw CallError("constants of type \(tensor.dataType.textName) are not supported here")
      }
      let bytes = try builder.constants.constant(tensor.data, type: TensorType(.uint8, [tensor.elementCount]), strides: [1])
      do throws(OperatorError) {
        let decoded = try CompressedConstant.lookedUp(bytes, table: Constant(table), vectorAxis: nil)
        return Constant(viewOf: decoded, shape: tensor.shape, strides: strides)
      } catch {
        throw CallError("\(error)")
      }
    }
    return try builder.constants.constant(tensor.data, type: TensorType(dtype, tensor.shape), strides: strides)
  }

  /// The elements of a tensor of rank 0 or 1 as numbers; nil for other values. Computed elements become scalars of the graph; using them as
  /// extents ends a plan.
  ///
  /// - Parameter count: the number of elements, if the program does not declare it.
  func numbers(named name: String, count: Int? = nil) throws(CallError) -> [GraphNumber]? {
    var bound = try bound(name)
    guard let numbers = try numbers(of: bound, count: count) else { return nil }
    bound.numbers = numbers
    names.define(name, bound)
    return numbers
  }

  func numbers(of bound: MILBound, count: Int? = nil) throws(CallError) -> [GraphNumber]? {
    if let numbers = shallowNumbers(of: bound) { return numbers }
    guard let tensor = bound.tensor else { return nil }
    return try builder.elements(of: tensor, count: count)
  }

  /// The elements of a constant or of a tensor that is already a list of numbers.
  func shallowNumbers(of bound: MILBound) -> [GraphNumber]? {
    if let numbers = bound.numbers { return numbers }
    guard let tensor = bound.value?.tensor, tensor.shape.count <= 1, tensor.elementCount <= builder.mostElements else { return nil }
    return tensor.scalars?.map { .known($0) }
  }
}

extension FeatureType {
  /// The extents according to the description; nil for features that are not tensors.
  fileprivate var dimensions: [Dimension]? {
    switch self {
    case .multiArray(let array), .state(let array): array.dimensions
    case .image(let image): image.dimensions
    case .int64, .double, .string, .dictionary, .sequence: nil
    }
  }
}

extension MILTensor {
  /// The elements as numbers; nil for strings.
  var scalars: [Scalar]? {
    if let booleans { return booleans.map { .bool($0) } }
    if let doubles { return doubles.map { .double($0) } }
    return integers?.map { .int($0) }
  }
}
