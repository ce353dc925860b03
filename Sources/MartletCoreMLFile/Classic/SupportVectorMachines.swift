import MartletBytes
package import MartletFeatures
import MartletTensor

package struct SupportVectorRegressor: Sendable, Equatable {
  package let kernel: SupportVectorKernel
  package let vectors: SupportVectors
  /// One for each vector.
  package let coefficients: NumberTable<Double>
  package let rho: Double
}

/// A machine for each pair of classes. Pairs are ordered (0, 1), (0, 2), …, (1, 2), ….
package struct SupportVectorClassifier: Sendable, Equatable {
  /// The function from a pair's decision value to the probability of its first class.
  package struct PairProbabilities: Sendable, Equatable {
    /// One for each pair.
    package let a: [Double]
    package let b: [Double]
  }

  package let kernel: SupportVectorKernel
  /// Sorted by class.
  package let vectors: SupportVectors
  package let vectorsPerClass: [Int]
  /// Row-major, a row less than there are classes, and a column for each vector: a vector's coefficients against the other classes.
  package let coefficients: NumberTable<Double>
  /// One for each pair.
  package let rho: [Double]
  package let probabilities: PairProbabilities?
  package let labels: ClassLabels
}

extension ClassicReader {
  func supportVectorRegressor(_ source: SpecSupportVectorRegressor) throws(FileError) -> SupportVectorRegressor {
    try interface.check(.input, .double, .multiArray, .int64)
    try interface.checkRegressor()
    let kernel = try kernel(source.kernel)
    let vectors: SupportVectors
    let coefficients: NumberTable<Double>
    switch source.supportVectors {
    case .sparseSupportVectors(let sparse): vectors = try self.vectors(sparse)
    case .denseSupportVectors(let dense): vectors = try self.vectors(dense)
    case nil:
      guard case .vectors(let stored, _)? = tables else { throw error("supportVectors", "the vectors are missing") }
      vectors = stored
    }
    coefficients = if case .vectors(_, let stored)? = tables { stored } else { NumberTable(source.coefficients.alpha) }
    guard coefficients.count == vectors.count else {
      throw error("coefficients.alpha", "there are \(coefficients.count) for \(vectors.count) vectors")
    }
    return SupportVectorRegressor(kernel: kernel, vectors: vectors, coefficients: coefficients, rho: source.rho)
  }

  func supportVectorClassifier(_ source: SpecSupportVectorClassifier) throws(FileError) -> SupportVectorClassifier {
    let labels = try requiredLabels(source)
    try interface.check(.input, .double, .multiArray, .int64)
    try interface.checkClassifier(integers: labels.areIntegers)
    let kernel = try kernel(source.kernel)
    let vectors: SupportVectors
    let coefficients: NumberTable<Double>
    switch source.supportVectors {
    case .sparseSupportVectors(let sparse): vectors = try self.vectors(sparse)
    case .denseSupportVectors(let dense): vectors = try self.vectors(dense)
    case nil:
      guard case .vectors(let stored, _)? = tables else { throw error("supportVectors", "the vectors are missing") }
      vectors = stored
    }
    if case .vectors(_, let stored)? = tables {
      coefficients = stored
    } else {
      let (values, columnCount) = try flattened(source.coefficients, field: "coefficients", row: \.alpha)
      guard source.coefficients.count == labels.count - 1 else {
        throw error("coefficients", "there are \(source.coefficients.count) rows; \(labels.count) classes need \(labels.count - 1)")
      }
      guard source.coefficients.isEmpty || columnCount == vectors.count else {
        throw error("coefficients[0].alpha", "there are \(columnCount) for \(vectors.count) vectors")
      }
      coefficients = NumberTable(values)
    }
    guard Extent(coefficients.count) == Extent(vectors.count) * (Extent(labels.count) - 1) else {
      throw error("coefficients", "there are \(coefficients.count) for \(vectors.count) vectors and \(labels.count) classes")
    }
    return SupportVectorClassifier(
      kernel: kernel, vectors: vectors,
      vectorsPerClass: try vectorsPerClass(source.numberOfSupportVectorsPerClass, classes: labels.count, vectors: vectors.count),
      coefficients: coefficients, rho: try pairs(source.rho, classes: labels.count, field: "rho"),
      probabilities: source.probA.isEmpty && source.probB.isEmpty
        ? nil
        : SupportVectorClassifier.PairProbabilities(
          a: try pairs(source.probA, classes: labels.count, field: "probA"),
          b: try pairs(source.probB, classes: labels.count, field: "probB")),
      labels: labels)
  }

  private func vectorsPerClass(_ source: [Int32], classes: Int, vectors: Int) throws(FileError) -> [Int] {
    let field = "numberOfSupportVectorsPerClass"
    guard source.count == classes else { throw error(field, "there are \(source.count) numbers for \(classes) classes") }
    let counts = source.map { Int(widening: $0) }
    if let index = counts.firstIndex(where: { $0 < 0 }) { throw error("\(field)[\(index)]", "\(counts[index]) is negative") }
    let sum = Extent.sum(counts)
    guard sum.value == vectors else { throw error(field, "the sum is \(sum), but there are \(vectors) vectors") }
    return counts
  }

  /// Checks that there is a value for each pair of classes.
  private func pairs(_ values: [Double], classes: Int, field: String) throws(FileError) -> [Double] {
    let count = Extent(classes) * (Extent(classes) - 1) / 2
    guard count.value == values.count else { throw error(field, "there are \(values.count) values for \(count) pairs of classes") }
    return values
  }
}
