import MartletExecuTorchFile
import MartletGraph
import MartletOps
import MartletTensor

/// Turns the instructions of one execution plan into a graph.
///
/// The file's instructions write into tensors that it has placed in memory; the graph assigns each result once. Where
/// the file lets two tensors share memory, the later one is a view of the earlier. Tensors that are read before any
/// instruction writes them are states. Jumps become regions.
final class MethodImporter {
  /// A graph or region under construction.
  struct Scope {
    var graph: Graph
    /// The value that each of the plan's values has at this point.
    var current: [Int: ValueID] = [:]
    /// The plan's values that instructions of this scope, a region, have written, in order.
    var written: [Int] = []
    /// The plan's values that the region takes from outside, in order of its inputs.
    var captured: [Int] = []
  }

  let plan: ExecutionPlan
  let context: ProgramImportContext
  /// Names and importers of the plan's operators; without one it is not known.
  let operators: [(name: String, row: CallImporter?)]
  private var scopes: [Scope]
  /// The values whose contents lie at each place of the file's memory plan, by area and offset: the one last written and views of it.
  private var writers: [[Int: [Int]]]
  /// Numbers that an instruction computes.
  private var computed: [Bool]
  /// State position by the plan's value index, with the value read at the start.
  private var states: [Int: (position: Int, initial: ValueID)] = [:]
  /// The position of a delegate's first state, by the delegate's identifier.
  private var delegateStates: [String: Int] = [:]

  init(_ plan: ExecutionPlan, context: ProgramImportContext) {
    self.plan = plan
    self.context = context
    operators = plan.operators.map { op in
      let name = op.description
      return (name, CallRegistry.rows[name] ?? context.customRows[name])
    }
    writers = [[Int: [Int]]](repeating: [:], count: plan.bufferSizes.count)
    computed = [Bool](repeating: false, count: plan.values.count)
    scopes = [Scope(graph: Graph(name: plan.name))]
    // About one value for each of the plan's and one node for each instruction.
    scopes[0].graph.values.reserveCapacity(plan.values.count)
    scopes[0].graph.nodes.reserveCapacity(plan.chains.reduce(0) { $0 + $1.instructions.count })
  }

  private var depth: Int { scopes.count - 1 }

  /// Regions inside one another, each of which takes stack while it is imported, rewritten and planned.
  private static let deepestNesting = 64
  /// Operands of all nodes: one list of a file may be an argument of any number of calls.
  private static let mostOperands = 1 << 24
  private var operandCount = 0
  /// The operation that is being imported, and how many there have been.
  private var origins: [NodeOrigin] = []
  private var operationCount = 0

  /// - Throws: `CallError` if the method's nodes have more operands than any program needs.
  func checkOperandCount() throws(CallError) {
    guard operandCount <= Self.mostOperands else { throw CallError("the method has more than \(Self.mostOperands) operands") }
  }

  func importMethod() throws -> Graph {
    for index in plan.inputs {
      let type = try type(of: index)
      let id = scopes[0].graph.addInput(type)
      // Numbers were fixed when the file was made: their use in the program does not depend on the argument.
      if case .tensor(let tensor) = plan.values[index] {
        scopes[0].current[index] = id
        if let place = tensor.location { writers[place.memoryID][place.offset] = [index] }
      }
    }
    collectComputed()
    for (number, chain) in plan.chains.enumerated() {
      try ChainImporter(importer: self, chain: chain, number: number).importAll()
    }
    let outputs = try plan.outputs.map { try read($0) }
    for (index, state) in states.sorted(by: { $0.value.position < $1.value.position }) {
      guard let last = scopes[0].current[index], last != state.initial else { continue }
      scopes[0].graph.addNode(WriteState(state: state.position), [last], types: [], source: "end of \(plan.name)")
    }
    scopes[0].graph.outputs = outputs
    return scopes[0].graph
  }

  /// Finds the numbers that instructions write, before any is read.
  private func collectComputed() {
    for chain in plan.chains {
      for instruction in chain.instructions {
        switch instruction {
        case .kernelCall(_, let arguments):
          if let last = arguments.last, plan.values[last].isNumber { computed[last] = true }
        case .move(_, let destination):
          if plan.values[destination].isNumber { computed[destination] = true }
        case .delegateCall, .jumpIfFalse, .free: break
        }
      }
    }
  }

  func isComputed(_ index: Int) -> Bool { computed[index] }

  // MARK: Types

  func dtype(_ tensor: ProgramTensor) throws -> DType {
    guard let dtype = DType(tensor.scalarType) else {
      throw CallError("tensors of type \(tensor.scalarType) are not supported")
    }
    return dtype
  }

  func signature(_ tensor: ProgramTensor) throws -> TensorSignature {
    let dtype = try dtype(tensor)
    guard tensor.sizes.count <= 16 else { throw CallError("a tensor has \(tensor.sizes.count) axes, more than 16") }
    let dimensions: [Dimension] = tensor.sizes.map { extent in
      switch tensor.shapeDynamism {
      case .fixed: .fixed(extent)
      case .upperBound: .symbolic(bound: extent)
      case .unbound: .symbolic(bound: nil)
      }
    }
    return TensorSignature(dtype: dtype, dimensions: dimensions, dimOrder: tensor.dimOrder)
  }

  func type(of index: Int) throws -> ValueType {
    switch plan.values[index] {
    case .tensor(let tensor): .tensor(try signature(tensor))
    case .int: .scalar(.int)
    case .double: .scalar(.double)
    case .bool: .scalar(.bool)
    case .string: .string
    case .none: .none
    default: throw CallError("\(plan.values[index].kindName) cannot be a value of its own")
    }
  }

  // MARK: Values of the graph

  // Read where they are: a call of one of the graph's methods would take a copy of it.
  func type(of value: ValueID) -> ValueType { scopes[depth].graph.values[value.index].type }

  func isTensor(_ value: ValueID) -> Bool {
    if case .tensor = scopes[depth].graph.values[value.index].type { true } else { false }
  }

  func signature(of value: ValueID) -> TensorSignature? {
    if case .tensor(let signature) = scopes[depth].graph.values[value.index].type { signature } else { nil }
  }

  func constant(_ value: ValueID) -> Constant? {
    if case .constant(let constant) = scopes[depth].graph.values[value.index].origin { constant } else { nil }
  }

  // MARK: Reading and writing

  /// The plan's value as it is at this point of the program.
  func read(_ index: Int) throws -> ValueID {
    switch plan.values[index] {
    case .tensor(let tensor):
      if let place = tensor.location, let present = writers[place.memoryID][place.offset], !present.contains(index) {
        return try alias(of: present[0], as: tensor)
      }
      if let known = lookUp(index, depth) { return known }
      return try source(of: tensor, index)
    case .int, .double, .bool:
      if computed[index], let known = lookUp(index, depth) { return known }
      let literal: Scalar
      switch plan.values[index] {
      case .int(let value): literal = .int(value)
      case .double(let value): literal = .double(value)
      case .bool(let value): literal = .bool(value)
      default: preconditionFailure("a number")
      }
      guard computed[index] else { return addScalar(literal) }
      // The value before any instruction writes it, in the outermost scope, so that a loop carries it.
      scopes[0].current[index] = scopes[0].graph.addScalar(literal)
      return lookUp(index, depth)!
    case .string(let text):
      return scopes[depth].graph.add(Value(type: .string, origin: .string(text)))
    case .none:
      if let known = lookUp(index, depth) { return known }
      return scopes[depth].graph.add(Value(type: .none, origin: .none))
    default: throw CallError("value \(index) is \(plan.values[index].kindName), which cannot be a value of its own")
    }
  }

  /// The plan's value, which must be a tensor at this point of the program: instructions may have put something else there.
  func readTensor(_ index: Int) throws -> ValueID {
    let value = try read(index)
    guard isTensor(value) else { throw CallError("value \(index) is \(type(of: value)), not a tensor") }
    return value
  }

  /// The value, taken into the regions between where it is assigned and the scope at `level`.
  private func lookUp(_ index: Int, _ level: Int) -> ValueID? {
    if let known = scopes[level].current[index] { return known }
    guard level > 0, let outer = lookUp(index, level - 1) else { return nil }
    let input = scopes[level].graph.addInput(scopes[level - 1].graph[outer].type)
    scopes[level].captured.append(index)
    scopes[level].current[index] = input
    return input
  }

  /// A tensor that shares the memory of `writer`: the same elements in another shape.
  private func alias(of writer: Int, as tensor: ProgramTensor) throws -> ValueID {
    let value = try read(writer)
    let target = try signature(tensor)
    guard let source = signature(of: value) else { return value }
    guard source.dtype == target.dtype else {
      throw CallError("a \(target) shares the memory of a \(source)")
    }
    if source.dimensions == target.dimensions { return value }
    guard let shape = target.fixedShape else { throw CallError("a \(target) of dynamic shape shares the memory of a \(source)") }
    return addNode(Reshape(shape: shape.map { .constant($0) }), [value], types: [.tensor(target)], source: "shared memory")[0]
  }

  /// A tensor that no instruction has written: a constant or a state.
  private func source(of tensor: ProgramTensor, _ index: Int) throws -> ValueID {
    switch tensor.data {
    case .constant(let bytes):
      let constant = try context.constants.constant(bytes, layout: tensor.layout)
      return addConstant(constant, name: tensor.qualifiedName)
    case .external(let name, _):
      let bytes = try context.external.tensorData(named: name, layout: tensor.layout, program: context.program)
      return addConstant(try context.constants.constant(bytes, layout: tensor.layout), name: name)
    case .mutableInitialized(let bytes, let place):
      let initial = try context.constants.constant(bytes, layout: tensor.layout)
      return try addState(tensor, index, place, initial)
    case .planned(let place):
      return try addState(tensor, index, place, nil)
    case .callerProvided:
      throw CallError("tensor \(index) is read before it is written")
    }
  }

  private func addState(
    _ tensor: ProgramTensor, _ index: Int, _ place: ProgramTensor.PlannedLocation, _ initial: Constant?
  ) throws -> ValueID {
    let type = try signature(tensor)
    guard let shape = type.fixedShape else { throw CallError("state \(index) has a dynamic shape") }
    let own = tensor.qualifiedName ?? "memory \(place.memoryID) at \(place.offset)"
    let name = context.sharesStates ? own : "\(plan.name)/\(own)"
    let position = scopes[0].graph.states.count
    scopes[0].graph.states.append(StateDeclaration(name: name, type: TensorType(type.dtype, shape), initial: initial))
    let id = scopes[0].graph.addNode(ReadState(state: position), [], type: .tensor(type), source: "state \(name)")
    scopes[0].current[index] = id
    writers[place.memoryID][place.offset] = [index]
    states[index] = (position, id)
    return lookUp(index, depth)!
  }

  /// The tensor's current value, or zeros if nothing has written it: for operators that fill a tensor piece by piece.
  func readOrZeros(_ index: Int) throws -> ValueID {
    guard case .tensor(let tensor) = plan.values[index], lookUp(index, depth) == nil else { return try read(index) }
    let type = try signature(tensor)
    guard let shape = type.dimensions.map(\.upperBound) as? [Int], HostTensor.byteCount(dtype: type.dtype, shape: shape) != nil else {
      throw CallError("tensor \(index) has no bounded shape")
    }
    // In the outermost scope, so that a loop carries it; made by a node, so that its size counts as a call's memory.
    let zero = scopes[0].graph.addScalar(.int(0))
    scopes[0].current[index] =
      scopes[0].graph.addNode(
        Full(shape: shape.map { .constant($0) }, dtype: type.dtype), [zero],
        types: [.tensor(TensorSignature(TensorType(type.dtype, shape)))], source: "zeros for value \(index)", origins: origins)[0]
    return lookUp(index, depth)!
  }

  /// Makes `value` the plan's value from here on.
  ///
  /// - Parameter isView: whether the value only reinterprets what lies at its place, so that the values there stay valid.
  func write(_ index: Int, _ value: ValueID, isView: Bool = false) throws {
    scopes[depth].current[index] = value
    if depth > 0, !scopes[depth].written.contains(index) { scopes[depth].written.append(index) }
    if case .tensor(let tensor) = plan.values[index] {
      guard let place = tensor.location else { return }
      if isView {
        writers[place.memoryID][place.offset, default: []].append(index)
      } else {
        writers[place.memoryID][place.offset] = [index]
      }
    }
  }

  func addNode(_ op: any Operator, _ inputs: [ValueID?], types: [ValueType], source: String) -> [ValueID] {
    operandCount += inputs.count
    return scopes[depth].graph.addNode(op, inputs, types: types, source: source, origins: origins)
  }

  /// Imports an operation of the file: the nodes that `body` adds belong to it.
  func operation<Result>(_ op: String, _ name: String, _ body: () throws -> Result) rethrows -> Result {
    let outer = origins
    origins = [NodeOrigin(SourceOperation(number: operationCount, op: op, name: name))]
    operationCount += 1
    defer { origins = outer }
    return try body()
  }

  func addConstant(_ constant: Constant, name: String? = nil) -> ValueID {
    scopes[depth].graph.addConstant(constant, name: name)
  }

  func addScalar(_ scalar: Scalar) -> ValueID { scopes[depth].graph.addScalar(scalar) }

  // MARK: Graphs of payloads

  /// The position of the first state of a delegate's model, which all its calls share.
  func firstState(of identifier: String) -> Int { delegateStates[identifier] ?? scopes[0].graph.states.count }

  /// Declares the states of a delegate's model, unless an earlier call did.
  func declare(_ declarations: [StateDeclaration], of identifier: String) {
    guard delegateStates[identifier] == nil else { return }
    delegateStates[identifier] = scopes[0].graph.states.count
    for var state in declarations {
      state.name = "\(plan.name)/\(identifier)/\(state.name)"
      scopes[0].graph.states.append(state)
    }
  }

  /// Appends the nodes of another graph, whose states are those of this one.
  ///
  /// - Parameter inputs: values for the graph's inputs.
  /// - Returns: the values of its outputs.
  func inline(_ other: Graph, inputs: [ValueID], source: String) -> [ValueID] {
    var present = [ValueID?](repeating: nil, count: other.values.count)
    for (id, input) in zip(other.inputs, inputs) { present[id.index] = input }
    func taken(_ id: ValueID) -> ValueID {
      if let known = present[id.index] { return known }
      let added = scopes[depth].graph.add(other[id])
      present[id.index] = added
      return added
    }
    let other = other.withOperations(numberedFrom: operationCount)
    operationCount += other.operationNumbers.count
    for node in other.nodes {
      operandCount += node.inputs.count
      let outputs = scopes[depth].graph.addNode(
        node.op, node.inputs.map { $0.map(taken) }, types: node.outputs.map { other[$0].type }, regions: node.regions,
        source: "\(node.source) (\(source))", origins: node.origins)
      for (id, output) in zip(node.outputs, outputs) {
        scopes[depth].graph[output].name = other[id].name
        present[id.index] = output
      }
    }
    return other.outputs.map(taken)
  }

  // MARK: Regions

  /// Imports a branch or a loop's body in a scope of its own.
  ///
  /// - Throws: what `body` throws, and `CallError` for regions nested more deeply than `deepestNesting`.
  func region(_ name: String, _ body: () throws -> Void) throws -> Scope {
    guard depth < Self.deepestNesting else { throw CallError("jumps are nested more than \(Self.deepestNesting) deep") }
    scopes.append(Scope(graph: Graph(name: name)))
    let before = writers
    defer { writers = before }
    do {
      try body()
    } catch {
      scopes.removeLast()
      throw error
    }
    return scopes.removeLast()
  }

  /// Appends a conditional with two imported branches.
  func addConditional(_ condition: ValueID, _ branches: [Scope], source: String) throws {
    var branches = branches
    let results = branches.reduce(into: [Int]()) { list, branch in
      for index in branch.written where !list.contains(index) { list.append(index) }
    }
    for position in branches.indices {
      branches[position].graph.outputs = results.map { value(of: $0, in: &branches[position]) }
    }
    // Both regions take the union of what either captures.
    let captured = branches.reduce(into: [Int]()) { list, branch in
      for index in branch.captured where !list.contains(index) { list.append(index) }
    }
    for position in branches.indices { matchInputs(of: &branches[position], to: captured) }
    let operands: [ValueID?] = [condition] + captured.map { lookUp($0, depth)! }
    let types = results.map { index in resultType(index, in: branches) }
    let outputs = scopes[depth].graph.addNode(
      Conditional(), operands, types: types, regions: branches.map(\.graph), source: source, origins: origins)
    for (index, output) in zip(results, outputs) { try write(index, output) }
  }

  /// Appends a loop with its imported body. `flag` is the body's value that says whether to go on.
  func addLoop(_ body: Scope, flag: ValueID, source: String) throws {
    var body = body
    // Everything written is carried, whether or not it had a value before.
    for index in body.written where !body.captured.contains(index) {
      let type = lookUp(index, depth).map { scopes[depth].graph[$0].type } ?? .none
      _ = body.graph.addInput(type)
      body.captured.append(index)
    }
    body.graph.outputs = [flag] + body.captured.map { body.current[$0]! }
    let operands: [ValueID?] = body.captured.map { index in
      lookUp(index, depth) ?? scopes[depth].graph.add(Value(type: .none, origin: .none))
    }
    let types = body.captured.map { body.graph[body.current[$0]!].type }
    let outputs = scopes[depth].graph.addNode(Loop(), operands, types: types, regions: [body.graph], source: source, origins: origins)
    for (index, output) in zip(body.captured, outputs) where body.written.contains(index) { try write(index, output) }
  }

  private func value(of index: Int, in branch: inout Scope) -> ValueID {
    if let known = branch.current[index] { return known }
    guard let outer = lookUp(index, depth) else { return branch.graph.add(Value(type: .none, origin: .none)) }
    let input = branch.graph.addInput(scopes[depth].graph[outer].type)
    branch.captured.append(index)
    branch.current[index] = input
    return input
  }

  private func matchInputs(of branch: inout Scope, to captured: [Int]) {
    var inputs: [ValueID] = []
    for (position, index) in captured.enumerated() {
      let id: ValueID
      if let known = branch.captured.firstIndex(of: index) {
        id = branch.graph.inputs[known]
      } else {
        let type = lookUp(index, depth).map { scopes[depth].graph[$0].type } ?? .none
        id = branch.graph.add(Value(type: type, origin: .input(position)))
      }
      branch.graph[id].origin = .input(position)
      inputs.append(id)
    }
    branch.graph.inputs = inputs
    branch.captured = captured
  }

  private func resultType(_ index: Int, in branches: [Scope]) -> ValueType {
    for branch in branches {
      if let value = branch.current[index], branch.graph[value].type != .none { return branch.graph[value].type }
    }
    return .none
  }
}

extension EValue {
  fileprivate var isNumber: Bool {
    switch self {
    case .int, .double, .bool: true
    default: false
    }
  }
}

extension ProgramTensor {
  /// The tensor's place in the file's memory plan, if it has one that instructions write.
  var location: PlannedLocation? {
    // Tensors without elements lie anywhere: sharing a place means nothing for them.
    if sizes.contains(0) { return nil }
    return switch data {
    case .planned(let place), .mutableInitialized(_, let place): place
    case .constant, .external, .callerProvided: nil
    }
  }
}
