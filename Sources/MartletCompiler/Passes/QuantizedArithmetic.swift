package import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Replaces `dequantise → operator → quantise` by integer operators: convolutions and products with quantised weights, sums and products,
/// pooling, softmax, concatenation, and any function of one tensor. Products with a real result and products of dynamically quantised
/// rows also use integer arithmetic.
///
/// Runs before pointwise fusion, which would merge the quantisations with their neighbours.
package struct QuantizedArithmetic: GraphPass {
  package let name = "quantized-arithmetic"
  package init() {}

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    // Quantised values and weights have 8 bits, or are packed into bytes.
    guard graph.hasTensors(of: [.int8, .uint8]) else { return false }
    var rewriter = QuantizationRewriter(GraphEditor(taking: &graph))
    // Operators with quantised results first: the remaining ones have real results.
    for position in rewriter.editor.positions { rewriter.quantizeResult(position) }
    for position in rewriter.editor.positions { rewriter.keepReal(position) }
    for position in rewriter.editor.positions { rewriter.quantize(position) }
    return rewriter.editor.finish(into: &graph)
  }
}

/// A graph in which real values between integers are being removed.
struct QuantizationRewriter {
  var editor: GraphEditor
  /// Integers created for real values, indexed by value; only as long as the last entry requires.
  private var known: [(value: ValueID, range: IntegerRange)?] = []
  /// Memory for the intermediate results of tables.
  private var tableWorkspace: TensorStorage?

  init(_ editor: GraphEditor) {
    self.editor = editor
  }

  // MARK: Values

  /// Whether a node only moves elements of its first operand.
  static func isView(_ node: Node) -> Bool {
    node.outputs.count == 1 && node.traits.contains(.movesElements)
  }

  /// The integer for a real padding constant; nil if it is not representable.
  private mutating func padding(_ node: Node, _ range: IntegerRange) -> ValueID? {
    guard let pad = node.op(as: Pad.self), pad.mode == .constant, node.inputs.count > 1,
      let value = editor.scalar(node.inputs[1])?.doubleValue
    else { return nil }
    let steps = value / Double(range.scale)
    guard abs(steps) < 1000, abs(steps - steps.rounded()) < 1e-6, let number = Int32(exactly: steps.rounded() + Double(range.zeroPoint)),
      (-128...127).contains(number)
    else { return nil }
    return editor.add(Value(type: .scalar(.int), origin: .scalar(.int(Int64(widening: number)))))
  }

  private func int8(like value: ValueID) -> ValueType? {
    guard var signature = editor.signature(value) else { return nil }
    signature.dtype = .int8
    return .tensor(signature)
  }

  /// The integers behind a real value, if it is made of quantised values by moving elements or taking maxima.
  mutating func integers(_ value: ValueID?) -> (value: ValueID, range: IntegerRange)? {
    guard let value = value.map({ editor.resolve($0) }) else { return nil }
    if value.index < known.count, let known = known[value.index] { return known }
    guard let (position, node) = editor.producer(of: value), let x = node.inputs.first ?? nil, node.outputs.count == 1 else { return nil }
    var result: (value: ValueID, range: IntegerRange)?
    if let range = QuantizationPattern.dequantization(node) {
      guard node.inputs.count == 1, editor.dtype(x) == .int8 else { return nil }
      result = (x, range)
    } else if editor.dtype(value) == .float32 {
      var op = node.op
      let isView = Self.isView(node)
      if !isView, node.applies(Pad.self) {
        guard let type = int8(like: value), let (source, range) = integers(x), let number = padding(node, range) else { return nil }
        let inputs = [source, number] + node.inputs.dropFirst(2)
        let padded = editor.insert(op, inputs, type: type, before: position, source: node.source)
        note(padded, range, for: value)
        return (padded, range)
      }
      if !isView {
        guard let pool = node.op(as: Pool.self), pool.reduction == .maximum, !pool.givesIndices, case .sliding = pool.window,
          editor.signature(x)?.rank == 4
        else { return nil }
        op = QuantizedPool(pool.window, reduction: .maximum)
      }
      guard let type = int8(like: value), let (source, range) = integers(x) else { return nil }
      let inputs = [source] + node.inputs.dropFirst()
      result = (editor.insert(op, inputs, type: type, before: position, source: node.source), range)
    }
    if let result { note(result.value, result.range, for: value) }
    return result
  }

  private mutating func note(_ integers: ValueID, _ range: IntegerRange, for value: ValueID) {
    while known.count <= value.index { known.append(nil) }
    known[value.index] = (integers, range)
  }

  func constant(_ numbers: [Float], shape: [Int]? = nil) -> Constant { Constant(floats: numbers, shape: shape ?? [numbers.count]) }

  mutating func add(_ constant: Constant) -> ValueID { editor.add(constant) }

  /// The elements of a constant as float32 in row-major order.
  static func floats(_ constant: Constant) -> [Float]? { constant.numbers(as: .float32, of: Float.self) }

  // MARK: Quantised results

  /// The nodes between an operator and the quantisation of its result.
  struct Tail {
    /// Positions of views, last one first.
    var views: [Int] = []
    /// Positions of elementwise functions, last one first.
    var functions: [(position: Int, program: PointwiseProgram)] = []
    /// The operator's result.
    var value: ValueID
  }

  /// Walks from `value` up to the operator that produces it.
  private mutating func tail(_ value: ValueID) -> Tail {
    var tail = Tail(value: value)
    while integers(tail.value) == nil, editor.useCount(tail.value) == 1, let (position, node) = editor.producer(of: tail.value),
      let x = node.inputs.first ?? nil, editor.dtype(x) == .float32
    {
      if Self.isView(node) {
        tail.views.append(position)
      } else if let program = QuantizationPattern.unaryFunction(node) {
        tail.functions.append((position, program))
      } else {
        break
      }
      tail.value = x
    }
    return tail
  }

  /// If the node at `position` quantises the result of an operator on integers, makes the operator return integers.
  mutating func quantizeResult(_ position: Int) {
    guard let node = editor.node(at: position), let range = QuantizationPattern.quantization(node), let x = node.inputs[0],
      node.inputs.count == 1, editor.dtype(x) == .float32
    else { return }
    let tail = tail(x)
    if let source = integers(tail.value) {
      return mapIntegers(position, node, tail, source, range)
    }
    guard let producer = editor.producer(of: tail.value), editor.useCount(tail.value) == 1, producer.node.outputs.count == 1 else { return }
    var bounded = range
    for function in tail.functions.reversed() {
      guard let (low, high) = QuantizationPattern.clamp(function.program) else { return }
      bounded = bounded.clamped(low, high)
    }
    guard let result = quantized(producer.position, producer.node, bounded) else { return }
    finish(position, node, tail, result)
  }

  /// Replaces a standalone quantisation by an operator of its own.
  mutating func quantize(_ position: Int) {
    guard var node = editor.node(at: position), let range = QuantizationPattern.quantization(node), node.inputs.count == 1,
      let x = node.inputs[0], editor.dtype(x) == .float32
    else { return }
    if let producer = editor.producer(of: x)?.node, producer.applies(Pointwise.self), editor.useCount(x) == 1 { return }
    node.op = QuantizeToInt8(range)
    editor.replace(position, with: node)
  }

  /// Replaces the real result of an operator by `result`, int8, and removes the nodes after it.
  private mutating func finish(_ position: Int, _ node: Node, _ tail: Tail, _ result: ValueID) {
    if let maker = editor.producer(of: result)?.position {
      let functions = tail.functions.flatMap { editor.node(at: $0.position)?.origins ?? [] }
      editor.absorb(functions.joined(with: node.origins), at: maker)
    }
    var current = result
    for view in tail.views.reversed() {
      guard var node = editor.node(at: view), let type = int8(like: node.outputs[0]) else { continue }
      node.inputs[0] = current
      current = editor.add(Value(type: type, origin: .node))
      node.outputs = [current]
      editor.replace(view, with: node)
    }
    editor.replaceUses(of: node.outputs[0], by: current)
    editor.remove(position)
    for function in tail.functions { editor.remove(function.position) }
  }

  /// The operator with an int8 result; nil if there is none.
  private mutating func quantized(_ position: Int, _ node: Node, _ range: IntegerRange) -> ValueID? {
    guard let type = int8(like: node.outputs[0]) else { return nil }
    var replacement = node
    switch node.op {
    case let convolution as Convolution:
      guard let (low, high) = QuantizationPattern.clamp(convolution.activation),
        let made = self.convolution(node, convolution, output: .quantized(range.clamped(low, high)))
      else { return nil }
      replacement = made
    case let matrix as MatMul:
      guard let (low, high) = QuantizationPattern.clamp(matrix.activation),
        let made = linear(node, matrix, output: .quantized(range.clamped(low, high)))
      else { return nil }
      replacement = made
    case is Pointwise:
      if let made = scaled(node, range) {
        replacement = made
        break
      }
      guard let function = QuantizationPattern.binary(node), let a = integers(node.inputs[0]), let b = integers(node.inputs[1]),
        let first = editor.signature(a.value), first == editor.signature(b.value)
      else { return nil }
      replacement.op = QuantizedBinary(function, a: a.range, b: b.range, output: range, rounding: .real)
      replacement.inputs = [a.value, b.value]
    case let pool as Pool:
      guard case .average(let countsPadding, let divisor) = pool.reduction, editor.signature(node.inputs[0]!)?.rank == 4,
        case .sliding(_, _, let before, let after, _, let ceil) = pool.window,
        // In range: lists.
        !countsPadding || (before + after).allSatisfy({ $0 == 0 }) && !ceil, let x = integers(node.inputs[0])
      else { return nil }
      replacement.op = QuantizedPool(pool.window, reduction: .average(from: x.range, to: range, divisor: divisor))
      replacement.inputs = [x.value]
    case let reduce as Reduce:
      guard let made = mean(position, node, reduce, range) else { return nil }
      replacement = made
    case let softmax as Softmax:
      guard !softmax.isLogarithm, let rank = editor.signature(node.outputs[0])?.rank, softmax.axis == -1 || softmax.axis == rank - 1,
        let x = integers(node.inputs[0])
      else { return nil }
      replacement.op = QuantizedSoftmax(output: range)
      replacement.inputs = [x.value, add(constant(QuantizedSoftmax.exponentials(scale: x.range.scale)))]
    case let concat as Concat:
      var parts: [ValueID?] = []
      for input in node.inputs {
        guard let part = integers(input) else { return nil }
        parts.append(part.value)
      }
      for (index, input) in node.inputs.enumerated() {
        guard let part = integers(input), !part.range.means(range) || range.lowest > -128 || range.highest < 127 else { continue }
        guard let table = table(part.range, [], range), let type = int8(like: input!) else { return nil }
        parts[index] = editor.insert(
          QuantizedMap(label: "rescale"), [part.value, add(table)], type: type, before: position, source: node.source)
      }
      replacement.op = Concat(axis: concat.axis, dtype: .int8)
      replacement.inputs = parts
    default: return nil
    }
    let result = editor.add(Value(type: type, origin: .node))
    replacement.outputs = [result]
    editor.replace(position, with: replacement)
    return result
  }

  /// The product of an image and a real factor for each channel.
  private mutating func scaled(_ node: Node, _ range: IntegerRange) -> Node? {
    guard QuantizationPattern.binary(node) == .multiply, let result = editor.signature(node.outputs[0]) else { return nil }
    for (image, factors) in [(0, 1), (1, 0)] {
      guard let other = node.inputs[factors], let each = editor.signature(other), each.dtype == .float32, each != result,
        let axis = QuantizedScale.axis(of: each, in: result), let x = integers(node.inputs[image]),
        editor.signature(x.value)?.dimensions == result.dimensions
      else { continue }
      var made = node
      made.op = QuantizedScale(x.range, to: range, axis: axis)
      made.inputs = [x.value, other]
      return made
    }
    return nil
  }

  /// The mean over all pixels as a pooling of NCHW images.
  private mutating func mean(_ position: Int, _ node: Node, _ reduce: Reduce, _ range: IntegerRange) -> Node? {
    guard reduce.function == .mean, let type = editor.signature(node.inputs[0]!), type.rank == 4, let axes = reduce.axes.axes,
      let result = editor.signature(node.outputs[0])
    else { return nil }
    let reduced = axes.map { $0 < 0 ? $0 + 4 : $0 }.sorted()
    guard reduced == [2, 3] || reduced == [1, 2], let x = integers(node.inputs[0]) else { return nil }
    let isLast = reduced == [1, 2]
    let channels = type.dimensions[isLast ? 3 : 1]
    func signature(_ dimensions: [Dimension]) -> ValueType { .tensor(TensorSignature(dtype: .int8, dimensions: dimensions)) }
    var image = x.value
    if isLast {
      image = editor.insert(
        Permute(axes: [0, 3, 1, 2]), [image], type: signature([0, 3, 1, 2].map { type.dimensions[$0] }), before: position,
        source: node.source)
    }
    var replacement = node
    replacement.op = QuantizedPool(nil, reduction: .average(from: x.range, to: range, divisor: nil))
    replacement.inputs = [image]
    if result.rank == 4, !isLast { return replacement }
    let pooled = editor.insert(
      replacement.op, replacement.inputs, type: signature([type.dimensions[0], channels, .fixed(1), .fixed(1)]), before: position,
      source: node.source)
    replacement.inputs = [pooled]
    if result.rank == 4 {
      replacement.op = Permute(axes: [0, 2, 3, 1])
    } else {
      guard case .fixed(let count) = channels else { return nil }
      replacement.op = Reshape(shape: [.constant(-1), .constant(count)])
    }
    return replacement
  }

  // MARK: Functions of integers

  /// The values of `quantise(functions(dequantise(i)))` for i = -128 … 127.
  private mutating func table(_ from: IntegerRange, _ functions: [PointwiseProgram], _ to: IntegerRange) -> Constant? {
    var steps: [Pointwise] = [
      Pointwise.dequantize(
        QuantizationParameters(scale: Double(from.scale), zeroPoint: Int64(widening: from.zeroPoint)), from: .int8, as: .float32)
    ]
    steps += functions.map { Pointwise($0, dtype: .float32, label: "function") }
    steps.append(
      Pointwise.quantize(
        QuantizationParameters(scale: Double(to.scale), zeroPoint: Int64(widening: to.zeroPoint)),
        to: Int64(widening: to.lowest)...Int64(widening: to.highest),
        from: .float32, as: .int8))
    return ConstantEvaluator.table(steps, workspace: &tableWorkspace)
  }

  /// Handles a node at `position` that quantises functions of dequantised values.
  private mutating func mapIntegers(
    _ position: Int, _ node: Node, _ tail: Tail, _ source: (value: ValueID, range: IntegerRange), _ range: IntegerRange
  ) {
    let isWhole = range.lowest == -128 && range.highest == 127
    var result = source.value
    if !(tail.functions.isEmpty && source.range.means(range) && isWhole),
      !clampProducer(source, tail.functions.map(\.program), range)
    {
      guard let table = table(source.range, tail.functions.reversed().map(\.program), range), let type = int8(like: tail.value) else {
        return
      }
      let label = tail.functions.last.flatMap { editor.node(at: $0.position)?.op(as: Pointwise.self)?.label } ?? "rescale"
      let before = (tail.views + tail.functions.map(\.position)).min() ?? position
      result = editor.insert(
        QuantizedMap(label: label), [result, add(table)], type: type, before: before, source: node.source, origins: node.origins)
    }
    finish(position, node, tail, result)
  }

  /// Merges following clamps into the bounds of the operator that produced the integers. False if they are not clamps or the operator has
  /// other uses.
  private mutating func clampProducer(
    _ source: (value: ValueID, range: IntegerRange), _ functions: [PointwiseProgram], _ range: IntegerRange
  ) -> Bool {
    guard source.range.means(range) else { return false }
    var bounds = range
    for function in functions {
      guard let (low, high) = QuantizationPattern.clamp(function) else { return false }
      bounds = bounds.clamped(low, high)
    }
    var value = source.value
    while editor.useCount(value) == 1, case (let position, var node)? = editor.producer(of: value) {
      func narrowed(_ range: IntegerRange) -> IntegerRange {
        var range = range
        range.lowest = min(max(range.lowest, bounds.lowest), bounds.highest)
        range.highest = max(range.lowest, min(range.highest, bounds.highest))
        return range
      }
      if Self.isView(node), let x = node.inputs[0] {
        value = x
        continue
      }
      switch node.op {
      case var op as QuantizedConvolution:
        guard case .quantized(let old) = op.output else { return false }
        op.output = .quantized(narrowed(old))
        node.op = op
      case var op as QuantizedLinear:
        guard case .quantized(let old) = op.output else { return false }
        op.output = .quantized(narrowed(old))
        node.op = op
      case var op as QuantizedBinary:
        op.output = narrowed(op.output)
        node.op = op
      default: return false
      }
      editor.replace(position, with: node)
      return true
    }
    return false
  }
}
