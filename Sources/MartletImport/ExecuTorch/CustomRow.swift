import MartletExecuTorchFile
import MartletGraph
package import MartletOps
import MartletTensor

extension OperatorCall {
  /// The importer of an operator registered by the package's user. It accepts any arguments. The last argument, which the call returns,
  /// determines the outputs.
  package static func custom(_ definition: CustomDefinition) -> CallRow {
    CallRow(schema: definition.name) { call in try call.emit(definition) }
  }

  private mutating func emit(_ definition: CustomDefinition) throws {
    let (inputCount, outputs) = try returnedTensors()
    var operands: [ValueID?] = []
    var arguments: [CustomArgument] = []
    for position in 0..<inputCount { arguments.append(try customArgument(.position(position), &operands)) }
    var declared: [TensorSignature] = []
    for index in outputs {
      guard case .tensor(let signature) = try scope.type(of: index) else { throw CallError("returns a value that is not a tensor") }
      declared.append(signature)
    }
    try emit(CustomNode(definition, arguments: arguments, declared: declared), operands, indices: outputs)
  }

  /// The number of arguments before the outputs, and the outputs: one tensor, several tensors, or a list of tensors, each followed by the
  /// returned value.
  private func returnedTensors() throws -> (inputCount: Int, outputs: [Int]) {
    let unclear = CallError("does not end with its outputs followed by the returned outputs; only such operators can be registered")
    guard let returned = arguments.last else { throw unclear }
    let rest = arguments.dropLast()
    switch scope.plan.values[returned] {
    case .tensor where rest.last == returned: return (rest.count - 1, [returned])
    case .tensorList(let items):
      if let last = rest.last, case .tensorList(items) = scope.plan.values[last] { return (rest.count - 1, items) }
      guard !items.isEmpty, rest.suffix(items.count) == items[...] else { throw unclear }
      return (rest.count - items.count, items)
    default: throw unclear
    }
  }

  private mutating func customArgument(_ argument: ArgumentName, _ operands: inout [ValueID?]) throws -> CustomArgument {
    func append(_ value: ValueID) -> Int {
      operands.append(value)
      return operands.count - 1
    }
    switch try value(argument) {
    case .none: return .none
    case .tensor: return .tensor(operand: append(try tensor(argument)))
    case .tensorList(let items): return .tensors(try items.map { append(try scope.read($0)) })
    case .optionalTensorList(let items): return .tensors(try items.map { item in try item.map { append(try scope.read($0)) } })
    case .int, .double, .bool:
      if let scalar = known(try index(argument)) { return .number(scalar) }
      return .computed(operand: append(try scalarValue(argument)))
    case .intList: return .integers(try intList(argument, &operands))
    case .doubleList(let items): return .doubles(items)
    case .boolList(let items): return .bools(items)
    case .string(let text): return .string(text)
    }
  }
}
