package import MartletGraph
import MartletVocabulary
import MartletOps
import MartletTensor

/// Makes constant padding in front of a convolution or a pooling the padding of its windows, so that no padded image is made.
///
/// - A convolution with constant weights takes zeros, which add nothing to its sums.
/// - An average over windows that lie in the padded image takes zeros and counts them.
/// - A maximum takes -infinity. It takes zeros where its operand is known to have no negative elements and no window can lie in the
///   padding alone.
package struct FoldPadding: GraphPass {
  package let name = "fold-padding"
  package init() {}

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard graph.applies(Pad.self) else { return false }
    var editor = GraphEditor(taking: &graph)
    for position in editor.positions {
      // Paddings may follow one another.
      while let node = editor.node(at: position), let image = node.inputs.first ?? nil, editor.useCount(image) == 1,
        let (source, pad) = editor.producer(of: image), let padding = Padding(pad, editor),
        let op = Self.padded(node, with: padding, of: pad.inputs[0], editor)
      {
        var folded = node
        folded.op = op
        folded.inputs[0] = pad.inputs[0]
        folded.source = "\(pad.source), \(node.source)"
        editor.replace(position, with: folded)
        editor.absorb(pad.origins, at: position)
        editor.remove(source)
      }
    }
    return editor.finish(into: &graph)
  }

  /// Padding with a known number by known amounts, none of them negative.
  private struct Padding {
    let value: Double
    /// For the last axes.
    let amounts: [(before: Int, after: Int)]

    init?(_ node: Node, _ editor: GraphEditor) {
      guard let op = node.op(as: Pad.self), op.mode == .constant, op.before.count == op.after.count, node.inputs.count > 1,
        let value = editor.scalar(node.inputs[1])
      else { return nil }
      var amounts: [(before: Int, after: Int)] = []
      for case (.constant(let before), .constant(let after)) in zip(op.before, op.after) where before >= 0 && after >= 0 {
        amounts.append((before, after))
      }
      guard amounts.count == op.before.count else { return nil }
      self.value = value.doubleValue
      self.amounts = amounts
    }

    /// `padding` of the last axes with these amounts added; nil if other axes are padded, too, or the sums overflow.
    func added(to padding: [(before: Int, after: Int)]) -> [(before: Int, after: Int)]? {
      guard amounts.dropLast(padding.count).allSatisfy({ $0 == (0, 0) }) else { return nil }
      let own = amounts.suffix(padding.count)
      var sums = padding
      for (axis, amount) in zip(sums.indices.suffix(own.count), own) {
        guard let before = (Extent(sums[axis].before) + amount.before).value, let after = (Extent(sums[axis].after) + amount.after).value
        else { return nil }
        sums[axis] = (before, after)
      }
      return sums
    }
  }

  /// The node's operator with windows that pad `x` themselves; nil if the results would differ.
  private static func padded(_ node: Node, with padding: Padding, of x: ValueID?, _ editor: GraphEditor) -> (any Operator)? {
    if var op = node.op(as: Convolution.self) {
      guard !op.isTransposed, padding.value == 0, node.inputs.count > 1, editor.isWeight(node.inputs[1]),
        let sums = padding.added(to: op.padding)
      else { return nil }
      op.padding = sums
      return op
    }
    guard var op = node.op(as: Pool.self), !op.givesIndices,
      case .sliding(let kernel, let stride, let before, let after, let dilation, ceil: false) = op.window,
      let sums = padding.added(to: zip(before, after).map { ($0, $1) })
    else { return nil }
    switch op.reduction {
    case .average(let countsPadding, let divisor):
      // In range: lists.
      guard padding.value == 0, countsPadding || divisor != nil || (before + after).allSatisfy({ $0 == 0 }) else { return nil }
      op.reduction = .average(countsPadding: true, divisor: divisor)
    case .maximum:
      let meetsImage = dilation.allSatisfy { $0 == 1 } && zip(sums, kernel).allSatisfy { max($0.before, $0.after) < $1 }
      let isZero = padding.value == 0 && meetsImage && hasElements(x, editor) && isNonNegative(x, editor)
      guard padding.value == -.infinity || isZero else { return nil }
    }
    op.window = .sliding(
      kernel: kernel, stride: stride, before: sums.map(\.before), after: sums.map(\.after), dilation: dilation, ceil: false)
    return op
  }

  private static func hasElements(_ x: ValueID?, _ editor: GraphEditor) -> Bool {
    x.flatMap { editor.signature($0)?.fixedShape }?.allSatisfy { $0 > 0 } ?? false
  }

  /// Whether the elements of `x` are 0, greater or NaN, as its node shows.
  private static func isNonNegative(_ x: ValueID?, _ editor: GraphEditor) -> Bool {
    guard let node = editor.producer(of: x)?.node else { return false }
    let program: PointwiseProgram
    if let op = node.op(as: Pointwise.self) {
      program = op.program
    } else if let op = node.op(as: Convolution.self) {
      program = op.activation.program(as: .float32)
    } else {
      return false
    }
    switch program.instructions.last {
    case .unary(let function, _): return [.relu, .sigmoid, .abs].contains(function)
    case .ternary(.clamp, _, let low, _):
      if case .literal(let value, _) = program.instructions[low] { return value.doubleValue >= 0 }
      return false
    default: return false
    }
  }
}
