import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor

/// Conditions and loops.
let milControlFlowRows: MILCallTable = [
  // pred; blocks: true, false
  "cond": { call in
    guard call.operation.blocks.count == 2 else { throw CallError("has \(call.operation.blocks.count) blocks, not two") }
    let condition = try call.scalarValue("pred")
    let importer = call.importer
    let source = call.source
    let branches = try call.operation.blocks.map { block in
      try importer.names.region("branch of \(source)") {
        try importer.importBlock(block)
        return try block.outputs.map { try importer.carrier(of: try importer.bound($0), name: $0) }
      }
    }
    let results = try call.builder.addConditional(condition, branches)
    guard results.count == call.outputCount else { throw CallError("has \(results.count) results, not \(call.outputCount)") }
    for (position, result) in results.enumerated() { try call.setCarried(result, output: position) }
  },
  // loop_vars; blocks: condition, body
  "while_loop": { call in
    guard call.operation.blocks.count == 2 else { throw CallError("has \(call.operation.blocks.count) blocks, not two") }
    let test = call.operation.blocks[0]
    let body = call.operation.blocks[1]
    let variables = try call.bounds("loop_vars")
    let (importer, builder, names, source) = (call.importer, call.builder, call.importer.names, call.source)
    guard variables.count == test.inputs.count, variables.count == body.inputs.count, variables.count == body.outputs.count,
      variables.count == call.outputCount, test.outputs.count == 1
    else { throw CallError("the blocks do not have the loop's \(variables.count) variables") }
    var initial: [ValueID] = []
    for (position, variable) in variables.enumerated() {
      initial.append(try importer.carrier(of: variable, name: body.inputs[position].name))
    }
    let isLists = variables.map { $0.list?.element }

    /// The value of the condition for these variables.
    func condition(_ values: [ValueID]) throws -> ValueID {
      try names.temporarily {
        for (position, input) in test.inputs.enumerated() {
          names.define(input.name, try importer.carried(values[position], isLists[position]))
        }
        try importer.importBlock(test)
        return builder.value(of: try importer.number(named: test.outputs[0], .bool))
      }
    }

    let enters = try condition(initial)
    // The first test determines whether the loop runs at all. The loop itself tests at its end.
    let loop = try names.region("loop \(source)") {
      let outer = initial.map { builder.capture($0) }
      // The number of elements of a list that may grow is already unknown; other variables have the declared type.
      let types = try outer.enumerated().map { position, value in
        let known = try builder.signature(of: value)
        guard isLists[position] == nil, case .tensor(let type) = body.inputs[position].type else { return known }
        return try TensorSignature(type)
      }
      let inner = try names.region("body of \(source)") {
        let inputs = zip(types, body.inputs).map { builder.addInput(.tensor($0), name: $1.name) }
        for (position, input) in body.inputs.enumerated() {
          names.define(input.name, try importer.carried(inputs[position], isLists[position]))
        }
        try importer.importBlock(body)
        let results = try body.outputs.map { try importer.carrier(of: try importer.bound($0), name: $0) }
        return [try condition(results)] + results
      }
      return Array(try builder.addLoop(inner, variables: outer).prefix(outer.count))
    }
    let skip = try names.region("no loop \(source)") { initial.map { builder.capture($0) } }
    let results = try builder.addConditional(enters, [loop, skip])
    for (position, result) in results.enumerated() { try call.set(try importer.carried(result, isLists[position]), output: position) }
  },
]

extension MILCall {
  fileprivate mutating func setCarried(_ value: ValueID, output position: Int) throws {
    if case .list(let element, _) = operation.outputs[position].type, let type = element.tensor {
      return try set(MILBound(list: MILTensorList(tensor: value, element: try TensorSignature(type))), output: position)
    }
    try set(value, output: position)
  }
}

extension MILFunctionImporter {
  /// The graph value that represents a tensor or a list.
  func carrier(of bound: MILBound, name: String) throws -> ValueID {
    if let list = bound.list { return list.tensor }
    return try tensor(of: bound, name: name)
  }

  /// The inverse of `carrier`: a list if `element` is given.
  func carried(_ value: ValueID, _ element: TensorSignature?) throws -> MILBound {
    if let element { return MILBound(list: MILTensorList(tensor: value, element: element)) }
    return MILBound(tensor: value, try builder.signature(of: value))
  }

  /// The single number in a tensor.
  func number(named name: String, _ kind: ScalarKind) throws -> GraphNumber {
    if let numbers = try numbers(named: name), numbers.count == 1 { return numbers[0] }
    let value = try tensor(named: name)
    return .computed(builder.addNode(ScalarFromTensor(kind: kind), [value], type: .scalar(kind), source: name))
  }
}
