import MartletExecuTorchFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Adds the graph of an MPS payload to a method.
///
/// Nodes have PyTorch's semantics, also where upstream's runtime differs or stops. Shapes are those that the operators give; the extents that
/// the payload declares must agree with them. Exporters drop conversions between element types, so that declared types rule: a node is
/// computed in the type of its result. In a half-precision graph, results declared as float32 are float16.
struct MPSImporter: PayloadImporter {
  let graph: MPSGraph
  let importer: MethodImporter
  /// True for a graph that converts its inputs to float16, or its outputs from it.
  private let isHalfPrecision: Bool
  private var values: [Int: ValueID] = [:]

  /// - Parameter arguments: the method's values for the graph's inputs, followed by those for its outputs.
  init(_ graph: MPSGraph, arguments: [Int], importer: MethodImporter) throws {
    self.graph = graph
    self.importer = importer
    isHalfPrecision = graph.nodes.contains { node in
      if case .cast = node.operation { node.inputs == node.outputs } else { false }
    }
    try requireArguments(arguments, inputs: graph.inputs.count, outputs: graph.outputs.count)
  }

  /// Adds the graph of `payload`. If it has several readings, the first one is taken that fits the call.
  /// - Returns: the reading.
  static func importPayload(_ readings: [MPSGraph], arguments: [Int], importer: MethodImporter) throws -> MPSGraph {
    var failure: CallError?
    for graph in readings {
      do {
        var payload = try MPSImporter(graph, arguments: arguments, importer: importer)
        try payload.importAll(arguments)
        return graph
      } catch let error as CallError where !error.isOverLimit {
        failure = failure ?? error
      }
    }
    throw failure ?? CallError("the payload has no graph")
  }

  /// Appends the nodes.
  private mutating func importAll(_ arguments: [Int]) throws {
    for (index, argument) in zip(graph.inputs, arguments) { try takeInput(index, argument) }
    for (index, node) in graph.nodes.enumerated() {
      do {
        try builder.operation(node.name, "\(builder.source).\(index)") { try importNode(node) }
      } catch let failure as CallError {
        throw failure.at(node.name, "node \(index)")
      }
    }
    let outputs = try graph.outputs.map { try value($0) }
    for (output, argument) in zip(outputs, arguments.dropFirst(graph.inputs.count)) {
      try importer.write(argument, try fitted(output, to: importer.signature(try importer.tensorArgument(argument)), "an output"))
    }
  }

  private mutating func takeInput(_ index: Int, _ argument: Int) throws {
    let declared = graph.values[index]
    let id = try importer.readTensor(argument)
    let present = try signature(of: id)
    let type = try dtype(declared.dataType)
    // PyTorch's float64 is declared as float32.
    guard present.dtype == type || present.dtype == .float64 && type == .float32 else {
      throw CallError("the input \(index) is \(present) where the payload has \(declared.dataType)")
    }
    values[index] = try shaped(try converted(id, to: type), as: index)
  }

  // MARK: Values

  /// The value at this point of the payload.
  mutating func value(_ index: Int) throws -> ValueID {
    if let known = values[index] { return known }
    let id = builder.addConstant(try constant(index))
    values[index] = id
    return id
  }

  /// An operand of the node.
  mutating func operand(_ node: MPSGraph.Node, _ position: Int) throws -> ValueID {
    guard let id = try optionalOperand(node, position) else { throw CallError("operand \(position) is missing") }
    return id
  }

  mutating func optionalOperand(_ node: MPSGraph.Node, _ position: Int) throws -> ValueID? {
    guard node.inputs.indices.contains(position), let index = node.inputs[position] else { return nil }
    return try value(index)
  }

  mutating func operands(_ node: MPSGraph.Node) throws -> [ValueID] { try node.inputs.indices.map { try operand(node, $0) } }

  /// The elements of a constant, where they lie in the file.
  func constant(_ index: Int) throws -> Constant {
    let value = graph.values[index]
    guard let data = value.data else { throw CallError("the value \(index) is read before it is written") }
    let type = try dtype(value.storedType)
    let stored = try builder.constants.constant(
      data, type: TensorType(type, value.sizes), strides: Shape.contiguousStrides(value.sizes))
    guard value.storedType != value.dataType else { return stored }
    let declared = try dtype(value.dataType)
    return try compressed { () throws(OperatorError) in try CompressedConstant.cast(stored, to: declared) }
  }

  func dtype(_ type: MPSDataType) throws(CallError) -> DType {
    switch type {
    case .float16: .float16
    case .float32: .float32
    case .float64: .float64
    case .bfloat16: .bfloat16
    case .int8: .int8
    case .int16: .int16
    case .int32: .int32
    case .int64: .int64
    case .uint8: .uint8
    case .uint16: .uint16
    case .uint32: .uint32
    case .uint64: .uint64
    case .bool: .bool
    case .complexFloat32: .complex64
    case .int4, .uint4, .complexFloat16: throw CallError("values of type \(type) are not supported here")
    }
  }

  // MARK: Results

  /// The result of a node that the payload must name.
  func output(_ node: MPSGraph.Node, _ position: Int = 0) throws -> Int {
    guard node.outputs.indices.contains(position), let index = node.outputs[position] else {
      throw CallError("result \(position) is missing")
    }
    return index
  }

  /// The type in which a node with these operands computes a result.
  func resultType(_ node: MPSGraph.Node, _ operands: [ValueID]) throws -> DType {
    let declared = try dtype(graph.values[try output(node)].dataType)
    return narrowed(declared, operands)
  }

  /// float16 for a result that is declared as float32 but only depends on numbers of half precision.
  private func narrowed(_ declared: DType, _ operands: [ValueID]) -> DType {
    guard isHalfPrecision, declared == .float32 else { return declared }
    let types = operands.compactMap { builder.tensorSignature(of: $0)?.dtype }.filter(\.isFloatingPoint)
    return !types.isEmpty && types.allSatisfy { $0 == .float16 } ? .float16 : declared
  }

  /// Assigns a result of the node, with its bounds, in the shape and type that the payload declares.
  mutating func set(_ node: MPSGraph.Node, _ result: ValueID, at position: Int = 0) throws {
    let index = try output(node, position)
    var result = result
    if case .cast = node.operation {
    } else {
      result = try converted(result, to: narrowed(try dtype(graph.values[index].dataType), [result]))
    }
    if let bounds = node.bounds, position == 0 { result = try limited(result, bounds) }
    values[index] = try shaped(result, as: index)
  }

  /// The value in the shape that the payload declares. The two may differ in axes of a one-element tensor.
  private func shaped(_ value: ValueID, as index: Int) throws -> ValueID {
    let sizes = graph.values[index].sizes
    // An open extent is only known when the method runs; the payload declares the one it was exported with.
    guard let shape = try signature(of: value).fixedShape, shape != sizes else { return value }
    guard shape.allSatisfy({ $0 == 1 }), sizes.allSatisfy({ $0 == 1 }) else {
      throw CallError("has a shape \(shape) where the payload declares \(sizes)")
    }
    return try reshaped(value, to: sizes)
  }
}
