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
    var branches: [MILFunctionImporter.Scope] = []
    for block in call.operation.blocks {
      branches.append(
        try importer.region("branch of \(call.source)") {
          try importer.importBlock(block)
          return try block.outputs.map { try importer.carrier(of: try importer.bound($0), name: $0) }
        })
    }
    let results = try importer.addConditional(condition, &branches, source: call.source)
    guard results.count == call.outputCount else { throw CallError("has \(results.count) results, not \(call.outputCount)") }
    for (position, result) in results.enumerated() { try call.setCarried(result, output: position) }
  },
  // loop_vars; blocks: condition, body
  "while_loop": { call in
    guard call.operation.blocks.count == 2 else { throw CallError("has \(call.operation.blocks.count) blocks, not two") }
    let test = call.operation.blocks[0]
    let body = call.operation.blocks[1]
    let variables = try call.bounds("loop_vars")
    let importer = call.importer
    guard variables.count == test.inputs.count, variables.count == body.inputs.count, variables.count == body.outputs.count,
      variables.count == call.outputCount, test.outputs.count == 1
    else { throw CallError("the blocks do not have the loop's \(variables.count) variables") }
    var initial: [ValueID] = []
    for (position, variable) in variables.enumerated() {
      initial.append(try importer.carrier(of: variable, name: body.inputs[position].name))
    }
    let isLists = variables.map { $0.list?.element }

    /// The condition's value for variables bound here.
    func condition(_ values: [ValueID]) throws -> ValueID {
      try importer.temporarily {
        for (position, input) in test.inputs.enumerated() {
          importer.bind(input.name, try importer.carried(values[position], isLists[position]))
        }
        try importer.importBlock(test)
        return importer.value(try importer.number(named: test.outputs[0], .bool))
      }
    }

    let enters = try condition(initial)
    // The first test decides whether to begin; the loop itself tests at its end.
    let loop = try importer.region("loop \(call.source)") {
      let outer = initial.map { importer.taken($0) }
      var inner = try importer.region("body of \(call.source)") {
        let inputs = try outer.enumerated().map { position, value in
          try importer.addLoopInput(like: value, body.inputs[position], isLists[position])
        }
        for (position, input) in body.inputs.enumerated() {
          importer.bind(input.name, try importer.carried(inputs[position], isLists[position]))
        }
        try importer.importBlock(body)
        let results = try body.outputs.map { try importer.carrier(of: try importer.bound($0), name: $0) }
        return [try condition(results)] + results
      }
      return try importer.addLoop(&inner, variables: outer, source: call.source)
    }
    let skip = try importer.region("no loop \(call.source)") { initial.map { importer.taken($0) } }
    var branches = [loop, skip]
    let results = try importer.addConditional(enters, &branches, source: call.source)
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
  /// The value of the graph that stands for a tensor or a list.
  func carrier(of bound: MILBound, name: String) throws -> ValueID {
    if let list = bound.list { return list.tensor }
    return try tensor(of: bound, name: name)
  }

  /// What `carrier` came from: a list if it has elements.
  func carried(_ value: ValueID, _ element: TensorSignature?) throws -> MILBound {
    if let element { return MILBound(list: MILTensorList(tensor: value, element: element)) }
    guard let signature = signature(of: value) else { throw CallError("a value is no tensor") }
    return MILBound(tensor: value, signature)
  }

  /// The only number of a tensor.
  func number(named name: String, _ kind: ScalarKind) throws -> MILNumber {
    if let numbers = try numbers(named: name), numbers.count == 1 { return numbers[0] }
    let value = try tensor(named: name)
    return .computed(addNode(ScalarFromTensor(kind: kind), [value], types: [.scalar(kind)], source: name)[0])
  }

  /// An input of the region for a loop's variable, of the body's declared type.
  func addLoopInput(like value: ValueID, _ declared: MILNamedType, _ element: TensorSignature?) throws -> ValueID {
    guard var signature = outerSignature(value) else { throw CallError("variable '\(declared.name)' is no tensor") }
    // A list that may grow has an open number of elements already.
    if element == nil, case .tensor(let type) = declared.type { signature = try TensorSignature(type) }
    return addRegionInput(.tensor(signature), name: declared.name)
  }

  /// Appends a conditional and gives its results.
  func addConditional(_ condition: ValueID, _ branches: inout [Scope], source: String) throws -> [ValueID] {
    let count = branches[0].graph.outputs.count
    guard branches.allSatisfy({ $0.graph.outputs.count == count }) else {
      throw CallError("the branches have different numbers of results")
    }
    // Both regions take the union of what either captures.
    var captured: [ValueID] = []
    var known: Set<ValueID> = []
    for branch in branches { for value in branch.captured where known.insert(value).inserted { captured.append(value) } }
    for position in branches.indices { matchInputs(of: &branches[position], to: captured) }
    let types = (0..<count).map { result -> ValueType in
      let kinds = branches.map { $0.graph[$0.graph.outputs[result]].type }
      return Self.joined(kinds[0], kinds[1])
    }
    return addNode(Conditional(), [condition] + captured, types: types, regions: branches.map(\.graph), source: source)
  }

  /// Appends a loop whose body's outputs are the flag and the next variables, and gives the variables' last values.
  func addLoop(_ body: inout Scope, variables: [ValueID], source: String) throws -> [ValueID] {
    guard body.graph.inputs.count == variables.count + body.captured.count else { throw CallError("the loop's variables do not fit") }
    body.graph.outputs += body.captured.map { body.captures[$0]! }
    let types = (variables + body.captured).enumerated().map { position, value in
      Self.joined(type(of: value), body.graph[body.graph.outputs[position + 1]].type)
    }
    let results = addNode(Loop(), variables + body.captured, types: types, regions: [body.graph], source: source)
    return Array(results.prefix(variables.count))
  }

  /// A type that has both: extents that differ are open.
  private static func joined(_ a: ValueType, _ b: ValueType) -> ValueType {
    guard case .tensor(var first) = a, case .tensor(let second) = b, first.rank == second.rank else { return a }
    for axis in first.dimensions.indices where first.dimensions[axis] != second.dimensions[axis] {
      first.dimensions[axis] = .symbolic(bound: nil)
    }
    return .tensor(first)
  }

  /// Gives a region without inputs of its own the inputs `captured`, in this order.
  private func matchInputs(of scope: inout Scope, to captured: [ValueID]) {
    let own = Set(scope.captured)
    scope.graph.inputs = captured.map { outer in
      if own.contains(outer), let inner = scope.captures[outer] { return inner }
      return scope.graph.add(Value(type: type(of: outer), origin: .input(0)))
    }
    for (position, input) in scope.graph.inputs.enumerated() { scope.graph[input].origin = .input(position) }
    scope.captured = captured
  }
}
