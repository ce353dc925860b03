import MartletGraph
import MartletOps
import MartletTensor

/// The part of a concatenation that an image is computed into: its convolution stores it there, and no copy is needed.
struct JoinedPart: Sendable {
  /// The concatenation's result, along the channel axis.
  let result: ValueID
  let type: TensorType
  /// First channel.
  let start: Int

  /// The part of each value of the graph; nil for most.
  ///
  /// All operands of such a concatenation are results of convolutions, and all other readers of the operands support strided pixels.
  static func parts(of graph: Graph) -> [JoinedPart?] {
    var parts = [JoinedPart?](repeating: nil, count: graph.values.count)
    guard graph.applies(Concat.self) else { return parts }
    var makers = [Node?](repeating: nil, count: graph.values.count)
    var readers = [[Node]](repeating: [], count: graph.values.count)
    for node in graph.nodes {
      for output in node.outputs { makers[output.index] = node }
      for case let input? in node.inputs { readers[input.index].append(node) }
    }
    func isJoinable(_ value: ValueID, _ dtype: DType) -> Bool {
      guard parts[value.index] == nil, !graph.outputs.contains(value), let signature = graph.signature(value), signature.dtype == dtype,
        signature.fixedShape?.count == 4, let maker = makers[value.index], maker.traits.contains(.storesSpacedPixels),
        maker.outputs.count == 1
      else { return false }
      var joined = 0
      for reader in readers[value.index] {
        if reader.applies(Concat.self) {
          joined += 1
        } else if !reader.traits.contains(.readsSpacedPixels) {
          return false
        }
      }
      return joined == 1
    }
    for node in graph.nodes where node.applies(Concat.self) {
      guard let concat = node.op as? Concat, concat.axis == 1 || concat.axis == -3, let result = node.outputs.first,
        let signature = graph.signature(result), signature.dtype == concat.dtype, let shape = signature.fixedShape, shape.count == 4,
        !graph.outputs.contains(result), node.inputs.count > 1, Set(node.inputs).count == node.inputs.count,
        node.inputs.allSatisfy({ $0.map { isJoinable($0, concat.dtype) } ?? false })
      else { continue }
      let channels = node.inputs.map { $0.flatMap { graph.signature($0)?.fixedShape?[1] } ?? 0 }
      guard Extent.sum(channels).fits(shape[1]) else { continue }
      var start = 0
      for case let input? in node.inputs {
        guard let part = graph.signature(input)?.fixedShape else { continue }
        parts[input.index] = JoinedPart(result: result, type: TensorType(concat.dtype, shape), start: start)
        start += part[1]
      }
    }
    return parts
  }

  /// The view of a result of type `type` in the concatenation; nil if the type differs from what the graph declares.
  func view(in whole: TensorView, _ type: TensorType) -> TensorView? {
    guard type.rank == 4, type.dtype == whole.dtype, [0, 2, 3].allSatisfy({ type.shape[$0] == whole.shape[$0] }), type.shape[1] > 0,
      // In range: extents and positions are not negative.
      type.shape[1] <= whole.shape[1] - start
    else { return nil }
    return whole.sliced(axis: 1, start: start, count: type.shape[1], step: 1)
  }
}
