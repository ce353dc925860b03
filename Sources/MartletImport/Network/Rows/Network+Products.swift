import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Products with matrices, and tables of vectors.
extension NetworkCall {
  // MARK: Inner products

  /// Blobs of rank 1 to 3 hold vectors in their last axis; those of rank 4 and 5 in their last three.
  func add(_ product: NetworkProduct) throws {
    let input = try input()
    let multiplied = try linear(
      product.weights, shape: [product.outputChannels, product.inputChannels], bias: product.bias,
      isDynamicallyQuantized: product.isDynamicallyQuantized)
    switch try rank(input) {
    case 1: try set(try applied(Squeeze(axes: [0]), [try multiplied(try unsqueezed(input, axis: 0))]))
    case 2, 3: try set(try multiplied(input))
    default:
      let image = try image(input)
      let extents = try extents(of: image)
      let rows = try reshaped(image, [extents[0], GraphNumber(product.inputChannels)])
      try set(image: try unsqueezed(try multiplied(rows), trailing: 2), like: input)
    }
  }

  // MARK: Products of matrices

  func add(_ product: NetworkBatchedProduct) throws {
    guard let stored = product.weights else { return try multiplyInputs(product) }
    let input = try input()
    // The weights are stored by columns.
    let multiplied = try linear(
      stored, shape: [product.columns, product.rows], bias: product.bias, isDynamicallyQuantized: product.isDynamicallyQuantized)
    guard try rank(input) == 1 else { return try set(try multiplied(input)) }
    try set(try applied(Squeeze(axes: [0]), [try multiplied(try unsqueezed(input, axis: 0))]))
  }

  /// The function that multiplies rows with the transpose of stored weights of this shape, and adds a bias.
  private func linear(
    _ stored: NetworkWeights, shape: [Int], bias: NetworkWeights?, isDynamicallyQuantized: Bool
  ) throws -> (ValueID) throws -> ValueID {
    let bias = try bias.map { try weights($0, shape: [shape[0]]) }
    if isDynamicallyQuantized, importer.changingWeights == nil, let (matrix, scale) = try int8Weights(stored, shape: shape) {
      let op = DynamicLinear(depth: shape[1], isNibbles: false, quantization: .symmetricTensor)
      return { try self.applied(op, [$0, matrix, bias, scale]) }
    }
    let matrix = try permuted(try weights(stored, shape: shape), [1, 0])
    return { try self.applied(MatMul(dtype: .float32), [$0, matrix, bias]) }
  }

  private func multiplyInputs(_ product: NetworkBatchedProduct) throws {
    func matrix(_ position: Int, transposed: Bool) throws -> ValueID {
      let value = try input(position)
      let rank = try rank(value)
      // A vector is a row on the left and a column on the right.
      if rank == 1 { return try unsqueezed(value, axis: position) }
      return transposed ? try permuted(value, Array(0..<rank - 2) + [rank - 1, rank - 2]) : value
    }
    let factors = [try matrix(0, transposed: product.transposesFirst), try matrix(1, transposed: product.transposesSecond)]
    try set(try applied(MatMul(dtype: .float32), factors))
  }

  /// The dot products of the channels of two blobs, or their cosines.
  func multiplyVectors(isCosine: Bool) throws {
    let (x, y) = (try input(0), try input(1))
    func sum(_ a: ValueID, _ b: ValueID) throws -> ValueID {
      let products = try pointwise("mul", [a, b]) { build, x in build.binary(.mul, x[0], x[1]) }
      return try applied(Reduce(.sum, axes: [try axis(-3, of: products)], keepsAxes: true, dtype: .float32), [products])
    }
    let dot = try sum(x, y)
    guard isCosine else { return try set(dot) }
    try set(
      try pointwise("cosine", [dot, try sum(x, x), try sum(y, y)]) { build, x in
        build.binary(.div, x[0], build.binary(.mul, build.unary(.sqrt, x[1]), build.unary(.sqrt, x[2])))
      })
  }

  // MARK: Tables

  /// - Parameter keepsRank: the positions are [N, 1, 1, 1] or [Seq, Batch, 1, 1, 1] and the vectors channels; otherwise the last axis, of
  ///   extent 1, becomes that of the vectors.
  func embed(_ table: NetworkEmbedding, keepsRank: Bool) throws {
    let input = try input()
    let stored = try constant(table.weights, shape: [table.channels, table.count])
    let rows = builder.addConstant(Constant(viewOf: stored, shape: [table.count, table.channels], strides: [1, table.count]))
    func vectors(_ positions: ValueID) throws -> ValueID {
      let found = try applied(Index(axes: [0], allowsNegative: false), [rows, try indices(positions)])
      guard let bias = table.bias else { return found }
      let values = try weights(bias, shape: [table.channels])
      return try pointwise("bias", [found, values]) { build, x in build.binary(.add, x[0], x[1]) }
    }
    if keepsRank {
      let image = try image(input)
      let positions = try reshaped(image, [try product(of: image, axes: 0..<4)])
      return try set(image: try unsqueezed(try vectors(positions), trailing: 2), like: input)
    }
    let extents = try extents(of: input)
    guard extents.count > 1, extents.last?.known?.intValue ?? 1 == 1 else { throw CallError("the last axis of the positions is not 1") }
    try set(try vectors(try reshaped(input, Array(extents.dropLast()))))
  }
}
