package import MartletGraph
import MartletKernels
import MartletTensor

/// Sets the elements above or below a diagonal of the matrices in the last two axes to 0.
/// - Shapes: any of rank at least 2. - DTypes: all.
/// - Sources: ATen `tril.out`, `triu.out`; MIL `band_part`.
package struct Triangle: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  /// Whether the upper triangle is kept, or the lower one.
  package var keepsUpper: Bool
  /// Diagonal where the kept triangle ends, inclusive; positive values lie above the main diagonal.
  package var diagonal: IntArgument
  package var name: String { keepsUpper ? "triu" : "tril" }

  package init(keepsUpper: Bool, diagonal: IntArgument) {
    self.keepsUpper = keepsUpper
    self.diagonal = diagonal
  }

  package var inPlaceOperands: [Int] { [0] }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    guard x.rank >= 2 else { throw .invalid("\(name) needs a tensor of rank at least 2, not \(x.rank)") }
    return [.tensor(x)]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    operands.shape(0)
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    if output.isEmpty { return }
    let source = node.contiguous(0)
    let rows = output.shape[output.rank - 2]
    let columns = output.shape[output.rank - 1]
    let size = output.dtype.byteCount
    let diagonal = node.int(diagonal)
    let keepsUpper = keepsUpper
    node.emit("\(name) \(output.shape)") { context in
      let offset = min(max(diagonal.value(context), -rows), columns)
      let from = unsafe context.address(source)
      let to = unsafe context.address(output)
      context.parallelRanges(output.elementCount / columns, grain: max(1, 64 * 1024 / (columns * size))) { lines, _ in
        for line in lines {
          let row = line % rows
          // Columns that are kept.
          let first = keepsUpper ? min(max(row + offset, 0), columns) : 0
          let last = keepsUpper ? columns : min(max(row + offset + 1, 0), columns)
          let start = line * columns * size
          if unsafe from != to {
            unsafe (to + start + first * size).copyMemory(from: from + start + first * size, byteCount: (last - first) * size)
          }
          unsafe (to + start).initializeMemory(as: UInt8.self, repeating: 0, count: first * size)
          unsafe (to + start + last * size).initializeMemory(as: UInt8.self, repeating: 0, count: (columns - last) * size)
        }
      }
    }
  }
}
