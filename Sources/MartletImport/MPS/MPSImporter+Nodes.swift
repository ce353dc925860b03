import MartletExecuTorchFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

extension MPSImporter {
  /// Appends nodes that compute a node of the payload.
  mutating func importNode(_ node: MPSGraph.Node) throws {
    switch node.operation {
    case .unary: try importUnary(node)
    case .binary: try importBinary(node)
    case .comparison: try importComparison(node)
    case .add(let alpha): try importSum(node, .add, alpha: alpha)
    case .subtract(let alpha): try importSum(node, .sub, alpha: alpha)
    case .divide(let rounding): try importQuotient(node, rounding)
    case .choose: try importChoice(node)
    case .hardTanh(let bounds):
      let x = try operand(node, 0)
      try set(node, try limited(try converted(x, to: resultType(node, [x])), bounds))
    case .clamp:
      // The bounds are those of the node.
      let x = try operand(node, 0)
      try set(node, try converted(x, to: resultType(node, [x])))
    case .gelu(let isTanh): try pointwise(node) { $0.unary(isTanh ? .geluTanh : .geluErf, $1[0]) }
    case .leakyReLU(let slope): try pointwise(node) { $0.binary(.leakyRelu, $1[0], $0.literal(Double(slope))) }
    case .softmax(let axis, let isLogarithm):
      let x = try operand(node, 0)
      try emit(node, Softmax(axis: axis, isLogarithm: isLogarithm, dtype: try resultType(node, [x])))
    case .matrixProduct: try emit(node, MatMul(dtype: try resultType(node, try operands(node))))
    case .addMatrixProduct(let beta, let alpha):
      let (op, operands) = try sum(
        try operand(node, 0), ofProduct: try operand(node, 1), try operand(node, 2), beta: Double(beta), alpha: Double(alpha),
        dtype: try resultType(node, try operands(node)))
      try set(node, try applied(op, operands))
    case .full(let shape, let number):
      try fill(node, Full(shape: shape.map { .constant($0) }, dtype: try resultType(node, [])), number, [])
    case .fullLike(let number):
      try fill(node, Full(shape: nil, dtype: try resultType(node, [])), number, [try operand(node, 0)])
    case .arange(let start, let end, let step):
      let dtype = try resultType(node, [])
      let numbers = [start, end, step].map { number(Scalar($0, as: dtype)) }
      try set(node, try applied(NumberRange(dtype: dtype), numbers))
    case .mean(let axes, let keepsAxes):
      let x = try operand(node, 0)
      try emit(node, Reduce(.mean, axes: axes.isEmpty ? nil : axes, keepsAxes: keepsAxes, dtype: try resultType(node, [x])))
    case .batchNorm(let epsilon):
      let parameters = [try optionalOperand(node, 3), try optionalOperand(node, 4), try operand(node, 1), try operand(node, 2)]
      let x = try floating(node)
      try set(node, try applied(BatchNorm(epsilon: Double(epsilon)), [x] + parameters))
      // PyTorch saves no statistics when it does not train.
      for position in [1, 2] where node.outputs[position] != nil {
        let type = try dtype(graph.values[try output(node, position)].dataType)
        try set(node, constant(HostTensor(zeros: type, shape: [0])), at: position)
      }
    case .layerNorm(let axisCount, let epsilon):
      let op = LayerNorm(axisCount: axisCount, epsilon: Double(epsilon), hasStatistics: true)
      let results = try inferred(op, [try floating(node), try optionalOperand(node, 1), try optionalOperand(node, 2)])
      for (position, result) in results.enumerated() where node.outputs[position] != nil { try set(node, result, at: position) }
    case .convolution(let attributes): try importConvolution(node, attributes)
    case .maxPooling(let pooling): try importMaxPooling(node, pooling)
    case .averagePooling(let pooling): try importAveragePooling(node, pooling)
    case .dequantizeGroups(let size): try importGroups(node, size: size)
    case .indexSelect, .embedding, .index, .indexPut, .scatter: try importIndexing(node)
    case .permute, .view, .expand, .concatenate, .squeeze, .unsqueeze, .select, .slice, .pixelShuffle, .split, .cast, .constantPad:
      try importMovement(node)
    }
  }

  /// Appends a single operator on all operands.
  mutating func emit(_ node: MPSGraph.Node, _ op: any Operator) throws {
    try set(node, try applied(op, try operands(node)))
  }

  /// The first operand in the type of the result.
  private mutating func floating(_ node: MPSGraph.Node) throws -> ValueID {
    let x = try operand(node, 0)
    return try converted(x, to: try resultType(node, [x]))
  }

  private mutating func fill(_ node: MPSGraph.Node, _ op: Full, _ value: Float, _ like: [ValueID]) throws {
    try set(node, try applied(op, [number(Scalar(value, as: op.dtype))] + like))
  }

  // MARK: Positions

  private mutating func importIndexing(_ node: MPSGraph.Node) throws {
    let x = try operand(node, 0)
    switch node.operation {
    case .indexSelect(let axis):
      let index = try operand(node, 1)
      let isNumber = try signature(of: index).rank == 0
      try set(
        node,
        try applied(
          Index(axes: [try normalized(axis, rank: signature(of: x).rank)], allowsNegative: false),
          [x, isNumber ? try unsqueezed(index, axis: 0) : index]))
    // The row of the padding index is an ordinary one except in training.
    case .embedding: try set(node, try applied(Index(axes: [0], allowsNegative: false), [x, try operand(node, 1)]))
    case .index:
      let (axes, indices) = try indexed(x, by: try node.inputs.indices.dropFirst().map { try optionalOperand(node, $0) })
      try set(node, try applied(Index(axes: axes, allowsNegative: true), [x] + indices))
    case .indexPut:
      // The stored shape of the values is the operand's, which only fits if the indices take all positions; the operator broadcasts.
      let (axes, indices) = try indexed(x, by: try node.inputs.indices.dropFirst(2).map { try optionalOperand(node, $0) })
      let values = try converted(try operand(node, 1), to: try signature(of: x).dtype)
      try set(node, try applied(IndexPut(axes: axes, accumulates: false, allowsNegative: true), [x, values] + indices))
    case .scatter(let axis):
      let source = try converted(try operand(node, 2), to: try signature(of: x).dtype)
      try set(node, try applied(ScatterElements(axis: axis, accumulates: false), [x, try operand(node, 1), source]))
    default: throw CallError("is not an operation on positions")
    }
  }

  // MARK: Shapes

  private mutating func importMovement(_ node: MPSGraph.Node) throws {
    switch node.operation {
    case .permute(let axes): try emit(node, Permute(axes: axes))
    case .view(let shape): try emit(node, Reshape(shape: shape.map { .constant($0) }))
    case .expand(let shape): try emit(node, Expand(shape: shape.map { .constant($0) }))
    case .concatenate(let axis): try emit(node, Concat(axis: axis, dtype: try resultType(node, try operands(node))))
    case .squeeze(let axes): try emit(node, Squeeze(axes: axes))
    case .unsqueeze(let axis): try emit(node, Unsqueeze(axes: [axis]))
    case .select(let axis, let index): try emit(node, Select(axis: axis, index: .constant(index)))
    case .slice(let axis, let start, let end, let step):
      guard let step = Int(exactly: step), step > 0 else { throw CallError("a step of \(step)") }
      let range = SliceRange(start: .constant(Int(clamping: start)), end: .position(.constant(Int(clamping: end))), step: step)
      try emit(node, Slice(axis: axis, range: range))
    case .pixelShuffle(let factor): try emit(node, PixelShuffle(factor: factor, isInverse: false))
    case .split(let sizes, let axis):
      let x = try operand(node, 0)
      let axis = try normalized(axis, rank: signature(of: x).rank)
      var start = Extent(0)
      for (position, size) in sizes.enumerated() {
        guard let first = start.value, size >= 0 else { throw CallError("pieces of \(sizes)") }
        try set(
          node, try sliced([x], axis: axis, SliceRange(start: .constant(first), end: .count(.constant(size)))), at: position)
        start = start + size
      }
    case .cast(let type): try set(node, try converted(try operand(node, 0), to: try dtype(type)))
    case .constantPad(let amounts, let value):
      let x = try operand(node, 0)
      let axes = (0..<amounts.count / 2).reversed()
      let op = Pad(
        .constant, before: axes.map { .constant(amounts[2 * $0]) }, after: axes.map { .constant(amounts[2 * $0 + 1]) })
      try set(node, try applied(op, [x, number(Scalar(value, as: try signature(of: x).dtype))]))
    default: throw CallError("is not an operation on shapes")
    }
  }
}
