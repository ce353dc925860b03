import MartletExecuTorchFile
package import MartletGraph
package import MartletTensor

/// A `KernelCall` being imported: its arguments as values of the graph, and the destinations of its results.
///
/// Positions are those of the `out` overload's schema: all arguments in order, then the out tensors.
package struct OperatorCall: GraphWriting {
  package let op: String
  let arguments: [Int]
  let scope: MethodImporter
  package var builder: GraphBuilder { scope.builder }

  /// Number of arguments, including out tensors and repeated results.
  package var argumentCount: Int { arguments.count }

  func index(_ position: Int) throws -> Int {
    guard arguments.indices.contains(position) else {
      throw CallError("has \(arguments.count) arguments, argument \(position) is missing")
    }
    return arguments[position]
  }

  func value(_ position: Int) throws -> EValue { scope.plan.values[try index(position)] }

  // MARK: Arguments

  package func isNone(_ position: Int) throws -> Bool {
    if case .none = try value(position) { true } else { false }
  }

  /// The current value of the tensor argument.
  package mutating func tensor(_ position: Int) throws -> ValueID {
    guard case .tensor = try value(position) else {
      throw CallError("argument \(position) is \(try value(position).kindName), not a tensor")
    }
    return try scope.readTensor(try index(position))
  }

  package mutating func optionalTensor(_ position: Int) throws -> ValueID? {
    try isNone(position) ? nil : try tensor(position)
  }

  package mutating func tensorList(_ position: Int) throws -> [ValueID] {
    guard case .tensorList(let items) = try value(position) else {
      throw CallError("argument \(position) is \(try value(position).kindName), not a list of tensors")
    }
    return try items.map { try scope.readTensor($0) }
  }

  package mutating func optionalTensorList(_ position: Int) throws -> [ValueID?] {
    switch try value(position) {
    case .optionalTensorList(let items): return try items.map { item in try item.map { try scope.readTensor($0) } }
    case .tensorList(let items): return try items.map { try scope.readTensor($0) }
    default: throw CallError("argument \(position) is \(try value(position).kindName), not a list of optional tensors")
    }
  }

  private func declared(_ position: Int) throws -> ProgramTensor {
    guard case .tensor(let tensor) = try value(position) else {
      throw CallError("argument \(position) is \(try value(position).kindName), not a tensor")
    }
    return tensor
  }

  /// Declared type of a tensor argument or out tensor.
  package func signature(_ position: Int) throws -> TensorSignature { try scope.signature(try declared(position)) }
  package func dtype(_ position: Int) throws -> DType { try scope.dtype(try declared(position)) }
  package func rank(_ position: Int) throws -> Int { try signature(position).rank }

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
  package func scalar(_ position: Int) throws -> Scalar {
    guard let scalar = known(try index(position)) else {
      throw CallError("argument \(position) is \(try value(position).kindName), not a known number")
    }
    return scalar
  }

  /// An integer such as an axis, a size or a stride. It must fit in 32 bits, so that no sum or product of two overflows.
  package func int(_ position: Int) throws -> Int {
    try attribute(try scalar(position), position)
  }

  private func attribute(_ scalar: Scalar, _ position: Int) throws -> Int {
    guard let value = scalar.intValue, let short = Int32(exactly: value) else {
      throw CallError("argument \(position) is \(scalar), not a 32-bit integer")
    }
    return Int(short)
  }

  package func optionalInt(_ position: Int) throws -> Int? { try isNone(position) ? nil : try int(position) }
  package func double(_ position: Int) throws -> Double { try scalar(position).doubleValue }
  package func optionalDouble(_ position: Int) throws -> Double? { try isNone(position) ? nil : try double(position) }
  package func optionalScalar(_ position: Int) throws -> Scalar? { try isNone(position) ? nil : try scalar(position) }
  package func bool(_ position: Int) throws -> Bool { try scalar(position).boolValue }

  package func string(_ position: Int) throws -> String {
    guard case .string(let value) = try value(position) else { throw CallError("argument \(position) is not a string") }
    return value
  }

  package func optionalString(_ position: Int) throws -> String? { try isNone(position) ? nil : try string(position) }

  /// A number, known or computed, as a value of the graph.
  package mutating func scalarValue(_ position: Int) throws -> ValueID {
    let value = try scope.read(try index(position))
    guard case .scalar = builder.type(of: value) else {
      throw CallError("argument \(position) is \(builder.type(of: value)), not a number")
    }
    return value
  }

  /// An integer that may be computed. A computed one is appended to `operands`.
  package mutating func int(_ position: Int, _ operands: inout [ValueID?]) throws -> IntArgument {
    try argument(try index(position), &operands)
  }

  package mutating func optionalInt(_ position: Int, _ operands: inout [ValueID?]) throws -> IntArgument? {
    try isNone(position) ? nil : try int(position, &operands)
  }

  private mutating func argument(_ index: Int, _ operands: inout [ValueID?]) throws -> IntArgument {
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
  package mutating func intList(_ position: Int, _ operands: inout [ValueID?]) throws -> [IntArgument] {
    guard case .intList(let items) = try value(position) else {
      throw CallError("argument \(position) is \(try value(position).kindName), not a list of integers")
    }
    var result: [IntArgument] = []
    for item in items { result.append(try argument(item, &operands)) }
    return result
  }

  /// A list of integers known when importing; a single integer counts as a list of one.
  package func intList(_ position: Int) throws -> [Int] {
    switch try value(position) {
    case .intList(let items):
      return try items.map { item in
        guard let value = known(item) else { throw CallError("argument \(position) has an element that is not known") }
        return try attribute(value, position)
      }
    case .int: return [try int(position)]
    default: throw CallError("argument \(position) is \(try value(position).kindName), not a list of integers")
    }
  }

  package func optionalIntList(_ position: Int) throws -> [Int]? { try isNone(position) ? nil : try intList(position) }

  package func doubleList(_ position: Int) throws -> [Double] {
    guard case .doubleList(let items) = try value(position) else {
      throw CallError("argument \(position) is \(try value(position).kindName), not a list of numbers")
    }
    return items
  }

  package func optionalDoubleList(_ position: Int) throws -> [Double]? { try isNone(position) ? nil : try doubleList(position) }

  package func boolList(_ position: Int) throws -> [Bool] {
    guard case .boolList(let items) = try value(position) else {
      throw CallError("argument \(position) is \(try value(position).kindName), not a list of booleans")
    }
    return items
  }

  // MARK: Results

  /// The value indices of a list of out tensors.
  package func outputList(_ position: Int) throws -> [Int] {
    guard case .tensorList(let items) = try value(position) else {
      throw CallError("argument \(position) is \(try value(position).kindName), not a list of tensors")
    }
    return items
  }

  /// Appends a node whose only result is out argument `out`.
  package mutating func emit(_ op: any Operator, _ operands: [ValueID?], out: Int) throws {
    try emit(op, operands, outs: [out])
  }

  /// Appends a node whose results are the arguments `outs`, in order. The file does not use results that are nil.
  package mutating func emit(_ op: any Operator, _ operands: [ValueID?], outs: [Int]) throws {
    try emit(op, operands, indices: try outs.map { try index($0) })
  }

  /// Appends a node whose result, out argument `out`, only reinterprets its operand and may share its place.
  package mutating func emitView(_ op: any Operator, _ operands: [ValueID?], out: Int) throws {
    let index = try index(out)
    let value = builder.addNode(op, operands, types: [try resultType(of: op, index)])[0]
    try scope.write(index, value, isView: true)
  }

  /// Appends a node whose results are the items of list argument `list`.
  package mutating func emit(_ op: any Operator, _ operands: [ValueID?], outList list: Int) throws {
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
  package mutating func set(_ out: Int, _ value: ValueID) throws { try scope.write(try index(out), value) }

  /// The element of a one-element constant; otherwise nil.
  package func constantScalar(_ value: ValueID) -> Scalar? { builder.constant(value)?.scalarValue }
}
