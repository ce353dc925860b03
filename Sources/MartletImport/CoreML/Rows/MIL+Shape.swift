import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Shapes, and operators that only reinterpret their operand. Lists of numbers stay lists of numbers.
let milShapeRows: MILCallTable = [
  "shape": { call in
    let x = try call.tensor("x")
    var extents: [GraphNumber] = []
    for axis in 0..<(try call.rank("x")) { extents.append(try call.extent(of: x, axis: axis)) }
    try call.set(numbers: extents)
  },
  // 0 stands for the operand's extent at the same position, -1 for the remaining elements.
  "reshape": { call in
    guard let shape = try call.numbers("shape", count: try? call.outputRank()) else {
      throw CallError("parameter shape is not a list of numbers of known length")
    }
    if let numbers = try call.shallowNumbers("x"), try call.outputRank() <= 1, shape.count <= 1 {
      return try call.set(numbers: numbers)
    }
    let x = try call.tensor("x")
    let rank = try call.rank("x")
    var extents: [GraphNumber] = []
    for (axis, number) in shape.enumerated() {
      // Since iOS 17, positions are counted from the end; axes that the operand does not have are of extent 1.
      let source = call.opset >= 17 ? axis + rank - shape.count : axis
      if number.known?.intValue != 0 {
        extents.append(number)
      } else if (0..<rank).contains(source) {
        extents.append(try call.extent(of: x, axis: source))
      } else {
        extents.append(call.opset >= 17 ? .known(.int(1)) : number)
      }
    }
    try call.reshape(x, extents)
  },
  // x, ref_tensors, begins, ends, end_masks: extents begin ..< end of each reference, concatenated.
  "reshape_like": { call in
    let references = try call.tensors("ref_tensors")
    let begins = try call.ints("begins")
    let ends = try call.ints("ends")
    let masks = try call.optionalBools("end_masks") ?? Array(repeating: false, count: references.count)
    guard begins.count == references.count, ends.count == references.count, masks.count == references.count else {
      throw CallError("begins, ends and end_masks do not fit \(references.count) references")
    }
    var extents: [GraphNumber] = []
    for (index, reference) in references.enumerated() {
      let rank = try call.signature(of: reference).rank
      let begin = begins[index] < 0 ? begins[index] + rank : begins[index]
      let end = masks[index] ? rank : ends[index] < 0 ? ends[index] + rank : ends[index]
      guard begin >= 0, end <= rank else { throw CallError("axes \(begin) ..< \(end) do not fit rank \(rank)") }
      for axis in begin..<max(begin, end) { extents.append(try call.extent(of: reference, axis: axis)) }
    }
    try call.reshape(try call.tensor("x"), extents)
  },
  "expand_dims": { call in
    if let numbers = try call.shallowNumbers("x"), try call.outputRank() <= 1 { return try call.set(numbers: numbers) }
    try call.emit(Unsqueeze(axes: try call.ints("axes")), [try call.tensor("x")])
  },
  "squeeze": { call in
    if let numbers = try call.shallowNumbers("x"), try call.outputRank() <= 1 { return try call.set(numbers: numbers) }
    try call.emit(Squeeze(axes: try call.optionalInts("axes")), [try call.tensor("x")])
  },
  "flatten2d": { call in
    let x = try call.tensor("x")
    let rank = try call.rank("x")
    let axis = try call.int("axis", default: 1)
    let split = axis < 0 ? axis + rank : axis
    guard split >= 0, split <= rank else { throw CallError("axis \(axis) does not fit rank \(rank)") }
    try call.reshape(x, [try call.product(of: x, axes: 0..<split), try call.product(of: x, axes: split..<rank)])
  },
  "transpose": { call in
    let rank = try call.rank("x")
    let axes = try call.ints("perm").map { try call.normalized($0, rank: rank) }
    try call.emit(Permute(axes: axes), [try call.tensor("x")])
  },
  "stack": { call in
    let axis = try call.int("axis")
    let bounds = try call.bounds("values")
    let numbers = bounds.compactMap { call.importer.shallowNumbers(of: $0) }
    if numbers.count == bounds.count, bounds.allSatisfy({ $0.signature?.rank == 0 && $0.signature?.dtype.isInteger == true }) {
      try call.builder.requireRoom(numbers: Extent.sum(numbers.map(\.count)))
      return try call.set(numbers: numbers.flatMap { $0 })
    }
    var items: [ValueID?] = []
    for item in try call.tensors("values") { items.append(try call.unsqueezed(item, axis: axis)) }
    try call.emit(Concat(axis: axis, dtype: try call.outputDType()), items)
  },
  "concat": { call in
    let bounds = try call.bounds("values")
    let numbers = bounds.compactMap { call.importer.shallowNumbers(of: $0) }
    // Scalars count as vectors of one element.
    if numbers.count == bounds.count, bounds.allSatisfy({ $0.signature.map { $0.rank <= 1 && $0.dtype.isInteger } ?? false }),
      try call.bool("interleave", default: false) == false
    {
      try call.builder.requireRoom(numbers: Extent.sum(numbers.map(\.count)))
      return try call.set(numbers: numbers.flatMap { $0 })
    }
    let rank = try call.outputRank()
    let axis = try call.normalized(try call.int("axis"), rank: rank)
    var values: [ValueID] = []
    for value in try call.tensors("values") {
      values.append(try call.signature(of: value).rank == 0 ? try call.unsqueezed(value, axis: 0) : value)
    }
    let dtype = try call.outputDType()
    guard try call.bool("interleave", default: false), let first = values.first else {
      return try call.emit(Concat(axis: axis, dtype: dtype), values)
    }
    // In two steps: stack along the next axis, then join the two axes.
    var items: [ValueID?] = []
    for item in values { items.append(try call.unsqueezed(item, axis: axis + 1)) }
    var stacked = try call.signature(of: first)
    stacked.dtype = dtype
    stacked.dimensions.insert(.fixed(values.count), at: axis + 1)
    let stack = call.intermediate(Concat(axis: axis + 1, dtype: dtype), items, stacked)
    var extents: [GraphNumber] = []
    for position in 0..<rank where position != axis { extents.append(try call.extent(of: first, axis: position)) }
    extents.insert(
      try call.arithmetic(.mul, try call.extent(of: first, axis: axis), GraphNumber(values.count)), at: axis)
    try call.reshape(stack, extents)
  },
  // x, split_sizes? or num_splits, axis
  "split": { call in
    let axis = try call.normalized(try call.int("axis"), rank: try call.rank("x"))
    if let numbers = try call.shallowNumbers("x") {
      var sizes = try call.optionalInts("split_sizes")
      if sizes == nil {
        let count = try call.int("num_splits")
        guard count > 0, count == call.outputCount else { throw CallError("num_splits is \(count)") }
        sizes = Array(repeating: numbers.count / count, count: count)
      }
      // In range: each size is at most the number of elements in memory.
      guard let sizes, sizes.allSatisfy({ (0...numbers.count).contains($0) }), sizes.reduce(0, +) == numbers.count,
        sizes.count == call.outputCount
      else {
        throw CallError("pieces do not fit \(numbers.count) elements")
      }
      var start = 0
      for (position, size) in sizes.enumerated() {
        // In range: the pieces together are as long as the list.
        try call.set(numbers: Array(numbers[start..<start + size]), output: position)
        // In range: the pieces together are as long as the list.
        start += size
      }
      return
    }
    let x = try call.tensor("x")
    var sizes: [GraphNumber]
    if call.has("split_sizes") {
      guard let numbers = try call.numbers("split_sizes") else { throw CallError("parameter split_sizes is not a list of numbers") }
      sizes = numbers
    } else {
      let count = try call.int("num_splits")
      guard count > 0, count <= call.outputCount else { throw CallError("num_splits is \(count)") }
      let piece = try call.arithmetic(.floorDivide, try call.extent(of: x, axis: axis), .known(.int(Int64(widening: count))))
      sizes = Array(repeating: piece, count: count)
    }
    guard sizes.count == call.outputCount else { throw CallError("has \(sizes.count) pieces, not \(call.outputCount)") }
    var start = GraphNumber.known(.int(0))
    for (position, size) in sizes.enumerated() {
      var operands: [ValueID?] = [x]
      let arguments = try call.intArguments([start, size], "split_sizes", &operands)
      try call.emit(Slice(axis: axis, range: SliceRange(start: arguments[0], end: .count(arguments[1]))), operands, output: position)
      start = try call.arithmetic(.add, start, size)
    }
  },
  "fill": { call in
    if try call.outputHasOpenRank() { return try call.fillWithOpenRank() }
    var operands: [ValueID?] = [try call.scalarValue("value")]
    let shape = try call.intArguments("shape", count: try call.outputRank(), &operands)
    try call.emit(Full(shape: shape, dtype: try call.outputDType()), operands)
  },
  "fill_like": { call in
    let operands = [try call.scalarValue("value"), try call.tensor("ref_tensor")]
    try call.emit(Full(shape: nil, dtype: try call.outputDType()), operands)
  },
  "range_1d": { call in
    let operands = [try call.scalarValue("start"), try call.scalarValue("end"), try call.scalarValue("step")]
    try call.emit(NumberRange(dtype: try call.outputDType()), operands)
  },
]

extension MILCall {
  /// The result is a tensor whose rank is the length of `shape`, which is known only at run time. The length is bounded.
  fileprivate mutating func fillWithOpenRank() throws {
    let shape = try tensor("shape")
    let signature = try signature(of: shape)
    guard signature.rank == 1, case .symbolic(let bound?) = signature.dimensions[0], (0...16).contains(bound) else {
      throw CallError("the rank of the result, a \(signature) of extents, has no bound")
    }
    // Missing extents count as 1, so that all of them can be read.
    let missing = try arithmetic(.sub, .known(.int(Int64(widening: bound))), try extent(of: shape, axis: 0))
    var padded: [ValueID?] = [shape, number(.int(1))]
    let after = try intArguments([missing], "shape", &padded)
    let extents = intermediate(
      Pad(.constant, before: [.constant(0)], after: after), padded, TensorSignature(dtype: signature.dtype, dimensions: [.fixed(bound)]))
    guard let numbers = try elements(of: extents) else {
      throw CallError("parameter shape is not a list of numbers")
    }
    var operands: [ValueID?] = [try scalarValue("value")]
    let arguments = try intArguments(numbers, "shape", &operands)
    operands.append(shape)
    let dtype = try dtype("value")
    let open = TensorSignature(dtype: dtype, dimensions: numbers.map { _ in .symbolic(bound: nil) })
    try set(intermediate(Full(shape: arguments, dtype: dtype, axesOperand: operands.count - 1), operands, open))
  }

  /// Reshapes the tensor and assigns it to the result.
  mutating func reshape(_ value: ValueID, _ extents: [GraphNumber]) throws {
    var operands: [ValueID?] = [value]
    let shape = try intArguments(extents, "shape", &operands)
    try emit(Reshape(shape: shape), operands)
  }
}
