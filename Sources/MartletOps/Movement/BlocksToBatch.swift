package import MartletGraph
import MartletTensor

/// Moves blocks of pixels into the batch, `[N, C, H h, W w]` to `[h w N, C, H, W]`, or back. Pixel (i, j) of the blocks of image n goes
/// to image `(i w + j) N + n`.
/// - Shapes: rank 4. - DTypes: all.
/// - Sources: MIL `space_to_batch`, `batch_to_space`, without their padding and cropping.
package struct BlocksToBatch: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  /// Height and width of a block.
  package var height: Int
  package var width: Int
  /// Whether the batch is moved into blocks of pixels.
  package var isInverse: Bool
  package var name: String { isInverse ? "batch_to_space" : "space_to_batch" }

  package init(height: Int, width: Int, isInverse: Bool) {
    self.height = height
    self.width = width
    self.isInverse = isInverse
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.rank == 4, height > 0, width > 0 else { throw .invalid("\(name) by \(height) × \(width) does not fit \(x.shape)") }
    let area = try extentProduct(height, width)
    let fits = isInverse ? x.shape[0] % area == 0 : x.shape[2] % height == 0 && x.shape[3] % width == 0
    guard fits else { throw .invalid("\(name) by \(height) × \(width) does not fit \(x.shape)") }
    if isInverse {
      return [
        .tensor(
          TensorType(
            x.dtype,
            [x.shape[0] / area, x.shape[1], try extentProduct(x.shape[2], height), try extentProduct(x.shape[3], width)]))
      ]
    }
    return [
      .tensor(
        TensorType(x.dtype, [try extentProduct(x.shape[0], area), x.shape[1], x.shape[2] / height, x.shape[3] / width]))
    ]
  }

  package var traits: OperatorTraits { .movesElements }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0).flatMap { $0.count == 4 ? [nil, $0[1], nil, nil] : nil }
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let x = node.input(0)
    let output = node.outputs[0]
    if output.isEmpty { return }
    // Both sides viewed as [h, w, N, C, H, W].
    func batched(_ view: TensorView) -> TensorView {
      var view = view
      let images = view.shape[0] / (height * width)
      let stride = view.strides[0]
      view.shape.replaceSubrange(0..<1, with: [height, width, images])
      view.strides.replaceSubrange(0..<1, with: [stride * width * images, stride * images, stride])
      return view
    }
    func spread(_ view: TensorView) -> TensorView {
      var view = view
      let (n, c, h, w) = (view.strides[0], view.strides[1], view.strides[2], view.strides[3])
      view.shape = [height, width, view.shape[0], view.shape[1], view.shape[2] / height, view.shape[3] / width]
      view.strides = [h, w, n, c, h * height, w * width]
      return view
    }
    node.builder.emitCopy(
      from: isInverse ? batched(x) : spread(x), to: isInverse ? spread(output) : batched(output), source: node.source)
  }
}
