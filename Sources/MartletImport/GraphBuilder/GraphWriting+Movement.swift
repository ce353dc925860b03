package import MartletGraph
package import MartletOps
import MartletTensor

/// Tensors with other shapes and orders of axes, with their signatures.
extension GraphWriting {
  /// The tensor with another shape of known extents.
  @_semantics("optimize.sil.specialize.generic.never")
  package func reshaped(_ value: ValueID, to shape: [Int]) throws(CallError) -> ValueID {
    let dtype = try signature(of: value).dtype
    return intermediate(Reshape(shape: shape.map { .constant($0) }), [value], TensorSignature(TensorType(dtype, shape)))
  }

  /// The tensor with another shape. A known extent of -1 is inferred.
  @_semantics("optimize.sil.specialize.generic.never")
  package func reshaped(_ value: ValueID, _ extents: [GraphNumber]) throws(CallError) -> ValueID {
    var operands: [ValueID?] = [value]
    let extents = try withInferred(extents, of: value)
    let shape = try intArguments(extents, "shape", &operands)
    let dimensions = extents.map { number -> Dimension in
      if let extent = number.known?.intValue, extent >= 0 { .fixed(Int(widening: extent)) } else { .symbolic(bound: nil) }
    }
    return intermediate(Reshape(shape: shape), operands, TensorSignature(dtype: try signature(of: value).dtype, dimensions: dimensions))
  }

  /// The extents with -1 replaced, if all others and those of the tensor are known.
  private func withInferred(_ extents: [GraphNumber], of value: ValueID) throws(CallError) -> [GraphNumber] {
    guard let open = extents.firstIndex(of: GraphNumber(-1)), let whole = try signature(of: value).fixedShape,
      let count = Extent.product(whole).value
    else { return extents }
    var rest = Extent(1)
    for (axis, extent) in extents.enumerated() where axis != open {
      guard let known = extent.known?.intValue, known > 0 else { return extents }
      rest = rest * Int(widening: known)
    }
    guard let divisor = rest.value, count % divisor == 0 else { return extents }
    var result = extents
    result[open] = GraphNumber(count / divisor)
    return result
  }

  /// The tensors one after the other along an axis. Other extents are equal, whether they are known or not.
  package func concatenated(_ values: [ValueID], axis: Int) throws(CallError) -> ValueID {
    guard let first = values.first else { throw CallError("nothing is concatenated") }
    var signature = try signature(of: first)
    let axis = try normalized(axis, rank: signature.rank)
    var sum: Extent? = Extent(0)
    for value in values {
      let other = try self.signature(of: value)
      guard other.rank == signature.rank else { throw CallError("\(other) does not fit \(signature)") }
      for position in other.dimensions.indices {
        guard case .fixed(let extent) = other.dimensions[position] else {
          if position == axis { sum = nil }
          continue
        }
        if position == axis {
          sum = sum.map { $0 + Extent(extent) }
        } else if case .fixed(let known) = signature.dimensions[position] {
          guard known == extent else { throw CallError("\(other) does not fit \(signature) along axis \(position)") }
        } else {
          signature.dimensions[position] = .fixed(extent)
        }
      }
    }
    signature.dimensions[axis] = .symbolic(bound: nil)
    if let sum {
      guard let extent = sum.value else { throw CallError("the sum of the extents is too large") }
      signature.dimensions[axis] = .fixed(extent)
    }
    return intermediate(Concat(axis: axis, dtype: signature.dtype), values, signature)
  }

  /// The tensor with a new axis of extent 1.
  package func unsqueezed(_ value: ValueID, axis: Int) throws(CallError) -> ValueID {
    var signature = try signature(of: value)
    let axis = try normalized(axis, rank: signature.rank + 1)
    signature.dimensions.insert(.fixed(1), at: axis)
    signature.dimOrder = nil
    return intermediate(Unsqueeze(axes: [axis]), [value], signature)
  }

  /// The tensor with `count` trailing axes of extent 1, for broadcasting a vector along an inner axis.
  package func unsqueezed(_ value: ValueID, trailing count: Int) throws(CallError) -> ValueID {
    guard count > 0 else { return value }
    var signature = try signature(of: value)
    let rank = signature.rank
    signature.dimensions += Array(repeating: .fixed(1), count: count)
    signature.dimOrder = nil
    return intermediate(Unsqueeze(axes: Array(rank..<rank + count)), [value], signature)
  }

  /// The tensor with its axes in another order.
  package func permuted(_ value: ValueID, _ axes: [Int]) throws(CallError) -> ValueID {
    let signature = try signature(of: value)
    if axes == Array(0..<signature.rank) { return value }
    guard axes.sorted() == Array(0..<signature.rank) else { throw CallError("\(axes) are not a permutation of \(signature.rank) axes") }
    return intermediate(
      Permute(axes: axes), [value], TensorSignature(dtype: signature.dtype, dimensions: axes.map { signature.dimensions[$0] }))
  }

  /// A range of positions along an axis of operand 0.
  /// - Parameter operands: the tensor, then the numbers that `range` refers to.
  @_semantics("optimize.sil.specialize.generic.never")
  package func sliced(_ operands: [ValueID?], axis: Int, _ range: SliceRange) throws(CallError) -> ValueID {
    guard let x = operands[0] else { throw CallError("the slice has no operand") }
    var signature = try signature(of: x)
    guard signature.dimensions.indices.contains(axis) else { throw CallError("rank \(signature.rank) has no axis \(axis)") }
    let extent = signature.dimensions[axis]
    signature.dimensions[axis] = .symbolic(bound: nil)
    if case .count(.constant(let count)) = range.end { signature.dimensions[axis] = .fixed(max(count, 0)) }
    if case .fixed(let extent) = extent, case .constant(let start) = range.start, range.step > 0 {
      // Known positions are normalised here, so that later rows see the extent.
      // In range: the sum of a negative position and an extent.
      let first = min(max(start < 0 ? start + extent : start, 0), extent)
      var last: Int?
      if case .rest = range.end { last = extent }
      // In range: the sum of a negative position and an extent.
      if case .position(.constant(let end)) = range.end { last = min(max(end < 0 ? end + extent : end, 0), extent) }
      if let last { signature.dimensions[axis] = .fixed(last <= first ? 0 : (last - first - 1) / range.step + 1) }
    }
    return intermediate(Slice(axis: axis, range: range), operands, signature)
  }

  /// The positions 0, 1, … along an axis of a tensor, as a tensor that broadcasts to rank `rank`.
  package func positions(of value: ValueID, axis: Int, rank: Int) throws(CallError) -> ValueID {
    let dimensions = try signature(of: value).dimensions
    guard dimensions.indices.contains(axis) else { throw CallError("rank \(dimensions.count) has no axis \(axis)") }
    let extent = self.value(of: try extent(of: value, axis: axis))
    let line = intermediate(
      NumberRange(dtype: .int64), [number(.int(0)), extent, number(.int(1))],
      TensorSignature(dtype: .int64, dimensions: [dimensions[axis]]))
    return try unsqueezed(line, trailing: rank - axis - 1)
  }
}
