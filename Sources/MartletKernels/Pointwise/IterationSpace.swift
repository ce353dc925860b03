package import MartletTensor

/// The elements of a dense output in memory order and the positions of broadcast operands. Axes of extent 1 are dropped, and axes that are
/// adjacent in the output and in every operand are joined.
package struct IterationSpace: Sendable {
  /// Outermost first; never empty.
  package let extents: [Int]
  /// Strides of each operand along `extents`; nil for operands that are not tensors.
  package let operandStrides: [[Int]?]
  /// For each operand, true if its elements are in the order of the output, without gaps.
  package let isLinear: [Bool]

  /// Extent of the innermost axis.
  package var inner: Int { extents[extents.count - 1] }

  /// - Parameters:
  ///   - output: dense, with any order of axes.
  ///   - operands: with the shape of the output; broadcast axes have stride 0.
  package init(output: TensorView, operands: [TensorView?]) {
    var extents: [Int] = []
    var operandStrides: [[Int]?] = operands.map { $0.map { _ in [] } }
    let axes = output.shape.indices.filter { output.shape[$0] != 1 }
      .sorted { (output.strides[$0], $1) > (output.strides[$1], $0) }
    for axis in axes {
      let extent = output.shape[axis]
      let canJoin =
        !extents.isEmpty
        && operands.indices.allSatisfy { index in
          guard let view = operands[index], let last = operandStrides[index]?.last else { return true }
          return last == view.strides[axis] * extent
        }
      if canJoin {
        extents[extents.count - 1] *= extent
        for index in operands.indices {
          if let view = operands[index] { operandStrides[index]![extents.count - 1] = view.strides[axis] }
        }
      } else {
        extents.append(extent)
        for index in operands.indices {
          if let view = operands[index] { operandStrides[index]!.append(view.strides[axis]) }
        }
      }
    }
    if extents.isEmpty {
      extents = [1]
      for index in operands.indices where operands[index] != nil { operandStrides[index] = [0] }
    }
    let dense = Shape.contiguousStrides(extents)
    self.extents = extents
    self.operandStrides = operandStrides
    isLinear = operandStrides.map { $0 == dense }
  }

  /// Offset of an operand's element for linear position `position` of the output.
  package func offset(of position: Int, _ strides: [Int]) -> Int {
    var rest = position
    var offset = 0
    var axis = extents.count - 1
    while axis > 0 {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: extents[axis])
      offset += remainder * strides[axis]
      rest = quotient
      axis -= 1
    }
    return offset + rest * strides[0]
  }

  /// Number of pieces of at most `length` elements that do not cross the innermost axis.
  package func segments(of length: Int) -> Int {
    extents.dropLast().reduce(1, *) * ((inner + length - 1) / length)
  }

  /// First position and element count of a piece.
  package func segment(_ index: Int, length: Int) -> (first: Int, count: Int) {
    let perRow = (inner + length - 1) / length
    let (row, piece) = index.quotientAndRemainder(dividingBy: perRow)
    return (row * inner + piece * length, min(length, inner - piece * length))
  }
}
