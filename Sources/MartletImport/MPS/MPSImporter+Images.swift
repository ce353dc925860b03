import MartletExecuTorchFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Convolutions, pooling, and quantised weights.
extension MPSImporter {
  /// Exporters also write transposed convolutions as this node, without saying so. The declared shape tells them apart, and the output
  /// padding.
  mutating func importConvolution(_ node: MPSGraph.Node, _ attributes: MPSGraph.Convolution) throws {
    var x = try operand(node, 0)
    let filter = try operand(node, 1)
    let operands = [x, filter]
    let bias = try optionalOperand(node, 2)
    let extents = try signature(of: filter).fixedShape ?? []
    let kernel = Array(extents.dropFirst(2))
    let window = try window(kernel, attributes)
    let dtype = try resultType(node, operands)
    let result = graph.values[try output(node)].sizes
    let isSingle = try signature(of: x).rank == kernel.count + 1
    if isSingle { x = try unsqueezed(x, axis: 0) }
    let wanted = Array(result.suffix(kernel.count))
    let dimensions = try signature(of: x).dimensions
    guard dimensions.count == kernel.count + 2, result.count > kernel.count else {
      throw CallError("an operand of rank \(dimensions.count) for a filter \(extents)")
    }
    let spatial = Array(dimensions.suffix(kernel.count))
    let padding = window.explicit ?? []
    var op = Convolution(
      stride: window.stride, padding: padding, dilation: window.dilation, outputPadding: kernel.map { _ in 0 },
      groups: attributes.groups, dtype: dtype)
    if !window.gives(wanted, from: spatial) || result[result.count - kernel.count - 1] != extents[0] {
      (op.padding, op.outputPadding) = try window.transposed(input: spatial, wanted: wanted)
      op.isTransposed = true
    }
    let y = try applied(op, [x, filter, bias])
    try set(node, isSingle ? try applied(Squeeze(axes: [0]), [y]) : y)
  }

  /// The window of a convolution over one to three axes.
  private func window(_ kernel: [Int], _ attributes: MPSGraph.Convolution) throws(CallError) -> SpatialWindow {
    let amounts = attributes.padding
    func spread<Element>(_ y: Element, _ x: Element) -> [Element] {
      // Exporters write the first two numbers of three axes, and (1, x) or (0, x) for one axis.
      switch kernel.count {
      case 1: [x]
      case 3: [y, x, x]
      default: [y, x]
      }
    }
    return try SpatialWindow(
      kernel: kernel, stride: spread(attributes.strideY, attributes.strideX), dilation: spread(attributes.dilationY, attributes.dilationX),
      padding: .explicit(spread((amounts.top, amounts.bottom), (amounts.left, amounts.right))))
  }

  mutating func importMaxPooling(_ node: MPSGraph.Node, _ pooling: MPSGraph.Pooling) throws {
    let op = Pool(window(pooling, dilation: [pooling.dilationHeight, pooling.dilationWidth]), reduction: .maximum, givesIndices: true)
    let results = try inferred(op, [try operand(node, 0)])
    for (position, result) in results.enumerated() where node.outputs[position] != nil { try set(node, result, at: position) }
  }

  mutating func importAveragePooling(_ node: MPSGraph.Node, _ pooling: MPSGraph.Pooling) throws {
    let reduction = PoolReduction.average(countsPadding: pooling.countsPadding, divisor: pooling.divisor)
    try emit(node, Pool(window(pooling, dilation: [1, 1]), reduction: reduction))
  }

  private func window(_ pooling: MPSGraph.Pooling, dilation: [Int]) -> Pool.Window {
    let padding = pooling.padding
    let before = [padding.top, padding.left]
    return .sliding(
      kernel: [pooling.kernelHeight, pooling.kernelWidth], stride: [pooling.strideHeight, pooling.strideWidth], before: before,
      after: pooling.ceil ? before : [padding.bottom, padding.right], dilation: dilation, ceil: pooling.ceil)
  }

  /// The weights stay in the file's precision until they are packed.
  mutating func importGroups(_ node: MPSGraph.Node, size: Int) throws {
    guard let index = node.inputs[0], let data = graph.values[index].data else { throw CallError("the weights are not constant") }
    let value = graph.values[index]
    let stored =
      switch value.dataType {
      case .int4, .uint4: try unpacked(data, bits: 4, isSigned: value.dataType == .int4, shape: value.sizes)
      default: try constant(index)
      }
    guard let last = value.sizes.last, last % size == 0 else { throw CallError("groups of \(size) do not divide \(value.sizes)") }
    let groups = Array(value.sizes.dropLast()) + [last / size]
    func parameter(_ position: Int) throws -> Constant? {
      guard let id = try optionalOperand(node, position) else { return nil }
      guard let constant = builder.constant(id) else { throw CallError("operand \(position) is not constant") }
      guard constant.type.elementCount == Shape.elementCount(groups) else {
        throw CallError("\(constant.type) does not have a number for each of \(groups)")
      }
      return Constant(viewOf: constant, shape: groups, strides: Shape.contiguousStrides(groups))
    }
    guard let scales = try parameter(1) else { throw CallError("the scales are missing") }
    let points = try parameter(2)
    let weights = try compressed { () throws(OperatorError) in
      try CompressedConstant.shiftedAndScaled(stored, scales: scales, offsets: points)
    }
    try set(node, builder.addConstant(weights))
  }
}

extension SpatialWindow {
  /// True if a convolution with this window and explicit padding gives results of the extents `wanted`. Open extents fit anything.
  fileprivate func gives(_ wanted: [Int], from input: [Dimension]) -> Bool {
    let amounts = explicit ?? []
    return kernel.indices.allSatisfy { axis in
      guard case .fixed(let extent) = input[axis] else { return true }
      guard let rest = (Extent(extent) + amounts[axis].before + amounts[axis].after - reach(axis)).value, rest >= 0 else { return false }
      // In range: a quotient of a number that is at least 0.
      return rest / stride[axis] + 1 == wanted[axis]
    }
  }
}
