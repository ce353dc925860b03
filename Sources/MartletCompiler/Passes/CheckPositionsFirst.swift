package import MartletGraph
import MartletOps
import MartletTensor

/// Checks the positions of cache updates before anything is written, so that a call at a position that does not exist leaves all states as
/// they were.
///
/// An update checks its own positions, which is enough for the first one of a graph and for those of the same positions in caches of the same
/// extent. Another, such as that of a layer that sees all positions behind one whose ring takes any, gets a check in front of all nodes, if
/// its positions follow from the inputs alone. The nodes that compute them move there, too.
///
/// Requires that equal nodes are one: positions are the same if they are the same value.
package struct CheckPositionsFirst: GraphPass {
  package let name = "check-positions-first"
  package init() {}

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard !graph.states.isEmpty, graph.applies(SliceScatter.self) || graph.applies(IndexPut.self) else { return false }
    let shapes = SymbolicShapes(graph)
    var editor = GraphEditor(taking: &graph)
    var checked: Set<Check> = []
    var hasWritten = false
    for position in editor.positions {
      guard let node = editor.node(at: position) else { continue }
      defer { hasWritten = hasWritten || node.applies(IndexPut.self) || node.applies(SliceScatter.self) || node.applies(WriteState.self) }
      for update in Update.all(of: node, editor) {
        guard checked.insert(update.check).inserted, hasWritten, !update.isChecked, let chain = Chain(update.check.positions, editor) else {
          continue
        }
        let first = chain.moveToFront(&editor)
        let check: ValueID
        if update.check.count != nil {
          let count = Self.count(of: update, shapes, &editor)
          check = editor.insert(
            CheckedPosition(extent: update.check.extent), [first, count], type: .scalar(.int), before: 0, source: node.source,
            origins: node.origins)
        } else {
          check = editor.insert(
            CheckedIndices(extent: update.check.extent, allowsNegative: update.check.allowsNegative), [first],
            type: editor.graph[first].type, before: 0, source: node.source, origins: node.origins)
        }
        // Uses in other nodes stay, so that these are found to be equal.
        guard var node = editor.node(at: position) else { continue }
        node.inputs[update.operand] = check
        editor.replace(position, with: node)
      }
    }
    return editor.finish(into: &graph)
  }

  private struct Check: Hashable {
    var positions: ValueID
    var extent: Int
    /// Of the positions that follow a single one; nil if each has an index.
    var count: Dimension?
    var allowsNegative: Bool
  }

  /// The update of a cache at positions that are computed.
  private struct Update {
    var check: Check
    /// The node's operand that has the positions.
    var operand: Int
    var isChecked: Bool
    var source: ValueID
    var axis: Int

    static func all(of node: Node, _ editor: GraphEditor) -> [Update] {
      if let op = node.op(as: SliceScatter.self) { return Update(op, node, editor).map { [$0] } ?? [] }
      guard let op = node.op(as: IndexPut.self) else { return [] }
      return op.axes.indices.compactMap { Update(op, $0, node, editor) }
    }

    private init?(_ op: SliceScatter, _ node: Node, _ editor: GraphEditor) {
      guard !op.range.allowsNegative, op.range.step == 1, op.range.end == .source,
        case .operand(let operand) = op.range.start, node.inputs.indices.contains(operand), let start = node.inputs[operand],
        let cache = node.inputs[0], let source = node.inputs[1], let own = editor.signature(cache), let new = editor.signature(source),
        own.rank == new.rank, let axis = Shape.normalizedAxis(op.axis, rank: own.rank), axis < own.rank,
        case .fixed(let extent) = own.dimensions[axis]
      else { return nil }
      check = Check(positions: editor.unchecked(start), extent: extent, count: new.dimensions[axis], allowsNegative: false)
      isChecked = check.positions != editor.resolve(start)
      (self.operand, self.source, self.axis) = (operand, editor.resolve(source), axis)
    }

    /// - Parameter number: of the indexed axis.
    private init?(_ op: IndexPut, _ number: Int, _ node: Node, _ editor: GraphEditor) {
      // In range: a position in the node's list of operands.
      let operand = 2 + number
      let axis = op.axes[number]
      guard node.inputs.indices.contains(operand), let indices = node.inputs[operand], !editor.isConstant(indices),
        let cache = node.inputs[0], let source = node.inputs[1], let own = editor.signature(cache), own.dimensions.indices.contains(axis),
        case .fixed(let extent) = own.dimensions[axis]
      else { return nil }
      check = Check(positions: editor.unchecked(indices), extent: extent, count: nil, allowsNegative: op.allowsNegative)
      isChecked = check.positions != editor.resolve(indices)
      (self.operand, self.source, self.axis) = (operand, editor.resolve(source), axis)
    }
  }

  /// The number of positions of an update, as far as the inputs' shapes tell; otherwise one.
  private static func count(of update: Update, _ shapes: SymbolicShapes, _ editor: inout GraphEditor) -> ValueID {
    var known = 1
    if let shape = shapes[update.source], shape.indices.contains(update.axis) {
      switch shape[update.axis] {
      case .fixed(let extent): known = extent
      case .axis(let model, let axis) where editor.graph.inputs.contains(model):
        return editor.insert(TensorExtent(axis: axis), [model], type: .scalar(.int), before: 0, source: "check")
      case .axis, .number: break
      }
    }
    return editor.add(Value(type: .scalar(.int), origin: .scalar(.int(Int64(widening: known)))))
  }

  /// The few nodes that compute positions from the inputs.
  private struct Chain {
    private static let limit = 32

    private var positions: [Int] = []
    private let result: ValueID

    /// Nil if the positions depend on a state or on more than a few nodes.
    init?(_ value: ValueID, _ editor: GraphEditor) {
      var found: [Int] = []
      func isComputed(_ value: ValueID) -> Bool {
        guard let (position, node) = editor.producer(of: value), !found.contains(position) else { return true }
        guard found.count < Self.limit, node.regions.isEmpty, node.isPure, !node.applies(ReadState.self),
          !node.traits.contains(.hasEffect), node.inputs.allSatisfy({ $0.map { isComputed($0) } ?? true })
        else { return false }
        found.append(position)
        return true
      }
      result = editor.resolve(value)
      guard isComputed(result) else { return nil }
      positions = found
    }

    /// Moves the nodes in front of all others and returns the positions.
    func moveToFront(_ editor: inout GraphEditor) -> ValueID {
      for position in positions { editor.moveToFront(position) }
      return editor.resolve(result)
    }
  }
}

extension GraphEditor {
  /// The value that a check in front of all nodes passes on, or the value itself.
  fileprivate func unchecked(_ value: ValueID) -> ValueID {
    var value = resolve(value)
    while let node = producer(of: value)?.node, node.applies(CheckedPosition.self) || node.applies(CheckedIndices.self),
      let given = node.inputs[0]
    { value = resolve(given) }
    return value
  }
}
