import MartletGraph
import MartletOps
import MartletTensor

extension GraphWriting {
  /// The indexed axes and the index tensors of PyTorch's advanced indexing.
  ///
  /// - Parameter items: for each of the first axes an index, a mask, which takes as many axes as it has and becomes the coordinates of its
  ///   true elements, or nil for all positions.
  @_semantics("optimize.sil.specialize.generic.never")
  func indexed(_ x: ValueID, by items: [ValueID?]) throws -> (axes: [Int], indices: [ValueID?]) {
    var axes: [Int] = []
    var indices: [ValueID?] = []
    var axis = 0
    for item in items {
      guard let item else {
        axis += 1
        continue
      }
      let type = try signature(of: item)
      if type.dtype != .bool, type.dtype != .uint8 {
        axes.append(axis)
        indices.append(item)
        axis += 1
        continue
      }
      if type.rank == 0 { throw CallError("a mask without axes is not supported as an index") }
      var bound: Extent = 1
      for dimension in type.dimensions { bound = dimension.upperBound.map { bound * $0 } ?? .unrepresentable }
      let count = Dimension.symbolic(bound: bound.value)
      let coordinates = intermediate(
        NonZero(indexedAxis: axis), [item, x], TensorSignature(dtype: .int64, dimensions: [count, .fixed(type.rank)]))
      for column in 0..<type.rank {
        axes.append(axis)
        indices.append(
          intermediate(
            Select(axis: 1, index: .constant(column)), [coordinates], TensorSignature(dtype: .int64, dimensions: [count])))
        axis += 1
      }
    }
    return (axes, indices)
  }
}
