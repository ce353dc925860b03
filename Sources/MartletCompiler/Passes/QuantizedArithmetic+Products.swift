import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

extension QuantizationRewriter {
  /// An int8 weight without zero points as a constant whose axes are permuted by `order`, and its scales: one scale for all elements, or
  /// one for each index of the weight's axis `order[0]`.
  private mutating func weight(_ value: ValueID?, order: [Int]) -> (weight: ValueID, scales: ValueID)? {
    guard let found = QuantizedWeight(value, in: editor), let stored = found.signed, found.storage == .elements,
      found.axes.count == order.count, found.hasOneScale || found.channelAxis == order[0], let scales = Self.floats(found.scales),
      scales.allSatisfy({ $0 > 0 && $0.isFinite })
    else { return nil }
    let shape = order.map { stored.type.shape[found.axes[$0]] }
    let view = Constant(viewOf: stored, shape: shape, strides: order.map { stored.strides[found.axes[$0]] })
    return (add(view), add(found.scales.line(scales)))
  }

  /// A constant real bias of `count` elements as a dense vector; the outer nil means that the bias cannot be used.
  private mutating func bias(_ node: Node, count: Int) -> ValueID?? {
    guard node.inputs.count > 2, let value = node.inputs[2] else { return .some(nil) }
    guard let found = editor.constant(value), found.type.elementCount == count, let numbers = Self.floats(found) else { return nil }
    return .some(add(found.line(numbers)))
  }

  private func hasResidual(_ node: Node) -> Bool { node.inputs.count > 3 && node.inputs[3] != nil }

  /// The convolution of quantised images in integer arithmetic; nil if that is not possible.
  mutating func convolution(_ node: Node, _ op: Convolution, output: IntegerOutput) -> Node? {
    guard op.dtype == .float32, (1...(op.isTransposed ? 2 : 3)).contains(op.stride.count), op.padding.count == op.stride.count,
      op.dilation.count == op.stride.count, !hasResidual(node), op.isTransposed ? op.groups == 1 : op.groups > 0,
      var type = editor.signature(node.inputs[1]!)?.fixedShape, type.count == op.stride.count + 2, !type.contains(0)
    else { return nil }
    var order = Array(type.indices)
    if op.isTransposed {
      order.swapAt(0, 1)
      type.swapAt(0, 1)
    }
    guard type[0] % op.groups == 0, type[1...].allSatisfy({ $0 <= IntegerOutput.greatestDepth }),
      Extent.product(type[1...]).fits(IntegerOutput.greatestDepth),
      let x = integers(node.inputs[0]), let weight = weight(node.inputs[1], order: order),
      case .some(let bias) = bias(node, count: type[0])
    else { return nil }
    var result = node
    result.op = QuantizedConvolution(op, input: x.range, output: output)
    result.inputs = [x.value, weight.weight, bias, weight.scales]
    return result
  }

  private func isPlain(_ node: Node, _ op: MatMul) -> Bool {
    guard op.dtype == .float32, op.alpha == 1, !hasResidual(node), let shape = editor.signature(node.inputs[1]!)?.fixedShape else {
      return false
    }
    return shape.count == 2 && shape[0] > 0 && shape[1] > 0 && shape[0] <= IntegerOutput.greatestDepth
  }

  /// The product of quantised rows with a quantised matrix in integer arithmetic; nil if that is not possible.
  mutating func linear(_ node: Node, _ op: MatMul, output: IntegerOutput) -> Node? {
    guard isPlain(node, op), let columns = editor.signature(node.inputs[1]!)?.fixedShape?[1], let x = integers(node.inputs[0]),
      let weight = weight(node.inputs[1], order: [1, 0]), case .some(let bias) = bias(node, count: columns)
    else { return nil }
    var result = node
    result.op = QuantizedLinear(input: x.range, output: output)
    result.inputs = [x.value, weight.weight, bias, weight.scales]
    return result
  }

  /// Computes a product of quantised operands at `position` in integer arithmetic, with a real result.
  mutating func keepReal(_ position: Int) {
    guard let node = editor.node(at: position), node.outputs.count == 1 else { return }
    let replacement: Node?
    if let op = node.op(as: Convolution.self) {
      replacement = convolution(node, op, output: .real(op.activation))
    } else if let op = node.op(as: MatMul.self) {
      replacement = linear(node, op, output: .real(op.activation)) ?? dynamicLinear(position, node, op)
    } else {
      return
    }
    if let replacement { editor.replace(position, with: replacement) }
  }

  // MARK: Dynamically quantised rows

  /// The `ChooseQuantization` node that a scale or zero point comes from.
  private func choice(_ value: ValueID?, output: Int) -> (position: Int, op: ChooseQuantization)? {
    var current = value
    while let (position, node) = editor.producer(of: current) {
      if let op = node.op(as: ChooseQuantization.self) {
        return editor.resolve(node.outputs[output]) == editor.resolve(current!) ? (position, op) : nil
      }
      guard node.applies(Reshape.self), let x = node.inputs[0] else { return nil }
      current = x
    }
    return nil
  }

  /// The real rows behind rows that are quantised to int8 with dynamic parameters and dequantised again.
  private func dynamicRows(_ value: ValueID) -> (x: ValueID, choice: ChooseQuantization)? {
    guard let back = editor.producer(of: value)?.node, let backOp = back.op(as: Pointwise.self), back.inputs.count == 3,
      backOp.program == Pointwise.dequantize(hasZeroPoints: true, from: .int8, as: .float32).program,
      let there = editor.producer(of: back.inputs[0])?.node, let thereOp = there.op(as: Pointwise.self), there.inputs.count == 3,
      thereOp.dtype == .int8,
      thereOp.program == Pointwise.quantize(to: -128...127, from: .float32, as: .int8).program, let x = there.inputs[0],
      editor.dtype(x) == .float32, let scales = choice(back.inputs[1], output: 0),
      let points = choice(back.inputs[2], output: 1),
      let inverse = editor.producer(of: there.inputs[1])?.node, let inverseOp = inverse.op(as: Pointwise.self),
      inverseOp.program == Pointwise.inverseScales.program, let rounded = editor.producer(of: there.inputs[2])?.node,
      let roundedOp = rounded.op(as: Pointwise.self), roundedOp.program == Pointwise.roundedZeroPoints.program,
      let inverseScales = choice(inverse.inputs[0], output: 0), let roundedPoints = choice(rounded.inputs[0], output: 1),
      Set([scales.position, points.position, inverseScales.position, roundedPoints.position]).count == 1,
      scales.op.lowest == -128, scales.op.highest == 127, let chosen = editor.node(at: scales.position)?.inputs[0]
    else { return nil }
    // The value behind any reshapes.
    func origin(_ value: ValueID) -> ValueID {
      var value = editor.resolve(value)
      while let node = editor.producer(of: value)?.node, node.applies(Reshape.self), let x = node.inputs[0] { value = x }
      return value
    }
    guard origin(chosen) == origin(x) else { return nil }
    if case .rows = scales.op.grouping, editor.signature(chosen)?.dimensions.last != editor.signature(x)?.dimensions.last { return nil }
    return (x, scales.op)
  }

  private mutating func dynamicLinear(_ position: Int, _ node: Node, _ op: MatMul) -> Node? {
    guard isPlain(node, op), var a = node.inputs[0], let matrix = editor.signature(node.inputs[1]!)?.fixedShape else { return nil }
    // A reshape that preserves rows may stand in between.
    var reshape: Node?
    if let producer = editor.producer(of: a)?.node, producer.applies(Reshape.self), let x = producer.inputs[0],
      editor.signature(x)?.dimensions.last == .fixed(matrix[0])
    {
      reshape = producer
      a = x
    }
    guard let rows = dynamicRows(a), case .some(let bias) = bias(node, count: matrix[1]) else { return nil }
    let quantization: RowQuantization = if case .tensor = rows.choice.grouping { .tensor } else { .rows }
    var operands: (weight: ValueID, scales: ValueID)?
    var isNibbles = false
    if let plain = weight(node.inputs[1], order: [1, 0]) {
      guard let scales = editor.constant(plain.scales), let numbers = Self.floats(scales) else { return nil }
      operands = (plain.weight, add(constant(numbers, shape: [numbers.count, 1])))
    } else if let found = QuantizedWeight(node.inputs[1], in: editor), found.storage == .nibbles(lastExtent: matrix[0]),
      found.axes == [1, 0], found.zeroPoints == nil, found.zeroPoint == 8, found.scales.type.shape[0] == matrix[1],
      found.scales.isStored
    {
      let blocks = found.scales.type.shape[1]
      guard blocks > 0, matrix[0] % blocks == 0, blocks == 1 || matrix[0] / blocks % 8 == 0 else { return nil }
      isNibbles = true
      operands = (add(found.stored), add(found.scales))
    }
    guard let operands else { return nil }
    var x = rows.x
    if var reshape {
      guard let type = editor.signature(reshape.outputs[0]) else { return nil }
      reshape.inputs[0] = x
      x = editor.insert(reshape.op, reshape.inputs, type: .tensor(type), before: position, source: reshape.source)
    }
    var result = node
    result.op = DynamicLinear(depth: matrix[0], isNibbles: isNibbles, quantization: quantization, activation: op.activation)
    result.inputs = [x, operands.weight, bias, operands.scales]
    return result
  }
}

extension QuantizedWeight {
  /// The weights as int8 without zero points; nil if they are neither that nor uint8 with zero point 128.
  fileprivate var signed: Constant? {
    guard stored.type.dtype == .int8 || stored.type.dtype == .uint8 else { return nil }
    let middle: Int32 = stored.type.dtype == .int8 ? 0 : 128
    var point = Float(zeroPoint)
    if let zeroPoints {
      guard let points = QuantizationRewriter.floats(zeroPoints), let first = points.first, points.allSatisfy({ $0 == first }) else {
        return nil
      }
      point += first
    }
    guard point == Float(middle) else { return nil }
    if middle == 0 { return stored }
    guard let numbers = stored.numbers(as: .float32, of: Float.self) else { return nil }
    var tensor = HostTensor(zeros: .int8, shape: stored.type.shape)
    unsafe tensor.withUnsafeMutableBytes { bytes in
      // In range: the numbers are bytes.
      for (index, number) in numbers.enumerated() { unsafe bytes[index] = UInt8(truncatingIfNeeded: Int32(number) - middle) }
    }
    return Constant(tensor)
  }
}
