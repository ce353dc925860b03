import MartletCoreMLFile
import CoreMLMessages
import MartletFeatures
import Testing

@Suite struct SupportVectorTests {
  private static func dense(_ rows: [Double]...) -> SpecDenseSupportVectors {
    var vectors = SpecDenseSupportVectors()
    for row in rows {
      var vector = SpecDenseVector()
      vector.values = row
      vectors.vectors.append(vector)
    }
    return vectors
  }

  private static func sparse(_ rows: [(Int32, Double)]...) -> SpecSparseSupportVectors {
    var vectors = SpecSparseSupportVectors()
    for row in rows {
      var vector = SpecSparseVector()
      for (index, value) in row {
        var node = SpecSparseNode()
        (node.index, node.value) = (index, value)
        vector.nodes.append(node)
      }
      vectors.vectors.append(vector)
    }
    return vectors
  }

  private static let regressor = Sample.model([.array("x", 5)], [.double("y")], label: "y") {
    $0.supportVectorRegressor.kernel.rbfKernel.gamma = 0.5
    $0.supportVectorRegressor.sparseSupportVectors = sparse([(5, 2), (1, 1)], [], [(2, 3)])
    $0.supportVectorRegressor.coefficients.alpha = [1, -1, 0.5]
    $0.supportVectorRegressor.rho = 0.25
  }

  private static let classifier = Sample.model([.double("a"), .double("b")], [.int64("label")], label: "label") {
    $0.supportVectorClassifier.kernel.polyKernel.degree = 3
    $0.supportVectorClassifier.kernel.polyKernel.c = 1
    $0.supportVectorClassifier.kernel.polyKernel.gamma = 2
    $0.supportVectorClassifier.denseSupportVectors = dense([1, 2], [3, 4], [5, 6], [7, 8])
    $0.supportVectorClassifier.numberOfSupportVectorsPerClass = [1, 2, 1]
    for row in [[1, 2, 3, 4], [5, 6, 7, 8]] as [[Double]] {
      var coefficients = SpecCoefficients()
      coefficients.alpha = row
      $0.supportVectorClassifier.coefficients.append(coefficients)
    }
    $0.supportVectorClassifier.rho = [0.1, 0.2, 0.3]
    $0.supportVectorClassifier.probA = [1, 2, 3]
    $0.supportVectorClassifier.probB = [4, 5, 6]
    $0.supportVectorClassifier.int64ClassLabels.vector = [7, 8, 9]
  }

  @Test func `Sparse vectors become rows with ascending columns from 0`() throws {
    guard case .supportVectorRegressor(let model) = try Sample.classic(Self.regressor) else { throw Sample.OtherKind() }
    #expect(model.kernel == .rbf(gamma: 0.5))
    guard case .sparse(let rows) = model.vectors.storage else { throw Sample.OtherKind() }
    #expect(rows.starts == [0, 2, 2, 3] && rows.columns == [0, 4, 1] && rows.values == [1, 2, 3])
    #expect(model.vectors.count == 3 && model.vectors.columnCount == 5)
    #expect(model.coefficients == [1, -1, 0.5] && model.rho == 0.25)
  }

  @Test func `A classifier has dense vectors, and values for each pair of classes`() throws {
    guard case .supportVectorClassifier(let model) = try Sample.classic(Self.classifier) else { throw Sample.OtherKind() }
    #expect(model.kernel == .polynomial(degree: 3, c: 1, gamma: 2))
    #expect(model.vectors.storage == .dense([1, 2, 3, 4, 5, 6, 7, 8]))
    #expect(model.vectors.count == 4 && model.vectors.columnCount == 2)
    #expect(model.vectorsPerClass == [1, 2, 1] && model.coefficients == [1, 2, 3, 4, 5, 6, 7, 8])
    #expect(model.rho == [0.1, 0.2, 0.3])
    #expect(model.probabilities?.a == [1, 2, 3] && model.probabilities?.b == [4, 5, 6])
    #expect(try Sample.read(Self.classifier).description.defaultFunction.classification?.labels == .integers([7, 8, 9]))
  }

  @Test func `All kernels are read`() throws {
    func kernel(_ change: (inout SpecKernel) -> Void) throws -> SupportVectorKernel {
      var model = Self.regressor
      change(&model.supportVectorRegressor.kernel)
      guard case .supportVectorRegressor(let regressor) = try Sample.classic(model) else { throw Sample.OtherKind() }
      return regressor.kernel
    }
    #expect(try kernel { $0.linearKernel = SpecLinearKernel() } == .linear)
    #expect(
      try kernel {
        $0.sigmoidKernel.gamma = 2
        $0.sigmoidKernel.c = -1
      } == .sigmoid(gamma: 2, c: -1))
    #expect(throws: (any Error).self) { try kernel { $0.kernel = nil } }
  }

  @Test func `Damaged vectors and counts are refused`() {
    let field = "supportVectorRegressor.sparseSupportVectors.vectors[0].nodes"
    func expect(_ message: String, _ index: Int32) {
      Sample.expect(message, Self.regressor) { $0.supportVectorRegressor.sparseSupportVectors.vectors[0].nodes[1].index = index }
    }
    expect("\(field)[1].index: 0 is not positive", 0)
    // 2³¹ wraps around in the file's type.
    expect("\(field)[1].index: -2147483648 is not positive", .min)
    expect("\(field)[1].index: 2147483647 exceeds the limit of 16777216 columns", .max)
    expect("\(field)[1].index: 5 occurs twice", 5)
    Sample.expect("coefficients.alpha: there are 2 for 3 vectors", Self.regressor) {
      $0.supportVectorRegressor.coefficients.alpha = [1, 2]
    }
    Sample.expect("supportVectorRegressor.supportVectors: the vectors are missing", Self.regressor) {
      $0.supportVectorRegressor.supportVectors = nil
    }
    Sample.expect("kernel.gamma: -1.0 is negative", Self.regressor) { $0.supportVectorRegressor.kernel.rbfKernel.gamma = -1 }
    let model = Self.classifier
    Sample.expect("kernel.degree: -1 is negative", model) { $0.supportVectorClassifier.kernel.polyKernel.degree = -1 }
    Sample.expect("denseSupportVectors.vectors[2]: there are 1 values instead of 2", model) {
      $0.supportVectorClassifier.denseSupportVectors.vectors[2].values = [1]
    }
    Sample.expect("coefficients: there are 1 rows; 3 classes need 2", model) { $0.supportVectorClassifier.coefficients.removeLast() }
    Sample.expect("coefficients[1]: there are 3 values instead of 4", model) {
      $0.supportVectorClassifier.coefficients[1].alpha.removeLast()
    }
    Sample.expect("coefficients[0].alpha: there are 1 for 4 vectors", model) {
      for row in 0..<2 { $0.supportVectorClassifier.coefficients[row].alpha = [1] }
    }
    let counts = "numberOfSupportVectorsPerClass"
    Sample.expect("\(counts): there are 2 numbers for 3 classes", model) {
      $0.supportVectorClassifier.numberOfSupportVectorsPerClass = [2, 2]
    }
    Sample.expect("\(counts)[1]: -1 is negative", model) { $0.supportVectorClassifier.numberOfSupportVectorsPerClass = [3, -1, 2] }
    Sample.expect("\(counts): the sum is 6442450941, but there are 4 vectors", model) {
      $0.supportVectorClassifier.numberOfSupportVectorsPerClass = [.max, .max, .max]
    }
    Sample.expect("rho: there are 2 values for 3 pairs", model) { $0.supportVectorClassifier.rho = [1, 2] }
    Sample.expect("probB: there are 0 values for 3 pairs", model) { $0.supportVectorClassifier.probB = [] }
    Sample.expect("ClassLabels: a classifier needs labels", model) { $0.supportVectorClassifier.int64ClassLabels.vector = [] }
  }
}
