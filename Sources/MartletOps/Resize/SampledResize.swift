package import MartletGraph
import MartletKernels
import MartletTensor
package import MartletVocabulary

/// Resizes images along their last two axes, with sample points placed by one of several conventions.
/// - Shapes: `[…, H, W]` of rank at least 2, H and W not 0.
/// - DTypes: the real ones. Linear interpolation is computed in float32, for float64 in float64, and integer results are truncated.
///   Nearest-neighbour sampling copies elements of any dtype.
/// - Accuracy: two roundings per axis.
/// - Layout: follows the operand where that is row-major or channels-last.
/// - Sources: MIL `resize_bilinear`, `upsample_bilinear`, `resize_nearest_neighbor`, `upsample_nearest_neighbor`, `resize`.
package struct SampledResize: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .ulp)

  /// Extent of an axis of the result.
  package enum Extent: Sendable, Hashable {
    /// A fixed number of pixels; 0 to keep the operand's.
    case count(IntArgument)
    /// The operand's number of pixels times a factor, rounded down.
    case factor(Double)
  }

  package var height: Extent
  package var width: Extent
  package var mode: SamplingMode
  package var takesNearest: Bool
  package var name: String { takesNearest ? "resize_nearest" : "resize_linear" }

  package init(height: Extent, width: Extent, mode: SamplingMode, takesNearest: Bool) {
    self.height = height
    self.width = width
    self.mode = mode
    self.takesNearest = takesNearest
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    if x.dtype.isComplex, !takesNearest { throw .unsupported("resizing of \(x.dtype)") }
    guard x.rank >= 2 else { throw .invalid("an image needs rank at least 2, not the shape \(x.shape)") }
    var shape = x.shape
    for (axis, extent) in [(x.rank - 2, height), (x.rank - 1, width)] {
      switch extent {
      case .count(let count):
        let count = try operands.int(count)
        if count != 0 { shape[axis] = count }
      case .factor(let factor):
        guard factor >= 0x1p-30, factor.isFinite, let count = Int(exactly: (Double(x.shape[axis]) * factor).rounded(.down)) else {
          throw .invalid("resizing \(x.shape) by \(factor) is not possible")
        }
        shape[axis] = count
      }
      // The sampling tables hold one entry for each position.
      guard shape[axis] > 0, x.shape[axis] > 0, shape[axis] < 1 << 28, x.shape[axis] < 1 << 32 else {
        throw .invalid("resizing \(x.shape) to \(shape) is not possible")
      }
    }
    return [.tensor(TensorType(x.dtype, shape))]
  }

  package var traits: OperatorTraits { takesNearest ? .movesElements.union(.givesImages) : .givesImages }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    let extents = [height, width].map { extent -> SymbolicExtent? in
      // A count of 0 stands for the operand's extent.
      if case .count(.constant(let count)) = extent, count > 0 { .fixed(count) } else { nil }
    }
    return operands.shape(0, replacingLast: extents)
  }

  package func outputOrder(_ node: NodePlan) -> [Int]? {
    let x = node.input(0)
    if takesNearest { return x.denseOrder }
    return x.rank >= 3 ? x.channelsLastOrder : nil
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    if output.isEmpty { return }
    for axis in [output.rank - 2, output.rank - 1] { try node.checkTable(entryCount: output.shape[axis], byteCount: 32) }
    if takesNearest {
      let x = node.input(0)
      var maps = [[Int]?](repeating: nil, count: x.rank)
      for axis in [x.rank - 2, x.rank - 1] where x.shape[axis] != output.shape[axis] {
        maps[axis] = mode.nearestPositions(count: output.shape[axis], extent: x.shape[axis])
      }
      node.emit("nearest \(output.shape)", AxisMappedCopy.kernel(from: x, to: output, maps: maps))
    } else if node.operandType(0).dtype == .float64 {
      planLinear(node, .float64, Double.self)
    } else {
      planLinear(node, .float32, Float.self)
    }
  }

  private func planLinear<T: ResampleElement>(_ node: NodePlan, _ type: DType, _: T.Type) {
    let output = node.outputs[0]
    let rank = output.rank
    let order = output.isContiguous ? Array(output.shape.indices) : Shape.channelsLastOrder(rank: rank)
    let x = node.dense(0, as: type, inOrder: order)
    let y = node.staging(as: type, inOrder: order)
    let rows = LinearSamples<T>(count: y.shape[rank - 2], extent: x.shape[rank - 2], mode: mode)
    let columns = LinearSamples<T>(count: y.shape[rank - 1], extent: x.shape[rank - 1], mode: mode)
    node.emit("bilinear \(y.shape)", flops: Double(8 * y.elementCount), BilinearResize.kernel(x, rows, columns, to: y))
    node.finish(0, from: y)
  }
}
