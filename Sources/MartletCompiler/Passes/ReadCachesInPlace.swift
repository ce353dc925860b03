package import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Lets attention read keys and values as a cache stores them, where the graph converts the whole cache first: 8-bit integers with scales, or
/// half precision. Keys of the current step that the graph writes over the converted ones become operands of their own.
///
/// Runs after attention has been recognised and while the conversions are nodes of their own.
package struct ReadCachesInPlace: GraphPass {
  package let name = "read-caches-in-place"
  package init() {}

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard graph.applies(Attention.self) else { return false }
    var editor = GraphEditor(taking: &graph)
    for position in editor.positions {
      guard let (node, op) = editor.node(at: position, applying: Attention.self), op.latestStart == nil, op.keyScale == nil,
        let k = node.inputs[1], let v = node.inputs[2], let keys = Cache(k, editor), let values = Cache(v, editor),
        keys.type.dtype == values.type.dtype, keys.latest?.start == values.latest?.start, keys.views == values.views
      else { continue }
      var (result, attention) = (node, op)
      while result.inputs.count < Attention.tensorCount { result.inputs.append(nil) }
      if op.start != nil, node.inputs.count < Attention.tensorCount { continue }
      let caches = [keys, values]
      for (number, cache) in caches.enumerated() {
        result.inputs[1 + number] = cache.viewed(cache.stored, cache.type, &editor, before: position, node)
        for (operand, parameter) in zip(Attention.scalingOperands[number], [cache.scales, cache.zeroPoints]) {
          guard let parameter, let type = editor.signature(parameter) else { continue }
          result.inputs[operand] = cache.viewed(parameter, type, &editor, before: position, node)
        }
        if let latest = cache.latest, let type = editor.signature(latest.rows) {
          result.inputs[Attention.latestOperands[number]] = cache.viewed(latest.rows, type, &editor, before: position, node)
        }
      }
      (attention.keyScale, attention.valueScale) = (keys.scale, values.scale)
      if let latest = keys.latest {
        attention.latestStart = .operand(result.inputs.count)
        result.inputs.append(latest.start)
      }
      result.op = attention
      editor.replace(position, with: result)
    }
    return editor.finish(into: &graph)
  }

  /// A view between the cache and attention.
  private enum View: Equatable {
    case permute([Int])
    case squeeze([Int])
    case unsqueeze([Int])

    func applied(to dimensions: [Dimension]) -> [Dimension]? {
      switch self {
      case .permute(let axes): return axes.count == dimensions.count ? axes.map { dimensions[$0] } : nil
      case .squeeze(let axes): return dimensions.indices.filter { !axes.contains($0) }.map { dimensions[$0] }
      case .unsqueeze(let axes):
        var result = dimensions
        for axis in axes.sorted() {
          guard axis <= result.count else { return nil }
          result.insert(.fixed(1), at: axis)
        }
        return result
      }
    }

    /// True if views of a tensor have rank 4 and its axis is their axis `target`.
    static func sends(_ axis: Int, of rank: Int, to target: Int, _ views: [View]) -> Bool {
      // The axis is followed by marking it with an extent of its own.
      var marked: [Dimension]? = (0..<rank).map { .fixed($0 == axis ? 2 : 1) }
      for view in views { marked = marked.flatMap { view.applied(to: $0) } }
      return marked.map { $0.count == 4 && $0[target] == .fixed(2) } ?? false
    }

    var op: any Operator {
      switch self {
      case .permute(let axes): Permute(axes: axes)
      case .squeeze(let axes): Squeeze(axes: axes)
      case .unsqueeze(let axes): Unsqueeze(axes: axes)
      }
    }
  }

  /// Keys or values, from what the cache stores to what attention reads.
  private struct Cache {
    /// The tensor that the cache stores, and its type.
    var stored: ValueID
    var type: TensorSignature
    var scales: ValueID?
    var zeroPoints: ValueID?
    /// The scale of all elements.
    var scale: Double?
    /// Rows that are written over the converted ones.
    var latest: (rows: ValueID, start: ValueID)?
    /// From the cache to attention.
    var views: [View] = []

    /// Nil if the value is not a conversion of a tensor.
    init?(_ value: ValueID, _ editor: GraphEditor) {
      var value = editor.resolve(value)
      // Views from attention back to the update of the converted cache.
      var latest: (rows: ValueID, start: ValueID)?
      while true {
        guard let node = editor.producer(of: value)?.node, let x = node.inputs.first ?? nil, let rank = editor.signature(x)?.rank else {
          return nil
        }
        if let view = Self.view(node, rank: rank, result: editor.signature(value)?.rank) {
          // A view of the cache before the update would not be one of the rows that the update writes.
          guard latest == nil else { return nil }
          views.insert(view, at: 0)
          value = editor.resolve(x)
          continue
        }
        if let scatter = node.op(as: SliceScatter.self) {
          guard latest == nil, let found = Self.rows(node, scatter, rank: rank, views, editor) else { return nil }
          latest = found
          value = editor.resolve(x)
          continue
        }
        guard let op = node.op(as: Pointwise.self), op.dtype == .float32, let conversion = Conversion(node, op, editor),
          let type = editor.signature(conversion.stored), type.rank == 4, type.dimensions == editor.signature(value)?.dimensions,
          conversion.fits(type, views, editor)
        else { return nil }
        (stored, self.type) = (conversion.stored, type)
        (scales, zeroPoints, scale) = (conversion.scales, conversion.zeroPoints, conversion.scale)
        self.latest = latest
        return
      }
    }

    private static func view(_ node: Node, rank: Int, result: Int?) -> View? {
      func axes(_ axes: [Int], of rank: Int) -> [Int]? {
        let known = axes.compactMap { Shape.normalizedAxis($0, rank: rank) }
        return known.count == axes.count && known.allSatisfy { $0 < rank } ? known.sorted() : nil
      }
      if let permute = node.op(as: Permute.self), permute.axes.count == rank {
        let known = permute.axes.compactMap { Shape.normalizedAxis($0, rank: rank) }
        return known.count == rank ? .permute(known) : nil
      }
      if let squeeze = node.op(as: Squeeze.self), let result, let own = squeeze.axes, let known = axes(own, of: rank),
        known.count == rank - result
      {
        return .squeeze(known)
      }
      if let unsqueeze = node.op(as: Unsqueeze.self), let result, let known = axes(unsqueeze.axes, of: result), known.count == result - rank
      {
        return .unsqueeze(known)
      }
      return nil
    }

    /// The rows that an update writes along the axis that becomes attention's axis of keys.
    private static func rows(
      _ node: Node, _ op: SliceScatter, rank: Int, _ views: [View], _ editor: GraphEditor
    ) -> (rows: ValueID, start: ValueID)? {
      guard !op.range.allowsNegative, op.range.step == 1, op.range.end == .source, case .operand(let operand) = op.range.start,
        node.inputs.indices.contains(operand), let start = node.inputs[operand], let rows = node.inputs[1],
        editor.dtype(rows) == .float32, editor.signature(rows)?.rank == rank, let axis = Shape.normalizedAxis(op.axis, rank: rank),
        View.sends(axis, of: rank, to: 2, views)
      else { return nil }
      return (editor.resolve(rows), editor.resolve(start))
    }

    /// A value of the cache's shape, or one that broadcasts to it, as attention sees it.
    func viewed(_ value: ValueID, _ type: TensorSignature, _ editor: inout GraphEditor, before position: Int, _ node: Node) -> ValueID {
      var (value, type) = (value, type)
      for view in views {
        guard let dimensions = view.applied(to: type.dimensions) else { preconditionFailure("views have been checked") }
        type.dimensions = dimensions
        type.dimOrder = nil
        value = editor.insert(view.op, [value], type: .tensor(type), before: position, source: node.source)
      }
      return value
    }
  }

  /// A conversion to float32.
  private struct Conversion {
    var stored: ValueID
    var scales: ValueID?
    var zeroPoints: ValueID?
    var scale: Double?

    /// `load`, or `(load - zero points) * scales`, or `load * scale`.
    init?(_ node: Node, _ op: Pointwise, _ editor: GraphEditor) {
      let program = op.program.instructions
      func loaded(_ register: Int) -> ValueID? {
        guard program.indices.contains(register), case .load(let operand, .float32) = program[register],
          node.inputs.indices.contains(operand)
        else { return nil }
        return node.inputs[operand].map { editor.resolve($0) }
      }
      if program.count == 1, let value = loaded(0), let dtype = editor.dtype(value), dtype == .float16 || dtype == .bfloat16 {
        stored = value
        return
      }
      guard case .binary(.mul, let difference, let factor)? = program.last else { return nil }
      var count = 3
      if let value = loaded(difference) {
        stored = value
      } else if case .binary(.sub, let element, let zero) = program[difference], let value = loaded(element), let point = loaded(zero) {
        stored = value
        zeroPoints = Self.source(of: point, as: .int8, editor)
        guard zeroPoints != nil else { return nil }
        count += 2
      } else {
        return nil
      }
      guard program.count == count, editor.dtype(stored) == .int8 else { return nil }
      if let value = loaded(factor) {
        scales = Self.source(of: value, as: .float32, editor)
        guard scales != nil else { return nil }
      } else if case .literal(let literal, .float32) = program[factor] {
        scale = Double(Float(literal.doubleValue))
      } else {
        return nil
      }
    }

    /// The value, or what it is converted from without loss, if that has the type `dtype`.
    private static func source(of value: ValueID, as dtype: DType, _ editor: GraphEditor) -> ValueID? {
      if editor.dtype(value) == dtype { return value }
      guard let node = editor.producer(of: value)?.node, let op = node.op(as: Pointwise.self), op.program.instructions.count == 1,
        case .load(0, let compute)? = op.program.instructions.last, let x = node.inputs.first ?? nil, editor.dtype(x) == dtype
      else { return nil }
      // All values of int8 are values of the types that follow, and those of float32 of float64.
      let isExact =
        dtype == .int8
        ? [.int16, .int32, .int64, .float32, .float64].contains(op.dtype) && [.int64, .float32, .float64].contains(compute)
        : op.dtype == .float64 && [.float32, .float64].contains(compute)
      return isExact ? editor.resolve(x) : nil
    }

    /// True if scales and zero points belong to rows: they have the rank of the cache and one number for the last axis.
    func fits(_ type: TensorSignature, _ views: [View], _ editor: GraphEditor) -> Bool {
      let last = type.rank - 1
      for parameter in [scales, zeroPoints] {
        guard let parameter else { continue }
        guard let dimensions = editor.signature(parameter)?.dimensions, dimensions.count == type.rank, dimensions[last] == .fixed(1) else {
          return false
        }
      }
      return View.sends(last, of: type.rank, to: 3, views)
    }
  }
}
