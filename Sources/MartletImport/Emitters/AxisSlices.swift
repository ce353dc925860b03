import MartletGraph
import MartletOps
import MartletTensor

/// A slice of one axis, as in NumPy: negative positions count from the end, and negative strides go backwards.
struct AxisSlice {
  var axis: Int
  /// Nil for the first position in the direction of the stride.
  var begin: GraphNumber?
  /// Nil for the end of the axis in the direction of the stride.
  var end: GraphNumber?
  var stride: Int
  /// True if only the element at `begin` is taken and the axis is removed.
  var isSqueezed: Bool
}

extension GraphWriting {
  /// The numbers at the positions of a slice; nil if the positions are not known.
  @_semantics("optimize.sil.specialize.generic.never")
  func sliced(_ numbers: [GraphNumber], _ slice: AxisSlice) throws -> [GraphNumber]? {
    func position(_ number: GraphNumber?, _ masked: Int) -> Int?? {
      guard let number else { return .some(masked) }
      guard let value = number.known?.intValue.flatMap({ Int(exactly: $0) }), value.magnitude < 1 << 32 else { return .some(nil) }
      return value < 0 ? value + numbers.count : value
    }
    let forward = slice.stride > 0
    guard let begin = position(slice.begin, forward ? 0 : numbers.count - 1) ?? nil else { return nil }
    if slice.isSqueezed {
      guard numbers.indices.contains(begin) else { throw CallError("position \(begin) is out of range") }
      return [numbers[begin]]
    }
    guard let end = position(slice.end, forward ? numbers.count : -1) ?? nil, slice.stride.magnitude < 1 << 32 else { return nil }
    let first = forward ? max(begin, 0) : min(begin, numbers.count - 1)
    let last = forward ? min(end, numbers.count) : max(end, -1)
    return stride(from: first, to: last, by: slice.stride).map { numbers[$0] }
  }

  /// The element at the beginning of the slice, without the axis.
  func selected(_ value: ValueID, _ slice: AxisSlice) throws -> ValueID {
    var operands: [ValueID?] = [value]
    let start = slice.begin ?? .known(.int(slice.stride > 0 ? 0 : -1))
    let index = try intArguments([start], "begin", &operands)[0]
    var signature = try signature(of: value)
    guard signature.dimensions.indices.contains(slice.axis) else { throw CallError("rank \(signature.rank) has no axis \(slice.axis)") }
    signature.dimensions.remove(at: slice.axis)
    return intermediate(Select(axis: slice.axis, index: index), operands, signature)
  }

  /// The elements of the slice.
  @_semantics("optimize.sil.specialize.generic.never")
  func sliced(_ value: ValueID, _ slice: AxisSlice) throws -> ValueID {
    if slice.begin == nil, slice.end == nil, slice.stride == 1 { return value }
    var operands = [Optional(value)]
    let range = try range(of: slice, &operands)
    if slice.stride < 0 {
      let signature = try signature(of: value)
      operands[0] = intermediate(Flip(axes: [slice.axis]), [value], signature)
    }
    return try sliced(operands, axis: slice.axis, range)
  }

  /// The positions of a slice. For negative strides they are positions of the reversed axis, in which position p becomes -1 - p.
  func range(of slice: AxisSlice, _ operands: inout [ValueID?]) throws -> SliceRange {
    func reversed(_ number: GraphNumber) throws -> GraphNumber {
      slice.stride > 0 ? number : try arithmetic(.sub, .known(.int(-1)), number)
    }
    // The magnitude of the least integer is none.
    var range = SliceRange(step: Int(clamping: slice.stride.magnitude))
    if let begin = slice.begin { range.start = try intArguments([try reversed(begin)], "begin", &operands)[0] }
    if let end = slice.end { range.end = .position(try intArguments([try reversed(end)], "end", &operands)[0]) }
    return range
  }
}
