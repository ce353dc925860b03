package import MartletGraph
import MartletKernels
package import MartletTensor
import MartletVocabulary

/// `softmax(scale * Q Kᵀ + mask) V`.
/// - Operands: `q` [B, H, Sq, D], `k` [B, Hkv, Skv, D], `v` [B, Hkv, Skv, Dv]; optional `mask` that broadcasts to [B, H, Sq, Skv]. A
///   floating-point mask is added to the scores; a bool mask hides the keys where it is false. H is a multiple of Hkv. For int8 `k` and `v`
///   optional `kScales`, `kZeroPoints`, `vScales` and `vZeroPoints` that broadcast to [B, Hkv, Skv, 1]: keys are
///   `(k - kZeroPoints) * kScales`. Optional `latestK` [B, Hkv, n, D] and `latestV` [B, Hkv, n, Dv] stand for those of `k` and `v` from
///   `latestStart` on.
/// - Shapes: result [B, H, Sq, Dv], laid out so that all heads of a query are contiguous.
/// - DTypes: floating-point types, `k` and `v` also int8, computed in float32.
/// - Accuracy: rounding of sums over D and Skv.
/// - Sources: attention recognised in `.pte` programs; `llama::custom_sdpa.out`, `llama::custom_quantized_sdpa.out`; MIL `scaled_dot_product_attention`.
package struct Attention: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("q", .data, .floating), .init("k", .data, .real), .init("v", .data, .real),
      .init("mask", .mask, .maskLike, isOptional: true), .init("kScales", .parameter, .float32, isOptional: true),
      .init("kZeroPoints", .parameter, .int8, isOptional: true), .init("vScales", .parameter, .float32, isOptional: true),
      .init("vZeroPoints", .parameter, .int8, isOptional: true), .init("latestK", .data, .float32, isOptional: true),
      .init("latestV", .data, .float32, isOptional: true),
    ], accuracy: .lengthScaled)

  /// Nil for `1 / sqrt(D)`.
  package var scale: Double?
  package var isCausal: Bool
  /// Number of keys before the first query, where K and V are caches of which only the first `start + Sq` rows are valid. Nil if all rows
  /// are valid.
  /// Excludes a mask, which covers all rows.
  package var start: IntArgument?
  /// Scales of all int8 keys and values, where there are no operands.
  package var keyScale: Double?
  package var valueScale: Double?
  /// Position of the first of the latest keys; not nil if there are any.
  package var latestStart: IntArgument?
  /// Result for a query that sees no key, or only keys with score -infinity: zeros if true, NaN if false.
  package var hiddenIsZero: Bool

  package var name: String { "attention" }

  package init(scale: Double?, isCausal: Bool = false, start: IntArgument? = nil, hiddenIsZero: Bool = false) {
    self.scale = scale
    self.isCausal = isCausal
    self.start = start
    self.hiddenIsZero = hiddenIsZero
  }

  /// Number of tensor operands; scalars follow.
  package static let tensorCount = 10
  /// Operands that belong to keys and to values.
  package static let scalingOperands = [[4, 5], [6, 7]]
  package static let latestOperands = [8, 9]

  /// Attributes that only some graphs have are left out otherwise.
  package var attributes: [(name: String, value: String)] {
    func number(_ value: Double?) -> String { value.map { "\($0)" } ?? "none" }
    var result = [
      ("scale", number(scale)), ("isCausal", "\(isCausal)"), ("start", start.map { "\($0)" } ?? "none"),
      ("hiddenIsZero", "\(hiddenIsZero)"),
    ]
    if keyScale != nil || valueScale != nil { result += [("keyScale", number(keyScale)), ("valueScale", number(valueScale))] }
    if let latestStart { result.append(("latestStart", "\(latestStart)")) }
    return result
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let (q, k, v) = (try operands.tensor(0), try operands.tensor(1), try operands.tensor(2))
    let isInteger = k.dtype == .int8
    guard q.rank == 4, k.rank == 4, v.rank == 4, q.dtype.isFloatingPoint,
      k.dtype.isFloatingPoint && v.dtype.isFloatingPoint || isInteger && v.dtype == .int8,
      q.shape[0] == k.shape[0], k.shape[0] == v.shape[0], k.shape[1] == v.shape[1], k.shape[2] == v.shape[2],
      q.shape[3] == k.shape[3], k.shape[1] > 0 ? q.shape[1] % k.shape[1] == 0 : q.shape[1] == 0
    else { throw .invalid("\(q), \(k) and \(v) do not fit each other as queries, keys and values") }
    if let mask = operands.optionalTensor(3) {
      guard start == nil else { throw .invalid("a mask and a start exclude one another") }
      let scores = [q.shape[0], q.shape[1], q.shape[2], k.shape[2]]
      guard Shape.broadcast(mask.shape, scores) == scores, mask.dtype.isFloatingPoint || mask.dtype == .bool else {
        throw .invalid("a mask \(mask) does not fit scores \(scores)")
      }
    }
    for (index, operand) in Self.scalingOperands.joined().enumerated() {
      guard let parameter = operands.optionalTensor(operand) else { continue }
      let rows = [k.shape[0], k.shape[1], k.shape[2], 1]
      guard isInteger, parameter.dtype == (index % 2 == 0 ? .float32 : .int8), Shape.broadcast(parameter.shape, rows) == rows else {
        throw .invalid("\(parameter) does not fit keys \(k)")
      }
    }
    if isInteger, keyScale == nil && operands.optionalTensor(4) == nil || valueScale == nil && operands.optionalTensor(6) == nil {
      throw .invalid("int8 keys and values have no scales")
    }
    for (operand, whole) in zip(Self.latestOperands, [k, v]) where latestStart != nil {
      let latest = try operands.tensor(operand)
      var shape = whole.shape
      shape[2] = latest.rank == 4 ? min(latest.shape[2], shape[2]) : -1
      guard latest.dtype == .float32, latest.shape == shape, latest.shape[2] == (try operands.tensor(Self.latestOperands[0])).shape[2]
      else {
        throw .invalid("the latest rows \(latest) do not fit \(whole)")
      }
    }
    return [.tensor(TensorType(q.dtype, [q.shape[0], q.shape[1], q.shape[2], v.shape[3]]))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard let q = operands.shape(0), let v = operands.shape(2), q.count == 4, v.count == 4 else { return nil }
    return q.dropLast() + [v[3]]
  }

  package func narrowForm(_ operands: [TensorSignature?]) -> NarrowForm? {
    NarrowForm(narrowed: self, operands: [0, 1, 2], tied: [0, 1, 2])
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? { [0, 2, 1, 3] }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let types = (0..<3).map { node.operandType($0).dtype }
    let isCommon = types.allSatisfy { $0 == types[0] }
    // Arithmetic on other types than the queries' has single precision.
    let arithmetic =
      isCommon ? ProductArithmetic(node.builder.precision, types[0], types[0], isRoundedBetween: true) : .single
    func rows(_ index: Int, _ dtype: DType) -> TensorView {
      let view = node.strided(index, as: dtype)
      return view.strides[3] == 1 || view.shape[3] == 1
        ? view : node.builder.materialize(view, order: [0, 1, 2, 3], dtype: dtype, source: node.source)
    }
    func readable(_ dtype: DType) -> DType { arithmetic.reads(dtype) ? dtype : .float32 }
    // Keys and values are read in a type that they share.
    let stored = types[1] == types[2] && types[1] == .int8 ? .int8 : types[1] == types[2] ? readable(types[1]) : .float32
    let result = node.outputs[0]
    let written = arithmetic.stores(result.dtype) ? result.dtype : .float32
    let isDirect = result.dtype == written && (result.strides[3] == 1 || result.shape[3] == 1)
    let output = isDirect ? result : node.temporary(written, result.shape)
    let scale = scale ?? 1 / Double(max(node.operandType(0).shape[3], 1)).squareRoot()
    var kernel = AttentionKernel(
      q: rows(0, readable(types[0])), k: rows(1, stored), v: rows(2, stored), output: output, scale: Float(scale), isCausal: isCausal)
    kernel.hiddenIsZero = hiddenIsZero
    kernel.arithmetic = arithmetic
    kernel.isPortable = node.builder.precision.kernels == .portable
    if stored == .int8 {
      kernel.keyScaling = scaling(node, Self.scalingOperands[0], keyScale, rows: kernel.k)
      kernel.valueScaling = scaling(node, Self.scalingOperands[1], valueScale, rows: kernel.v)
    }
    if node.has(3) {
      let scores = [result.shape[0], result.shape[1], result.shape[2], kernel.k.shape[2]]
      var mask = mask(node).broadcast(to: scores)
      if mask.strides[3] != 1, mask.shape[3] > 1 {
        // The mask has one value for all keys.
        mask = node.builder.materialize(mask, order: [0, 1, 2, 3], dtype: .float32, source: node.source)
      }
      kernel.mask = mask
    }
    if let start {
      let position = node.int(start)
      kernel.start = { position.value($0) }
    }
    if let latestStart {
      let position = node.int(latestStart)
      kernel.latest = LatestKeys(k: rows(8, .float32), v: rows(9, .float32)) { position.value($0) }
    }
    let scratch = node.workerScratch(byteCount: kernel.scratchByteCount)
    let partials = kernel.partialCount > 0 ? node.temporary(.float32, [kernel.partialCount]) : nil
    let label = "attention \(result.shape) keys \(kernel.k.shape[2])\(isCausal ? " causal" : "")"
    node.emit(label, flops: kernel.flops, work: .product, kernel.kernel(scratch: scratch, partials: partials))
    if !isDirect { node.builder.emitCopy(from: output, to: result, source: node.source) }
  }

  private func scaling(_ node: NodePlan, _ operands: [Int], _ scale: Double?, rows: TensorView) -> AttentionScaling {
    let shape = [rows.shape[0], rows.shape[1], rows.shape[2], 1]
    func view(_ operand: Int) -> TensorView? { node.optionalInput(operand)?.broadcast(to: shape) }
    return AttentionScaling(scales: view(operands[0]), zeroPoints: view(operands[1]), scale: Float(scale ?? 1))
  }

  /// The mask as float32 addends, contiguous along the keys.
  private func mask(_ node: NodePlan) -> TensorView {
    let view = node.input(3)
    let order = Array(view.shape.indices)
    if view.dtype == .bool {
      // The layers of a model share the mask.
      return node.builder.derived(from: view, "attention mask") { [hiding(node, view)] }[0]
    }
    let addends = node.strided(3, as: .float32)
    let isContiguous = addends.rank > 0 && (addends.strides[addends.rank - 1] == 1)
    return isContiguous ? addends : node.builder.materialize(addends, order: order, dtype: .float32, source: node.source)
  }

  /// 0 where a bool mask is true, and -infinity elsewhere.
  private func hiding(_ node: NodePlan, _ view: TensorView) -> TensorView {
    let addends = node.temporary(.float32, view.shape)
    var program = PointwiseProgram()
    let flag = program.append(.load(operand: 0, as: .float32))
    let visible = program.append(.literal(.double(0), as: .float32))
    program.append(.ternary(.select, flag, visible, program.append(.literal(.double(-.infinity), as: .float32))))
    let kernel = PointwiseKernel(program, operands: [.tensor(view)], output: addends)
    node.emit("mask \(view.shape)", kernel.kernel(scratch: node.workerScratch(byteCount: kernel.scratchByteCount)))
    return addends
  }
}
