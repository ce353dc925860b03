import MartletFeatures

/// A model without a network or a program: its parameters, completely checked.
///
/// Positions, counts and codes are in range, so that importers need not check them again. Column counts are those of the parameters; they
/// are not compared with the shapes of the declared inputs.
package indirect enum ClassicModel: Sendable, Equatable {
  case glmClassifier(GLMClassifier)
  case glmRegressor(GLMRegressor)
  case supportVectorClassifier(SupportVectorClassifier)
  case supportVectorRegressor(SupportVectorRegressor)
  case treeEnsembleClassifier(TreeEnsembleClassifier)
  case treeEnsembleRegressor(TreeEnsembleRegressor)
  case kNearestNeighborsClassifier(NearestNeighborsClassifier)
  case bayesianProbitRegressor(BayesianProbitRegressor)
  case itemSimilarityRecommender(ItemSimilarityRecommender)
  case oneHotEncoder(OneHotEncoder)
  case imputer(Imputer)
  case featureVectorizer(FeatureVectorizer)
  case dictVectorizer(DictVectorizer)
  case scaler(Scaler)
  case categoricalMapping(CategoricalMapping)
  case normalizer(Normalizer)
  case arrayFeatureExtractor(ArrayFeatureExtractor)
  case identity
  case nonMaximumSuppression(NonMaximumSuppression)
  case classConfidenceThresholding(ClassConfidenceThresholding)
  case soundAnalysisPreprocessing(SoundAnalysisPreprocessing)
  case customModel(CustomModel)
  case linkedModel(LinkedModel)
  /// A model whose parameters are opaque or not in the file. It cannot run.
  case opaque(OpaqueModel)
}

extension ClassicModel {
  /// The labels of a classifier; nil for other kinds.
  var labels: ClassLabels? {
    switch self {
    case .glmClassifier(let model): model.labels
    case .supportVectorClassifier(let model): model.labels
    case .treeEnsembleClassifier(let model): model.labels
    case .kNearestNeighborsClassifier(let model): model.classes
    case .opaque(let model): model.labels
    default: nil
    }
  }
}

extension ModelDescription {
  /// The description with the labels of a classifier.
  func withLabels(_ labels: ClassLabels?) -> ModelDescription {
    guard let labels else { return self }
    var result = self
    for index in result.functions.indices {
      let function = result.functions[index]
      guard let label = function.predictedFeatureName ?? function.outputs.first?.name else { continue }
      result.functions[index].classification = Classification(
        labels: labels, label: label, probabilities: function.predictedProbabilitiesName)
    }
    return result
  }
}
