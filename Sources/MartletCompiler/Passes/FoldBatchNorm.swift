package import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Folds a batch normalisation with constant statistics into the preceding convolution, or else turns it into a multiplication and an
/// addition per channel.
///
/// Factors and offsets are computed in float64 and rounded once; a convolution's weights are scaled when they are packed.
package struct FoldBatchNorm: GraphPass {
  package let name = "fold-batch-norm"
  package init() {}

  package func rewrite(_ graph: inout Graph) throws -> Bool {
    guard graph.applies(BatchNorm.self) else { return false }
    var editor = GraphEditor(taking: &graph)
    for position in editor.positions {
      guard let (node, norm) = editor.node(at: position, applying: BatchNorm.self), let x = node.inputs[0],
        let type = editor.signature(x), type.dtype == .float32 || type.dtype == .float16 || type.dtype == .bfloat16,
        let mean = Self.numbers(editor.constant(node.inputs[3])), let variance = Self.numbers(editor.constant(node.inputs[4])),
        let gamma = Self.numbers(node.inputs[1], editor, count: mean.count),
        let beta = Self.numbers(node.inputs[2], editor, count: mean.count), variance.count == mean.count
      else { continue }
      var target: (position: Int, node: Node, op: Convolution, weight: Constant, bias: [Double]?)?
      if let producer = editor.producer(of: x), let op = producer.node.op(as: Convolution.self), editor.useCount(x) == 1,
        op.activation == .none, !op.isTransposed, producer.node.inputs.count <= 3,
        let weight = editor.constant(producer.node.inputs[1]), weight.type.shape.first == mean.count,
        let bias = Self.numbers(producer.node.inputs.count > 2 ? producer.node.inputs[2] : nil, editor, count: mean.count)
      {
        target = (producer.position, producer.node, op, weight, bias)
      }
      var scale: [Float] = []
      var shift: [Float] = []
      for channel in mean.indices {
        let factor = Float(1 / (variance[channel] + norm.epsilon).squareRoot() * (gamma?[channel] ?? 1))
        // The convolution's own bias is subtracted from the mean.
        let centre = mean[channel] - (target?.bias?[channel] ?? 0)
        scale.append(factor)
        shift.append(Float((beta?[channel] ?? 0) - centre * Double(factor)))
      }
      if let target {
        var fused = node
        fused.op = target.op
        fused.inputs = [
          target.node.inputs[0], editor.add(Self.scaled(target.weight, by: scale)),
          editor.add(Constant(floats: shift, shape: [shift.count])),
        ]
        fused.source = "\(target.node.source), \(node.source)"
        // The normalisation is part of the weights and costs nothing at run time.
        fused.origins = target.node.origins
        editor.replace(position, with: fused)
        editor.remove(target.position)
      } else {
        var affine = PointwiseProgram()
        let value = affine.append(.load(operand: 0, as: .float32))
        let product = affine.append(.binary(.mul, value, affine.append(.load(operand: 1, as: .float32))))
        affine.append(.binary(.add, product, affine.append(.load(operand: 2, as: .float32))))
        let shape = [mean.count] + [Int](repeating: 1, count: max(type.rank - 2, 0))
        var rewritten = node
        rewritten.op = Pointwise(affine, dtype: type.dtype, label: "batch_norm")
        rewritten.inputs = [
          x, editor.add(Constant(floats: scale, shape: shape)), editor.add(Constant(floats: shift, shape: shape)),
        ]
        editor.replace(position, with: rewritten)
      }
    }
    return editor.finish(into: &graph)
  }

  /// The elements of a floating-point constant; nil if the value is not such a constant.
  private static func numbers(_ constant: Constant?) -> [Double]? {
    guard let constant, constant.type.dtype.isFloatingPoint else { return nil }
    return constant.numbers(as: .float64, of: Double.self)
  }

  /// The `count` elements of an optional operand; the outer nil means that it is not such a constant.
  private static func numbers(_ value: ValueID?, _ editor: GraphEditor, count: Int) -> [Double]?? {
    guard let value else { return .some(nil) }
    guard let numbers = numbers(editor.constant(value)), numbers.count == count else { return nil }
    return .some(numbers)
  }

  /// A weight whose output channels, its first axis, are multiplied by one factor each; computed on demand.
  private static func scaled(_ weight: Constant, by factors: [Float]) -> Constant {
    let type = TensorType(.float32, weight.type.shape)
    let constant = Constant(floats: factors, shape: [factors.count])
    return Constant(scaling: weight, by: factors, constant: constant, description: "weight of each channel times factor") {
      let isPlain = weight.type.dtype == .float32 && weight.isRowMajor
      let bytes = try isPlain ? weight.bytesAtAnyAddress() : weight.bytes()
      let storage = try PackedMemory.temporary(type.byteCount)
      let target = unsafe storage.pointer.assumingMemoryBound(to: Float.self)
      if !isPlain { unsafe weight.copy(bytes, to: storage.pointer, as: .float32) }
      let source = unsafe isPlain ? bytes.pointer : UnsafeRawPointer(storage.pointer)
      let count = factors.isEmpty ? 0 : type.elementCount / factors.count
      for (channel, factor) in factors.enumerated() {
        // In range: indices of elements in memory.
        for index in channel * count..<(channel + 1) * count {
          unsafe target[index] = source.loadUnaligned(fromByteOffset: 4 * index, as: Float.self) * factor
        }
      }
      withExtendedLifetime(bytes.owner) {}
      return Constant.Bytes(storage)
    }
  }
}
