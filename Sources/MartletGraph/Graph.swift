package import MartletTensor

/// Index of a value within its graph.
package struct ValueID: Sendable, Hashable {
  package let index: Int
  package init(_ index: Int) { self.index = index }
}

/// The type of a value, as far as the model file declares it.
package enum ValueType: Sendable, Hashable {
  case tensor(TensorSignature)
  case scalar(ScalarKind)
  case string
  case none
}

extension ValueType {
  /// True for a tensor with an extent that is known only at run time.
  package var hasOpenExtents: Bool { if case .tensor(let signature) = self { !signature.isFixed } else { false } }

  /// True if both are tensors, scalars of the same kind, strings, or none.
  package func isSameKind(as other: ValueType) -> Bool {
    switch (self, other) {
    case (.tensor, .tensor): true
    default: self == other
    }
  }
}

extension ValueType: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tensor(let signature): "\(signature)"
    case .scalar(let kind): "\(kind)"
    case .string: "string"
    case .none: "none"
    }
  }
}

/// One SSA value: assigned once, by an input, a constant or a node.
package struct Value: Sendable {
  package enum Origin: Sendable {
    /// Position in the graph's `inputs`.
    case input(Int)
    case constant(Constant)
    case scalar(Scalar)
    case string(String)
    /// The output of a node.
    case node
    /// A `None` of the source format.
    case none
  }

  package var type: ValueType
  package var origin: Origin
  /// The value's name in the source file, if any.
  package var name: String?

  package init(type: ValueType, origin: Origin, name: String? = nil) {
    self.type = type
    self.origin = origin
    self.name = name
  }
}

/// An operator applied to values. Nodes are stored in an order in which they can run.
///
/// Copies share their fields until one of them changes: passes copy nodes far more often than they change them.
package struct Node: Sendable {
  /// The fields of all copies of a node. They never change: reading a field that may would cost a check for conflicting accesses.
  private final class Content: Sendable {
    let op: any Operator
    /// The type of the operator, accessible without copying the operator.
    let kind: ObjectIdentifier
    let inputs: [ValueID?]
    let outputs: [ValueID]
    let regions: [Graph]
    let source: String
    let origins: [NodeOrigin]

    init(op: any Operator, inputs: [ValueID?], outputs: [ValueID], regions: [Graph], source: String, origins: [NodeOrigin]) {
      self.op = op
      self.kind = ObjectIdentifier(Swift.type(of: op))
      self.inputs = inputs
      self.outputs = outputs
      self.regions = regions
      self.source = source
      self.origins = origins
    }
  }

  private var content: Content

  package init(
    op: any Operator, inputs: [ValueID?], outputs: [ValueID], regions: [Graph] = [], source: String, origins: [NodeOrigin] = []
  ) {
    content = Content(op: op, inputs: inputs, outputs: outputs, regions: regions, source: source, origins: origins)
  }

  /// Gives this copy fields that differ in those that are given.
  private mutating func change(
    op: (any Operator)? = nil, inputs: [ValueID?]? = nil, outputs: [ValueID]? = nil, regions: [Graph]? = nil, source: String? = nil,
    origins: [NodeOrigin]? = nil
  ) {
    content = Content(
      op: op ?? content.op, inputs: inputs ?? content.inputs, outputs: outputs ?? content.outputs, regions: regions ?? content.regions,
      source: source ?? content.source, origins: origins ?? content.origins)
  }

  /// Returns true if the operator has this type. Faster than a cast of `op`.
  package func applies<Op: Operator>(_ type: Op.Type) -> Bool { content.kind == ObjectIdentifier(type) }

  /// The operator if it has this type; otherwise nil. Faster than a cast of `op`.
  package func op<Op: Operator>(as type: Op.Type) -> Op? {
    func copy<Same: Operator>(_ op: Same) -> Op { unsafe unsafeBitCast(op, to: Op.self) }
    // The types are the same.
    return applies(type) ? copy(content.op) : nil
  }

  package var op: any Operator {
    get { content.op }
    set { change(op: newValue) }
  }

  /// The traits of the operator, which is not copied.
  package var traits: OperatorTraits { content.op.traits }

  /// True if the operator, which is not copied, is pure.
  package var isPure: Bool { content.op.isPure }

  /// Operands; nil where an optional operand is absent.
  package var inputs: [ValueID?] {
    get { content.inputs }
    set { change(inputs: newValue) }
  }

  package var outputs: [ValueID] {
    get { content.outputs }
    set { change(outputs: newValue) }
  }

  /// Bodies of control flow. A region can access only its own inputs.
  package var regions: [Graph] {
    get { content.regions }
    set { change(regions: newValue) }
  }

  /// Origin of the node: the source operator's name and its position in the file.
  package var source: String {
    get { content.source }
    set { change(source: newValue) }
  }

  /// The operations of the file that the node computes; empty if it belongs to none.
  package var origins: [NodeOrigin] {
    get { content.origins }
    set { change(origins: newValue) }
  }

  /// True if a result is among the values marked in `isMarked`.
  package func hasOutput(in isMarked: [Bool]) -> Bool {
    // By index, here and below: a loop over an array retains it.
    content.outputs.indices.contains { isMarked[content.outputs[$0].index] }
  }

  /// Marks the operands in `isMarked`, by value.
  package func markInputs(in isMarked: inout [Bool]) {
    for index in content.inputs.indices { if let input = content.inputs[index] { isMarked[input.index] = true } }
  }

  /// True if an operand is present, and `condition` holds for each that is.
  package func hasInputs(allSatisfying condition: (ValueID) -> Bool) -> Bool {
    var isEmpty = true
    for index in content.inputs.indices {
      guard let input = content.inputs[index] else { continue }
      guard condition(input) else { return false }
      isEmpty = false
    }
    return !isEmpty
  }

  /// Enters the node as the producer of its results, and counts the uses of its operands. `position` is its position in the graph.
  fileprivate func enter(at position: Int, producers: inout [Int], uses: inout [Int]) {
    for index in content.outputs.indices { producers[content.outputs[index].index] = position }
    for index in content.inputs.indices { if let input = content.inputs[index] { uses[input.index] += 1 } }
  }

  /// Replaces the operand at `index` if there is one and it is `old`.
  package mutating func replaceInput(_ index: Int, _ old: ValueID, by new: ValueID) {
    guard index < content.inputs.count, content.inputs[index] == old else { return }
    var inputs = content.inputs
    inputs[index] = new
    change(inputs: inputs)
  }
}

/// A tensor that keeps its value between calls of a loaded model.
package struct StateDeclaration: Sendable {
  package var name: String
  package var type: TensorType
  /// Initial value; nil means zeros.
  package var initial: Constant?

  package init(name: String, type: TensorType, initial: Constant?) {
    self.name = name
    self.type = type
    self.initial = initial
  }
}

/// A program in static single-assignment form. All model formats are converted to this representation.
package struct Graph: Sendable {
  package var name: String
  package var values: [Value] = []
  package var nodes: [Node] = []
  package var inputs: [ValueID] = []
  package var outputs: [ValueID] = []
  /// States, which `ReadState` and `WriteState` nodes refer to by index. Regions use the states of the outermost graph.
  package var states: [StateDeclaration] = []

  package init(name: String) { self.name = name }

  package subscript(id: ValueID) -> Value {
    get { values[id.index] }
    set { values[id.index] = newValue }
  }

  package mutating func add(_ value: consuming Value) -> ValueID {
    values.append(value)
    return ValueID(values.count - 1)
  }

  package mutating func addInput(_ type: ValueType, name: String? = nil) -> ValueID {
    let id = add(Value(type: type, origin: .input(inputs.count), name: name))
    inputs.append(id)
    return id
  }

  package mutating func addConstant(_ constant: Constant, name: String? = nil) -> ValueID {
    add(Value(type: .tensor(TensorSignature(constant.type)), origin: .constant(constant), name: name))
  }

  package mutating func addScalar(_ scalar: Scalar) -> ValueID {
    add(Value(type: .scalar(scalar.kind), origin: .scalar(scalar)))
  }

  /// Appends a node with new outputs of the given types.
  @discardableResult
  package mutating func addNode(
    _ op: any Operator, _ inputs: [ValueID?], types: [ValueType], regions: [Graph] = [], source: String, origins: [NodeOrigin] = []
  ) -> [ValueID] {
    let outputs = types.map { add(Value(type: $0, origin: .node)) }
    nodes.append(Node(op: op, inputs: inputs, outputs: outputs, regions: regions, source: source, origins: origins))
    return outputs
  }

  /// Appends a node with one new output.
  package mutating func addNode(
    _ op: any Operator, _ inputs: [ValueID?], type: ValueType, source: String, origins: [NodeOrigin] = []
  ) -> ValueID {
    let output = add(Value(type: type, origin: .node))
    nodes.append(Node(op: op, inputs: inputs, outputs: [output], source: source, origins: origins))
    return output
  }

  /// The declared signature of a tensor value; otherwise nil.
  package func signature(_ id: ValueID) -> TensorSignature? {
    if case .tensor(let signature) = values[id.index].type { signature } else { nil }
  }

  /// Returns true if a node of this graph, not counting regions, has an operator of this type.
  package func applies<Op: Operator>(_ type: Op.Type) -> Bool { nodes.contains { $0.applies(type) } }

  /// Returns true if a value is a tensor with one of these element types.
  package func hasTensors(of dtypes: [DType]) -> Bool {
    // By index: elements of the array would be copied.
    values.indices.contains { if case .tensor(let signature) = values[$0].type { dtypes.contains(signature.dtype) } else { false } }
  }

  /// Returns true if the result of a node has an extent that is known only at run time, as declared.
  package var hasOpenExtents: Bool {
    // By index: elements of the array would be copied.
    nodes.indices.contains { nodes[$0].outputs.contains { values[$0.index].type.hasOpenExtents } }
  }

  /// For each value the position of the node that produces it, or -1, and the number of operands and outputs that refer to it.
  package func producersAndUses() -> (producers: [Int], uses: [Int]) {
    var producers = [Int](repeating: -1, count: values.count)
    var uses = [Int](repeating: 0, count: values.count)
    for position in nodes.indices { nodes[position].enter(at: position, producers: &producers, uses: &uses) }
    for output in outputs { uses[output.index] += 1 }
    return (producers, uses)
  }

  /// The element type of a tensor value; otherwise nil.
  package func dtype(_ id: ValueID) -> DType? {
    if case .tensor(let signature) = values[id.index].type { signature.dtype } else { nil }
  }

  /// True if the value is a constant tensor.
  package func isConstant(_ id: ValueID) -> Bool { if case .constant = values[id.index].origin { true } else { false } }

  package func constant(_ id: ValueID?) -> Constant? {
    guard let id, case .constant(let constant) = values[id.index].origin else { return nil }
    return constant
  }

  package func scalar(_ id: ValueID?) -> Scalar? {
    guard let id, case .scalar(let scalar) = values[id.index].origin else { return nil }
    return scalar
  }
}
