import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor

/// Joining, splitting, repeating, reversing and slicing.
extension NetworkCall {
  // MARK: Joining

  /// Along the channels, or along Seq.
  func concat(isSequence: Bool) throws {
    let values = try inputs()
    if !isSequence, let images = try alignedImages(values) {
      return try set(image: try concatenated(images, axis: 1), like: values[0])
    }
    try set(try concatenated(values, axis: isSequence ? -5 : -3))
  }

  /// The blobs as images if all have the same leading axes.
  private func alignedImages(_ values: [ValueID]) throws -> [ValueID]? {
    let leading = try signature(of: values[0]).dimensions.dropLast(3)
    guard leading.count > 1, leading.allSatisfy(\.isFixed),
      try values.allSatisfy({ try signature(of: $0).dimensions.dropLast(3) == leading })
    else { return nil }
    return try values.map { try image($0) }
  }

  func concat(_ axis: Int, isInterleaved: Bool) throws {
    let values = try inputs()
    let axis = try self.axis(axis, of: values[0])
    guard isInterleaved else {
      try set(try concatenated(values, axis: axis))
      let numbers = values.compactMap { importer.knownNumbers(of: $0) }
      if numbers.count == values.count { try note(numbers.flatMap { $0 }) }
      return
    }
    let parts = try values.map { try unsqueezed($0, axis: axis + 1) }
    let woven = try concatenated(parts, axis: axis + 1)
    var extents = try extents(of: woven)
    extents[axis] = try arithmetic(.mul, extents[axis], extents.remove(at: axis + 1))
    try set(try reshaped(woven, extents))
  }

  func stack(_ axis: Int) throws {
    let values = try inputs()
    let axis = try normalized(axis, rank: try rank(values[0]) + 1)
    try set(try concatenated(try values.map { try unsqueezed($0, axis: axis) }, axis: axis))
  }

  // MARK: Splitting

  /// Into parts of `sizes`, or into equal ones.
  func split(_ axis: Int, count: Int, sizes: [Int]) throws {
    let input = try input()
    let isImage = axis == -3 && sizes.isEmpty && layer.outputs.count == count && importer.knownImage(of: input) != nil
    let x = isImage ? try image(input) : input
    let axis = isImage ? 1 : try self.axis(axis, of: input)
    let parts = sizes.isEmpty ? count : sizes.count
    guard parts == layer.outputs.count else { throw CallError("\(parts) parts do not fit \(layer.outputs.count) outputs") }
    let extent = try extent(of: x, axis: axis)
    var start = GraphNumber(0)
    for position in 0..<parts {
      let size = try sizes.isEmpty ? share(position, of: extent, parts) : GraphNumber(sizes[position])
      var operands: [ValueID?] = [x]
      let arguments = try intArguments([start, size], "split", &operands)
      let part = try sliced(operands, axis: axis, SliceRange(start: arguments[0], end: .count(arguments[1])))
      if isImage { try set(image: part, like: input, output: position) } else { try set(part, output: position) }
      start = try arithmetic(.add, start, size)
    }
    if let extent = extent.known, let sum = start.known, extent.intValue != sum.intValue {
      throw CallError("the parts \(sizes) do not add up to \(extent)")
    }
  }

  /// The extent of a part of an axis, of which the first ones are greater by 1 if it cannot be divided evenly.
  private func share(_ position: Int, of extent: GraphNumber, _ parts: Int) throws -> GraphNumber {
    let least = try arithmetic(.floorDivide, extent, GraphNumber(parts))
    let rest = try arithmetic(.sub, extent, try arithmetic(.mul, least, GraphNumber(parts)))
    let more = try arithmetic(.max, try arithmetic(.min, try arithmetic(.sub, rest, GraphNumber(position)), GraphNumber(1)), GraphNumber(0))
    return try arithmetic(.add, least, more)
  }

  // MARK: Repeating and reversing

  func repeatSequence(_ count: Int) throws {
    let input = try input()
    let rank = try rank(input)
    let axis = try self.axis(-5, of: input)
    try set(try applied(Repeat(counts: (0..<rank).map { .constant($0 == axis ? count : 1) }), [input]))
  }

  func tile(_ counts: [Int]) throws {
    let input = try input()
    let rank = try rank(input)
    var operands: [ValueID?] = [input]
    var numbers = counts.map { GraphNumber($0) }
    if let second = try optionalInput(1) { numbers = try integers(second, count: rank) }
    guard numbers.count <= rank else { throw CallError("\(numbers.count) repetitions do not fit rank \(rank)") }
    numbers.insert(contentsOf: Array(repeating: GraphNumber(1), count: rank - numbers.count), at: 0)
    let arguments = try intArguments(numbers, "reps", &operands)
    let dimensions = try zip(try signature(of: input).dimensions, numbers).map { dimension, number -> Dimension in
      guard case .fixed(let extent) = dimension, let count = number.known?.intValue else { return .symbolic(bound: nil) }
      guard count >= 0, let product = (Extent(extent) * Int(widening: count)).value else {
        throw CallError("\(count) repetitions of \(extent) elements are not possible")
      }
      return .fixed(product)
    }
    try set(intermediate(Repeat(counts: arguments), operands, TensorSignature(dtype: .float32, dimensions: dimensions)))
  }

  func reverse(_ axes: [Bool]) throws {
    let input = try input()
    guard axes.count == (try rank(input)) else { throw CallError("\(axes.count) flags do not fit rank \(try rank(input))") }
    try set(try applied(Flip(axes: axes.indices.filter { axes[$0] }), [input]))
  }

  func reverseSequences(_ batchAxis: Int, _ sequenceAxis: Int) throws {
    let input = try input()
    let op = ReverseSequence(axis: try axis(sequenceAxis, of: input), batchAxis: try axis(batchAxis, of: input))
    try set(try applied(op, [input, try indices(try self.input(1))]))
  }

  // MARK: Slicing

  /// An end of 0 is the end of the axis.
  func slice(_ axis: NetworkAxis, _ start: Int, _ end: Int, _ stride: Int) throws {
    let input = try input()
    let x = try rank(input) < 3 ? input : try image(input)
    let rank = try rank(x)
    let position: Int =
      switch axis {
      case .channel: rank - 3
      case .height: rank - 2
      case .width: rank - 1
      }
    guard position >= 0 else { throw CallError("rank \(rank) has no axis \(axis)") }
    let range = SliceRange(
      start: .constant(start), end: end == 0 ? .rest : .position(.constant(end)), step: stride)
    let result = try sliced([x], axis: position, range)
    if x == input { try set(result) } else { try set(image: result, like: input) }
  }

  /// Inputs 1 to 6, if they are present, are begins, ends, strides, masks of begins and ends, and axes to remove.
  func slice(_ slice: NetworkSlice) throws {
    let input = try input()
    let rank = try rank(input)
    let isStatic = slice.begins != nil
    func numbers(_ position: Int, _ given: [Int]) throws -> [GraphNumber] {
      // Parameters that inputs replace, and those beyond the rank, do not count.
      let second = isStatic ? nil : try optionalInput(position)
      let numbers = try second.map { try integers($0, count: rank) } ?? given.prefix(rank).map { GraphNumber($0) }
      guard numbers.count == rank else { throw CallError("\(numbers.count) positions do not fit rank \(rank)") }
      return numbers
    }
    func mask(_ position: Int, _ given: [Bool]) throws -> [GraphNumber] {
      try numbers(position, given.isEmpty ? Array(repeating: 0, count: rank) : given.map { $0 ? 1 : 0 })
    }
    let (begins, ends) = (try numbers(1, slice.begins ?? []), try numbers(2, slice.ends))
    let strides = try numbers(3, slice.strides)
    let (beginMask, endMask) = (try mask(4, slice.beginMasks), try mask(5, slice.endMasks))
    let squeezed = try mask(6, slice.squeezeMasks).map { number in
      guard let flag = number.known?.intValue else { throw CallError("the axes to remove must be known before the model runs") }
      return flag != 0
    }
    var value = input
    var only: AxisSlice?
    // From the last axis to the first, so that removed axes do not shift the others.
    for axis in (0..<rank).reversed() {
      guard let stride = strides[axis].known?.intValue, let startsFirst = beginMask[axis].known?.intValue,
        let endsLast = endMask[axis].known?.intValue
      else {
        value = try slicedByData(
          value, axis, (begins[axis], ends[axis], strides[axis]), beginMask: beginMask[axis], endMask: endMask[axis], squeezed[axis])
        continue
      }
      guard let step = Int(exactly: stride), step != 0 else { throw CallError("the stride \(stride) is not possible") }
      let slice = AxisSlice(
        // The position of a removed axis is taken whatever the masks are.
        axis: axis, begin: startsFirst != 0 && !squeezed[axis] ? nil : begins[axis], end: endsLast != 0 ? nil : ends[axis],
        stride: step, isSqueezed: squeezed[axis])
      value = squeezed[axis] ? try selected(value, slice) : try sliced(value, slice)
      only = slice
    }
    if try self.rank(value) == 0 { value = try reshaped(value, to: [1]) }
    try set(value)
    if let numbers = importer.knownNumbers(of: input), rank == 1, let only, let known = try sliced(numbers, only) { try note(known) }
  }

  /// A slice of one axis whose stride or masks are data: the elements at the positions that the numbers give.
  private func slicedByData(
    _ x: ValueID, _ axis: Int, _ slice: (begin: GraphNumber, end: GraphNumber, stride: GraphNumber), beginMask: GraphNumber,
    endMask: GraphNumber, _ isSqueezed: Bool
  ) throws -> ValueID {
    let extent = try extent(of: x, axis: axis)
    let zero = GraphNumber(0)
    func choose(_ condition: GraphNumber, _ yes: GraphNumber, _ no: GraphNumber) -> GraphNumber {
      .computed(number(ScalarFunction(.choose), [value(of: condition), value(of: yes), value(of: no)], .int))
    }
    let isBackward = try arithmetic(.less, slice.stride, zero)
    let last = try arithmetic(.sub, extent, GraphNumber(1))
    // Backwards, positions range from -1 to the last one; forwards, from 0 to the extent.
    let (lowest, highest) = (choose(isBackward, GraphNumber(-1), zero), choose(isBackward, last, extent))
    func placed(_ position: GraphNumber) throws -> GraphNumber {
      let front = choose(try arithmetic(.less, position, zero), try arithmetic(.add, position, extent), position)
      return try arithmetic(.max, lowest, try arithmetic(.min, front, highest))
    }
    func masked(_ mask: GraphNumber, _ whole: GraphNumber, _ position: GraphNumber) throws -> GraphNumber {
      choose(try arithmetic(.notEqual, mask, zero), whole, try placed(position))
    }
    let start = try masked(beginMask, choose(isBackward, last, zero), slice.begin)
    let end = try masked(endMask, choose(isBackward, GraphNumber(-1), extent), slice.end)
    if isSqueezed {
      return try selected(x, AxisSlice(axis: axis, begin: slice.begin, end: nil, stride: 1, isSqueezed: true))
    }
    let positions = intermediate(
      NumberRange(dtype: .int64), [value(of: start), value(of: end), value(of: slice.stride)],
      TensorSignature(dtype: .int64, dimensions: [.symbolic(bound: nil)]))
    var signature = try signature(of: x)
    signature.dimensions[axis] = .symbolic(bound: nil)
    return intermediate(GatherSlices(SliceIndexing(axis: axis)), [x, positions], signature)
  }

  /// From the position that input 1 gives.
  func sliceBySize(_ axis: Int, _ size: Int) throws {
    let input = try input()
    var operands: [ValueID?] = [input]
    let start = try intArguments([try integer(try self.input(1))], "begin", &operands)[0]
    try set(
      try sliced(operands, axis: try self.axis(axis, of: input), SliceRange(start: start, end: .count(.constant(size)))))
  }
}
