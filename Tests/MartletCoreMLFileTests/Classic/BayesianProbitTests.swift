import MartletCoreMLFile
import CoreMLMessages
import MartletFeatures
import Testing

@Suite struct BayesianProbitTests {
  private static func feature(_ id: UInt32, _ weights: [(UInt32, Double, Double)]) -> SpecBayesianProbitRegressor.FeatureWeight {
    var feature = SpecBayesianProbitRegressor.FeatureWeight()
    feature.featureID = id
    for (value, mean, precision) in weights {
      var weight = SpecBayesianProbitRegressor.FeatureValueWeight()
      (weight.featureValue, weight.featureWeight.mean, weight.featureWeight.precision) = (value, mean, precision)
      feature.weights.append(weight)
    }
    return feature
  }

  private static let model = Sample.model(
    [.array("x", 3, type: .int32), .double("optimism").optional], [.double("p"), .double("mean")], label: "p"
  ) {
    $0.bayesianProbitRegressor.numberOfFeatures = 3
    $0.bayesianProbitRegressor.bias.mean = 0.5
    $0.bayesianProbitRegressor.bias.precision = 2
    $0.bayesianProbitRegressor.features = [feature(2, [(7, 1, 2), (3, 4, 5)]), feature(0, [(7, 8, 9)])]
    $0.bayesianProbitRegressor.regressionInputFeatureName = "x"
    $0.bayesianProbitRegressor.optimismInputFeatureName = "optimism"
    $0.bayesianProbitRegressor.samplingScaleInputFeatureName = "scale"
    $0.bayesianProbitRegressor.meanOutputFeatureName = "mean"
  }

  @Test func `Weights lie in flat arrays, ascending by feature and value`() throws {
    guard case .bayesianProbitRegressor(let model) = try Sample.classic(Self.model) else { throw Sample.OtherKind() }
    #expect(model.featureCount == 3 && model.bias?.mean == 0.5 && model.bias?.precision == 2)
    #expect(model.featureIDs == [0, 2] && model.starts == [0, 1, 3] && model.values == [7, 3, 7])
    #expect(model.weights.map(\.mean) == [8, 4, 1] && model.weights.map(\.precision) == [9, 5, 2])
    #expect(model.names.regressionInput == "x" && model.names.optimismInput == "optimism" && model.names.meanOutput == "mean")
    #expect(model.names.samplingScaleInput == nil && model.names.varianceOutput == nil)
  }

  @Test func `Damaged parameters are refused`() {
    func expect(_ message: String, _ change: (inout SpecBayesianProbitRegressor) -> Void) {
      Sample.expect(message, Self.model) { change(&$0.bayesianProbitRegressor) }
    }
    let kind = "bayesianProbitRegressor."
    expect(kind + "features[0].featureId: 3 is not below the number of features, 3") { $0.features[0].featureID = 3 }
    expect(kind + "features[1].featureId: 2 occurs twice") { $0.features[1].featureID = 2 }
    expect(kind + "features[0].weights[1].featureValue: 7 occurs twice") { $0.features[0].weights[1].featureValue = 7 }
    expect(kind + "features[0].weights[1].featureWeight.precision: 0.0 is not positive") {
      $0.features[0].weights[1].featureWeight.precision = 0
    }
    expect(kind + "bias.precision: -1.0 is not positive") { $0.bias.precision = -1 }
    expect("there is no input 'y', which bayesianProbitRegressor.regressionInputFeatureName names") {
      $0.regressionInputFeatureName = "y"
    }
    Sample.expect("description.input (x): the features are an array of int32", Self.model) {
      $0.description_p.input[0] = Feature.array("x", 3).message
    }
  }
}
