package import MartletGraph
import MartletKernels
package import MartletTensor
import MartletVocabulary

/// `softmax(scale * Q Kᵀ + mask) V`.
/// - Operands: `q` [B, H, Sq, D], `k` [B, Hkv, Skv, D], `v` [B, Hkv, Skv, Dv]; optional `mask` that broadcasts to [B, H, Sq, Skv]. A
///   floating-point mask is added to the scores; a bool mask hides the keys where it is false. H is a multiple of Hkv.
/// - Shapes: result [B, H, Sq, Dv], laid out so that all heads of a query are contiguous.
/// - DTypes: floating-point types, computed in float32.
/// - Accuracy: rounding of sums over D and Skv.
/// - Sources: attention recognised in `.pte` programs; `llama::custom_sdpa.out`, `llama::custom_quantized_sdpa.out`; MIL `scaled_dot_product_attention`.
package struct Attention: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("q", .data, .floating), .init("k", .data, .floating), .init("v", .data, .floating),
      .init("mask", .mask, .maskLike, isOptional: true),
    ], accuracy: .lengthScaled)

  /// Nil for `1 / sqrt(D)`.
  package var scale: Double?
  package var isCausal: Bool
  /// Number of keys before the first query, where K and V are caches of which only the first `start + Sq` rows are valid. Nil if all rows
  /// are valid.
  /// Excludes a mask, which covers all rows.
  package var start: IntArgument?
  /// Result for a query that sees no key, or only keys with score -infinity: zeros if true, NaN if false.
  package var hiddenIsZero: Bool

  package var name: String { "attention" }

  package init(scale: Double?, isCausal: Bool = false, start: IntArgument? = nil, hiddenIsZero: Bool = false) {
    self.scale = scale
    self.isCausal = isCausal
    self.start = start
    self.hiddenIsZero = hiddenIsZero
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let (q, k, v) = (try operands.tensor(0), try operands.tensor(1), try operands.tensor(2))
    guard q.rank == 4, k.rank == 4, v.rank == 4, q.dtype.isFloatingPoint, k.dtype.isFloatingPoint, v.dtype.isFloatingPoint,
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
    let common = types.allSatisfy { $0 == types[0] } ? types[0] : .float32
    let arithmetic = ProductArithmetic(node.builder.precision, common, common, isRoundedBetween: true)
    let read = arithmetic.reads(common) ? common : .float32
    func rows(_ index: Int) -> TensorView {
      let view = node.strided(index, as: read)
      return view.strides[3] == 1 || view.shape[3] == 1
        ? view : node.builder.materialize(view, order: [0, 1, 2, 3], dtype: read, source: node.source)
    }
    let result = node.outputs[0]
    let stored = arithmetic.stores(result.dtype) ? result.dtype : .float32
    let isDirect = result.dtype == stored && (result.strides[3] == 1 || result.shape[3] == 1)
    let output = isDirect ? result : node.temporary(stored, result.shape)
    let scale = scale ?? 1 / Double(max(node.operandType(0).shape[3], 1)).squareRoot()
    var kernel = AttentionKernel(q: rows(0), k: rows(1), v: rows(2), output: output, scale: Float(scale), isCausal: isCausal)
    kernel.hiddenIsZero = hiddenIsZero
    kernel.arithmetic = arithmetic
    kernel.isPortable = node.builder.precision.kernels == .portable
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
    let scratch = node.workerScratch(byteCount: kernel.scratchByteCount)
    let label = "attention \(result.shape) keys \(kernel.k.shape[2])\(isCausal ? " causal" : "")"
    node.emit(label, flops: kernel.flops, work: .product, kernel.kernel(scratch: scratch))
    if !isDirect { node.builder.emitCopy(from: output, to: result, source: node.source) }
  }

  /// The mask as float32 addends, contiguous along the keys.
  private func mask(_ node: NodePlan) -> TensorView {
    let view = node.input(3)
    let order = Array(view.shape.indices)
    if view.dtype == .bool {
      let addends = node.temporary(.float32, view.shape)
      var program = PointwiseProgram()
      let flag = program.append(.load(operand: 0, as: .float32))
      let visible = program.append(.literal(.double(0), as: .float32))
      program.append(.ternary(.select, flag, visible, program.append(.literal(.double(-.infinity), as: .float32))))
      let kernel = PointwiseKernel(program, operands: [.tensor(view)], output: addends)
      node.emit("mask \(view.shape)", kernel.kernel(scratch: node.workerScratch(byteCount: kernel.scratchByteCount)))
      return addends
    }
    let addends = node.strided(3, as: .float32)
    let isContiguous = addends.rank > 0 && (addends.strides[addends.rank - 1] == 1)
    return isContiguous ? addends : node.builder.materialize(addends, order: order, dtype: .float32, source: node.source)
  }
}
