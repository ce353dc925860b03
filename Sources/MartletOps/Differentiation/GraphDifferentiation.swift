package import MartletGraph
package import MartletTensor
package import MartletVocabulary

/// Appends the derivatives of nodes to a graph: reverse-mode differentiation.
///
/// Every tensor has a fixed shape. Each operator states its own derivative (`PlannedOperator.gradients`), made of nodes of other operators.
package final class GraphDifferentiation {
  /// A node whose operator has no derivative, or none with respect to a wanted operand.
  package struct Failure: Error, Sendable {
    package let node: NodePlace
    package let reason: String
  }

  package private(set) var graph: Graph
  /// The source of the nodes that are appended.
  private var source = ""
  private var origins: [NodeOrigin] = []

  package init(_ graph: Graph) { self.graph = graph }

  /// Appends the gradients of a number with respect to values.
  ///
  /// - Parameters:
  ///   - results: values that the number depends on, each with the gradient of the number with respect to it.
  ///   - values: values that the results may depend on. Others count as constants.
  ///   - nodes: the nodes between values and results; all if nil.
  /// - Returns: for each value its gradient; nil if no result depends on it.
  package func gradients(
    of results: [(value: ValueID, gradient: ValueID)], withRespectTo values: [ValueID], in nodes: Range<Int>? = nil
  ) throws(Failure) -> [ValueID?] {
    let nodes = nodes ?? graph.nodes.indices
    var varying = Set(values)
    for node in graph.nodes[nodes] where node.inputs.contains(where: { $0.map(varying.contains) ?? false }) {
      varying.formUnion(node.outputs)
    }
    var found: [ValueID: ValueID] = [:]
    for (value, gradient) in results where varying.contains(value) { add(gradient, to: value, &found) }
    for position in nodes.reversed() {
      let node = graph.nodes[position]
      guard node.outputs.contains(where: { found[$0] != nil }) else { continue }
      let wanted = node.inputs.map { $0.map(varying.contains) ?? false }
      guard wanted.contains(true) else { continue }
      (source, origins) = ("gradient of \(node.source)", node.origins)
      let gradients: [ValueID?]
      do throws(OperatorError) {
        guard let op = node.op.planned else { throw .unsupported("the operator has no derivative") }
        gradients = try op.gradients(NodeGradients(self, node, results: node.outputs.map { found[$0] }, wanted: wanted))
      } catch {
        throw Failure(node: node.place, reason: error.reason)
      }
      for case (let input?, let gradient?) in zip(node.inputs, gradients) { add(gradient, to: input, &found) }
    }
    return values.map { found[$0] }
  }

  private func add(_ gradient: ValueID, to value: ValueID, _ found: inout [ValueID: ValueID]) {
    guard let other = found[value] else { return found[value] = gradient }
    var program = PointwiseProgram()
    let (a, b) = (program.append(.load(operand: 0, as: .float32)), program.append(.load(operand: 1, as: .float32)))
    program.append(.binary(.add, a, b))
    found[value] = graph.addNode(
      Pointwise(program, dtype: .float32, label: "add"), [other, gradient], type: graph[gradient].type, source: source)
  }

  // MARK: Nodes

  /// Appends a node whose results have the types that the operator's shape rule gives.
  package func append(_ op: any Operator, _ operands: [ValueID?]) throws(OperatorError) -> [ValueID] {
    var types: [OperandType?] = []
    for (position, operand) in operands.enumerated() {
      guard let operand else {
        types.append(nil)
        continue
      }
      switch graph[operand].type {
      case .tensor: types.append(.tensor(try type(of: operand)))
      case .scalar(let kind):
        types.append(.scalar(graph.scalar(operand).map { .known($0) } ?? .runtime(kind: kind, slot: position, offset: 0)))
      case .string, .none: types.append(nil)
      }
    }
    let results = try op.infer(Operands(types)).map { result throws(OperatorError) -> ValueType in
      guard case .tensor(let type) = result else { throw .unsupported("\(op.name) does not give a tensor of known shape") }
      return .tensor(TensorSignature(type))
    }
    return graph.addNode(op, operands, types: results, source: source, origins: origins)
  }

  package func constant(_ scalar: Scalar) -> ValueID { graph.addScalar(scalar) }

  package func addConstant(_ constant: Constant) -> ValueID { graph.addConstant(constant) }

  package func append(writing value: ValueID, to state: Int, source: String) {
    graph.addNode(WriteState(state: state), [value], types: [], source: source)
  }

  package func addInput(_ type: ValueType, name: String) -> ValueID { graph.addInput(type, name: name) }

  /// Declares a state of zeros and returns its value at the start of the call.
  package func addState(_ name: String, _ type: TensorType) -> (position: Int, value: ValueID) {
    graph.states.append(StateDeclaration(name: name, type: type, initial: nil))
    let position = graph.states.count - 1
    let value = graph.addNode(ReadState(state: position), [], type: .tensor(TensorSignature(type)), source: "state \(name)")
    return (position, value)
  }

  /// Sets the graph's outputs.
  package func setOutputs(_ outputs: [ValueID]) { graph.outputs = outputs }

  package func type(of value: ValueID) throws(OperatorError) -> TensorType {
    guard let signature = graph.signature(value), let shape = signature.fixedShape else {
      throw .unsupported("a tensor has no fixed shape")
    }
    return TensorType(signature.dtype, shape)
  }
}

/// Functions that write the nodes of derivatives.
package protocol GradientWriting {
  var differentiation: GraphDifferentiation { get }
}

extension GraphDifferentiation: GradientWriting {
  package var differentiation: GraphDifferentiation { self }
}

extension GradientWriting {
  /// Appends a node and returns its first result.
  package func apply(_ op: any Operator, _ operands: [ValueID?]) throws(OperatorError) -> ValueID {
    guard let result = try differentiation.append(op, operands).first else { throw .unsupported("\(op.name) has no result") }
    return result
  }

  package func shape(of value: ValueID) throws(OperatorError) -> [Int] { try differentiation.type(of: value).shape }

  /// A float32 function of tensors that broadcast.
  /// - Parameter body: appends instructions after the loads of the operands, whose numbers it receives.
  package func pointwise(
    _ label: String, _ operands: [ValueID], _ body: (inout PointwiseProgram, [Int]) -> Void
  ) throws(OperatorError) -> ValueID {
    var program = PointwiseProgram()
    let registers = operands.indices.map { position in
      if case .scalar = differentiation.graph[operands[position]].type { return program.append(.scalar(operand: position, as: .float32)) }
      return program.append(.load(operand: position, as: .float32))
    }
    body(&program, registers)
    return try apply(Pointwise(program, dtype: .float32, label: label), operands)
  }

  package func reshaped(_ value: ValueID, _ shape: [Int]) throws(OperatorError) -> ValueID {
    try self.shape(of: value) == shape ? value : apply(Reshape(shape: shape.map { .constant($0) }), [value])
  }

  package func permuted(_ value: ValueID, _ axes: [Int]) throws(OperatorError) -> ValueID { try apply(Permute(axes: axes), [value]) }

  /// The last two axes exchanged.
  package func transposed(_ value: ValueID) throws(OperatorError) -> ValueID {
    let rank = try shape(of: value).count
    return try permuted(value, Array(0..<max(rank - 2, 0)) + [rank - 1, rank - 2])
  }

  package func summed(_ value: ValueID, _ axes: [Int], keepsAxes: Bool = false) throws(OperatorError) -> ValueID {
    axes.isEmpty ? value : try apply(Reduce(.sum, axes: axes, keepsAxes: keepsAxes, dtype: .float32), [value])
  }

  /// The gradient of an operand of this shape for the gradient of its broadcast.
  package func summed(_ gradient: ValueID, toShape target: [Int]) throws(OperatorError) -> ValueID {
    let shape = try shape(of: gradient)
    guard shape != target, shape.count >= target.count else { return gradient }
    let added = shape.count - target.count
    let axes = shape.indices.filter { $0 < added || (target[$0 - added] == 1 && shape[$0] != 1) }
    return try reshaped(try summed(gradient, axes), target)
  }

  /// `count` positions of an axis from `start` on.
  package func sliced(_ value: ValueID, axis: Int, start: Int, count: Int) throws(OperatorError) -> ValueID {
    try apply(Slice(axis: axis, range: SliceRange(start: .constant(start), end: .count(.constant(count)))), [value])
  }
}

/// A node of the graph whose operands' gradients are wanted.
package struct NodeGradients: GradientWriting {
  package let differentiation: GraphDifferentiation
  private let node: Node
  /// The gradients of the node's results; nil for those that do not matter.
  package let results: [ValueID?]
  private let wanted: [Bool]

  init(_ differentiation: GraphDifferentiation, _ node: Node, results: [ValueID?], wanted: [Bool]) {
    self.differentiation = differentiation
    self.node = node
    self.results = results
    self.wanted = wanted
  }

  package var operandCount: Int { node.inputs.count }

  /// True if the loss depends on this operand's gradient.
  package func wants(_ operand: Int) -> Bool { wanted.indices.contains(operand) && wanted[operand] }

  package func optionalOperand(_ index: Int) -> ValueID? { node.inputs.indices.contains(index) ? node.inputs[index] : nil }

  package func operand(_ index: Int) throws(OperatorError) -> ValueID {
    guard let value = optionalOperand(index) else { throw .invalid("operand \(index) is missing") }
    return value
  }

  package func result(_ index: Int = 0) -> ValueID { node.outputs[index] }

  /// The gradient of the node's only result.
  package func gradient() throws(OperatorError) -> ValueID {
    guard results.count == 1 || results.dropFirst().allSatisfy({ $0 == nil }), let gradient = results[0] else {
      throw .unsupported("the derivative of one of several results")
    }
    return gradient
  }

  /// The gradients of the operands, of which only the first ones may be wanted.
  package func only(_ gradients: [ValueID?]) throws(OperatorError) -> [ValueID?] {
    if let index = (gradients.count..<max(operandCount, gradients.count)).first(where: wants) {
      throw .unsupported("there is no derivative with respect to operand \(index)")
    }
    return gradients + Array(repeating: nil, count: max(operandCount - gradients.count, 0))
  }
}

extension OperatorError {
  /// The reason in words.
  package var reason: String {
    switch self {
    case .invalid(let reason), .unsupported(let reason), .overBudget(let reason): reason
    case .needsValue(let operand): "operand \(operand) is known only when the graph runs"
    }
  }
}
