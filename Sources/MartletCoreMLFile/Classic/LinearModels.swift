import MartletBytes
package import MartletFeatures
import MartletTensor

/// The linear part of a generalised linear model: a row of weights and an offset for each result.
package struct LinearWeights: Sendable, Equatable {
  /// Row-major, one row for each result.
  package let weights: [Double]
  package let rowCount: Int
  package let columnCount: Int
  /// One for each row.
  package let offsets: [Double]
}

package struct GLMRegressor: Sendable, Equatable {
  package enum Transform: Sendable, Equatable, CaseIterable {
    case none, logit, probit
  }

  package let linear: LinearWeights
  package let transform: Transform
}

package struct GLMClassifier: Sendable, Equatable {
  package enum Transform: Sendable, Equatable, CaseIterable {
    case logit, probit
  }

  package enum Encoding: Sendable, Equatable, CaseIterable {
    /// A row for each class but the first, whose score is 0.
    case referenceClass
    /// A row for each class; one row for two classes.
    case oneVersusRest
  }

  package let linear: LinearWeights
  package let transform: Transform
  package let encoding: Encoding
  package let labels: ClassLabels
}

extension ClassicReader {
  func glmRegressor(_ source: SpecGLMRegressor) throws(FileError) -> GLMRegressor {
    try interface.check(.input, .double, .multiArray, .int64)
    try interface.check(.output, .double)
    try interface.checkRegressor()
    let transform: GLMRegressor.Transform
    switch source.postEvaluationTransform {
    case .noTransform: transform = .none
    case .logit: transform = .logit
    case .probit: transform = .probit
    case .UNRECOGNIZED(let number): throw error("postEvaluationTransform", "\(number) is not a known transform")
    }
    return GLMRegressor(linear: try linear(source.weights.map(\.value), source.offset), transform: transform)
  }

  func glmClassifier(_ source: SpecGLMClassifier) throws(FileError) -> GLMClassifier {
    let labels = try requiredLabels(source)
    try interface.check(.input, .double, .multiArray, .int64)
    try interface.checkClassifier(integers: labels.areIntegers)
    let transform: GLMClassifier.Transform
    switch source.postEvaluationTransform {
    case .logit: transform = .logit
    case .probit: transform = .probit
    case .UNRECOGNIZED(let number): throw error("postEvaluationTransform", "\(number) is not a known transform")
    }
    let encoding: GLMClassifier.Encoding
    switch source.classEncoding {
    case .referenceClass: encoding = .referenceClass
    case .oneVsRest: encoding = .oneVersusRest
    case .UNRECOGNIZED(let number): throw error("classEncoding", "\(number) is not a known encoding")
    }
    let linear = try linear(source.weights.map(\.value), source.offset)
    guard linear.rowCount > 0 else { throw error("weights", "there are none") }
    guard linear.columnCount > 0 else { throw error("weights[0]", "the row is empty") }
    let rowCount = encoding == .referenceClass ? labels.count - 1 : labels.count == 2 ? 1 : labels.count
    guard linear.rowCount == rowCount else {
      throw error("weights", "there are \(linear.rowCount) rows; \(labels.count) classes need \(rowCount)")
    }
    guard transform == .logit || labels.count <= 2 else {
      throw error("postEvaluationTransform", "probit is for two classes, not \(labels.count)")
    }
    return GLMClassifier(linear: linear, transform: transform, encoding: encoding, labels: labels)
  }

  private func linear(_ rows: [[Double]], _ offsets: [Double]) throws(FileError) -> LinearWeights {
    guard rows.count == offsets.count else {
      throw error("offset", "there are \(offsets.count) offsets for \(rows.count) rows of weights")
    }
    let (weights, columnCount) = try flattened(rows, field: "weights", row: \.self)
    return LinearWeights(weights: weights, rowCount: rows.count, columnCount: columnCount, offsets: offsets)
  }

  /// Rows of equal length as one row-major array, and their length; 0 if there is none.
  func flattened<Row, Element>(
    _ rows: [Row], field: String, row: (Row) -> [Element]
  ) throws(FileError) -> (values: [Element], columnCount: Int) {
    let columnCount = rows.first.map { row($0).count } ?? 0
    var values: [Element] = []
    values.reserveCapacity((Extent(rows.count) * columnCount).count.map { min($0, 1 << 20) } ?? 0)
    for (index, item) in rows.enumerated() {
      let row = row(item)
      guard row.count == columnCount else {
        throw error("\(field)[\(index)]", "there are \(row.count) values instead of \(columnCount)")
      }
      values += row
    }
    return (values, columnCount)
  }
}

extension ClassLabels {
  var areIntegers: Bool { if case .integers = self { true } else { false } }
}
