import MartletCoreMLSpecification

/// The kinds of models in model files.
package enum CoreMLModelKind: String, Sendable, Hashable, CaseIterable {
  case mlProgram
  case neuralNetwork, neuralNetworkClassifier, neuralNetworkRegressor
  case pipeline, pipelineClassifier, pipelineRegressor
  case glmClassifier, glmRegressor
  case supportVectorClassifier, supportVectorRegressor
  case treeEnsembleClassifier, treeEnsembleRegressor
  case kNearestNeighborsClassifier
  case bayesianProbitRegressor
  case itemSimilarityRecommender
  case oneHotEncoder, imputer, featureVectorizer, dictVectorizer, scaler, categoricalMapping, normalizer, arrayFeatureExtractor
  case nonMaximumSuppression
  case classConfidenceThresholding
  case identity
  case customModel, linkedModel, serializedModel
  case textClassifier, wordTagger, gazetteer, wordEmbedding
  case visionFeaturePrint, audioFeaturePrint, soundAnalysisPreprocessing

  init(_ type: SpecModel.OneOf_Type) {
    self =
      switch type {
      case .mlProgram: .mlProgram
      case .neuralNetwork: .neuralNetwork
      case .neuralNetworkClassifier: .neuralNetworkClassifier
      case .neuralNetworkRegressor: .neuralNetworkRegressor
      case .pipeline: .pipeline
      case .pipelineClassifier: .pipelineClassifier
      case .pipelineRegressor: .pipelineRegressor
      case .glmClassifier: .glmClassifier
      case .glmRegressor: .glmRegressor
      case .supportVectorClassifier: .supportVectorClassifier
      case .supportVectorRegressor: .supportVectorRegressor
      case .treeEnsembleClassifier: .treeEnsembleClassifier
      case .treeEnsembleRegressor: .treeEnsembleRegressor
      case .kNearestNeighborsClassifier: .kNearestNeighborsClassifier
      case .bayesianProbitRegressor: .bayesianProbitRegressor
      case .itemSimilarityRecommender: .itemSimilarityRecommender
      case .oneHotEncoder: .oneHotEncoder
      case .imputer: .imputer
      case .featureVectorizer: .featureVectorizer
      case .dictVectorizer: .dictVectorizer
      case .scaler: .scaler
      case .categoricalMapping: .categoricalMapping
      case .normalizer: .normalizer
      case .arrayFeatureExtractor: .arrayFeatureExtractor
      case .nonMaximumSuppression: .nonMaximumSuppression
      case .classConfidenceThresholding: .classConfidenceThresholding
      case .identity: .identity
      case .customModel: .customModel
      case .linkedModel: .linkedModel
      case .serializedModel: .serializedModel
      case .textClassifier: .textClassifier
      case .wordTagger: .wordTagger
      case .gazetteer: .gazetteer
      case .wordEmbedding: .wordEmbedding
      case .visionFeaturePrint: .visionFeaturePrint
      case .audioFeaturePrint: .audioFeaturePrint
      case .soundAnalysisPreprocessing: .soundAnalysisPreprocessing
      }
  }
}
