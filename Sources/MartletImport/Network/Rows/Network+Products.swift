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
    let matrix = try permuted(try weights(product.weights, shape: [product.outputChannels, product.inputChannels]), [1, 0])
    let bias = try product.bias.map { try weights($0, shape: [product.outputChannels]) }
    func multiplied(_ x: ValueID) throws -> ValueID { try applied(MatMul(dtype: .float32), [x, matrix, bias]) }
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
    let matrix = try permuted(try weights(stored, shape: [product.columns, product.rows]), [1, 0])
    let bias = try product.bias.map { try weights($0, shape: [product.columns]) }
    guard try rank(input) == 1 else { return try set(try applied(MatMul(dtype: .float32), [input, matrix, bias])) }
    let row = try applied(MatMul(dtype: .float32), [try unsqueezed(input, axis: 0), matrix, bias])
    try set(try applied(Squeeze(axes: [0]), [row]))
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
