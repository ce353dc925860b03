import MartletBytes
import MartletFeatures
import MartletTensor

/// Weights with a normal distribution for each value of each feature.
package struct BayesianProbitRegressor: Sendable, Equatable {
  package struct Gaussian: Sendable, Equatable {
    package let mean: Double
    /// The reciprocal of the variance; positive.
    package let precision: Double
  }

  /// The features that the model reads and writes; nil for those that it does not have.
  package struct FeatureNames: Sendable, Equatable {
    package let regressionInput: String
    package let optimismInput: String?
    package let samplingScaleInput: String?
    package let samplingTruncationInput: String?
    package let meanOutput: String?
    package let varianceOutput: String?
    package let pessimisticProbabilityOutput: String?
    package let sampledProbabilityOutput: String?
  }

  package let featureCount: Int
  package let bias: Gaussian?
  /// Features with weights, ascending.
  package let featureIDs: [Int]
  /// The feature `featureIDs[f]` has the weights from `starts[f]` to `starts[f + 1]`.
  package let starts: [Int]
  /// Values of features, ascending for each feature.
  package let values: [UInt32]
  /// One for each value.
  package let weights: [Gaussian]
  package let names: FeatureNames
}

extension ClassicReader {
  func bayesianProbitRegressor(_ source: SpecBayesianProbitRegressor) throws(FileError) -> BayesianProbitRegressor {
    let names = try names(source)
    let bias = source.hasBias ? try gaussian(source.bias, "bias") : nil
    let (features, featureCount) = (source.features, source.numberOfFeatures)
    let numbers = features.map(\.featureID)
    let order = numbers.indices.sorted { numbers[$0] < numbers[$1] }
    var featureIDs: [Int] = []
    var starts = [0]
    var values: [UInt32] = []
    var weights: [BayesianProbitRegressor.Gaussian] = []
    for index in order {
      let featureID = Int(widening: numbers[index])
      guard numbers[index] < featureCount else {
        throw error("features[\(index)].featureId", "\(featureID) is not below the number of features, \(featureCount)")
      }
      guard featureID != featureIDs.last else { throw error("features[\(index)].featureId", "\(featureID) occurs twice") }
      featureIDs.append(featureID)
      let stored = features[index].weights
      let storedValues = stored.map(\.featureValue)
      for position in stored.indices.sorted(by: { storedValues[$0] < storedValues[$1] }) {
        let value = storedValues[position]
        let field = "features[\(index)].weights[\(position)]"
        guard values.count == starts[starts.count - 1] || values.last != value else {
          throw error(field + ".featureValue", "\(value) occurs twice")
        }
        values.append(value)
        weights.append(try gaussian(stored[position].featureWeight, field + ".featureWeight"))
      }
      starts.append(values.count)
    }
    return BayesianProbitRegressor(
      featureCount: Int(widening: featureCount), bias: bias, featureIDs: featureIDs, starts: starts, values: values,
      weights: weights, names: names)
  }

  private func gaussian(
    _ source: SpecBayesianProbitRegressor.Gaussian, _ field: String
  ) throws(FileError) -> BayesianProbitRegressor.Gaussian {
    guard source.precision > 0 else { throw error(field + ".precision", "\(source.precision) is not positive") }
    return BayesianProbitRegressor.Gaussian(mean: source.mean, precision: source.precision)
  }

  private func names(_ source: SpecBayesianProbitRegressor) throws(FileError) -> BayesianProbitRegressor.FeatureNames {
    let inputs = interface.function.inputs
    let name =
      source.regressionInputFeatureName.isEmpty && inputs.count == 1 ? inputs[0].name : source.regressionInputFeatureName
    let input = try interface.feature(.input, named: name, by: "regressionInputFeatureName", .multiArray)
    guard let array = input.array, array.dataType == .int32, (1...2).contains(array.shape.count) else {
      throw interface.error(.input, input, "the features are an array of int32 with one or two axes")
    }
    /// The named feature, if it is declared. Names of features that are not declared are of no effect.
    func scalar(_ side: ClassicInterface.Side, _ name: String, _ field: String) throws(FileError) -> String? {
      guard interface.features(side).contains(where: { $0.name == name }) else { return nil }
      return side == .input ? try interface.feature(side, named: name, by: field, .double).name : name
    }
    return BayesianProbitRegressor.FeatureNames(
      regressionInput: name,
      optimismInput: try scalar(.input, source.optimismInputFeatureName, "optimismInputFeatureName"),
      samplingScaleInput: try scalar(.input, source.samplingScaleInputFeatureName, "samplingScaleInputFeatureName"),
      samplingTruncationInput: try scalar(.input, source.samplingTruncationInputFeatureName, "samplingTruncationInputFeatureName"),
      meanOutput: try scalar(.output, source.meanOutputFeatureName, "meanOutputFeatureName"),
      varianceOutput: try scalar(.output, source.varianceOutputFeatureName, "varianceOutputFeatureName"),
      pessimisticProbabilityOutput: try scalar(
        .output, source.pessimisticProbabilityOutputFeatureName, "pessimisticProbabilityOutputFeatureName"),
      sampledProbabilityOutput: try scalar(
        .output, source.sampledProbabilityOutputFeatureName, "sampledProbabilityOutputFeatureName"))
  }
}
