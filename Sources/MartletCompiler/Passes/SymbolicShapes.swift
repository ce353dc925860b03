import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Infers which of a graph's dynamic extents, known only per call, are equal.
struct SymbolicShapes {
  enum Extent: Hashable {
    case fixed(Int)
    /// The value of an integer in the graph.
    case number(ValueID)
    /// The extent of an axis of a value, otherwise unknown.
    case axis(ValueID, Int)
  }

  private var shapes: [ValueID: [Extent]] = [:]
  /// Integer values of the graph that are extents.
  private var numbers: [ValueID: Extent] = [:]
  private let graph: Graph

  init(_ graph: Graph) {
    self.graph = graph
    for node in graph.nodes {
      if node.applies(TensorExtent.self) || node.outputs.isEmpty {
        readExtent(node)
        continue
      }
      // Extents that the file declares as fixed take precedence.
      guard let output = node.outputs.first, graph.signature(output)?.isFixed == false, let declared = declared(output) else { continue }
      let found = rule(node) ?? []
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
  subscript(value: ValueID) -> [Extent]? {
    get { shapes[value] ?? declared(value) }
    set { shapes[value] = newValue }
  }

  private func declared(_ value: ValueID) -> [Extent]? {
    guard value.index < graph.values.count, let signature = graph.signature(value) else { return nil }
    return signature.dimensions.enumerated().map { axis, dimension in
      if case .fixed(let extent) = dimension { .fixed(extent) } else { .axis(value, axis) }
    }
  }

  private mutating func readExtent(_ node: Node) {
    guard let op = node.op(as: TensorExtent.self), let axis = op.axis, let x = node.inputs[0], let shape = self[x],
      let normal = Shape.normalizedAxis(axis, rank: shape.count), normal < shape.count
    else { return }
    numbers[node.outputs[0]] = shape[normal]
  }

  private func extent(_ argument: IntArgument, _ node: Node) -> Extent? {
    switch argument {
    case .constant(let extent): return extent >= 0 ? .fixed(extent) : nil
    case .operand(let index):
      guard index < node.inputs.count, let value = node.inputs[index] else { return nil }
      if let scalar = graph.scalar(value) { return scalar.intValue.flatMap { Int(exactly: $0) }.flatMap { $0 >= 0 ? .fixed($0) : nil } }
      return numbers[value] ?? .number(value)
    }
  }

  /// The extents of a node's first result by the rule of its operator; nil if there is no rule, or for extents it leaves open.
  private func rule(_ node: Node) -> [Extent?]? {
    func shape(_ index: Int) -> [Extent]? {
      guard index < node.inputs.count, let value = node.inputs[index] else { return nil }
      return self[value]
    }
    func bounded(_ index: Int) -> [Bounded] {
      guard index < node.inputs.count, let value = node.inputs[index], let extents = self[value],
        let signature = graph.signature(value)
      else { return [] }
      return zip(extents, signature.dimensions).map { extent, dimension in
        if case .fixed(let known) = extent { return Bounded(extent: extent, bound: known) }
        return Bounded(extent: extent, bound: dimension.upperBound)
      }
    }
    switch node.op {
    case is Identity, is Softmax, is LayerNorm:
      return shape(0)
    case let op as Reshape:
      return op.shape.map { extent($0, node) }
    case let op as Expand:
      guard let x = shape(0), op.shape.count >= x.count else { return nil }
      let missing = op.shape.count - x.count
      return op.shape.enumerated().map { axis, argument in
        if case .constant(-1) = argument, axis >= missing { return x[axis - missing] }
        return extent(argument, node)
      }
    case let op as Permute:
      guard let x = shape(0), op.axes.count == x.count else { return nil }
      return op.axes.map { axis in Shape.normalizedAxis(axis, rank: x.count).map { x[$0] } }
    case let op as Unsqueeze:
      guard var x = shape(0) else { return nil }
      let rank = x.count + op.axes.count
      for axis in op.axes.map({ $0 < 0 ? $0 + rank : $0 }).sorted() {
        guard axis >= 0, axis <= x.count else { return nil }
        x.insert(.fixed(1), at: axis)
      }
      return x
    case let op as Full:
      if let list = op.shape { return list.map { extent($0, node) } }
      return shape(1)
    case let op as Reduce:
      guard let x = shape(0) else { return nil }
      let reduced = op.axes.axes.map { $0.map { $0 < 0 ? $0 + x.count : $0 } } ?? Array(x.indices)
      if op.axes.keepsAxes { return x.enumerated().map { reduced.contains($0) ? .fixed(1) : $1 } }
      return x.indices.filter { !reduced.contains($0) }.map { x[$0] }
    case is NumberRange:
      guard node.inputs.count == 3, let end = node.inputs[1], case .scalar(.int) = graph[end].type,
        graph.scalar(node.inputs[0]) == .int(0), graph.scalar(node.inputs[2]) == .int(1)
      else { return nil }
      return [extent(.operand(1), node)]
    case let op as Pointwise:
      var result: [Bounded] = []
      for instruction in op.program.instructions {
        guard case .load(let operand, _) = instruction else { continue }
        result = Self.broadcast(result, bounded(operand))
      }
      return result.map(\.extent)
    case is MatMul:
      guard let a = shape(0), let b = shape(1), a.count >= 2, b.count >= 2 else { return nil }
      let batch = Self.broadcast(bounded(0).dropLast(2), bounded(1).dropLast(2))
      return batch.map(\.extent) + [a[a.count - 2], b[b.count - 1]]
    case is Attention:
      guard let q = shape(0), let v = shape(2), q.count == 4, v.count == 4 else { return nil }
      return q.dropLast() + [v[3]]
    case let op as Slice:
      guard let x = shape(0), let sliced = Shape.normalizedAxis(op.axis, rank: x.count) else { return nil }
      return x.enumerated().map { axis, own in
        guard axis == sliced else { return own }
        if op.range.step == 1, case .count(let count) = op.range.end { return extent(count, node) }
        return nil
      }
    case let op as Select:
      guard var x = shape(0), let axis = Shape.normalizedAxis(op.axis, rank: x.count), axis < x.count else { return nil }
      x.remove(at: axis)
      return x
    default: return nil
    }
  }

  /// An extent with its upper bound. Nil stands for an unknown extent or bound.
  private struct Bounded {
    var extent: Extent?
    var bound: Int?
  }

  /// The extents of a broadcast. If one of two dynamic extents has the bound 1, the other one determines the result. Two dynamic extents
  /// with the same bound are equal: exporters treat an extent that may be 1 as fixed to 1.
  private static func broadcast(_ a: some Collection<Bounded>, _ b: some Collection<Bounded>) -> [Bounded] {
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
      return x.bound == y.bound && x.bound != nil ? x : Bounded(extent: nil, bound: nil)
    }
  }
}
