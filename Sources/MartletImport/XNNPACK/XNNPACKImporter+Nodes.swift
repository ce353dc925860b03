import MartletExecuTorchFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

extension XNNPACKImporter {
  /// Appends nodes that compute a node of the payload.
  mutating func importNode(_ node: XNNPACKGraph.Node) throws {
    let output = node.outputs[0]
    let type = type(output)
    switch node.operation {
    case .unary(let unary):
      if let function = unary.function {
        guard type.dtype != .int32 || unary.takesIntegers else { throw CallError("is not defined for integers") }
        try pointwise(unary.rawValue, node, ofIntegers: true) { $0.unary(function, $1[0]) }
      } else {
        try set(output, try converted(node.inputs[0], to: type), bounds: node.outputBounds)
      }
    case .copy, .convert:
      try set(output, try converted(node.inputs[0], to: type), bounds: node.outputBounds)
    case .binary(let function):
      if try quantizedBinary(function, node) { return }
      guard type.dtype != .int32 || function != .divide else { throw CallError("is not defined for integers") }
      try pointwise(function.rawValue, node, ofIntegers: true) { $0.binary(function.function, $1[0], $1[1]) }
    case .leakyReLU(let slope):
      try pointwise("leaky_relu", node) { $0.binary(.leakyRelu, $1[0], $0.literal(Double(slope))) }
    case .elu(let alpha):
      try pointwise("elu", node) { $0.ternary(.elu, $1[0], $0.literal(Double(alpha)), $0.literal(1)) }
    case .prelu:
      try pointwise("prelu", node) { $0.binary(.leakyRelu, $1[0], $1[1]) }
    case .softmax:
      try emit(Softmax(axis: -1, dtype: type.dtype), node)
    case .transpose(let axes):
      try emit(Permute(axes: axes), node)
    case .reshape(let shape):
      guard shape.count(where: { $0 == 0 }) <= 1 else { throw CallError("several free extents in \(shape)") }
      try emit(Reshape(shape: shape.map { .constant($0 == 0 ? -1 : $0) }), node)
    case .concatenate(let axis):
      try emit(Concat(axis: axis, dtype: type.dtype), node)
    case .constantPad(let before, let after, let value):
      let operands = [try self.value(node.inputs[0]), builder.addScalar(.double(Double(value)))]
      let op = Pad(.constant, before: before.map { .constant($0) }, after: after.map { .constant($0) })
      try set(output, add(op, operands, type), bounds: node.outputBounds)
    case .slice(let offsets, let sizes):
      try slice(node, offsets, sizes)
    case .fullyConnected:
      try fullyConnected(node)
    case .batchMatrixMultiply:
      let a = try value(node.inputs[0])
      var b = try value(node.inputs[1])
      // The flag is XNN_FLAG_TRANSPOSE_B here.
      if node.flags.contains(.transposeWeights) { b = transposed(b, sizes: graph.values[node.inputs[1]].sizes) }
      try set(output, add(MatMul(dtype: type.dtype), [a, b], type), bounds: node.outputBounds)
    case .scaledDotProductAttention:
      try attention(node)
    case .convolution2D(let attributes):
      let filter = try permuted(node.inputs[1], [0, 3, 1, 2])
      try convolution(node, attributes, filter, isTransposed: false)
    case .depthwiseConvolution2D(let attributes):
      let filter = try permuted(node.inputs[1], [3, 0, 1, 2])
      try convolution(node, attributes, filter, isTransposed: false)
    case .transposedConvolution2D(let attributes):
      try convolution(node, attributes, try transposedFilter(node.inputs[1], groups: attributes.groups), isTransposed: true)
    case .maxPooling2D(let pooling):
      try pool(node, pooling, .maximum)
    case .averagePooling2D(let pooling):
      try pool(node, pooling, .average(countsPadding: false, divisor: nil))
    case .globalAveragePooling2D:
      let rank = graph.values[node.inputs[0]].sizes.count
      guard rank >= 3 else { throw CallError("an image \(graph.values[node.inputs[0]].sizes)") }
      try emit(Reduce(.mean, axes: [rank - 3, rank - 2], keepsAxes: type.rank == rank, dtype: type.dtype), node)
    case .resizeBilinear2D(let height, let width):
      let target = ResizeTarget(size: [.constant(height), .constant(width)], factors: nil)
      try onImage(node, ResizeBilinear(target: target, alignCorners: node.flags.contains(.alignCorners), antialiases: false))
    case .argMaxPooling2D(let pooling):
      try argMaxPooling(node, pooling)
    }
  }

  // MARK: Element by element

  /// A pointwise program on the node's inputs. Its last instruction is the result.
  /// - Parameter ofIntegers: true to compute in integers if all values are integers.
  private mutating func pointwise(
    _ label: String, _ node: XNNPACKGraph.Node, ofIntegers: Bool = false, _ body: (inout PointwiseBuilder, [Int]) -> Int
  ) throws {
    let type = type(node.outputs[0])
    let isInteger = ofIntegers && ([type] + node.inputs.map { self.type($0) }).allSatisfy { $0.dtype == .int32 }
    var build = PointwiseBuilder(dtype: isInteger ? .int32 : .float32, type: isInteger ? .int64 : .float32)
    let registers = try node.inputs.map { build.load(try value($0)) }
    _ = body(&build, registers)
    try set(node.outputs[0], add(build.node(label, dtype: type.dtype), build.operands, type), bounds: node.outputBounds)
  }

  /// Imports a sum, difference or product of int8 values of equal shape with an int8 result. Returns false for any other node.
  private mutating func quantizedBinary(_ function: XNNPACKGraph.Binary, _ node: XNNPACKGraph.Node) throws -> Bool {
    let kind: IntegerPointwise.Binary
    switch function {
    case .add: kind = .add
    case .subtract: kind = .subtract
    case .multiply: kind = .multiply
    default: return false
    }
    let index = node.outputs[0]
    guard var range = range(index), let a = integers[node.inputs[0]], let b = integers[node.inputs[1]],
      let aRange = self.range(node.inputs[0]), let bRange = self.range(node.inputs[1]),
      builder.tensorSignature(of: a) == builder.tensorSignature(of: b), builder.tensorSignature(of: a)?.dimensions == type(index).dimensions
    else { return false }
    if let bounds = node.outputBounds { range = range.clamped(bounds.minimum, bounds.maximum) }
    let op = QuantizedBinary(kind, a: aRange, b: bRange, output: range, rounding: .xnnpack)
    try setIntegers(index, add(op, [a, b], TensorSignature(dtype: .int8, dimensions: type(index).dimensions)))
    return true
  }

  /// Scale and zero point of an int8 value with a single scale.
  private func range(_ index: Int) -> IntegerRange? {
    let value = graph.values[index]
    guard value.dataType == .qint8, case .perTensor(let scale, let zeroPoint) = value.quantization, scale > 0, scale.isFinite,
      (-128...127).contains(zeroPoint)
    else { return nil }
    return IntegerRange(scale: scale, zeroPoint: Int32(clamping: zeroPoint))
  }

  private mutating func converted(_ index: Int, to type: TensorSignature) throws -> ValueID {
    let x = try value(index)
    guard let dtype = builder.tensorSignature(of: x)?.dtype, dtype != type.dtype else { return x }
    let compute = ComputeType(for: dtype) ?? .float32
    return add(Pointwise(.identity(as: compute), dtype: type.dtype, label: "cast"), [x], type)
  }

  /// Appends a single operator on all inputs.
  private mutating func emit(_ op: any Operator, _ node: XNNPACKGraph.Node) throws {
    var operands: [ValueID?] = []
    for input in node.inputs { operands.append(try value(input)) }
    try set(node.outputs[0], add(op, operands, type(node.outputs[0])), bounds: node.outputBounds)
  }

  private mutating func slice(_ node: XNNPACKGraph.Node, _ offsets: [Int], _ sizes: [Int]) throws {
    var extents = graph.values[node.inputs[0]].sizes
    guard offsets.count == extents.count else { throw CallError("\(offsets.count) offsets for \(extents)") }
    var result = try value(node.inputs[0])
    let dtype = type(node.outputs[0]).dtype
    for axis in extents.indices where offsets[axis] != 0 || (sizes[axis] != 0 && sizes[axis] != extents[axis]) {
      // In range: the file has 32 bits for each.
      let (start, end) = (offsets[axis], offsets[axis] + sizes[axis])
      extents[axis] = max((sizes[axis] == 0 ? extents[axis] : min(end, extents[axis])) - start, 0)
      let range = SliceRange(start: .constant(start), end: sizes[axis] == 0 ? .rest : .position(.constant(end)))
      result = add(Slice(axis: axis, range: range), [result], sizes: extents, like: dtype)
    }
    try set(node.outputs[0], result, bounds: node.outputBounds)
  }

  // MARK: Products

  /// Transposes the last two axes.
  private mutating func transposed(_ x: ValueID, sizes: [Int], like dtype: DType = .float32) -> ValueID {
    var axes = Array(sizes.indices)
    if axes.count >= 2 { axes.swapAt(axes.count - 1, axes.count - 2) }
    return add(Permute(axes: axes), [x], sizes: axes.map { sizes[$0] }, like: dtype)
  }

  private mutating func fullyConnected(_ node: XNNPACKGraph.Node) throws {
    var type = type(node.outputs[0])
    var x = try value(node.inputs[0])
    let rows = graph.values[node.inputs[0]].sizes
    guard !rows.isEmpty, type.rank == rows.count else {
      throw CallError("an input \(rows) for a result \(graph.values[node.outputs[0]].sizes)")
    }
    var operands: [ValueID?] = [x, try matrix(node)]
    if node.inputs.count > 2 { operands.append(try value(node.inputs[2])) }
    let op = MatMul(dtype: type.dtype, activation: Self.activation(node.outputBounds))
    guard rows.count == 1 else {
      return try set(node.outputs[0], add(op, operands, type), bounds: nil)
    }
    x = add(Reshape(shape: [.constant(1), .constant(-1)]), [x], sizes: [1] + rows, like: self.type(node.inputs[0]).dtype)
    operands[0] = x
    let result = type
    type.dimensions.insert(.fixed(1), at: 0)
    try set(node.outputs[0], add(Reshape(shape: [.constant(-1)]), [add(op, operands, type)], result), bounds: nil)
  }

  /// The filter of a fully connected node as a matrix `[input, output]`. Extents between the first and the last are 1.
  private mutating func matrix(_ node: XNNPACKGraph.Node) throws -> ValueID {
    var filter = try value(node.inputs[1])
    var sizes = graph.values[node.inputs[1]].sizes
    let dtype = type(node.inputs[1]).dtype
    let isTransposed = node.flags.contains(.transposeWeights)
    guard sizes.count == 2 || (sizes.count > 2 && !isTransposed && sizes[1..<sizes.count - 1].allSatisfy { $0 == 1 }) else {
      throw CallError("a filter \(sizes)")
    }
    if sizes.count > 2 {
      sizes = [sizes[0], sizes[sizes.count - 1]]
      filter = add(Reshape(shape: sizes.map { .constant($0) }), [filter], sizes: sizes, like: dtype)
    }
    return isTransposed ? filter : transposed(filter, sizes: sizes, like: dtype)
  }

  /// `softmax(query * scale * key^T + mask) * value`
  private mutating func attention(_ node: XNNPACKGraph.Node) throws {
    let sizes = node.inputs.map { graph.values[$0].sizes }
    guard sizes[0].count >= 2, sizes[1].count >= 2 else { throw CallError("a query \(sizes[0]) and a key \(sizes[1])") }
    let type = type(node.outputs[0])
    let query = add(
      Pointwise(.binary(.mul, as: .float32), dtype: type.dtype, label: "scale"),
      [try value(node.inputs[0]), try value(node.inputs[3])], sizes: sizes[0], like: type.dtype)
    let key = transposed(try value(node.inputs[1]), sizes: sizes[1], like: type.dtype)
    let scores = Array(sizes[0].dropLast()) + [sizes[1][sizes[1].count - 2]]
    var weights = add(MatMul(dtype: type.dtype), [query, key], sizes: scores, like: type.dtype)
    weights = add(
      Pointwise(.binary(.add, as: .float32), dtype: type.dtype, label: "mask"), [weights, try value(node.inputs[4])],
      sizes: scores, like: type.dtype)
    weights = add(Softmax(axis: -1, dtype: type.dtype), [weights], sizes: scores, like: type.dtype)
    try set(node.outputs[0], add(MatMul(dtype: type.dtype), [weights, try value(node.inputs[2])], type), bounds: node.outputBounds)
  }

  // MARK: Images

  private mutating func permuted(_ index: Int, _ axes: [Int]) throws -> ValueID {
    let sizes = graph.values[index].sizes
    guard sizes.count == axes.count else { throw CallError("\(sizes) where \(axes.count) axes are needed") }
    return add(Permute(axes: axes), [try value(index)], sizes: axes.map { sizes[$0] }, like: type(index).dtype)
  }

  /// Applies an operator on NCHW images to the NHWC values of the node.
  private mutating func onImage(_ node: XNNPACKGraph.Node, _ op: any Operator) throws {
    try giveImage(node, op, [try permuted(node.inputs[0], [0, 3, 1, 2])], bounds: node.outputBounds)
  }

  private mutating func giveImage(
    _ node: XNNPACKGraph.Node, _ op: any Operator, _ operands: [ValueID?], bounds: XNNPACKGraph.OutputBounds?
  ) throws {
    let type = type(node.outputs[0])
    guard type.rank == 4 else { throw CallError("a result of rank \(type.rank)") }
    let image = TensorSignature(dtype: type.dtype, dimensions: [0, 3, 1, 2].map { type.dimensions[$0] })
    let result = add(Permute(axes: [0, 2, 3, 1]), [add(op, operands, image)], type)
    try set(node.outputs[0], result, bounds: bounds)
  }

  private mutating func convolution(
    _ node: XNNPACKGraph.Node, _ attributes: XNNPACKGraph.Convolution, _ filter: ValueID, isTransposed: Bool
  ) throws {
    let window = try window(
      node, attributes.padding, kernel: [attributes.kernelHeight, attributes.kernelWidth],
      stride: [attributes.strideHeight, attributes.strideWidth],
      dilation: [attributes.dilationHeight, attributes.dilationWidth])
    let (x, padding) = try padded(try permuted(node.inputs[0], [0, 3, 1, 2]), window, with: .double(0))
    var op = Convolution(
      stride: window.stride, padding: padding, dilation: window.dilation, isTransposed: isTransposed,
      outputPadding: isTransposed ? [attributes.adjustmentHeight, attributes.adjustmentWidth] : [0, 0],
      groups: attributes.groups, dtype: type(node.outputs[0]).dtype)
    op.activation = Self.activation(node.outputBounds)
    var operands: [ValueID?] = [x, filter]
    if node.inputs.count > 2 { operands.append(try value(node.inputs[2])) }
    try giveImage(node, op, operands, bounds: nil)
  }

  /// `[output, height, width, input / groups]` as `[input, output / groups, height, width]`.
  private mutating func transposedFilter(_ index: Int, groups: Int) throws -> ValueID {
    guard groups > 1 else { return try permuted(index, [3, 0, 1, 2]) }
    let sizes = graph.values[index].sizes
    guard sizes.count == 4, !sizes.contains(0), sizes[0] % groups == 0 else {
      throw CallError("a filter \(sizes) in \(groups) groups")
    }
    let dtype = type(index).dtype
    let outputs = sizes[0] / groups
    func reshaped(_ x: ValueID, _ sizes: [Int]) -> ValueID {
      add(Reshape(shape: sizes.map { .constant($0) }), [x], sizes: sizes, like: dtype)
    }
    let split = reshaped(try value(index), [groups, outputs] + sizes[1...])
    let grouped = [groups, sizes[3], outputs, sizes[1], sizes[2]]
    let moved = add(Permute(axes: [0, 4, 1, 2, 3]), [split], sizes: grouped, like: dtype)
    // In range: the groups divide the outputs, so the product is at most the number of elements.
    return reshaped(moved, [groups * sizes[3], outputs, sizes[1], sizes[2]])
  }

  private mutating func pool(_ node: XNNPACKGraph.Node, _ pooling: XNNPACKGraph.Pooling, _ reduction: PoolReduction) throws {
    // Average pooling has no dilation; the file may contain 0.
    let window = try window(
      node, pooling.padding, kernel: [pooling.height, pooling.width], stride: [pooling.strideHeight, pooling.strideWidth],
      dilation: [max(pooling.dilationHeight, 1), max(pooling.dilationWidth, 1)])
    let image = try permuted(node.inputs[0], [0, 3, 1, 2])
    let (x, padding) = try padded(image, window, with: .double(-.infinity))
    // Elements of the operand count in an average.
    guard x == image || reduction == .maximum else { throw CallError("an average without the padding is not supported for dynamic shapes") }
    let sliding = Pool.Window.sliding(
      kernel: window.kernel, stride: window.stride, before: padding.map(\.before), after: padding.map(\.after),
      dilation: window.dilation, ceil: false)
    try giveImage(node, Pool(sliding, reduction: reduction), [x], bounds: node.outputBounds)
  }

  /// The maximum of each window and its position, numbered down the columns. Windows are adjacent. Padding replicates the edge of the
  /// image.
  private mutating func argMaxPooling(_ node: XNNPACKGraph.Node, _ pooling: XNNPACKGraph.Pooling) throws {
    let input = type(node.inputs[0])
    guard let sizes = input.fixedShape, sizes.count == 4 else {
      throw CallError("\(graph.values[node.inputs[0]].sizes) is not an image of known extents")
    }
    let kernel = [pooling.height, pooling.width]
    let image = try self.value(node.inputs[0])
    let window = try window(node, pooling.padding, kernel: kernel, stride: kernel, dilation: [1, 1])
    let pads = try padding(of: image, window, from: 1).compactMap(SpatialWindow.known)
    /// Pads only height and width.
    func amounts(_ height: Int, _ width: Int) -> [IntArgument] { [.constant(0), .constant(height), .constant(width), .constant(0)] }
    // In range: the file has 32 bits for each.
    let counts: [Int] = [0, 1].map { axis in (sizes[axis + 1] + pads[axis].before + pads[axis].after) / kernel[axis] }
    // Remove the incomplete window after the last whole one.
    // In range: the product is at most the padded extent.
    let after: [Int] = [0, 1].map { axis in counts[axis] * kernel[axis] - sizes[axis + 1] - pads[axis].before }
    let (batch, channels, dtype) = (sizes[0], sizes[3], input.dtype)
    var x = add(
      Pad(.replicate, before: amounts(pads[0].before, pads[1].before), after: amounts(after[0], after[1])), [image],
      // In range: the product is at most the padded extent.
      sizes: [batch, counts[0] * kernel[0], counts[1] * kernel[1], channels], like: dtype)
    // In range: both are less than 2^31.
    let area = kernel[0] * kernel[1]
    guard area < 1 << 31 else { throw CallError("a window \(kernel)") }
    var shape = [batch, counts[0], kernel[0], counts[1], kernel[1], channels]
    x = add(Reshape(shape: shape.map { .constant($0) }), [x], sizes: shape, like: dtype)
    let order = [0, 1, 3, 5, 4, 2]
    x = add(Permute(axes: order), [x], sizes: order.map { shape[$0] }, like: dtype)
    shape = [batch, counts[0], counts[1], channels, area]
    x = add(Reshape(shape: shape.map { .constant($0) }), [x], sizes: shape, like: dtype)
    let maxima = add(Reduce(.max, axes: [4], keepsAxes: false, dtype: dtype), [x], type(node.outputs[0]))
    let positions = type(node.outputs[1])
    guard positions.dtype == .int32 else { throw CallError("positions of type \(graph.values[node.outputs[1]].dataType)") }
    let found = add(
      ArgReduce(wantsMaximum: true, axis: 4, keepsAxes: false), [x],
      TensorSignature(dtype: .int64, dimensions: positions.dimensions))
    try set(node.outputs[0], maxima, bounds: node.outputBounds)
    let narrow = Pointwise(.identity(as: .int64), dtype: .int32, label: "cast")
    try set(node.outputs[1], add(narrow, [found], positions), bounds: nil)
  }

  private func window(
    _ node: XNNPACKGraph.Node, _ padding: XNNPACKGraph.Padding, kernel: [Int], stride: [Int], dilation: [Int]
  ) throws -> SpatialWindow {
    let explicit = [(padding.top, padding.bottom), (padding.left, padding.right)]
    return try SpatialWindow(
      kernel: kernel, stride: stride, dilation: dilation,
      padding: node.flags.contains(.samePadding) ? .same(isLower: false) : .explicit(explicit))
  }
}

extension XNNPACKGraph.Unary {
  /// True if the function is also defined for integers.
  fileprivate var takesIntegers: Bool { [.abs, .clamp, .negate, .square].contains(self) }

  /// The element-wise function; nil for the identity, since any node may have output bounds.
  fileprivate var function: UnaryFunction? {
    switch self {
    case .clamp: nil
    case .abs: .abs
    case .ceiling: .ceil
    case .cosine: .cos
    case .exp: .exp
    case .floor: .floor
    case .gelu: .geluErf
    case .hardswish: .hardswish
    case .log: .log
    case .negate: .neg
    case .reciprocalSquareRoot: .rsqrt
    case .sigmoid: .sigmoid
    case .sine: .sin
    case .square: .square
    case .squareRoot: .sqrt
    case .tanh: .tanh
    }
  }
}

extension XNNPACKGraph.Binary {
  fileprivate var function: BinaryFunction {
    switch self {
    case .add: .add
    case .subtract: .sub
    case .multiply: .mul
    case .divide: .div
    case .minimum: .minimum
    case .maximum: .maximum
    }
  }
}
