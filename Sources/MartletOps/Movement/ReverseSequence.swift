package import MartletGraph
import MartletKernels
import MartletTensor

/// Reverses the first elements of an axis. Operand 1 gives their number for each index of the batch axis.
/// - Shapes: any of rank at least 2; operand 1 has one element for each index of the batch axis.
/// - DTypes: all; lengths are integers.
/// - Errors: a length that is negative or exceeds the axis fails the call.
/// - Sources: MIL `reverse_sequence`.
package struct ReverseSequence: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any), .init("lengths", .indices, .integer)], accuracy: .exact)

  package var axis: Int
  package var batchAxis: Int
  package var name: String { "reverse_sequence" }

  package init(axis: Int, batchAxis: Int) {
    self.axis = axis
    self.batchAxis = batchAxis
  }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    let lengths = try operands.tensor(1)
    let (axis, batchAxis) = (try normalAxis(axis, rank: x.rank), try normalAxis(batchAxis, rank: x.rank))
    guard x.rank >= 2, axis != batchAxis, lengths.shape == [x.shape[batchAxis]], lengths.dtype.isInteger else {
      throw .invalid("lengths \(lengths) do not fit axes \(batchAxis) and \(axis) of \(x.shape)")
    }
    return [.tensor(x)]
  }

  package var traits: OperatorTraits { .movesElements }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    if output.isEmpty { return }
    let x = node.contiguous(0)
    let lengths = node.contiguous(1, as: .int64)
    let (axis, batchAxis) = (try normalAxis(axis, rank: x.rank), try normalAxis(batchAxis, rank: x.rank))
    let extent = x.shape[axis]
    let (axisStride, batchStride) = (x.strides[axis], x.strides[batchAxis])
    let batch = x.shape[batchAxis]
    let run = min(axisStride, batchStride)
    let size = x.dtype.byteCount
    node.emit("reverse_sequence \(output.shape)") { context in
      let list = context.elements(lengths, as: Int64.self)
      for position in 0..<batch where list[position] < 0 || list[position] > Int64(widening: extent) {
        throw KernelError("a sequence length of \(list[position]) does not fit an axis of extent \(extent)")
      }
      let from = unsafe context.address(x)
      let to = unsafe context.address(output)
      context.parallelRanges(x.elementCount / run, grain: max(1, 16 * 1024 / (run * size))) { runs, _ in
        for number in runs {
          let start = number * run
          let position = start / axisStride % extent
          let length = Int(widening: list[start / batchStride % batch])
          let source = position < length ? start + (length - 1 - 2 * position) * axisStride : start
          unsafe (to + start * size).copyMemory(from: from + source * size, byteCount: run * size)
        }
      }
    }
  }
}
