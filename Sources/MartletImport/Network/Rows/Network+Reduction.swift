import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Reductions along axes, positions of extreme elements, sorting and running sums.
extension NetworkCall {
  /// Over axes of the old mapping, which keep the extent 1.
  func reduce(_ reduction: NetworkReduction, _ epsilon: Float, _ axes: NetworkReduction.OldAxes) throws {
    let input = try input()
    let listed: [Int] =
      switch axes {
      case .chw: [-3, -2, -1]
      case .hw: [-2, -1]
      case .c: [-3]
      case .h: [-2]
      case .w: [-1]
      }
    // Smaller ranks have fewer axes.
    let x = try rank(input) < 3 ? input : try image(input)
    let rank = try rank(x)
    let normal = try listed.map { try normalized($0, rank: rank) }
    var result: ValueID
    switch reduction {
    case .argMax:
      guard normal.count == 1 else { throw CallError("the position of a maximum along \(normal.count) axes is not supported") }
      result = try converted(try applied(ArgReduce(wantsMaximum: true, axis: normal[0], keepsAxes: true), [x]), to: .float32)
    case .logSum:
      let logarithms = try pointwise("log", values: [x], in: .float32, try signature(of: x)) { build, x in
        build.unary(.log, build.binary(.add, x[0], build.literal(Double(epsilon))))
      }
      result = try applied(Reduce(.sum, axes: normal, keepsAxes: true, dtype: .float32), [logarithms])
    default: result = try reduced(x, reduction, axes: normal)
    }
    if x == input { try set(result) } else { try set(image: result, like: input) }
  }

  func reduce(_ reduction: NetworkReduction, axes: [Int]?, keepsAxes: Bool) throws {
    let input = try input()
    let axes = try axes.map { list in try list.map { try axis($0, of: input) } }
    let result = try reduced(input, reduction, axes: axes)
    try set(keepsAxes ? result : try withoutAxes(axes ?? Array(0..<(try rank(input))), of: result))
    try noteExtremum(of: input, reduction)
  }

  /// Keeps the greatest or least of numbers that are known.
  private func noteExtremum(of input: ValueID, _ reduction: NetworkReduction) throws {
    guard let numbers = importer.knownNumbers(of: input)?.map({ $0.known?.doubleValue }), !numbers.contains(nil) else { return }
    switch reduction {
    case .max: try numbers.compactMap { $0 }.max().map { try note([.known(.double($0))]) }
    case .min: try numbers.compactMap { $0 }.min().map { try note([.known(.double($0))]) }
    default: break
    }
  }

  /// The tensor without axes of extent 1; at least one axis remains.
  private func withoutAxes(_ axes: [Int], of value: ValueID) throws -> ValueID {
    if axes.count == (try rank(value)) { return try reshaped(value, to: [1]) }
    return try applied(Squeeze(axes: axes), [value])
  }

  /// The reduction; reduced axes keep the extent 1.
  private func reduced(_ x: ValueID, _ reduction: NetworkReduction, axes: [Int]?) throws -> ValueID {
    func reduce(_ function: Reduce.Function, then last: UnaryFunction? = nil) throws -> ValueID {
      let value = try applied(Reduce(function, axes: axes, keepsAxes: true, dtype: .float32), [x])
      guard let last else { return value }
      return try pointwise(last.name, values: [value], in: .float32, try signature(of: value)) { build, x in build.unary(last, x[0]) }
    }
    switch reduction {
    case .sum: return try reduce(.sum)
    case .average: return try reduce(.mean)
    case .product: return try reduce(.prod)
    case .logSum: return try reduce(.sum, then: .log)
    case .sumSquare: return try reduce(.sumSquares)
    case .l1: return try reduce(.sumAbs)
    case .l2: return try reduce(.sumSquares, then: .sqrt)
    case .max: return try reduce(.max)
    case .min: return try reduce(.min)
    case .logSumExp: return try logSumExp(x, axes: axes)
    case .argMax: throw CallError("the position of a maximum needs one axis")
    }
  }

  func position(ofMaximum isMaximum: Bool, _ axis: Int, keepsAxis: Bool) throws {
    let input = try input()
    let axis = try self.axis(axis, of: input)
    let found = try applied(ArgReduce(wantsMaximum: isMaximum, axis: axis, keepsAxes: true), [input])
    let result = try converted(found, to: .float32)
    try set(keepsAxis ? result : try withoutAxes([axis], of: result))
  }

  func topK(_ axis: Int, _ count: Int?, isSmallest: Bool) throws {
    let input = try input()
    var operands: [ValueID?] = [input]
    var number = count.map { GraphNumber($0) }
    if let second = try optionalInput(1) { number = try integer(second) }
    guard let number else { throw CallError("the number of elements is missing") }
    let argument = try intArguments([number], "K", &operands)[0]
    let results = try inferred(
      TopK(count: argument, axis: try self.axis(axis, of: input), largest: !isSmallest), operands)
    try set(results[0])
    if layer.outputs.count > 1 { try set(try converted(results[1], to: .float32), output: 1) }
  }

  func argSort(_ axis: Int, isDescending: Bool) throws {
    let input = try input()
    let results = try inferred(TopK(count: nil, axis: try self.axis(axis, of: input), largest: isDescending), [input])
    try set(try converted(results[1], to: .float32))
  }

  func cumulativeSum(_ axis: Int, isExclusive: Bool, isReversed: Bool) throws {
    let input = try input()
    func sums(_ axis: Int) throws -> ValueID {
      let op = CumulativeSum(axis: axis, dtype: .float32, isExclusive: isExclusive, isReversed: isReversed)
      return try applied(op, [input])
    }
    guard let second = try optionalInput(1) else { return try set(try sums(try self.axis(axis, of: input))) }
    let chosen = try integer(second)
    if let known = chosen.known?.intValue { return try set(try sums(try self.axis(Int(widening: known), of: input))) }
    // The axis is data: one of as many results as there are axes.
    let number = try reshaped(second, to: [1])
    let rank = try rank(input)
    var result = try sums(0)
    for axis in 1..<max(rank, 1) {
      result = try pointwise("axis", [number, try sums(axis), result]) { build, x in
        let isAxis = build.binary(.eq, x[0], build.literal(Double(axis)))
        // In range: an axis and a rank.
        let isNegative = build.binary(.eq, x[0], build.literal(Double(axis - rank)))
        build.ternary(.select, build.binary(.maximum, isAxis, isNegative), x[1], x[2])
      }
    }
    try set(result)
  }
}
