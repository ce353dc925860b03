import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor

/// Layers that change the shape of a blob and keep or permute its elements.
extension NetworkCall {
  // MARK: Shapes of the old mapping

  /// A shape [C, H, W], for which Seq stays, or [Seq, C, H, W].
  func reshape(_ shape: [Int], isChannelLast: Bool) throws {
    let input = try input()
    var x = try image(input)
    let extents = try extents(of: x)
    if isChannelLast { x = try permuted(x, [0, 2, 3, 1]) }
    let first = shape.count == 4 ? GraphNumber(-1) : extents[0]
    let last = shape.suffix(3).map { GraphNumber($0) }
    x = try reshaped(x, [first] + (isChannelLast ? [last[1], last[2], last[0]] : last))
    if isChannelLast { x = try permuted(x, [0, 3, 1, 2]) }
    guard shape.count == 4 else { return try set(image: x, like: input) }
    guard try rank(input) == 5 else { throw CallError("a blob of rank \(try rank(input)) has no sequence") }
    let blob = try reshaped(x, [GraphNumber(shape[0]), GraphNumber(-1)] + Array(try self.extents(of: x).suffix(3)))
    importer.note(x, asImageOf: blob)
    try set(blob)
  }

  func flatten(isChannelLast: Bool) throws {
    let input = try input()
    let x = try image(input)
    let extents = [try extent(of: x, axis: 0), try product(of: x, axes: 1..<4), GraphNumber(1), GraphNumber(1)]
    try set(image: try reshaped(isChannelLast ? try permuted(x, [0, 2, 3, 1]) : x, extents), like: input)
  }

  /// A permutation of Seq, C, H and W.
  func permuteOld(_ axes: [Int]) throws {
    let input = try input()
    // If Seq stays, each image is permuted.
    if axes[0] == 0 { return try set(image: try permuted(try image(input), axes), like: input) }
    guard try rank(input) == 5 else { throw CallError("a blob of rank \(try rank(input)) has no sequence") }
    let places = axes.map { $0 == 0 ? 0 : $0 + 1 }
    try set(try permuted(input, [places[0], 1, places[1], places[2], places[3]]))
  }

  // MARK: Shapes of any rank

  func reshape(_ target: NetworkTarget) throws {
    let input = try input()
    let rank = try rank(input)
    let shape = try self.target(target).enumerated().map { axis, extent in
      // 0 stands for the input's extent.
      extent.known?.intValue == 0 && axis < rank ? try self.extent(of: input, axis: axis) : extent
    }
    try set(try reshaped(input, shape))
    if case .computed = target, let numbers = importer.knownNumbers(of: input) { try note(numbers) }
  }

  func reshapeKeepingRank(_ shape: [Int]) throws {
    let input = try input()
    guard shape.count == (try rank(input)) else { throw CallError("the shape \(shape) has another rank than the input") }
    try set(
      try reshaped(
        input, try shape.enumerated().map { axis, extent in extent == 0 ? try self.extent(of: input, axis: axis) : GraphNumber(extent) }))
  }

  func flattenToMatrix(_ axis: Int) throws {
    let input = try input()
    let rank = try rank(input)
    let split = axis < 0 ? axis + rank : axis
    guard (0...rank).contains(split) else { throw CallError("axis \(axis) does not fit rank \(rank)") }
    try set(try reshaped(input, [try product(of: input, axes: 0..<split), try product(of: input, axes: split..<rank)]))
  }

  /// - Parameter axes: positions of the new axes in the result.
  func expand(_ axes: [Int]) throws {
    let input = try input()
    let rank = try rank(input) + axes.count
    let normal = try axes.map { try normalized($0, rank: rank) }.sorted()
    try set(try applied(Unsqueeze(axes: normal), [input]))
  }

  /// - Parameter axes: nil for all axes of extent 1.
  func squeeze(_ axes: [Int]?) throws {
    let input = try input()
    let signature = try signature(of: input)
    let listed =
      try axes.map { list in try list.map { try axis($0, of: input) } }
      ?? signature.dimensions.indices.filter {
        signature.dimensions[$0] == .fixed(1)
      }
    if let other = listed.first(where: { signature.dimensions[$0].isFixed && signature.dimensions[$0] != .fixed(1) }) {
      throw CallError("axis \(other) of \(signature) has not the extent 1")
    }
    // At least one axis remains.
    if listed.count == signature.rank { return try set(try reshaped(input, to: [1])) }
    let extents = try extents(of: input)
    // An axis whose extent is known only per call is 1, or the call fails.
    try set(try reshaped(input, extents.indices.filter { !listed.contains($0) }.map { extents[$0] }))
    if let numbers = importer.knownNumbers(of: input) { try note(numbers) }
  }

  func broadcast(_ target: NetworkTarget) throws {
    let input = try input()
    var operands: [ValueID?] = [input]
    let extents = try self.target(target)
    let shape = try intArguments(extents, "targetShape", &operands)
    try set(intermediate(Expand(shape: shape), operands, TensorSignature(dtype: .float32, dimensions: extents.map(\.dimension))))
  }

  // MARK: Targets

  /// The shape that a layer asks for.
  func target(_ target: NetworkTarget) throws -> [GraphNumber] {
    switch target {
    case .like: return try extents(of: try input(1))
    case .fixed(let shape): return shape.map { GraphNumber($0) }
    // Layers that make tensors have no other input.
    case .computed: return try integers(try input(inputCount > 1 ? 1 : 0))
    }
  }

  /// Keeps the numbers of the output.
  func note(_ numbers: [GraphNumber]) throws(CallError) {
    guard let name = layer.outputs.first, let value = importer.names[name], numbers.count <= builder.mostElements else { return }
    guard try rank(value) == 1 else { return }
    try importer.note(numbers, of: value)
  }
}

extension GraphNumber {
  /// The number as an extent.
  var dimension: Dimension {
    if let extent = known?.intValue, extent >= 0 { .fixed(Int(widening: extent)) } else { .symbolic(bound: nil) }
  }
}
