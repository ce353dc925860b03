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

extension CoreMLModelKind {
  /// The kind with this number, which is that of the field of a model file and of the kinds in compiled models.
  init?(number: UInt32) {
    guard let kind = Self.numbers[number] else { return nil }
    self = kind
  }

  private static let numbers: [UInt32: CoreMLModelKind] = [
    200: .pipelineClassifier, 201: .pipelineRegressor, 202: .pipeline, 300: .glmRegressor, 301: .supportVectorRegressor,
    302: .treeEnsembleRegressor, 303: .neuralNetworkRegressor, 304: .bayesianProbitRegressor, 400: .glmClassifier,
    401: .supportVectorClassifier, 402: .treeEnsembleClassifier, 403: .neuralNetworkClassifier, 404: .kNearestNeighborsClassifier,
    500: .neuralNetwork, 501: .itemSimilarityRecommender, 502: .mlProgram, 555: .customModel, 556: .linkedModel,
    560: .classConfidenceThresholding, 600: .oneHotEncoder, 601: .imputer, 602: .featureVectorizer, 603: .dictVectorizer, 604: .scaler,
    606: .categoricalMapping, 607: .normalizer, 609: .arrayFeatureExtractor, 610: .nonMaximumSuppression, 900: .identity,
    2000: .textClassifier, 2001: .wordTagger, 2002: .visionFeaturePrint, 2003: .soundAnalysisPreprocessing, 2004: .gazetteer,
    2005: .wordEmbedding, 2006: .audioFeaturePrint, 3000: .serializedModel,
  ]
}
