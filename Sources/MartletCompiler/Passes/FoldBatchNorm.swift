package import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor

/// Moves a batch normalisation with constant statistics into the convolution before it, or else turns it into a
/// multiplication and an addition per channel.
package struct FoldBatchNorm: GraphPass {
  package let name = "fold-batch-norm"
  package init() {}

  package func rewrite(_ graph: Graph) throws -> Graph? {
    var editor = GraphEditor(graph)
    for position in editor.positions {
      guard let node = editor.node(at: position), let norm = node.op as? BatchNorm, let x = node.inputs[0],
        let type = editor.signature(x), type.dtype == .float32 || type.dtype == .float16 || type.dtype == .bfloat16,
        let mean = editor.constant(node.inputs[3]), node.inputs[1...4].allSatisfy({ $0 == nil || editor.constant($0) != nil })
      else { continue }
      let channels = mean.type.elementCount
      let vector = ValueType.tensor(TensorSignature(TensorType(.float32, [channels])))
      // scale = weight / sqrt(variance + epsilon), in double precision.
      var scaleProgram = PointwiseProgram()
      let variance = scaleProgram.append(.load(operand: 0, as: .float64))
      let epsilon = scaleProgram.append(.literal(.double(norm.epsilon), as: .float64))
      let root = scaleProgram.append(.unary(.rsqrt, scaleProgram.append(.binary(.add, variance, epsilon))))
      if node.inputs[1] != nil {
        scaleProgram.append(.binary(.mul, root, scaleProgram.append(.load(operand: 1, as: .float64))))
      }
      let scale = editor.insert(
        Pointwise(scaleProgram, dtype: .float32, label: "bn_scale"), [node.inputs[4]] + (node.inputs[1].map { [$0] } ?? []),
        type: vector, before: position, source: node.source)
      let producer = editor.producer(of: x)
      let convolution = (producer?.node.op as? Convolution).flatMap { convolution in
        editor.useCount(x) == 1 && convolution.activation == .none && producer!.node.inputs.count <= 3
          && !convolution.isTransposed && editor.isWeight(producer!.node.inputs[1])
          && (producer!.node.inputs.count < 3 || producer!.node.inputs[2] == nil || editor.constant(producer!.node.inputs[2]) != nil)
          ? convolution : nil
      }
      // shift = bias - mean * scale, where a convolution's own bias counts against the mean.
      var shiftProgram = PointwiseProgram()
      var shiftInputs: [ValueID?] = [node.inputs[3], scale]
      var centre = shiftProgram.append(.load(operand: 0, as: .float64))
      if convolution != nil, producer!.node.inputs.count > 2, let bias = producer!.node.inputs[2] {
        shiftInputs.append(bias)
        centre = shiftProgram.append(
          .binary(.sub, centre, shiftProgram.append(.load(operand: shiftInputs.count - 1, as: .float64))))
      }
      let factor = shiftProgram.append(.load(operand: 1, as: .float64))
      var shift = shiftProgram.append(.unary(.neg, shiftProgram.append(.binary(.mul, centre, factor))))
      if let beta = node.inputs[2] {
        shiftInputs.append(beta)
        shift = shiftProgram.append(
          .binary(.add, shift, shiftProgram.append(.load(operand: shiftInputs.count - 1, as: .float64))))
      }
      let offset = editor.insert(
        Pointwise(shiftProgram, dtype: .float32, label: "bn_shift"), shiftInputs, type: vector, before: position,
        source: node.source)
      func perChannel(_ value: ValueID, rank: Int, axis: Int) -> ValueID {
        let shape = [Int](repeating: 1, count: rank - axis - 1)
        return editor.insert(
          Reshape(shape: ([channels] + shape).map { .constant($0) }), [value],
          type: .tensor(TensorSignature(TensorType(.float32, [channels] + shape))), before: position, source: node.source)
      }
      if let convolution, let producer, let weight = editor.constant(producer.node.inputs[1]) {
        var product = PointwiseProgram()
        let w = product.append(.load(operand: 0, as: .float32))
        product.append(.binary(.mul, w, product.append(.load(operand: 1, as: .float32))))
        let scaled = editor.insert(
          Pointwise(product, dtype: .float32, label: "bn_weight"),
          [producer.node.inputs[1], perChannel(scale, rank: weight.type.rank, axis: 0)],
          type: .tensor(TensorSignature(TensorType(.float32, weight.type.shape))), before: position, source: node.source)
        var fused = node
        fused.op = convolution
        fused.inputs = [producer.node.inputs[0], scaled, offset]
        fused.source = "\(producer.node.source), \(node.source)"
        editor.replace(position, with: fused, label: "\(name): \(node.source)")
        editor.remove(producer.position, label: "\(name): \(producer.node.source)")
      } else {
        var affine = PointwiseProgram()
        let value = affine.append(.load(operand: 0, as: .float32))
        let product = affine.append(.binary(.mul, value, affine.append(.load(operand: 1, as: .float32))))
        affine.append(.binary(.add, product, affine.append(.load(operand: 2, as: .float32))))
        var rewritten = node
        rewritten.op = Pointwise(affine, dtype: type.dtype, label: "batch_norm")
        rewritten.inputs = [x, perChannel(scale, rank: type.rank, axis: 1), perChannel(offset, rank: type.rank, axis: 1)]
        editor.replace(position, with: rewritten, label: "\(name): \(node.source)")
      }
    }
    return editor.finish()
  }
}
