package import MartletGraph
import MartletKernels
package import MartletTensor
package import MartletVocabulary

/// `activation(alpha * A B + bias + beta * residual)` over batches of matrices.
/// - Operands: `a` […, M, K]; `b` […, K, N]; optional `bias` [N]; optional `residual` that broadcasts to […, M, N].
/// - Shapes: batch axes broadcast.
/// - DTypes: all; float16 and bfloat16 accumulate in float32, integers in int64, complex64 with float64 in complex128.
/// - Accuracy: error of a sum of K products in the accumulation type.
/// - Sources: ATen `mm.out`, `bmm.out`, `addmm.out`, `linear.out`; MIL `matmul`, `linear`.
package struct MatMul: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("a", .data, .any), .init("b", .weight, .any), .init("bias", .parameter, .any, isOptional: true),
      .init("residual", .data, .any, isOptional: true),
    ], accuracy: .lengthScaled)

  package var alpha: Double
  package var beta: Double
  package var activation: Activation
  /// Dtype of the result.
  package var dtype: DType

  package var name: String { "matmul" }

  package init(dtype: DType, alpha: Double = 1, beta: Double = 1, activation: Activation = .none) {
    self.dtype = dtype
    self.alpha = alpha
    self.beta = beta
    self.activation = activation
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let a = try operands.tensor(0)
    let b = try operands.tensor(1)
    guard a.rank >= 2, b.rank >= 2 else { throw .invalid("matrices are needed, not \(a.shape) and \(b.shape)") }
    guard a.shape[a.rank - 1] == b.shape[b.rank - 2] else {
      throw .invalid("\(a.shape) and \(b.shape) cannot be multiplied: the inner extents differ")
    }
    if a.dtype.isComplex || b.dtype.isComplex, !dtype.isComplex { throw .invalid("complex matrices cannot give a product of \(dtype)") }
    guard let batch = Shape.broadcast(Array(a.shape.dropLast(2)), Array(b.shape.dropLast(2))) else {
      throw .invalid("the batches of \(a.shape) and \(b.shape) do not broadcast")
    }
    let shape = batch + [a.shape[a.rank - 2], b.shape[b.rank - 1]]
    if let bias = operands.optionalTensor(2), bias.shape != [shape[shape.count - 1]] {
      throw .invalid("the bias \(bias.shape) does not fit \(shape)")
    }
    if let residual = operands.optionalTensor(3), Shape.broadcast(residual.shape, shape) != shape {
      throw .invalid("\(residual.shape) does not broadcast to \(shape)")
    }
    return [.tensor(TensorType(dtype, shape))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard let a = operands.shape(0), let b = operands.shape(1), a.count >= 2, b.count >= 2 else { return nil }
    return operands.broadcast(0..<2, droppingLast: 2) + [a[a.count - 2], b[b.count - 1]]
  }

  package var fusedAddends: FusedAddends { [.bias, .residual] }

  package func fusing(_ activation: Activation, _ dtype: DType, hasResidual: Bool) -> (any PlannedOperator)? {
    guard self.activation == .none, self.dtype == dtype, beta == 1 || !hasResidual else { return nil }
    var fused = self
    fused.activation = activation
    fused.beta = 1
    return fused
  }

  package func narrowForm(_ operands: [TensorSignature?]) -> NarrowForm? {
    guard dtype == .float32 else { return nil }
    var narrowed = self
    narrowed.dtype = .bfloat16
    // A few rows are computed in float32.
    let rows = operands.first??.fixedShape.map { Extent.product($0.dropLast()).clamped }
    return NarrowForm(narrowed: beta == 1 ? narrowed : nil, operands: rows.map { $0 > 4 } ?? true ? [0, 3] : [], tied: [3])
  }

  package func packs(operand: Int) -> Bool { operand == 1 || operand == 2 }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let shape = node.outputs[0].shape
    let types = (node.operandType(0).dtype, node.operandType(1).dtype)
    let isFloat = types.0.isFloatingPoint || types.1.isFloatingPoint
    let isDouble = types.0 == .float64 || types.1 == .float64
    if types.0.isComplex || types.1.isComplex {
      return try planExact(node, as: isDouble || types.0 == .complex128 || types.1 == .complex128 ? .complex128 : .complex64)
    }
    if !isFloat || isDouble {
      return try planExact(node, as: isDouble ? .float64 : .int64)
    }
    let batch = Array(shape.dropLast(2))
    let (k, n) = (node.operandType(0).shape.last ?? 0, shape[shape.count - 1])
    let rows = node.constant(1) == nil ? shape[shape.count - 2] : shape.dropLast().reduce(1, *)
    let precision = node.builder.precision
    var arithmetic = ProductArithmetic(precision, types.0, types.1)
      .unlessSlower(precision, left: types.0, constant: node.constant(1)?.type.dtype, rows: rows, columns: n, inner: k, planeInner: k)
    // Single precision is as exact and reads the matrix where single rows read it, at the speed of memory.
    if arithmetic == .bfloat16, precision.level == .exact, BFloat16Unit.current != .tiles, floatsInPlace(node, rows: rows) != nil {
      arithmetic = .single
    }
    // A scaled residual is computed in float32.
    let stored = arithmetic.stores(dtype) && (beta == 1 || !node.has(3)) ? dtype : .float32
    let output = node.staging(0, as: stored)
    // Single precision converts rows of other types while it reads them, if they are contiguous.
    let readsInPlace = arithmetic.reads(types.0) && (!arithmetic.isSingle || types.0 == .float32 || node.input(0).strides.last == 1)
    let a = readsInPlace ? node.input(0) : node.strided(0, as: .float32)
    let bias = node.has(2) ? try node.parameter(2, as: .float32) : nil
    let residual = node.has(3) ? self.residual(node, as: stored) : nil
    let label = "matmul \(shape) k \(k)" + (activation == .none ? "" : " \(activation)")
    let right: MatrixProduct.RightSide
    let matrix = try storedMatrix(node, rows: rows, arithmetic)
    if let matrix {
      let addend = residual.map { $0.reshaped([rows, n]) }
      if rows <= StoredMatrix.fewRows(matrix.dtype), let x = a.reshaped([rows, k]), let product = output.reshaped([rows, n]),
        addend != .some(nil)
      {
        node.emitProduct(
          label, of: x, matrix, bias: bias, residual: addend ?? nil, to: product, alpha: Float(alpha), activation: activation)
        node.finish(0, from: output)
        return
      }
      right = .stored(matrix)
    } else if let constant = node.constant(1), MatrixProduct.packs(constant.type.dtype) {
      right = try packed(node, constant, batch: batch, for: arithmetic)
    } else {
      let b = (node.constant(1) == nil ? node.input(1) : try node.parameter(1, as: .float32))
      let source = MatrixProduct.packs(b.dtype) ? b : node.strided(1, as: .float32)
      let batches = batch.reduce(1, *)
      guard let count = Shape.elementCount([batches, MatrixProduct.packedCount(k: k, n: n, for: arithmetic)]) else {
        throw .invalid("\(batches) copies of \(source.shape) are too large")
      }
      let scratch = node.temporary(.float32, [max(count, 1)])
      right = .strided(source.broadcast(to: batch + source.shape.suffix(2)), scratch: scratch)
    }
    var product = MatrixProduct(a: a.broadcast(to: batch + a.shape.suffix(2)), b: right, c: output)
    product.arithmetic = matrix == nil ? arithmetic : .single
    product.workers = node.workers
    product.follow(precision)
    product.alpha = Float(alpha)
    product.activation = activation
    product.bias = bias
    product.residual = residual
    node.emit(label, flops: product.flops, work: .product, product.kernel(scratch: node.scratch(product.scratch)))
    node.finish(0, from: output)
  }

  /// The residual broadcast to the result's shape, scaled by `beta`, with contiguous rows.
  private func residual(_ node: NodePlan, as dtype: DType) -> TensorView {
    let shape = node.outputs[0].shape
    let residual = node.strided(3, as: dtype).broadcast(to: shape)
    if beta == 1, residual.strides.last == 1 || shape.last == 1 { return residual }
    let scaled = node.temporary(dtype, shape)
    var program = PointwiseProgram()
    let x = program.append(.load(operand: 0, as: .float32))
    program.append(.binary(.mul, x, program.append(.literal(.double(beta), as: .float32))))
    let kernel = PointwiseKernel(program, operands: [.tensor(residual)], output: scaled)
    node.emit("scale", kernel.kernel(scratch: node.workerScratch(byteCount: kernel.scratchByteCount)))
    return scaled
  }

  /// A constant right-hand side that is used as it is stored; nil if packing it is better.
  private func storedMatrix(_ node: NodePlan, rows: Int, _ arithmetic: ProductArithmetic) throws(OperatorError) -> StoredMatrix? {
    guard let constant = node.constant(1),
      !node.builder.packed.holds([constant], layout: Self.packedLayout, parameters: [arithmetic.rawValue])
    else { return nil }
    if arithmetic.isSingle, let (shape, strides) = floatsInPlace(node, rows: rows) {
      return try node.matrixInPlace(constant, shape: shape, strides: strides, rows: rows)
    }
    guard let integers = try node.storedIntegers(constant, rows: rows),
      rows <= StoredMatrix.fewRows(integers.dtype) || arithmetic == .single
    else { return nil }
    return integers
  }

  /// Shape and strides of the transposed right-hand side if that is a matrix of floats that products with this number of rows read in place.
  private func floatsInPlace(_ node: NodePlan, rows: Int) -> (shape: [Int], strides: [Int])? {
    guard let constant = node.constant(1), Extent.product(constant.type.shape.dropLast(2)) == 1 else { return nil }
    let (shape, strides) = (Array(constant.type.shape.suffix(2).reversed()), Array(constant.strides.suffix(2).reversed()))
    return node.readsInPlace(constant, shape: shape, strides: strides, rows: rows) ? (shape, strides) : nil
  }

  private static let packedLayout = "gemm"

  /// All matrices of a constant right-hand side, packed once per program.
  private func packed(
    _ node: NodePlan, _ constant: Constant, batch: [Int], for arithmetic: ProductArithmetic
  ) throws(OperatorError) -> MatrixProduct.RightSide {
    let shape = constant.type.shape
    let (k, n) = (shape[shape.count - 2], shape[shape.count - 1])
    let own = Array(shape.dropLast(2))
    let floats = MatrixProduct.packedCount(k: k, n: n, for: arithmetic)
    let matrixCount = Extent.product(own).clamped
    guard let count = (Extent(floats) * 4 * matrixCount).value else {
      throw OperatorError.invalid("a constant \(constant.type) is too large to be packed")
    }
    let view = try node.packed([constant], layout: Self.packedLayout, parameters: [arithmetic.rawValue], byteCount: count) { storage in
      let bytes = try constant.bytesAtAnyAddress()
      // In range: positions in a constant and in its packed form.
      for matrix in 0..<matrixCount {
        unsafe MatrixProduct.pack(
          bytes.pointer + offset(matrix, own, constant.strides) * constant.type.dtype.byteCount, constant.type.dtype,
          kStride: constant.strides[own.count], nStride: constant.strides[own.count + 1], k: k, n: n, for: arithmetic,
          into: storage.pointer.assumingMemoryBound(to: Float.self) + matrix * floats)
      }
      withExtendedLifetime(bytes.owner) {}
    }
    if own.allSatisfy({ $0 == 1 }) { return .packed(view) }
    // In range: positions in the packed matrices, whose byte count is known.
    let strides = Shape.contiguousStrides(own).map { $0 * floats }
    let matrices = TensorView(buffer: view.buffer, dtype: .float32, shape: own, strides: strides)
    return .packedBatches(matrices.broadcast(to: batch))
  }

  /// Integers, float64 and complex numbers: plain loops in the accumulation type.
  private func planExact(_ node: NodePlan, as dtype: DType) throws(OperatorError) {
    let output = node.staging(0, as: dtype)
    let shape = output.shape
    let batch = Array(shape.dropLast(2))
    let a = try node.parameter(0, as: dtype)
    let b = try node.parameter(1, as: dtype)
    let product = ExactMatrixProduct(
      a: a.broadcast(to: batch + a.shape.suffix(2)), b: b.broadcast(to: batch + b.shape.suffix(2)), c: output,
      bias: node.has(2) ? try node.parameter(2, as: dtype) : nil,
      residual: node.has(3) ? try node.parameter(3, as: dtype).broadcast(to: shape) : nil, alpha: alpha, beta: beta)
    guard activation == .none else { throw .unsupported("an activation on \(dtype)") }
    let kernel =
      switch dtype {
      case .complex64: product.kernel(Complex<Float>.self)
      case .complex128: product.kernel(Complex<Double>.self)
      case .float64: product.kernel(Double.self)
      default: product.kernel(Int64.self)
      }
    let flops = 2 * Double(output.elementCount) * Double(a.shape[a.rank - 1])
    node.emit("matmul \(shape) \(dtype)", flops: flops, work: .depthwise, kernel)
    node.finish(0, from: output)
  }
}
