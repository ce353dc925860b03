// Written by generate.py from model.proto; not to be edited.
// swift-format-ignore-file

struct SpecPipeline: ProtobufMessage {
  static var number: Int { 116 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var models: [SpecModel] { fields.messages(1).map { SpecModel($0) } }
  var names: [String] { fields.strings(2) }
}
struct SpecPipelineClassifier: ProtobufMessage {
  static var number: Int { 117 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var pipeline: SpecPipeline { SpecPipeline(fields.message(1)) }
  var hasPipeline: Bool { fields.contains(1) }
}
struct SpecPipelineRegressor: ProtobufMessage {
  static var number: Int { 118 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var pipeline: SpecPipeline { SpecPipeline(fields.message(1)) }
  var hasPipeline: Bool { fields.contains(1) }
}
struct SpecFeatureDescription: ProtobufMessage {
  static var number: Int { 119 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var name: String { fields.string(1) }
  var shortDescription: String { fields.string(2) }
  var type: SpecFeatureType { SpecFeatureType(fields.message(3)) }
  var hasType: Bool { fields.contains(3) }
}
struct SpecMetadata: ProtobufMessage {
  static var number: Int { 120 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var shortDescription: String { fields.string(1) }
  var versionString: String { fields.string(2) }
  var author: String { fields.string(3) }
  var license: String { fields.string(4) }
  var userDefined: [String: String] {
    Dictionary(fields.messages(100).map { ($0.string(1), $0.string(2)) }) { $1 }
  }
}
struct SpecFunctionDescription: ProtobufMessage {
  static var number: Int { 121 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var name: String { fields.string(1) }
  var input: [SpecFeatureDescription] { fields.messages(2).map { SpecFeatureDescription($0) } }
  var output: [SpecFeatureDescription] { fields.messages(3).map { SpecFeatureDescription($0) } }
  var state: [SpecFeatureDescription] { fields.messages(6).map { SpecFeatureDescription($0) } }
  var predictedFeatureName: String { fields.string(4) }
  var predictedProbabilitiesName: String { fields.string(5) }
}
struct SpecModelDescription: ProtobufMessage {
  static var number: Int { 122 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var functions: [SpecFunctionDescription] { fields.messages(20).map { SpecFunctionDescription($0) } }
  var defaultFunctionName: String { fields.string(21) }
  var metadata: SpecMetadata { SpecMetadata(fields.message(100)) }
  var hasMetadata: Bool { fields.contains(100) }
  var input: [SpecFeatureDescription] { fields.messages(1).map { SpecFeatureDescription($0) } }
  var output: [SpecFeatureDescription] { fields.messages(10).map { SpecFeatureDescription($0) } }
  var state: [SpecFeatureDescription] { fields.messages(13).map { SpecFeatureDescription($0) } }
  var predictedFeatureName: String { fields.string(11) }
  var predictedProbabilitiesName: String { fields.string(12) }
  var trainingInput: [SpecFeatureDescription] { fields.messages(50).map { SpecFeatureDescription($0) } }
}
struct SpecSerializedModel: ProtobufMessage {
  static var number: Int { 123 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var identifier: String { fields.string(1) }
  var model: [UInt8] { fields.data(2) }
}
struct SpecModel: ProtobufMessage {
  static var number: Int { 124 }
  let fields: MessageFields
  init(_ fields: MessageFields) { self.fields = fields }
  var specificationVersion: Int32 { fields.int32(1) }
  var description_p: SpecModelDescription { SpecModelDescription(fields.message(2)) }
  var hasDescription_p: Bool { fields.contains(2) }
  var isUpdatable: Bool { fields.bool(10) }
  enum OneOf_Type: Sendable {
    case pipelineClassifier(SpecPipelineClassifier)
    case pipelineRegressor(SpecPipelineRegressor)
    case pipeline(SpecPipeline)
    case glmRegressor(SpecGLMRegressor)
    case supportVectorRegressor(SpecSupportVectorRegressor)
    case treeEnsembleRegressor(SpecTreeEnsembleRegressor)
    case neuralNetworkRegressor(SpecNeuralNetworkRegressor)
    case bayesianProbitRegressor(SpecBayesianProbitRegressor)
    case glmClassifier(SpecGLMClassifier)
    case supportVectorClassifier(SpecSupportVectorClassifier)
    case treeEnsembleClassifier(SpecTreeEnsembleClassifier)
    case neuralNetworkClassifier(SpecNeuralNetworkClassifier)
    case kNearestNeighborsClassifier(SpecKNearestNeighborsClassifier)
    case neuralNetwork(SpecNeuralNetwork)
    case itemSimilarityRecommender(SpecItemSimilarityRecommender)
    case mlProgram(MILSpecProgram)
    case customModel(SpecCustomModel)
    case linkedModel(SpecLinkedModel)
    case classConfidenceThresholding(SpecClassConfidenceThresholding)
    case oneHotEncoder(SpecOneHotEncoder)
    case imputer(SpecImputer)
    case featureVectorizer(SpecFeatureVectorizer)
    case dictVectorizer(SpecDictVectorizer)
    case scaler(SpecScaler)
    case categoricalMapping(SpecCategoricalMapping)
    case normalizer(SpecNormalizer)
    case arrayFeatureExtractor(SpecArrayFeatureExtractor)
    case nonMaximumSuppression(SpecNonMaximumSuppression)
    case identity(SpecIdentity)
    case textClassifier(SpecTextClassifier)
    case wordTagger(SpecWordTagger)
    case visionFeaturePrint(SpecVisionFeaturePrint)
    case soundAnalysisPreprocessing(SpecSoundAnalysisPreprocessing)
    case gazetteer(SpecGazetteer)
    case wordEmbedding(SpecWordEmbedding)
    case audioFeaturePrint(SpecAudioFeaturePrint)
    case serializedModel(SpecSerializedModel)
  }
  var type: OneOf_Type? {
    let fields = self.fields.choice([1602, 1610, 1618, 2402, 2410, 2418, 2426, 2434, 3202, 3210, 3218, 3226, 3234, 4002, 4010, 4018, 4442, 4450, 4482, 4802, 4810, 4818, 4826, 4834, 4850, 4858, 4874, 4882, 7202, 16002, 16010, 16018, 16026, 16034, 16042, 16050, 24002])
    switch fields.chosen {
    case 200: return .pipelineClassifier(SpecPipelineClassifier(fields.message(200)))
    case 201: return .pipelineRegressor(SpecPipelineRegressor(fields.message(201)))
    case 202: return .pipeline(SpecPipeline(fields.message(202)))
    case 300: return .glmRegressor(SpecGLMRegressor(fields.message(300)))
    case 301: return .supportVectorRegressor(SpecSupportVectorRegressor(fields.message(301)))
    case 302: return .treeEnsembleRegressor(SpecTreeEnsembleRegressor(fields.message(302)))
    case 303: return .neuralNetworkRegressor(SpecNeuralNetworkRegressor(fields.message(303)))
    case 304: return .bayesianProbitRegressor(SpecBayesianProbitRegressor(fields.message(304)))
    case 400: return .glmClassifier(SpecGLMClassifier(fields.message(400)))
    case 401: return .supportVectorClassifier(SpecSupportVectorClassifier(fields.message(401)))
    case 402: return .treeEnsembleClassifier(SpecTreeEnsembleClassifier(fields.message(402)))
    case 403: return .neuralNetworkClassifier(SpecNeuralNetworkClassifier(fields.message(403)))
    case 404: return .kNearestNeighborsClassifier(SpecKNearestNeighborsClassifier(fields.message(404)))
    case 500: return .neuralNetwork(SpecNeuralNetwork(fields.message(500)))
    case 501: return .itemSimilarityRecommender(SpecItemSimilarityRecommender(fields.message(501)))
    case 502: return .mlProgram(MILSpecProgram(fields.message(502)))
    case 555: return .customModel(SpecCustomModel(fields.message(555)))
    case 556: return .linkedModel(SpecLinkedModel(fields.message(556)))
    case 560: return .classConfidenceThresholding(SpecClassConfidenceThresholding(fields.message(560)))
    case 600: return .oneHotEncoder(SpecOneHotEncoder(fields.message(600)))
    case 601: return .imputer(SpecImputer(fields.message(601)))
    case 602: return .featureVectorizer(SpecFeatureVectorizer(fields.message(602)))
    case 603: return .dictVectorizer(SpecDictVectorizer(fields.message(603)))
    case 604: return .scaler(SpecScaler(fields.message(604)))
    case 606: return .categoricalMapping(SpecCategoricalMapping(fields.message(606)))
    case 607: return .normalizer(SpecNormalizer(fields.message(607)))
    case 609: return .arrayFeatureExtractor(SpecArrayFeatureExtractor(fields.message(609)))
    case 610: return .nonMaximumSuppression(SpecNonMaximumSuppression(fields.message(610)))
    case 900: return .identity(SpecIdentity(fields.message(900)))
    case 2000: return .textClassifier(SpecTextClassifier(fields.message(2000)))
    case 2001: return .wordTagger(SpecWordTagger(fields.message(2001)))
    case 2002: return .visionFeaturePrint(SpecVisionFeaturePrint(fields.message(2002)))
    case 2003: return .soundAnalysisPreprocessing(SpecSoundAnalysisPreprocessing(fields.message(2003)))
    case 2004: return .gazetteer(SpecGazetteer(fields.message(2004)))
    case 2005: return .wordEmbedding(SpecWordEmbedding(fields.message(2005)))
    case 2006: return .audioFeaturePrint(SpecAudioFeaturePrint(fields.message(2006)))
    case 3000: return .serializedModel(SpecSerializedModel(fields.message(3000)))
    default: return nil
    }
  }
  var pipelineClassifier: SpecPipelineClassifier {
    if case .pipelineClassifier(let value)? = type { value } else { SpecPipelineClassifier(.empty) }
  }
  var pipelineRegressor: SpecPipelineRegressor {
    if case .pipelineRegressor(let value)? = type { value } else { SpecPipelineRegressor(.empty) }
  }
  var pipeline: SpecPipeline {
    if case .pipeline(let value)? = type { value } else { SpecPipeline(.empty) }
  }
  var glmRegressor: SpecGLMRegressor {
    if case .glmRegressor(let value)? = type { value } else { SpecGLMRegressor(.empty) }
  }
  var supportVectorRegressor: SpecSupportVectorRegressor {
    if case .supportVectorRegressor(let value)? = type { value } else { SpecSupportVectorRegressor(.empty) }
  }
  var treeEnsembleRegressor: SpecTreeEnsembleRegressor {
    if case .treeEnsembleRegressor(let value)? = type { value } else { SpecTreeEnsembleRegressor(.empty) }
  }
  var neuralNetworkRegressor: SpecNeuralNetworkRegressor {
    if case .neuralNetworkRegressor(let value)? = type { value } else { SpecNeuralNetworkRegressor(.empty) }
  }
  var bayesianProbitRegressor: SpecBayesianProbitRegressor {
    if case .bayesianProbitRegressor(let value)? = type { value } else { SpecBayesianProbitRegressor(.empty) }
  }
  var glmClassifier: SpecGLMClassifier {
    if case .glmClassifier(let value)? = type { value } else { SpecGLMClassifier(.empty) }
  }
  var supportVectorClassifier: SpecSupportVectorClassifier {
    if case .supportVectorClassifier(let value)? = type { value } else { SpecSupportVectorClassifier(.empty) }
  }
  var treeEnsembleClassifier: SpecTreeEnsembleClassifier {
    if case .treeEnsembleClassifier(let value)? = type { value } else { SpecTreeEnsembleClassifier(.empty) }
  }
  var neuralNetworkClassifier: SpecNeuralNetworkClassifier {
    if case .neuralNetworkClassifier(let value)? = type { value } else { SpecNeuralNetworkClassifier(.empty) }
  }
  var kNearestNeighborsClassifier: SpecKNearestNeighborsClassifier {
    if case .kNearestNeighborsClassifier(let value)? = type { value } else { SpecKNearestNeighborsClassifier(.empty) }
  }
  var neuralNetwork: SpecNeuralNetwork {
    if case .neuralNetwork(let value)? = type { value } else { SpecNeuralNetwork(.empty) }
  }
  var itemSimilarityRecommender: SpecItemSimilarityRecommender {
    if case .itemSimilarityRecommender(let value)? = type { value } else { SpecItemSimilarityRecommender(.empty) }
  }
  var mlProgram: MILSpecProgram {
    if case .mlProgram(let value)? = type { value } else { MILSpecProgram(.empty) }
  }
  var customModel: SpecCustomModel {
    if case .customModel(let value)? = type { value } else { SpecCustomModel(.empty) }
  }
  var linkedModel: SpecLinkedModel {
    if case .linkedModel(let value)? = type { value } else { SpecLinkedModel(.empty) }
  }
  var classConfidenceThresholding: SpecClassConfidenceThresholding {
    if case .classConfidenceThresholding(let value)? = type { value } else { SpecClassConfidenceThresholding(.empty) }
  }
  var oneHotEncoder: SpecOneHotEncoder {
    if case .oneHotEncoder(let value)? = type { value } else { SpecOneHotEncoder(.empty) }
  }
  var imputer: SpecImputer {
    if case .imputer(let value)? = type { value } else { SpecImputer(.empty) }
  }
  var featureVectorizer: SpecFeatureVectorizer {
    if case .featureVectorizer(let value)? = type { value } else { SpecFeatureVectorizer(.empty) }
  }
  var dictVectorizer: SpecDictVectorizer {
    if case .dictVectorizer(let value)? = type { value } else { SpecDictVectorizer(.empty) }
  }
  var scaler: SpecScaler {
    if case .scaler(let value)? = type { value } else { SpecScaler(.empty) }
  }
  var categoricalMapping: SpecCategoricalMapping {
    if case .categoricalMapping(let value)? = type { value } else { SpecCategoricalMapping(.empty) }
  }
  var normalizer: SpecNormalizer {
    if case .normalizer(let value)? = type { value } else { SpecNormalizer(.empty) }
  }
  var arrayFeatureExtractor: SpecArrayFeatureExtractor {
    if case .arrayFeatureExtractor(let value)? = type { value } else { SpecArrayFeatureExtractor(.empty) }
  }
  var nonMaximumSuppression: SpecNonMaximumSuppression {
    if case .nonMaximumSuppression(let value)? = type { value } else { SpecNonMaximumSuppression(.empty) }
  }
  var identity: SpecIdentity {
    if case .identity(let value)? = type { value } else { SpecIdentity(.empty) }
  }
  var textClassifier: SpecTextClassifier {
    if case .textClassifier(let value)? = type { value } else { SpecTextClassifier(.empty) }
  }
  var wordTagger: SpecWordTagger {
    if case .wordTagger(let value)? = type { value } else { SpecWordTagger(.empty) }
  }
  var visionFeaturePrint: SpecVisionFeaturePrint {
    if case .visionFeaturePrint(let value)? = type { value } else { SpecVisionFeaturePrint(.empty) }
  }
  var soundAnalysisPreprocessing: SpecSoundAnalysisPreprocessing {
    if case .soundAnalysisPreprocessing(let value)? = type { value } else { SpecSoundAnalysisPreprocessing(.empty) }
  }
  var gazetteer: SpecGazetteer {
    if case .gazetteer(let value)? = type { value } else { SpecGazetteer(.empty) }
  }
  var wordEmbedding: SpecWordEmbedding {
    if case .wordEmbedding(let value)? = type { value } else { SpecWordEmbedding(.empty) }
  }
  var audioFeaturePrint: SpecAudioFeaturePrint {
    if case .audioFeaturePrint(let value)? = type { value } else { SpecAudioFeaturePrint(.empty) }
  }
  var serializedModel: SpecSerializedModel {
    if case .serializedModel(let value)? = type { value } else { SpecSerializedModel(.empty) }
  }
}
