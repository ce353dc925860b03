import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Gathering, scattering and masks. Indices are whole numbers in blobs of float32; negative ones count from the end.
extension NetworkCall {
  func gather(_ axis: Int) throws {
    let (x, positions) = (try input(0), try input(1))
    let axis = try self.axis(axis, of: x)
    try set(try applied(GatherSlices(SliceIndexing(axis: axis)), [x, try indices(positions)]))
    if let numbers = importer.knownNumbers(of: x), let chosen = importer.knownNumbers(of: positions) {
      let found = chosen.compactMap { position -> GraphNumber? in
        guard let index = position.known.flatMap({ Int(exactly: $0.doubleValue) }) else { return nil }
        let place = index < 0 ? index + numbers.count : index
        return numbers.indices.contains(place) ? numbers[place] : nil
      }
      if found.count == chosen.count { try note(found) }
    }
  }

  func gatherAlong(_ axis: Int) throws {
    let x = try input(0)
    let op = GatherElements(axis: try self.axis(axis, of: x), allowsNegative: true)
    try set(try applied(op, [x, try indices(try input(1))]))
  }

  func gatherND() throws {
    let result = try applied(GatherSlices(SliceIndexing(axis: nil)), [try input(0), try indices(try input(1))])
    try set(try rank(result) == 0 ? try reshaped(result, to: [1]) : result)
  }

  func scatter(_ axis: Int, _ mode: NetworkScatter) throws {
    try scatter(ScatterSlices(SliceIndexing(axis: try self.axis(axis, of: try input())), mode.combination))
  }

  func scatterAlong(_ axis: Int, _ mode: NetworkScatter) throws {
    try scatter(ScatterElements(axis: try self.axis(axis, of: try input()), mode.combination, allowsNegative: true))
  }

  func scatterND(_ mode: NetworkScatter) throws { try scatter(ScatterSlices(SliceIndexing(axis: nil), mode.combination)) }

  private func scatter(_ op: any Operator) throws {
    let x = try input(0)
    try set(intermediate(op, [x, try indices(try input(1)), try input(2)], try signature(of: x)))
  }

  /// The coordinates of nonzero elements, [count, rank].
  func nonZero() throws { try set(try converted(try applied(NonZero(), [try input()]), to: .float32)) }

  func bandPart(_ lower: Int, _ upper: Int) throws {
    var x = try input()
    if upper >= 0 { x = try applied(Triangle(keepsUpper: false, diagonal: .constant(upper)), [x]) }
    if lower >= 0 { x = try applied(Triangle(keepsUpper: true, diagonal: .constant(-lower)), [x]) }
    try set(x)
  }

  func triangle(isUpper: Bool, _ diagonal: Int) throws {
    try set(try applied(Triangle(keepsUpper: isUpper, diagonal: .constant(diagonal)), [try input()]))
  }

  func oneHot(_ size: Int?, _ axis: Int, _ on: Float, _ off: Float) throws {
    let positions = try input()
    var operands: [ValueID?] = [try indices(positions), number(.double(Double(on))), number(.double(Double(off)))]
    var count = size.map { GraphNumber($0) }
    if let second = try optionalInput(1) { count = try integer(second) }
    guard let count else { throw CallError("the size of the vectors is missing") }
    let argument = try intArguments([count], "oneHotVectorSize", &operands)[0]
    let op = OneHot(count: argument, axis: try normalized(axis, rank: try rank(positions) + 1), dtype: .float32)
    try set(try applied(op, operands))
  }

  /// Inputs 2 to 4, if they are present, are the thresholds of overlap and score and the number of boxes.
  func suppressBoxes(_ overlap: Float, _ score: Float, _ count: Int, isPerClass: Bool) throws {
    var operands: [ValueID?] = [try input(0), try input(1)]
    func threshold(_ position: Int) throws -> Int? {
      guard let input = try optionalInput(position) else { return nil }
      operands.append(try scalar(input))
      return operands.count - 1
    }
    let (overlapOperand, scoreOperand) = (try threshold(2), try threshold(3))
    let most = try optionalInput(4).map { try integer($0) } ?? GraphNumber(count)
    let op = SuppressBoxes(
      BoxSuppression(overlapThreshold: overlap, scoreThreshold: score, isPerClass: isPerClass),
      count: try intArguments([most], "maxBoxes", &operands)[0], boxesLast: false, givesCounts: true, overlapOperand: overlapOperand,
      scoreOperand: scoreOperand)
    for (position, result) in try inferred(op, operands).enumerated() {
      try set(try converted(result, to: .float32), output: position)
    }
  }
}

extension NetworkScatter {
  fileprivate var combination: Combination {
    switch self {
    case .update: .update
    case .add: .add
    case .subtract: .subtract
    case .multiply: .multiply
    case .divide: .divide
    case .max: .maximum
    case .min: .minimum
    }
  }
}
