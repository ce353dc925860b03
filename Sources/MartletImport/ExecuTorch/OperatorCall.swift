import MartletExecuTorchFile
package import MartletGraph
package import MartletTensor

/// A `KernelCall` being imported: its arguments as values of the graph, and the destinations of its results.
///
/// Arguments are read by the names of the operator's schema (`CallRow`).
package struct OperatorCall: GraphWriting {
  package let op: String
  let arguments: [Int]
  /// Names of the arguments, in order; empty for operators without schema.
  let argumentNames: [String]
  let scope: MethodImporter
  package var builder: GraphBuilder { scope.builder }

  /// Number of arguments, including out tensors and repeated results.
  package var argumentCount: Int { arguments.count }

  /// The plan's value in an argument.
  func index(_ argument: ArgumentName) throws -> Int {
    let position: Int
    switch argument {
    case .name(let name):
      guard let place = argumentNames.firstIndex(of: name) else { throw CallError("the operator's schema has no argument \(argument)") }
      position = place
    case .position(let place): position = place
    }
    guard arguments.indices.contains(position) else {
      throw CallError("has \(arguments.count) arguments, argument \(argument) is missing")
    }
    return arguments[position]
  }

  func value(_ argument: ArgumentName) throws -> EValue { scope.plan.values[try index(argument)] }

  // MARK: Arguments

  package func isNone(_ argument: ArgumentName) throws -> Bool {
    if case .none = try value(argument) { true } else { false }
  }

  /// The current value of the tensor argument.
  package mutating func tensor(_ argument: ArgumentName) throws -> ValueID {
    try scope.readTensor(try declared(argument).index)
  }

  package mutating func optionalTensor(_ argument: ArgumentName) throws -> ValueID? {
    try isNone(argument) ? nil : try tensor(argument)
  }

  package mutating func tensorList(_ argument: ArgumentName) throws -> [ValueID] {
    guard case .tensorList(let items) = try value(argument) else {
      throw CallError("argument \(argument) is \(try value(argument).kindName), not a list of tensors")
    }
    return try items.map { try scope.readTensor($0) }
  }

  package mutating func optionalTensorList(_ argument: ArgumentName) throws -> [ValueID?] {
    switch try value(argument) {
    case .optionalTensorList(let items): return try items.map { item in try item.map { try scope.readTensor($0) } }
    case .tensorList(let items): return try items.map { try scope.readTensor($0) }
    default: throw CallError("argument \(argument) is \(try value(argument).kindName), not a list of optional tensors")
    }
  }

  /// The tensor argument's declaration and its index among the plan's values.
  private func declared(_ argument: ArgumentName) throws -> (tensor: ProgramTensor, index: Int) {
    let index = try index(argument)
    guard case .tensor(let tensor) = scope.plan.values[index] else {
      throw CallError("argument \(argument) is \(scope.plan.values[index].kindName), not a tensor")
    }
    return (tensor, index)
  }

  /// Declared type of a tensor argument or out tensor.
  package func signature(_ argument: ArgumentName) throws -> TensorSignature {
    let (tensor, index) = try declared(argument)
    return try scope.signature(tensor, at: index)
  }
  package func dtype(_ argument: ArgumentName) throws -> DType { try scope.dtype(try declared(argument).tensor) }
  package func rank(_ argument: ArgumentName) throws -> Int { try signature(argument).rank }

  /// A number known when importing; nil if it is computed.
  func known(_ index: Int) -> Scalar? {
    guard !scope.isComputed(index) else { return nil }
    return switch scope.plan.values[index] {
    case .int(let value): .int(value)
    case .double(let value): .double(value)
    case .bool(let value): .bool(value)
    default: nil
    }
  }

  /// A number that must be known when importing.
  package func scalar(_ argument: ArgumentName) throws -> Scalar {
    guard let scalar = known(try index(argument)) else {
      throw CallError("argument \(argument) is \(try value(argument).kindName), not a known number")
    }
    return scalar
  }

  /// An integer such as an axis, a size or a stride. It must fit in 32 bits, so that no sum or product of two overflows.
  package func int(_ argument: ArgumentName) throws -> Int {
    try attribute(try scalar(argument), argument)
  }

  private func attribute(_ scalar: Scalar, _ argument: ArgumentName) throws -> Int {
    guard let value = scalar.intValue, let short = Int32(exactly: value) else {
      throw CallError("argument \(argument) is \(scalar), not a 32-bit integer")
    }
    return Int(widening: short)
  }

  package func optionalInt(_ argument: ArgumentName) throws -> Int? { try isNone(argument) ? nil : try int(argument) }
  package func double(_ argument: ArgumentName) throws -> Double { try scalar(argument).doubleValue }
  package func optionalDouble(_ argument: ArgumentName) throws -> Double? { try isNone(argument) ? nil : try double(argument) }
  package func optionalScalar(_ argument: ArgumentName) throws -> Scalar? { try isNone(argument) ? nil : try scalar(argument) }
  package func bool(_ argument: ArgumentName) throws -> Bool { try scalar(argument).boolValue }

  package func string(_ argument: ArgumentName) throws -> String {
    guard case .string(let value) = try value(argument) else { throw CallError("argument \(argument) is not a string") }
    return value
  }

  package func optionalString(_ argument: ArgumentName) throws -> String? { try isNone(argument) ? nil : try string(argument) }

  /// A number, known or computed, as a value of the graph.
  package mutating func scalarValue(_ argument: ArgumentName) throws -> ValueID {
    let value = try scope.read(try index(argument))
    guard case .scalar = builder.type(of: value) else {
      throw CallError("argument \(argument) is \(builder.type(of: value)), not a number")
    }
    return value
  }

  /// An integer that may be computed. A computed one is appended to `operands`.
  package mutating func int(_ argument: ArgumentName, _ operands: inout [ValueID?]) throws -> IntArgument {
    try integer(at: try index(argument), &operands)
  }

  package mutating func optionalInt(_ argument: ArgumentName, _ operands: inout [ValueID?]) throws -> IntArgument? {
    try isNone(argument) ? nil : try int(argument, &operands)
  }

  private mutating func integer(at index: Int, _ operands: inout [ValueID?]) throws -> IntArgument {
    if let scalar = known(index) {
      guard let value = scalar.intValue.flatMap({ Int(exactly: $0) }) else { throw CallError("\(scalar) is not an integer") }
      return .constant(value)
    }
    let value = try scope.read(index)
    guard case .scalar = builder.type(of: value) else { throw CallError("a \(builder.type(of: value)) is not an integer") }
    operands.append(value)
    return .operand(operands.count - 1)
  }

  /// A list of integers, some of which may be computed.
  package mutating func intList(_ argument: ArgumentName, _ operands: inout [ValueID?]) throws -> [IntArgument] {
    guard case .intList(let items) = try value(argument) else {
      throw CallError("argument \(argument) is \(try value(argument).kindName), not a list of integers")
    }
    var result: [IntArgument] = []
    for item in items { result.append(try integer(at: item, &operands)) }
    return result
  }

  /// A list of integers known when importing; a single integer counts as a list of one.
  package func intList(_ argument: ArgumentName) throws -> [Int] {
    switch try value(argument) {
    case .intList(let items):
      return try items.map { item in
        guard let value = known(item) else { throw CallError("argument \(argument) has an element that is not known") }
        return try attribute(value, argument)
      }
    case .int: return [try int(argument)]
    default: throw CallError("argument \(argument) is \(try value(argument).kindName), not a list of integers")
    }
  }

  package func optionalIntList(_ argument: ArgumentName) throws -> [Int]? { try isNone(argument) ? nil : try intList(argument) }

  package func doubleList(_ argument: ArgumentName) throws -> [Double] {
    guard case .doubleList(let items) = try value(argument) else {
      throw CallError("argument \(argument) is \(try value(argument).kindName), not a list of numbers")
    }
    return items
  }

  package func optionalDoubleList(_ argument: ArgumentName) throws -> [Double]? { try isNone(argument) ? nil : try doubleList(argument) }

  package func boolList(_ argument: ArgumentName) throws -> [Bool] {
    guard case .boolList(let items) = try value(argument) else {
      throw CallError("argument \(argument) is \(try value(argument).kindName), not a list of booleans")
    }
    return items
  }

  // MARK: Results

  /// The value indices of a list of out tensors.
  package func outputList(_ argument: ArgumentName) throws -> [Int] {
    guard case .tensorList(let items) = try value(argument) else {
      throw CallError("argument \(argument) is \(try value(argument).kindName), not a list of tensors")
    }
    return items
  }

  /// Appends a node whose only result is out argument `out`.
  package mutating func emit(_ op: any Operator, _ operands: [ValueID?], out: ArgumentName) throws {
    let index = try index(out)
    try scope.write(index, builder.addNode(op, operands, type: try resultType(of: op, index)))
  }

  /// Appends a node whose results are the arguments `outs`, in order. The file does not use results that are nil.
  package mutating func emit(_ op: any Operator, _ operands: [ValueID?], outs: [ArgumentName]) throws {
    try emit(op, operands, indices: try outs.map { try index($0) })
  }

  /// Appends a node whose result, out argument `out`, only reinterprets its operand and may share its place.
  package mutating func emitView(_ op: any Operator, _ operands: [ValueID?], out: ArgumentName) throws {
    let index = try index(out)
    let value = builder.addNode(op, operands, type: try resultType(of: op, index))
    try scope.write(index, value, isView: true)
  }

  /// Appends a node whose results are the items of list argument `list`.
  package mutating func emit(_ op: any Operator, _ operands: [ValueID?], outList list: ArgumentName) throws {
    try emit(op, operands, indices: try outputList(list))
  }

  /// The declared type of a result, which must be a tensor or a scalar, with the dtype that the operator gives.
  func resultType(of op: any Operator, _ index: Int) throws -> ValueType {
    let type = try scope.type(of: index)
    switch type {
    case .tensor where !op.givesNumber, .scalar where op.givesNumber: return type
    default: throw CallError("\(op.name) does not give a \(type)")
    }
  }

  mutating func emit(_ op: any Operator, _ operands: [ValueID?], indices: [Int]) throws {
    let types = try indices.map { try resultType(of: op, $0) }
    let outputs = builder.addNode(op, operands, types: types)
    for (index, output) in zip(indices, outputs) { try scope.write(index, output) }
  }

  /// Assigns `value` to out argument `out`.
  package mutating func set(_ out: ArgumentName, _ value: ValueID) throws { try scope.write(try index(out), value) }

  /// The element of a one-element constant; otherwise nil.
  package func constantScalar(_ value: ValueID) -> Scalar? { builder.constant(value)?.scalarValue }
}
