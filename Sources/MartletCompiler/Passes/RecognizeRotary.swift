package import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Replaces the rotation of queries and keys by position, written as slices, products and a concatenation, by one node: pairs of neighbours
/// that are taken apart and interleaved again, or halves (`x * cos + concat(-b, a) * sin`).
///
/// Runs after pointwise fusion, which makes one node of the products and their sum.
package struct RecognizeRotary: GraphPass {
  package let name = "recognize-rotary"
  package init() {}

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard graph.applies(Concat.self), graph.applies(Pointwise.self) else { return false }
    var editor = GraphEditor(taking: &graph)
    for position in editor.positions {
      guard let node = editor.node(at: position), let (op, inputs) = interleaved(node, editor) ?? halves(node, editor) else { continue }
      var result = node
      result.op = op
      result.inputs = inputs
      editor.replace(position, with: result)
    }
    return editor.finish(into: &graph)
  }

  /// `a * b ± c * d` of float32 tensors.
  private struct Products {
    var terms: [(ValueID, ValueID)]
    var isDifference: Bool

    init?(_ value: ValueID?, _ editor: GraphEditor) {
      guard let (_, node) = editor.producer(of: value), let op = node.op(as: Pointwise.self) else { return nil }
      self.init(node, op, editor)
    }

    init?(_ node: Node, _ op: Pointwise, _ editor: GraphEditor) {
      let program = op.program.instructions
      guard op.dtype == .float32, case .binary(let function, let a, let b)? = program.last, function == .add || function == .sub else {
        return nil
      }
      var terms: [(ValueID, ValueID)] = []
      for register in [a, b] {
        guard case .binary(.mul, let x, let y) = program[register], case .load(let first, .float32) = program[x],
          case .load(let second, .float32) = program[y], let x = node.inputs[first], let y = node.inputs[second],
          editor.dtype(x) == .float32, editor.dtype(y) == .float32
        else { return nil }
        terms.append((editor.resolve(x), editor.resolve(y)))
      }
      // Loads, two products and their sum.
      guard program.count == Set(terms.flatMap { [$0.0, $0.1] }).count + 3 else { return nil }
      self.terms = terms
      isDifference = function == .sub
    }
  }

  /// The bounds of a tensor's extents, by which two shapes are compared.
  private func bounds(_ value: ValueID, _ editor: GraphEditor) -> [Int?]? { editor.signature(value)?.dimensions.map(\.upperBound) }

  // MARK: Neighbours

  /// Which element of the pairs along the last axis of another value this one consists of.
  private func element(_ value: ValueID, _ editor: GraphEditor) -> (pairs: ValueID, index: Int)? {
    guard let (_, node) = editor.producer(of: value), let x = node.inputs.first ?? nil, let rank = editor.signature(x)?.rank else {
      return nil
    }
    if let select = node.op(as: Select.self), case .constant(let index) = select.index, [rank - 1, -1].contains(select.axis) {
      return editor.signature(x)?.dimensions.last == .fixed(2) && (0...1).contains(index) ? (editor.resolve(x), index) : nil
    }
    // A slice of one element, without the axis.
    guard let result = editor.signature(value)?.rank, result == rank - 1,
      node.traits.contains(.keepsElementOrder) || node.applies(Squeeze.self),
      let (_, inner) = editor.producer(of: x), let slice = inner.op(as: Slice.self), [rank - 1, -1].contains(slice.axis),
      slice.range.step == 1, case .constant(let start) = slice.range.start, case .position(.constant(let end)) = slice.range.end,
      // In range: at most 1.
      (0...1).contains(start), end == start + 1 || start == 1 && end >= 2, let pairs = inner.inputs[0],
      editor.signature(pairs)?.dimensions.last == .fixed(2)
    else { return nil }
    return (editor.resolve(pairs), start)
  }

  /// A result with an axis of extent 1 appended, without it.
  private func squeezed(_ value: ValueID?, _ editor: GraphEditor) -> ValueID? {
    guard let (_, node) = editor.producer(of: value), let x = node.inputs.first ?? nil, let value,
      let to = editor.signature(value)?.dimensions,
      let rank = editor.signature(x)?.rank, node.traits.contains(.keepsElementOrder) || node.applies(Unsqueeze.self),
      to.last == .fixed(1), to.count == rank + 1
    else { return nil }
    return editor.resolve(x)
  }

  private func interleaved(_ node: Node, _ editor: GraphEditor) -> (RotaryEmbedding, [ValueID?])? {
    guard let concat = node.op(as: Concat.self), concat.dtype == .float32, node.inputs.count == 2,
      let rank = editor.signature(node.outputs[0])?.rank, [rank - 1, -1].contains(concat.axis),
      let first = squeezed(node.inputs[0], editor), let second = squeezed(node.inputs[1], editor),
      let a = Products(first, editor), let b = Products(second, editor), a.isDifference, !b.isDifference
    else { return nil }
    /// The angle's factor of a term, and the element that it is multiplied with.
    func parts(_ term: (ValueID, ValueID)) -> (pairs: ValueID, index: Int, table: ValueID)? {
      if let found = element(term.0, editor) { return (found.pairs, found.index, term.1) }
      if let found = element(term.1, editor) { return (found.pairs, found.index, term.0) }
      return nil
    }
    guard let cosine = parts(a.terms[0]), let sine = parts(a.terms[1]), cosine.index == 0, sine.index == 1, cosine.pairs == sine.pairs,
      let one = parts(b.terms[0]), let other = parts(b.terms[1]), one.pairs == cosine.pairs, other.pairs == cosine.pairs
    else { return nil }
    let (direct, crossed) = one.index == 1 ? (one, other) : (other, one)
    guard direct.index == 1, crossed.index == 0, direct.table == cosine.table, crossed.table == sine.table,
      let shape = bounds(cosine.pairs, editor), let result = bounds(first, editor), shape.count == rank, Array(shape.dropLast()) == result
    else { return nil }
    return (RotaryEmbedding(isInterleaved: true), [cosine.pairs, cosine.table, sine.table])
  }

  // MARK: Halves

  private func halves(_ node: Node, _ editor: GraphEditor) -> (RotaryEmbedding, [ValueID?])? {
    guard let op = node.op(as: Pointwise.self), let sum = Products(node, op, editor), !sum.isDifference else { return nil }
    for (direct, turned) in [(sum.terms[0], sum.terms[1]), (sum.terms[1], sum.terms[0])] {
      for (rotated, sines) in [turned, (turned.1, turned.0)] {
        guard let x = source(ofRotated: rotated, editor) else { continue }
        guard direct.0 == x || direct.1 == x, let shape = bounds(x, editor), shape == bounds(node.outputs[0], editor) else { continue }
        return (RotaryEmbedding(isInterleaved: false), [x, direct.0 == x ? direct.1 : direct.0, sines])
      }
    }
    return nil
  }

  /// x if `value` is `concat(-x[half:], x[:half])` along the last axis.
  private func source(ofRotated value: ValueID, _ editor: GraphEditor) -> ValueID? {
    guard let (_, node) = editor.producer(of: value), let concat = node.op(as: Concat.self), concat.dtype == .float32,
      node.inputs.count == 2,
      let type = editor.signature(value), [type.rank - 1, -1].contains(concat.axis),
      let (_, negation) = editor.producer(of: node.inputs[0]),
      let op = negation.op(as: Pointwise.self), op.program == .unary(.neg, as: .float32), op.dtype == .float32,
      let (_, high) = editor.producer(of: negation.inputs[0]), let (_, low) = editor.producer(of: node.inputs[1]),
      let upper = high.op(as: Slice.self), let lower = low.op(as: Slice.self), let x = high.inputs[0], let y = low.inputs[0],
      editor.resolve(x) == editor.resolve(y), let source = editor.signature(x), case .fixed(let count)? = source.dimensions.last,
      [source.rank - 1, -1].contains(upper.axis), [source.rank - 1, -1].contains(lower.axis), upper.range.step == 1, lower.range.step == 1,
      count % 2 == 0, case .constant(count / 2) = upper.range.start, case .constant(0) = lower.range.start,
      case .position(.constant(count / 2)) = lower.range.end, reachesEnd(upper.range.end, count)
    else { return nil }
    return editor.resolve(x)
  }

  private func reachesEnd(_ end: SliceRange.End, _ count: Int) -> Bool {
    switch end {
    case .rest: true
    case .position(.constant(let position)): position >= count
    default: false
    }
  }
}
