import MartletCoreMLFile
import MartletFeatures
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Generalised linear models.
extension ClassicRows {
  private func scores(_ linear: LinearWeights, _ member: ClassicMember) throws -> ValueID {
    let x = try inputs(member)
    try check(x, columns: linear.columnCount)
    guard linear.rowCount > 0 else { throw CallError("there are no weights") }
    var transposed = [Double](repeating: 0, count: linear.weights.count)
    for row in 0..<linear.rowCount {
      for column in 0..<linear.columnCount {
        // In range: positions in an array.
        transposed[column * linear.rowCount + row] = linear.weights[row * linear.columnCount + column]
      }
    }
    return try product(x, transposed, columns: linear.rowCount, offsets: linear.offsets)
  }

  func sigmoid(_ x: ValueID) throws -> ValueID { try map("logistic", x) { build, x in build.unary(.sigmoid, x[0]) } }

  /// The distribution function of the normal distribution.
  func normalProbability(_ x: ValueID) throws -> ValueID {
    try map("probit", x) { build, x in
      let scaled = build.binary(.mul, x[0], build.literal(-(0.5).squareRoot()))
      build.binary(.mul, build.literal(0.5), build.unary(.erfc, scaled))
    }
  }

  func add(_ regressor: GLMRegressor, _ member: ClassicMember) throws {
    let scores = try scores(regressor.linear, member)
    switch regressor.transform {
    case .none: try setValue(member, scores)
    case .logit: try setValue(member, sigmoid(scores))
    case .probit: try setValue(member, normalProbability(scores))
    }
  }

  func add(_ classifier: GLMClassifier, _ member: ClassicMember) throws {
    let scores = try scores(classifier.linear, member)
    if classifier.labels.count == 2 {
      let second = try classifier.transform == .logit ? sigmoid(scores) : normalProbability(scores)
      return try setClasses(member, complemented(second))
    }
    switch classifier.encoding {
    case .referenceClass: try setClasses(member, softmax(prefixed(scores)))
    case .oneVersusRest:
      // As in scikit-learn, each class has a probability of its own, and their sum is made 1.
      let each = try classifier.transform == .logit ? sigmoid(scores) : normalProbability(scores)
      let probabilities = try map("normalize", each, sums(each)) { build, x in build.binary(.div, x[0], x[1]) }
      try setClasses(member, probabilities, scores: scores)
    }
  }
}
