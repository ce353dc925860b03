import MartletBytes
import MartletFeatures

/// Converts the parameters of models without a network or a program, and checks all of them.
struct ClassicReader {
  let path: String
  let kind: CoreMLModelKind
  let interface: ClassicInterface
  /// The nodes of trees.
  let outline: SpecificationOutline
  /// The large parts of the parameters, if the message is that of a compiled form without them.
  let tables: StoredTables?

  /// For trees without a model around them.
  init(path: String, outline: SpecificationOutline) {
    self.path = path
    self.outline = outline
    tables = nil
    kind = .treeEnsembleRegressor
    interface = ClassicInterface(
      path: path, kind: kind,
      function: FunctionDescription(
        name: "", inputs: [], outputs: [], states: [], predictedFeatureName: nil, predictedProbabilitiesName: nil))
  }

  /// - Parameter position: the positions of the model in nested pipelines, outermost first.
  init(path: String, kind: CoreMLModelKind, description: ModelDescription, outline: SpecificationOutline, position: [Int]) {
    self.outline = outline
    tables = outline.tables[position]
    self.path = path
    self.kind = kind
    interface = ClassicInterface(path: path, kind: kind, function: description.defaultFunction)
  }

  /// The error that names `field` of the parameters.
  func error(_ field: String, _ reason: String) -> FileError {
    FileError(file: path, field: field.isEmpty ? kind.rawValue : kind.rawValue + "." + field, reason: reason)
  }

  /// The model of the given type.
  /// - Throws: `FileError` for programs, networks and pipelines, if a parameter is missing or out of range, or if the kind does not allow the declared features.
  func model(_ type: SpecModel.OneOf_Type) throws(FileError) -> ClassicModel {
    switch type {
    case .mlProgram, .neuralNetwork, .neuralNetworkClassifier, .neuralNetworkRegressor, .pipeline, .pipelineClassifier,
      .pipelineRegressor:
      throw error("", "is not a classic model")
    case .glmClassifier(let source): return .glmClassifier(try glmClassifier(source))
    case .glmRegressor(let source): return .glmRegressor(try glmRegressor(source))
    case .supportVectorClassifier(let source): return .supportVectorClassifier(try supportVectorClassifier(source))
    case .supportVectorRegressor(let source): return .supportVectorRegressor(try supportVectorRegressor(source))
    case .treeEnsembleClassifier(let source): return .treeEnsembleClassifier(try treeEnsembleClassifier(source))
    case .treeEnsembleRegressor(let source): return .treeEnsembleRegressor(try treeEnsembleRegressor(source))
    case .kNearestNeighborsClassifier(let source): return .kNearestNeighborsClassifier(try nearestNeighborsClassifier(source))
    case .bayesianProbitRegressor(let source): return .bayesianProbitRegressor(try bayesianProbitRegressor(source))
    case .itemSimilarityRecommender(let source): return .itemSimilarityRecommender(try itemSimilarityRecommender(source))
    case .oneHotEncoder(let source): return .oneHotEncoder(try oneHotEncoder(source))
    case .imputer(let source): return .imputer(try imputer(source))
    case .featureVectorizer(let source): return .featureVectorizer(try featureVectorizer(source))
    case .dictVectorizer(let source): return .dictVectorizer(try dictVectorizer(source))
    case .scaler(let source): return .scaler(try scaler(source))
    case .categoricalMapping(let source): return .categoricalMapping(try categoricalMapping(source))
    case .normalizer(let source): return .normalizer(try normalizer(source))
    case .arrayFeatureExtractor(let source): return .arrayFeatureExtractor(try arrayFeatureExtractor(source))
    case .nonMaximumSuppression(let source): return .nonMaximumSuppression(try nonMaximumSuppression(source))
    case .classConfidenceThresholding(let source): return .classConfidenceThresholding(try classConfidenceThresholding(source))
    case .soundAnalysisPreprocessing(let source): return .soundAnalysisPreprocessing(try soundAnalysisPreprocessing(source))
    case .identity: return .identity
    case .customModel(let source): return .customModel(try customModel(source))
    case .linkedModel(let source): return .linkedModel(try linkedModel(source))
    case .textClassifier(let source): return .opaque(try textClassifier(source))
    case .wordTagger(let source): return .opaque(try wordTagger(source))
    case .gazetteer(let source): return .opaque(try gazetteer(source))
    case .wordEmbedding(let source): return .opaque(try wordEmbedding(source))
    case .visionFeaturePrint(let source): return .opaque(try visionFeaturePrint(source))
    case .audioFeaturePrint(let source): return .opaque(try audioFeaturePrint(source))
    case .serializedModel(let source): return .opaque(OpaqueModel(byteCount: source.model.count, identifier: source.identifier))
    }
  }

}

/// A message whose class labels are texts or integers.
protocol LabelledMessage {
  var stringClassLabels: SpecStringVector { get }
  var int64ClassLabels: SpecInt64Vector { get }
}

extension SpecGLMClassifier: LabelledMessage {}
extension SpecSupportVectorClassifier: LabelledMessage {}
extension SpecTreeEnsembleClassifier: LabelledMessage {}
extension SpecNonMaximumSuppression: LabelledMessage {}

extension LabelledMessage {
  /// The labels; nil if there are none.
  var labels: ClassLabels? {
    let (strings, integers) = (stringClassLabels.vector, int64ClassLabels.vector)
    return strings.isEmpty ? (integers.isEmpty ? nil : .integers(integers)) : .strings(strings)
  }
}

extension ClassicReader {
  /// The labels of a classifier that must have some.
  func requiredLabels(_ source: some LabelledMessage) throws(FileError) -> ClassLabels {
    guard let labels = source.labels else { throw error("ClassLabels", "a classifier needs labels") }
    return labels
  }
}
