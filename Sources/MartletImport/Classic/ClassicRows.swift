import MartletCoreMLFile
import MartletFeatures
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// The graph of numeric models under construction. Features are matrices: a row for each prediction, a column for each element.
final class ClassicRows: GraphWriting {
  let builder: GraphBuilder
  /// True if inputs and outputs have an axis of rows.
  let isTable: Bool
  let forests: ForestCache
  private var features: [String: ValueID] = [:]

  init(_ builder: GraphBuilder, isTable: Bool, forests: ForestCache) {
    self.builder = builder
    self.isTable = isTable
    self.forests = forests
  }

  // MARK: Features of the graph

  func addInput(_ feature: FeatureDescription) throws {
    var dtype = DType.float64
    var dimensions: [Dimension] = isTable ? [] : [.fixed(1)]
    switch feature.type {
    // A missing number is NaN.
    case .int64: dtype = feature.isOptional ? .float64 : .int64
    case .double: break
    case .multiArray(let array):
      dtype = DType(array.dataType)
      dimensions = array.fixedCount == nil ? [.symbolic(bound: nil)] : array.shape.map { .fixed($0) }
      guard !isTable || array.fixedCount != nil else { throw CallError("the input '\(feature.name)' has no fixed shape") }
    default: throw CallError("the input '\(feature.name)' is neither a number nor an array")
    }
    if isTable { dimensions.insert(.symbolic(bound: nil), at: 0) }
    let value = builder.addInput(.tensor(TensorSignature(dtype: dtype, dimensions: dimensions)), name: feature.name)
    features[feature.name] = try matrix(value)
  }

  /// The tensor of an input as a matrix.
  private func matrix(_ value: ValueID) throws(CallError) -> ValueID {
    let signature = try signature(of: value)
    if isTable {
      if signature.rank == 1 { return try unsqueezed(value, axis: 1) }
      if signature.rank == 2 { return value }
      let count = Extent.product(signature.dimensions.dropFirst().compactMap { if case .fixed(let extent) = $0 { extent } else { nil } })
      return try reshaped(value, [GraphNumber(-1), GraphNumber(count.clamped)])
    }
    if signature.rank == 1 { return try unsqueezed(value, axis: 0) }
    return try reshaped(value, to: [1, signature.fixedShape.flatMap { Shape.elementCount($0) } ?? 0])
  }

  /// The tensor of an output.
  func output(_ feature: FeatureDescription) throws -> ValueID {
    guard let matrix = features[feature.name] else { throw CallError("the output '\(feature.name)' has no value") }
    let value: ValueID
    switch feature.type {
    case .double: value = try vector(converted(matrix, to: .float64))
    // A label is the position of its class.
    case .int64, .string: value = try vector(converted(matrix, to: .int64))
    case .dictionary: value = isTable ? matrix : try squeezed(matrix)
    case .multiArray(let array): value = try shaped(converted(matrix, to: DType(array.dataType)), like: array)
    case .image, .sequence, .state: throw CallError("the output '\(feature.name)' is neither a number nor an array")
    }
    if builder.name(of: value) == nil { builder.setName(feature.name, of: value) }
    return value
  }

  /// The first column as a vector with an element for each row.
  private func vector(_ matrix: ValueID) throws(CallError) -> ValueID {
    let column = try columns(matrix) == 1 ? matrix : sliced([matrix], axis: 1, SliceRange(end: .count(.constant(1))))
    let signature = try signature(of: column)
    return intermediate(
      Squeeze(axes: [1]), [column], TensorSignature(dtype: signature.dtype, dimensions: [signature.dimensions[0]]))
  }

  private func squeezed(_ matrix: ValueID) throws(CallError) -> ValueID {
    let signature = try signature(of: matrix)
    return intermediate(
      Squeeze(axes: [0]), [matrix], TensorSignature(dtype: signature.dtype, dimensions: [signature.dimensions[1]]))
  }

  private func shaped(_ matrix: ValueID, like array: ArrayFeature) throws(CallError) -> ValueID {
    guard let count = array.fixedCount, try columns(matrix) == count, array.shape.count != 1 else {
      return isTable ? matrix : try squeezed(matrix)
    }
    if !isTable { return try reshaped(matrix, to: array.shape) }
    return try reshaped(matrix, [GraphNumber(-1)] + array.shape.map { GraphNumber($0) })
  }

  // MARK: Features of models

  /// The matrix of a feature.
  func feature(_ name: String) throws(CallError) -> ValueID {
    guard let value = features[name] else { throw CallError("the input '\(name)' has no value") }
    return value
  }

  func set(_ value: ValueID, as name: String) { features[name] = value }

  /// Number of columns; nil if it is open.
  func columns(_ matrix: ValueID) throws(CallError) -> Int? {
    if case .fixed(let count) = try signature(of: matrix).dimensions[1] { count } else { nil }
  }

  /// The inputs of a model side by side.
  func inputs(_ member: ClassicMember, as dtype: DType = .float64) throws -> ValueID {
    try concatenated(member.function.inputs.map { try converted(feature($0.name), to: dtype) }, dtype)
  }

  /// Matrices side by side.
  func concatenated(_ parts: [ValueID], _ dtype: DType) throws(CallError) -> ValueID {
    guard let first = parts.first else { throw CallError("there is no input") }
    guard parts.count > 1 else { return first }
    var count: Extent? = 0
    for part in parts {
      guard let known = count, let columns = try columns(part) else {
        count = nil
        break
      }
      count = known + columns
    }
    let extent: Dimension = count.map { .fixed($0.clamped) } ?? .symbolic(bound: nil)
    return intermediate(
      Concat(axis: 1, dtype: dtype), parts, TensorSignature(dtype: dtype, dimensions: [try signature(of: first).dimensions[0], extent]))
  }

  /// Checks that a matrix has a number of columns.
  func check(_ matrix: ValueID, columns count: Int) throws(CallError) {
    guard let columns = try columns(matrix), columns != count else { return }
    throw CallError("the parameters are for \(count) columns", expected: "\(count)", found: "\(columns)")
  }

  // MARK: Formulas

  /// The signature of a matrix with the rows of another one.
  func rows(of matrix: ValueID, _ count: Int, _ dtype: DType = .float64) throws(CallError) -> TensorSignature {
    TensorSignature(dtype: dtype, dimensions: [try signature(of: matrix).dimensions[0], .fixed(count)])
  }

  /// A row of numbers, which broadcasts.
  func row(_ values: [Double]) -> ValueID { builder.addConstant(Constant(values, shape: [1, values.count])) }

  /// A function of the elements of float64 matrices, which broadcast. The result has the shape of the first one.
  func map(_ label: String, _ values: ValueID..., body: (inout PointwiseBuilder, [Int]) throws -> Void) throws -> ValueID {
    try pointwise(label, values: values, in: .float64, signature(of: values[0]), body)
  }

  /// x · weights + offsets
  /// - Parameter weights: row-major, a row for each column of `x`.
  func product(_ x: ValueID, _ weights: [Double], columns: Int, offsets: [Double]? = nil) throws(CallError) -> ValueID {
    // In range: `columns` is positive and a factor of the number of weights.
    let shape = [columns == 0 ? 0 : weights.count / columns, columns]
    return intermediate(
      MatMul(dtype: .float64),
      [x, builder.addConstant(Constant(weights, shape: shape)), offsets.map { builder.addConstant(Constant($0, shape: [columns])) }],
      try rows(of: x, columns))
  }

  func softmax(_ scores: ValueID) throws(CallError) -> ValueID {
    intermediate(Softmax(axis: 1, dtype: .float64), [scores], try signature(of: scores))
  }

  /// A column of a number before the others.
  func prefixed(_ scores: ValueID, by number: Double = 0) throws -> ValueID {
    let column = try sliced([scores], axis: 1, SliceRange(end: .count(.constant(1))))
    let constant = try map("fill", column) { build, _ in build.literal(number) }
    return try concatenated([constant, scores], .float64)
  }

  /// The probabilities of two classes, of which that of the second one is given.
  func complemented(_ second: ValueID) throws -> ValueID {
    let first = try map("complement", second) { build, x in build.binary(.sub, build.literal(1), x[0]) }
    return try concatenated([first, second], .float64)
  }

  /// Sums of rows, as a column.
  func sums(_ matrix: ValueID) throws(CallError) -> ValueID {
    intermediate(Reduce(.sum, axes: [1], keepsAxes: true, dtype: .float64), [matrix], try rows(of: matrix, 1))
  }

  /// Sets the outputs of a classifier.
  /// - Parameters:
  ///   - probabilities: one column for each label.
  ///   - scores: the label is the first class with the largest score; that of the probabilities if nil.
  func setClasses(_ member: ClassicMember, _ probabilities: ValueID, scores: ValueID? = nil) throws {
    let function = member.function
    if let name = function.predictedProbabilitiesName { set(probabilities, as: name) }
    guard let label = function.predictedFeatureName else { return }
    let scores = scores ?? probabilities
    set(
      intermediate(ArgReduce(wantsMaximum: true, axis: 1, keepsAxes: true), [scores], try rows(of: scores, 1, .int64)), as: label)
  }

  /// Sets the output of a regressor.
  func setValue(_ member: ClassicMember, _ value: ValueID) throws(CallError) {
    guard let name = member.function.predictedFeatureName else { throw CallError("the model names no output for its value") }
    set(value, as: name)
  }
}
