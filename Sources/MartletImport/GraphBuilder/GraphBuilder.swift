package import MartletGraph
import MartletOps
package import MartletTensor

/// Builds the graph of one method or function, for all formats.
///
/// Nodes are appended to the open scope: the graph itself or the region of a conditional or loop in it. A region sees only its own inputs,
/// so values of enclosing scopes are captured where they are used (`GraphBuilder+Regions.swift`). `Names` keeps the names of the source
/// format; rows write nodes with the functions of `GraphWriting`.
package final class GraphBuilder {
  /// Limits on the resources that a file can request.
  package struct Limits: Sendable {
    /// Depth of nested regions. Each level takes stack space when it is imported, rewritten and planned.
    package var nesting: Int
    /// Total number of operands of all nodes. A file may pass one list to any number of operations.
    package var operands: Int
    /// Total number of nodes of a method and its regions. A part of a file, such as the condition of a loop, may be imported several times.
    package var nodes: Int
    /// Total number of elements of the lists of numbers that are known when importing.
    package var numbers: Int
    /// Size in bytes of a dense tensor of a declared shape.
    package var byteCount: Int

    private static let mostNodes = 1 << 18

    package init(
      nesting: Int = 64, operands: Int = 1 << 24, nodes: Int = mostNodes, numbers: Int = 1 << 22, byteCount: Int = Shape.largestElementCount
    ) {
      self.nesting = nesting
      self.operands = operands
      self.nodes = nodes
      self.numbers = numbers
      self.byteCount = byteCount
    }

    package init(_ limits: ResourceLimits) { self.init(nodes: min(limits.nodeCount, Self.mostNodes), byteCount: limits.memoryByteCount) }
  }

  /// The model's path, for errors.
  package let file: String
  /// The method's or function's name, for errors.
  package let method: String
  package let constants: ConstantPool
  let limits: Limits
  /// The graph and the regions under construction, outermost first.
  var scopes: [Region]
  /// Index of the open scope in `scopes`.
  package internal(set) var level = 0
  /// Description of the operation being imported. Its nodes keep it for dumps and errors.
  package private(set) var source = ""
  private var origins: [NodeOrigin] = []
  private var operationCount = 0
  private var operandCount = 0
  private var nodeCount = 0
  private var numberCount = 0
  /// Nodes and numbers whose work and memory the allowance has been charged for.
  private var settled = (nodes: 0, numbers: 0)
  private let allowance = Allowance.current
  /// The first limit that was exceeded.
  private var refusal: CallError?
  /// Index of the first state of each inlined model, by the model's identifier.
  private var firstStates: [String: Int] = [:]

  package init(_ name: String, file: String, constants: ConstantPool, limits: Limits = Limits()) {
    self.file = file
    self.method = name
    self.constants = constants
    self.limits = limits
    scopes = [Region(Graph(name: name))]
  }

  /// Reserves room in the outermost graph for more values and nodes. Does nothing if the graph has as many already, so that repeated calls
  /// do not copy it each time.
  package func reserveCapacity(values: Int, nodes: Int) {
    let (valueCount, nodeCount) = (scopes[0].graph.values.count, scopes[0].graph.nodes.count)
    if values > valueCount { scopes[0].graph.values.reserveCapacity((Extent(valueCount) + values).clamped) }
    if nodes > nodeCount { scopes[0].graph.nodes.reserveCapacity((Extent(nodeCount) + nodes).clamped) }
  }

  /// The finished graph.
  /// - Throws: if the graph exceeds a limit.
  package func graph(outputs: [ValueID]) throws(CallError) -> Graph {
    precondition(level == 0 && scopes.count == 1, "a region is open")
    try checkLimits()
    scopes[0].graph.outputs = outputs
    return scopes[0].graph
  }

  // MARK: Operations and errors

  /// Imports one operation of the file. Nodes that `body` adds belong to it.
  ///
  /// - Parameters:
  ///   - op: the operator's name in the file.
  ///   - name: distinguishes operations of the same operator.
  ///   - number: position in file order; counted here if nil.
  ///   - source: description kept by the nodes; the current one if nil.
  /// - Throws: the errors of `body`, and `CallError` if the graph exceeds a limit.
  package func operation<Result>(
    _ op: String, _ name: String, number: Int? = nil, source: String? = nil, _ body: () throws -> Result
  ) throws -> Result {
    let outer = (origins, self.source)
    origins = [NodeOrigin(SourceOperation(number: number ?? operationCount, op: op, name: name))]
    operationCount += 1
    if let source { self.source = source }
    defer { (origins, self.source) = outer }
    let result = try body()
    try settle()
    return result
  }

  // MARK: Limits

  /// Work of importing one operation or node, in the units of `Allowance`.
  private static let nodeWork = 2
  /// Approximate memory of a node and of a known number, in bytes.
  private static let nodeByteCount = 1024
  private static let numberByteCount = 64

  /// Charges the nodes and numbers that were added since the last call.
  /// - Throws: `CallError` if a node or value added so far exceeds a limit; `WorkError` and `CancellationError`.
  private func settle() throws {
    try checkLimits()
    guard let allowance else { return }
    let (nodes, numbers) = (nodeCount - settled.nodes, numberCount - settled.numbers)
    settled = (nodeCount, numberCount)
    // In range: counts of what lies in memory.
    try allowance.spend(Self.nodeWork * (nodes + 1) + numbers / 64)
    do {
      // In range: counts of what lies in memory.
      try allowance.hold(nodes * Self.nodeByteCount + numbers * Self.numberByteCount)
    } catch {
      throw CallError("the method's nodes and numbers need too much memory: \(error)", isOverLimit: true)
    }
  }

  /// - Throws: if a node or value added so far exceeds a limit.
  package func checkLimits() throws(CallError) {
    if let refusal { throw refusal }
  }

  private func refuse(_ error: @autoclosure () -> CallError) {
    if refusal == nil { refusal = error() }
  }

  /// Counts a node.
  private func admit(operands: Int) {
    operandCount += operands
    nodeCount += 1
    if operandCount > limits.operands { refuse(CallError("the method has more than \(limits.operands) operands", isOverLimit: true)) }
    if nodeCount > limits.nodes {
      refuse(CallError("the method has more than \(limits.nodes) nodes, with the condition of a loop counted twice", isOverLimit: true))
    }
  }

  /// Checks the type of a value.
  private func admit(_ type: ValueType) {
    guard case .tensor(let signature) = type, !signature.declaredByteCount.fits(limits.byteCount) else { return }
    refuse(
      CallError(
        "a tensor \(signature) exceeds the memory limit", isOverLimit: true, expected: "at most \(limits.byteCount) bytes",
        found: "\(signature.declaredByteCount)"))
  }

  /// Counts numbers that a list known when importing keeps.
  /// - Throws: if all such lists together are too long.
  package func admit(numbers count: Int) throws(CallError) {
    try requireRoom(numbers: Extent(count))
    numberCount += count
  }

  /// - Throws: if a list of this length would be too long beside the lists there are.
  package func requireRoom(numbers count: Extent) throws(CallError) {
    guard (count + numberCount).fits(limits.numbers) else {
      throw CallError("lists of more than \(limits.numbers) numbers in all", isOverLimit: true)
    }
  }

  /// Runs `body` and turns a `CallError` into an `ImportError` with the place of the error.
  package func located<Result>(
    at location: @autoclosure () -> String, op: @autoclosure () -> String, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let failure as CallError {
      guard let (inner, place) = failure.payloadNode else {
        throw ImportError(failure, file: file, method: method, location: location(), op: op())
      }
      throw ImportError(failure, file: file, method: method, location: "\(location()), \(op()), \(place)", op: inner)
    }
  }

  // MARK: Values of the open scope

  // Accesses the values in place: a method call on the graph would copy it.
  package func type(of value: ValueID) -> ValueType { scopes[level].graph.values[value.index].type }

  package func isTensor(_ value: ValueID) -> Bool {
    if case .tensor = scopes[level].graph.values[value.index].type { true } else { false }
  }

  /// The signature of a value; nil if it is not a tensor.
  package func tensorSignature(of value: ValueID) -> TensorSignature? {
    if case .tensor(let signature) = scopes[level].graph.values[value.index].type { signature } else { nil }
  }

  package func constant(_ value: ValueID) -> Constant? {
    if case .constant(let constant) = scopes[level].graph.values[value.index].origin { constant } else { nil }
  }

  package func scalar(_ value: ValueID) -> Scalar? {
    if case .scalar(let scalar) = scopes[level].graph.values[value.index].origin { scalar } else { nil }
  }

  package func name(of value: ValueID) -> String? { scopes[level].graph.values[value.index].name }

  package func setName(_ name: String, of value: ValueID) { scopes[level].graph.values[value.index].name = name }

  /// Adds an input to the graph or region. A region's own inputs must be added before anything is captured.
  package func addInput(_ type: ValueType, name: String? = nil) -> ValueID {
    admit(type)
    precondition(scopes[level].captured.isEmpty, "a region's own inputs precede its captures")
    return scopes[level].graph.addInput(type, name: name)
  }

  package func addConstant(_ constant: Constant, name: String? = nil) -> ValueID {
    // Stored constants are read where they lie in the file.
    if !constant.isStored { admit(.tensor(TensorSignature(constant.type))) }
    return scopes[level].graph.addConstant(constant, name: name)
  }

  package func addScalar(_ scalar: Scalar) -> ValueID { scopes[level].graph.addScalar(scalar) }

  package func addString(_ text: String) -> ValueID { scopes[level].graph.add(Value(type: .string, origin: .string(text))) }

  package func addNone() -> ValueID { scopes[level].graph.add(Value(type: .none, origin: .none)) }

  /// Appends a node.
  /// - Parameter source: the current operation's if nil.
  package func addNode(
    _ op: any Operator, _ inputs: [ValueID?], types: [ValueType], regions: [Graph] = [], source: String? = nil
  ) -> [ValueID] {
    admit(operands: inputs.count)
    for type in types { admit(type) }
    return scopes[level].graph.addNode(op, inputs, types: types, regions: regions, source: source ?? self.source, origins: origins)
  }

  /// Appends a node with one result.
  /// - Parameter source: the current operation's if nil.
  package func addNode(_ op: any Operator, _ inputs: [ValueID?], type: ValueType, source: String? = nil) -> ValueID {
    admit(operands: inputs.count)
    admit(type)
    return scopes[level].graph.addNode(op, inputs, type: type, source: source ?? self.source, origins: origins)
  }

  /// Runs `body` with the outermost graph as the open scope, for values that must precede every region.
  package func outermost<Result>(_ body: () throws -> Result) rethrows -> Result {
    let inner = level
    level = 0
    defer { level = inner }
    return try body()
  }

  // MARK: States

  package var stateCount: Int { scopes[0].graph.states.count }

  /// Declares a state and returns its index.
  package func addState(_ state: StateDeclaration) -> Int {
    admit(.tensor(TensorSignature(state.type)))
    scopes[0].graph.states.append(state)
    return stateCount - 1
  }

  /// The value of a state when the method is called: a value of the outermost graph that belongs to no operation.
  package func stateAtEntry(_ position: Int, _ signature: TensorSignature) -> ValueID {
    let source = "state \(scopes[0].graph.states[position].name)"
    return scopes[0].graph.addNode(ReadState(state: position), [], type: .tensor(signature), source: source)
  }

  // MARK: Inlining

  /// Appends the nodes of another graph to the open scope.
  ///
  /// - Parameters:
  ///   - inputs: values for the graph's inputs.
  ///   - identifier: names the model that the graph comes from. Calls with the same identifier share its states.
  /// - Returns: the values of the graph's outputs.
  package func inline(_ other: Graph, inputs: [ValueID], identifier: String) -> [ValueID] {
    var other = other
    let first = firstState(of: identifier, declaring: other.states)
    if first > 0, !other.states.isEmpty { other = other.withStates(movedBy: first) }
    other = other.withOperations(numberedFrom: operationCount)
    operationCount += other.operationNumbers.count
    var present = [ValueID?](repeating: nil, count: other.values.count)
    for (id, input) in zip(other.inputs, inputs) { present[id.index] = input }
    func taken(_ id: ValueID) -> ValueID {
      if let known = present[id.index] { return known }
      let added = scopes[level].graph.add(other[id])
      present[id.index] = added
      return added
    }
    for node in other.nodes {
      admit(operands: node.inputs.count)
      let outputs = scopes[level].graph.addNode(
        node.op, node.inputs.map { $0.map(taken) }, types: node.outputs.map { other[$0].type }, regions: node.regions,
        source: "\(node.source) (\(source))", origins: node.origins)
      for (id, output) in zip(node.outputs, outputs) {
        scopes[level].graph[output].name = other[id].name
        present[id.index] = output
      }
    }
    return other.outputs.map(taken)
  }

  /// Index of a model's first state. The first call declares the states.
  private func firstState(of identifier: String, declaring states: [StateDeclaration]) -> Int {
    if let known = firstStates[identifier] { return known }
    let first = stateCount
    firstStates[identifier] = first
    for var state in states {
      state.name = "\(method)/\(identifier)/\(state.name)"
      scopes[0].graph.states.append(state)
    }
    return first
  }
}

extension Graph {
  /// The graph with the state indices of its nodes, including those in regions, increased by `offset`.
  fileprivate func withStates(movedBy offset: Int) -> Graph {
    var graph = self
    graph.nodes = nodes.map { node in
      var node = node
      // In range: counts of states in memory.
      if let read = node.op(as: ReadState.self) { node.op = ReadState(state: read.state + offset) }
      // In range: counts of states in memory.
      if let write = node.op(as: WriteState.self) { node.op = WriteState(state: write.state + offset) }
      if !node.regions.isEmpty { node.regions = node.regions.map { $0.withStates(movedBy: offset) } }
      return node
    }
    return graph
  }
}
