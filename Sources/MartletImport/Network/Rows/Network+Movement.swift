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
    func numbers(_ position: Int, _ given: [Int]) throws -> [GraphNumber] {
      // Parameters that inputs replace, and those beyond the rank, do not count.
      let numbers = try optionalInput(position).map { try integers($0, count: rank) } ?? given.prefix(rank).map { GraphNumber($0) }
      guard numbers.count == rank else { throw CallError("\(numbers.count) positions do not fit rank \(rank)") }
      return numbers
    }
    func known(_ position: Int, _ given: [Int]) throws -> [Int] {
      try numbers(position, given).map { number in
        guard let value = number.known?.intValue else { throw CallError("strides and masks must be known before the model runs") }
        return Int(widening: value)
      }
    }
    func mask(_ position: Int, _ given: [Bool]) throws -> [Bool] {
      let flags = given.isEmpty ? Array(repeating: 0, count: rank) : given.map { $0 ? 1 : 0 }
      return try known(position, flags).map { $0 != 0 }
    }
    let begins = try slice.begins.map { $0.map { GraphNumber($0) } } ?? numbers(1, [])
    guard begins.count == rank else { throw CallError("\(begins.count) begins do not fit rank \(rank)") }
    let isStatic = slice.begins != nil
    let ends = try isStatic ? slice.ends.map { GraphNumber($0) } : numbers(2, slice.ends)
    let strides = try isStatic ? slice.strides : known(3, slice.strides)
    let beginMask = try isStatic ? slice.beginMasks : mask(4, slice.beginMasks)
    let endMask = try isStatic ? slice.endMasks : mask(5, slice.endMasks)
    var squeezed = try isStatic ? slice.squeezeMasks : mask(6, slice.squeezeMasks)
    if squeezed.isEmpty { squeezed = Array(repeating: false, count: rank) }
    guard [ends.count, strides.count, beginMask.count, endMask.count, squeezed.count].allSatisfy({ $0 == rank }),
      !strides.contains(0)
    else { throw CallError("ends, strides and masks do not fit rank \(rank)") }
    var value = input
    let axes = (0..<rank).map { axis in
      AxisSlice(
        // The position of a removed axis is taken whatever the masks are.
        axis: axis, begin: beginMask[axis] && !squeezed[axis] ? nil : begins[axis], end: endMask[axis] ? nil : ends[axis],
        stride: strides[axis], isSqueezed: squeezed[axis])
    }
    // From the last axis to the first, so that removed axes do not shift the others.
    for slice in axes.reversed() { value = slice.isSqueezed ? try selected(value, slice) : try sliced(value, slice) }
    if try self.rank(value) == 0 { value = try reshaped(value, to: [1]) }
    try set(value)
    if let numbers = importer.knownNumbers(of: input), axes.count == 1, let known = try sliced(numbers, axes[0]) { try note(known) }
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
