package import MartletGraph
package import MartletOps
import MartletTensor

/// An integer weight as seen by passes with integer kernels: constants behind a `Dequantize` node and permutations of its result, before
/// the last `FoldConstants`.
package struct QuantizedWeight {
  /// The integers as they are stored.
  package let stored: Constant
  package let storage: Dequantize.Storage
  /// Scales in the form that `Dequantize` expects, along the axes of `stored`.
  package let scales: Constant
  package let zeroPoints: Constant?
  /// Zero point of all elements, in addition to `zeroPoints`.
  package let zeroPoint: Int32
  /// Axis of `stored` for each axis of the weight.
  package let axes: [Int]

  /// Nil if `value` is not such a weight.
  package init?(_ value: ValueID?, in editor: GraphEditor) {
    guard let value, let rank = editor.signature(value)?.rank else { return nil }
    var axes = Array(0..<rank)
    var current = value
    while let node = editor.producer(of: current)?.node, let permute = node.op(as: Permute.self), let x = node.inputs[0] {
      let order = permute.axes.map { $0 < 0 ? $0 + rank : $0 }
      guard order.count == rank, order.allSatisfy({ $0 >= 0 && $0 < rank }) else { return nil }
      axes = axes.map { order[$0] }
      current = x
    }
    guard let node = editor.producer(of: current)?.node, let op = node.op(as: Dequantize.self),
      let stored = editor.constant(node.inputs[0]), let scales = editor.constant(node.inputs[1])
    else { return nil }
    let points = node.inputs.count > 2 ? node.inputs[2] : nil
    if let points, !editor.isConstant(points) { return nil }
    self.stored = stored
    self.storage = op.storage
    self.scales = scales
    self.zeroPoints = editor.constant(points)
    self.zeroPoint = op.zeroPoint
    self.axes = axes
  }

  /// The only axis of the weight along which scales differ: the output channels of a weight quantised per channel. Nil if there is a
  /// single scale, or one for each of several blocks.
  package var channelAxis: Int? {
    let extents = scales.type.shape
    let many = extents.indices.filter { extents[$0] > 1 }
    guard many.count == 1, storage == .elements || many[0] < extents.count - 1, extents[many[0]] == stored.type.shape[many[0]] else {
      return nil
    }
    return axes.firstIndex(of: many[0])
  }

  /// Whether all elements share one scale.
  package var hasOneScale: Bool { scales.type.elementCount == 1 }

  /// Strides of the weight's axes in elements of `stored`; nil for packed 4-bit values.
  package var strides: [Int]? { storage == .elements ? axes.map { stored.strides[$0] } : nil }
}
