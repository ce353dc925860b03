import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Constants, shapes as blobs, ranges and random numbers.
extension NetworkCall {
  func load(_ constant: NetworkConstant) throws {
    // The older layer makes blobs of rank 5.
    guard layer.type == "loadConstant" else {
      try set(try weights(constant.values, shape: constant.shape))
      if constant.shape.count == 1, let numbers = numbers(constant.values) { try note(numbers.map { .known(.double($0)) }) }
      return
    }
    let image = try weights(constant.values, shape: [1] + constant.shape)
    let blob = try weights(constant.values, shape: [1, 1] + constant.shape)
    importer.note(image, asImageOf: blob)
    try set(blob)
  }

  func getShape() throws {
    let extents = try extents(of: try input())
    try set(try tensor(of: extents, rank: 1, dtype: .float32))
    try note(extents)
  }

  func fill(_ value: Float, _ target: NetworkTarget) throws {
    let extents = try shape(target)
    var operands: [ValueID?] = [number(.double(Double(value)))]
    let shape = try intArguments(extents, "targetShape", &operands)
    try set(
      intermediate(
        Full(shape: shape, dtype: .float32), operands, TensorSignature(dtype: .float32, dimensions: extents.map(\.dimension))))
    if extents.count == 1, let count = extents[0].known?.intValue, count >= 0, Int(widening: count) <= builder.mostElements {
      try note(Array(repeating: .known(.double(Double(value))), count: Int(widening: count)))
    }
  }

  /// The shape of a tensor to make: of the only input, or its values.
  private func shape(_ target: NetworkTarget) throws -> [GraphNumber] {
    if case .like = target { return try extents(of: try input()) }
    return try self.target(target)
  }

  /// Inputs 0 to 2, if they are present, are end, start and step.
  func range(_ start: Float, _ end: Float?, _ step: Float) throws {
    func value(_ position: Int, _ given: Float?) throws -> ValueID {
      guard let input = try optionalInput(position) else { return number(.double(Double(given ?? 0))) }
      return try scalar(input)
    }
    let operands = try [value(1, start), value(0, end), value(2, step)]
    let op = NumberRange(dtype: .float32)
    guard operands.allSatisfy({ builder.scalar($0) != nil }) else {
      return try set(intermediate(op, operands, TensorSignature(dtype: .float32, dimensions: [.symbolic(bound: nil)])))
    }
    try set(try applied(op, operands))
  }

  // MARK: Random numbers

  /// With a seed of -1, every run gives different numbers.
  func random(_ distribution: NetworkRandom, _ seed: Int64, _ target: NetworkTarget) throws {
    let extents = try shape(target)
    var operands: [ValueID?] = []
    let shape = try intArguments(extents, "outputShape", &operands)
    let kind: RandomTensor.Distribution =
      switch distribution {
      case .normal(let mean, let deviation): .normal(mean: Double(mean), deviation: Double(deviation))
      case .uniform(let lower, let upper): .uniform(low: Double(lower), high: Double(upper))
      case .bernoulli(let probability): .bernoulli(probability: Double(probability))
      }
    let op = RandomTensor(kind, shape: shape, dtype: .float32, seed: Self.seed(seed))
    try set(intermediate(op, operands, TensorSignature(dtype: .float32, dimensions: extents.map(\.dimension))))
  }

  /// Positions along the last axis, drawn with the probabilities or logits that the input holds.
  func categories(_ seed: Int64, _ count: Int, isLogits: Bool, epsilon: Float, temperature: Float) throws {
    let logits = try pointwise("logits", [try input()]) { build, x in
      let logit = isLogits ? x[0] : build.unary(.log, build.binary(.add, x[0], build.literal(Double(epsilon))))
      build.binary(.mul, logit, build.literal(1 / Double(temperature)))
    }
    let op = RandomCategory(count: .constant(count), isLogarithmic: true, dtype: .float32, seed: Self.seed(seed))
    try set(try applied(op, [logits]))
  }

  private static func seed(_ seed: Int64) -> UInt64? { seed < 0 ? nil : UInt64(clamping: seed) }
}
