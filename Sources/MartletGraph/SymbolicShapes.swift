package import MartletTensor

/// An extent as it is known before a call.
package enum SymbolicExtent: Sendable, Hashable {
  case fixed(Int)
  /// The value of an integer in the graph.
  case number(ValueID)
  /// The extent of an axis of a value, otherwise unknown.
  case axis(ValueID, Int)
}

/// Infers which of a graph's dynamic extents, known only per call, are equal. Each operator has its own rule (`Operator.symbolicShape`).
package struct SymbolicShapes: Sendable {
  private var shapes: [ValueID: [SymbolicExtent]] = [:]
  /// Integer values of the graph that are extents.
  private var numbers: [ValueID: SymbolicExtent] = [:]
  private let graph: Graph

  package init(_ graph: Graph) {
    self.graph = graph
    for node in graph.nodes {
      guard let output = node.outputs.first else { continue }
      if node.op.givesNumber {
        let number = node.op.symbolicNumber(SymbolicOperands(node, self))
        numbers[output] = number
        continue
      }
      // Extents that the file declares as fixed take precedence.
      guard graph.signature(output)?.isFixed == false, let declared = declared(output) else { continue }
      let found = node.op.symbolicShape(SymbolicOperands(node, self)) ?? []
      guard found.count == declared.count else {
        shapes[output] = declared
        continue
      }
      shapes[output] = zip(declared, found).map { own, other in
        if case .fixed = own { own } else { other ?? own }
      }
    }
  }

  /// The extents of a tensor value; nil for other values.
  package subscript(value: ValueID) -> [SymbolicExtent]? {
    get { shapes[value] ?? declared(value) }
    set { shapes[value] = newValue }
  }

  private func declared(_ value: ValueID) -> [SymbolicExtent]? {
    guard value.index < graph.values.count, let signature = graph.signature(value) else { return nil }
    return signature.dimensions.enumerated().map { axis, dimension in
      if case .fixed(let extent) = dimension { .fixed(extent) } else { .axis(value, axis) }
    }
  }

  fileprivate func scalar(_ value: ValueID) -> Scalar? { graph.scalar(value) }
  fileprivate func type(_ value: ValueID) -> ValueType { graph[value].type }
  fileprivate func signature(_ value: ValueID) -> TensorSignature? { graph.signature(value) }
  fileprivate func number(_ value: ValueID) -> SymbolicExtent { numbers[value] ?? .number(value) }
}

/// A node's operands for its operator's rule of symbolic extents.
package struct SymbolicOperands {
  private let inputs: [ValueID?]
  private let shapes: SymbolicShapes

  package init(_ node: Node, _ shapes: SymbolicShapes) {
    inputs = node.inputs
    self.shapes = shapes
  }

  package var count: Int { inputs.count }

  private func value(_ index: Int) -> ValueID? { index >= 0 && index < inputs.count ? inputs[index] : nil }

  /// The extents of a tensor operand; nil for other operands and absent ones.
  package func shape(_ index: Int) -> [SymbolicExtent]? { value(index).flatMap { shapes[$0] } }

  /// The value of a scalar operand; nil if it is not a constant.
  package func scalar(_ index: Int) -> Scalar? { value(index).flatMap { shapes.scalar($0) } }

  package func isInteger(_ index: Int) -> Bool { value(index).map { shapes.type($0) == .scalar(.int) } ?? false }

  /// The extent given by an attribute; nil if it is negative.
  package func extent(_ argument: IntArgument) -> SymbolicExtent? {
    switch argument {
    case .constant(let extent): return extent >= 0 ? .fixed(extent) : nil
    case .operand(let index):
      guard let value = value(index) else { return nil }
      guard let scalar = shapes.scalar(value) else { return shapes.number(value) }
      return scalar.intValue.flatMap { Int(exactly: $0) }.flatMap { $0 >= 0 ? .fixed($0) : nil }
    }
  }

  /// The extents of the broadcast of the tensor operands among these, each without its last `dropped` axes.
  package func broadcast(_ operands: some Sequence<Int>, droppingLast dropped: Int = 0) -> [SymbolicExtent?] {
    var result: [BoundedExtent] = []
    for operand in operands {
      guard let value = value(operand), let extents = shapes[value], let signature = shapes.signature(value) else { continue }
      let bounded = zip(extents, signature.dimensions).map { extent, dimension in
        if case .fixed(let known) = extent { return BoundedExtent(extent: extent, bound: known) }
        return BoundedExtent(extent: extent, bound: dimension.upperBound)
      }
      result = Self.broadcast(result, bounded.dropLast(dropped))
    }
    return result.map(\.extent)
  }

  /// An extent with its upper bound. Nil stands for an unknown extent or bound.
  private struct BoundedExtent {
    var extent: SymbolicExtent?
    var bound: Int?
  }

  /// The extents of a broadcast. If one of two dynamic extents has the bound 1, the other one determines the result. Two dynamic extents
  /// with the same bound are equal: exporters treat an extent that may be 1 as fixed to 1.
  private static func broadcast(_ a: some Collection<BoundedExtent>, _ b: some Collection<BoundedExtent>) -> [BoundedExtent] {
    let (a, b) = (Array(a), Array(b))
    let rank = max(a.count, b.count)
    return (0..<rank).map { axis in
      guard axis >= rank - a.count else { return b[axis - (rank - b.count)] }
      let x = a[axis - (rank - a.count)]
      guard axis >= rank - b.count else { return x }
      let y = b[axis - (rank - b.count)]
      if x.extent == y.extent || y.bound == 1 { return x }
      if x.bound == 1 { return y }
      if case .fixed? = x.extent { return x }
      if case .fixed? = y.extent { return y }
      return x.bound == y.bound && x.bound != nil ? x : BoundedExtent(extent: nil, bound: nil)
    }
  }
}
