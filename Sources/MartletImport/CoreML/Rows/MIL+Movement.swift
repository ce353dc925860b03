import MartletGraph
import MartletOps
import MartletTensor

/// Slices, padding, repetition and rearrangement.
let milMovementRows: MILCallTable = [
  "slice_by_index": { try $0.sliceByIndex() },
  "slice_by_size": { call in
    let count = try call.rank("x")
    guard let begins = try call.numbers("begin", count: count), let sizes = try call.numbers("size", count: count) else {
      throw CallError("begin and size are not lists of numbers of known length")
    }
    if let numbers = try call.shallowNumbers("x"), begins.count == 1, let begin = begins[0].known?.intValue,
      let size = sizes.first?.known?.intValue, try call.rank("x") == 1
    {
      let first = begin < 0 ? Extent(begin) + numbers.count : Extent(begin)
      guard let first = first.count, first <= numbers.count, size >= -1, size <= numbers.count - first else {
        throw CallError("the slice is out of range")
      }
      return try call.set(numbers: Array(size == -1 ? numbers[first...] : numbers[first..<first + Int(widening: size)]))
    }
    var value = try call.tensor("x")
    let rank = try call.rank("x")
    guard begins.count == rank, sizes.count == rank else { throw CallError("begin and size do not fit rank \(rank)") }
    for axis in 0..<rank {
      var operands: [ValueID?] = [value]
      let arguments = try call.intArguments([begins[axis], sizes[axis]], "begin", &operands)
      let isRest = arguments[1] == .constant(-1)
      if arguments[0] == .constant(0), isRest { continue }
      let range = SliceRange(start: arguments[0], end: isRest ? .rest : .count(arguments[1]))
      value = try call.sliced(operands, axis: axis, range)
    }
    try call.set(value)
  },
  "slice_update": { call in
    let axes = try call.slicedAxes()
    let x = try call.tensor("x")
    try call.set(try call.updated(x, with: try call.tensor("update"), axes[...], first: 0))
  },
  "reverse": { call in
    let rank = try call.rank("x")
    let axes = try call.optionalInts("axes") ?? Array(0..<rank)
    try call.emit(Flip(axes: try axes.map { try call.normalized($0, rank: rank) }), [try call.tensor("x")])
  },
  "tile": { call in
    var operands: [ValueID?] = [try call.tensor("x")]
    let counts = try call.intArguments("reps", count: try call.rank("x"), &operands)
    try call.emit(Repeat(counts: counts), operands)
  },
  // x, pad: amounts before and after each of the last axes, mode, constant_val
  "pad": { call in
    let modeName = try call.string("mode", default: "constant")
    let mode: Pad.Mode
    switch modeName {
    case "constant": mode = .constant
    case "reflect", "reflection": mode = .reflect
    case "replicate", "replication": mode = .replicate
    default: throw CallError("mode \"\(modeName)\" is not known")
    }
    var operands: [ValueID?] = [try call.tensor("x")]
    if mode == .constant {
      operands.append(call.has("constant_val") ? try call.scalarValue("constant_val") : call.number(.double(0)))
    }
    let amounts = try call.intArguments("pad", &operands)
    guard amounts.count % 2 == 0 else { throw CallError("parameter pad has \(amounts.count) elements") }
    let axes = 0..<amounts.count / 2
    try call.emit(Pad(mode, before: axes.map { amounts[2 * $0] }, after: axes.map { amounts[2 * $0 + 1] }), operands)
  },
  "crop": { call in
    var value = try call.tensor("x")
    let rank = try call.rank("x")
    guard rank >= 2 else { throw CallError("rank \(rank) has no height and width") }
    for (axis, parameter) in [(rank - 2, "crop_height"), (rank - 1, "crop_width")] {
      let amounts = try call.ints(parameter)
      guard amounts.count == 2, amounts.allSatisfy({ $0 >= 0 }) else { throw CallError("parameter \(parameter) is not two amounts") }
      guard let removed = Extent.sum(amounts).value else { throw CallError("the amounts \(amounts) of \(parameter) are too large") }
      let count = try call.arithmetic(.sub, try call.extent(of: value, axis: axis), GraphNumber(removed))
      var operands: [ValueID?] = [value]
      let arguments = try call.intArguments([count], parameter, &operands)
      value = try call.sliced(operands, axis: axis, SliceRange(start: .constant(amounts[0]), end: .count(arguments[0])))
    }
    try call.set(value)
  },
  "pixel_shuffle": { call in
    try call.emit(PixelShuffle(factor: try call.int("upscale_factor"), isInverse: false), [try call.tensor("x")])
  },
  "pixel_unshuffle": { call in
    try call.emit(PixelShuffle(factor: try call.int("downscale_factor"), isInverse: true), [try call.tensor("x")])
  },
  // The channels are ordered by the blocks' rows, columns, then channels, unlike in pixel_shuffle.
  "depth_to_space": { call in
    try call.emit(PixelShuffle(factor: try call.int("block_size"), isInverse: false, blocksFirst: true), [try call.tensor("x")])
  },
  "space_to_depth": { call in
    try call.emit(PixelShuffle(factor: try call.int("block_size"), isInverse: true, blocksFirst: true), [try call.tensor("x")])
  },
]

extension MILCall {
  /// Parameters begin, end, stride and masks for the axes that they affect.
  fileprivate func slicedAxes() throws -> [AxisSlice] {
    let rank = try rank("x")
    guard let begins = try numbers("begin", count: rank), let ends = try numbers("end", count: rank), begins.count == rank,
      ends.count == rank
    else {
      throw CallError("begin and end do not fit rank \(rank)")
    }
    let strides = try optionalInts("stride") ?? Array(repeating: 1, count: rank)
    func mask(_ parameter: String) throws -> [Bool] {
      let mask = try optionalBools(parameter) ?? Array(repeating: false, count: rank)
      guard mask.count == rank else { throw CallError("parameter \(parameter) does not fit rank \(rank)") }
      return mask
    }
    let (beginMask, endMask, squeezeMask) = (try mask("begin_mask"), try mask("end_mask"), try mask("squeeze_mask"))
    guard strides.count == rank, strides.allSatisfy({ $0 != 0 }) else { throw CallError("parameter stride does not fit rank \(rank)") }
    return (0..<rank).map { axis in
      AxisSlice(
        axis: axis, begin: beginMask[axis] ? nil : begins[axis], end: endMask[axis] ? nil : ends[axis], stride: strides[axis],
        isSqueezed: squeezeMask[axis])
    }
  }

  fileprivate mutating func sliceByIndex() throws {
    let axes = try slicedAxes()
    if let numbers = try shallowNumbers("x"), axes.count == 1, let known = try sliced(numbers, axes[0]) { return try set(numbers: known) }
    var value = try tensor("x")
    // From the last axis to the first, so that removed axes do not shift the others.
    for slice in axes.reversed() {
      value = slice.isSqueezed ? try selected(value, slice) : try sliced(value, slice)
    }
    try set(value)
  }

  /// `x` with the elements selected by the slices replaced by `update`.
  ///
  /// - Parameter first: number of axes of `x` that earlier slices have removed.
  fileprivate mutating func updated(
    _ x: ValueID, with update: ValueID, _ slices: ArraySlice<AxisSlice>, first: Int
  ) throws -> ValueID {
    let chosen = slices.drop { $0.begin == nil && $0.end == nil && $0.stride == 1 && !$0.isSqueezed }
    let signature = try signature(of: x)
    guard var slice = chosen.first else { return try converted(update, to: signature.dtype) }
    slice.axis -= first
    var operands: [ValueID?] = [x, nil]
    if slice.isSqueezed {
      let inner = try selected(x, slice)
      operands[1] = try updated(inner, with: update, chosen.dropFirst(), first: first + 1)
      let index = try intArguments([slice.begin ?? .known(.int(slice.stride > 0 ? 0 : -1))], "begin", &operands)[0]
      return intermediate(SelectScatter(axis: slice.axis, index: index), operands, signature)
    }
    let inner = try sliced(x, slice)
    var source = try updated(inner, with: update, chosen.dropFirst(), first: first)
    let range = try range(of: slice, &operands)
    if slice.stride < 0 {
      // Write to the reversed operand, and reverse the result.
      operands[0] = intermediate(Flip(axes: [slice.axis]), [x], signature)
      operands[1] = source
      source = intermediate(SliceScatter(axis: slice.axis, range: range), operands, signature)
      return intermediate(Flip(axes: [slice.axis]), [source], signature)
    }
    operands[1] = source
    return intermediate(SliceScatter(axis: slice.axis, range: range), operands, signature)
  }
}
