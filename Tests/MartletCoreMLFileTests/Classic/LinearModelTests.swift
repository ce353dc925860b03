import MartletCoreMLFile
import CoreMLMessages
import MartletFeatures
import Testing

@Suite struct LinearModelTests {
  private static let classifier = Sample.model([.array("x", 2)], [.string("label"), .dictionary("p")], label: "label") {
    $0.description_p.predictedProbabilitiesName = "p"
    for row in [[1, 2], [3, 4], [5, 6]] as [[Double]] {
      var array = SpecGLMClassifier.DoubleArray()
      array.value = row
      $0.glmClassifier.weights.append(array)
    }
    $0.glmClassifier.offset = [0.5, -0.5, 0]
    $0.glmClassifier.classEncoding = .oneVsRest
    $0.glmClassifier.stringClassLabels.vector = ["a", "b", "c"]
  }

  private static let regressor = Sample.model([.double("x"), .int64("y")], [.double("z")], label: "z") {
    var array = SpecGLMRegressor.DoubleArray()
    array.value = [0.25, -1]
    $0.glmRegressor.weights = [array]
    $0.glmRegressor.offset = [7]
    $0.glmRegressor.postEvaluationTransform = .probit
  }

  @Test func `A classifier has its weights row-major, and its labels in the description`() throws {
    guard case .glmClassifier(let model) = try Sample.classic(Self.classifier) else { throw Sample.OtherKind() }
    #expect(model.linear.weights == [1, 2, 3, 4, 5, 6])
    #expect(model.linear.rowCount == 3 && model.linear.columnCount == 2)
    #expect(model.linear.offsets == [0.5, -0.5, 0])
    #expect(model.transform == .logit && model.encoding == .oneVersusRest)
    #expect(model.labels == .strings(["a", "b", "c"]))
    let function = try Sample.read(Self.classifier).description.defaultFunction
    #expect(function.classification == Classification(labels: model.labels, label: "label", probabilities: "p"))
  }

  @Test func `A regressor has weights, offset and transform`() throws {
    guard case .glmRegressor(let model) = try Sample.classic(Self.regressor) else { throw Sample.OtherKind() }
    #expect(model.linear.weights == [0.25, -1] && model.linear.offsets == [7] && model.transform == .probit)
    #expect(try Sample.read(Self.regressor).description.defaultFunction.classification == nil)
  }

  @Test func `Counts that disagree and unknown codes are refused`() {
    let model = Self.classifier
    Sample.expect("glmClassifier.offset: there are 2 offsets for 3 rows", model) { $0.glmClassifier.offset = [1, 2] }
    Sample.expect("glmClassifier.weights[1]: there are 1 values instead of 2", model) { $0.glmClassifier.weights[1].value = [1] }
    Sample.expect("glmClassifier.weights[0]: the row is empty", model) {
      for index in 0..<3 { $0.glmClassifier.weights[index].value = [] }
    }
    Sample.expect("glmClassifier.weights: there are none", model) { ($0.glmClassifier.weights, $0.glmClassifier.offset) = ([], []) }
    Sample.expect("glmClassifier.weights: there are 3 rows; 3 classes need 2", model) {
      $0.glmClassifier.classEncoding = .referenceClass
    }
    Sample.expect("glmClassifier.weights: there are 3 rows; 2 classes need 1", model) {
      $0.glmClassifier.stringClassLabels.vector = ["a", "b"]
    }
    Sample.expect("glmClassifier.ClassLabels: a classifier needs labels", model) { $0.glmClassifier.classLabels = nil }
    Sample.expect("postEvaluationTransform: probit is for two classes", model) { $0.glmClassifier.postEvaluationTransform = .probit }
    Sample.expect("postEvaluationTransform: 9 is not a known", model) { $0.glmClassifier.postEvaluationTransform = .UNRECOGNIZED(9) }
    Sample.expect("glmClassifier.classEncoding: 7 is not", model) { $0.glmClassifier.classEncoding = .UNRECOGNIZED(7) }
    Sample.expect("glmRegressor.postEvaluationTransform: 3 is not", Self.regressor) {
      $0.glmRegressor.postEvaluationTransform = .UNRECOGNIZED(3)
    }
    Sample.expect("glmRegressor.offset: there are 0 offsets for 1 rows", Self.regressor) { $0.glmRegressor.offset = [] }
  }

  @Test func `Features that the kind does not allow are refused`() {
    let model = Self.classifier
    Sample.expect("description.input (x): a model of the kind glmClassifier cannot have the type string here", model) {
      $0.description_p.input = [Feature.string("x").message]
    }
    Sample.expect("description.output (label): a model of the kind glmClassifier cannot have the type string here, only int64", model) {
      $0.glmClassifier.int64ClassLabels.vector = [1, 2, 3]
    }
    Sample.expect("description.predictedFeatureName", model) { $0.description_p.predictedFeatureName = "" }
    Sample.expect("there is no output 'q'", model) { $0.description_p.predictedProbabilitiesName = "q" }
    Sample.expect("description.input: a model of the kind glmClassifier has at least one input", model) { $0.description_p.input = [] }
    Sample.expect("description.input (x): an input of a model of the kind glmClassifier cannot be optional", model) {
      $0.description_p.input = [Feature.array("x", 2).optional.message]
    }
    Sample.expect("description.output (label): an output cannot be optional", model) { $0.description_p.output[0].type.isOptional = true }
    Sample.expect("isUpdatable: a model of the kind glmClassifier cannot be updated", model) { $0.isUpdatable = true }
    Sample.expect("description.predictedFeatureName", Self.regressor) { $0.description_p.predictedFeatureName = "" }
  }
}
