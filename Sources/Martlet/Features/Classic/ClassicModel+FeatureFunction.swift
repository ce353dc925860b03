import MartletCoreMLFile
import MartletFeatures
import MartletTensor

extension ClassicModel {
  /// The step of a model that is not a graph. That of a kind that the engine does not run fails when it is prepared.
  /// - Parameter memory: the budget that results are charged to whose size the file determines.
  func featureFunction(_ model: CoreMLModel, memory: MemoryBudget) -> any FeatureFunction {
    let function = model.description.defaultFunction
    func name(_ features: [FeatureDescription]) -> String { features.first?.name ?? "" }
    let (input, output) = (name(function.inputs), name(function.outputs))
    switch self {
    case .oneHotEncoder(let encoder): return OneHotFunction(encoder, input: input, output: output, memory: memory)
    case .dictVectorizer(let vectorizer):
      return DictVectorizerFunction(vectorizer, input: input, output: function.outputs.first, memory: memory)
    case .categoricalMapping(let mapping): return CategoricalMappingFunction(mapping, input: input, output: output)
    case .featureVectorizer(let vectorizer): return FeatureVectorizerFunction(vectorizer, output: output, memory: memory)
    case .imputer(let imputer): return ImputerFunction(imputer, input: input, output: output)
    case .itemSimilarityRecommender(let recommender): return ItemSimilarityFunction(recommender)
    case .nonMaximumSuppression(let model): return BoxSuppressionFunction(model, function, memory: memory)
    case .bayesianProbitRegressor(let model): return BayesianProbitFunction(model, function)
    case .identity, .classConfidenceThresholding: return IdentityFunction(function)
    case .opaque(let opaque): return RefusedFunction(.refusal(of: model.kind, because: opaque.refusal))
    default: return RefusedFunction(.refusal(of: model.kind))
    }
  }
}

/// A model that cannot run.
struct RefusedFunction: FeatureFunction {
  private let error: MartletError
  private let canLoad: Bool

  /// - Parameter canLoad: true for a model that is loaded to be compiled.
  init(_ error: MartletError, canLoad: Bool = false) { (self.error, self.canLoad) = (error, canLoad) }

  func prepare() throws { if !canLoad { throw error } }
  func apply(to features: inout [String: ModelValue]) throws { throw error }
}

extension MartletError {
  /// The error of a model that the engine does not run.
  /// - Parameter reason: why this model does not run, if that is not because of its kind.
  static func refusal(of kind: CoreMLModelKind, because reason: String? = nil) -> MartletError {
    if let reason { return .unsupported(reason) }
    return switch kind {
    case .textClassifier, .wordTagger, .gazetteer, .wordEmbedding, .visionFeaturePrint, .audioFeaturePrint, .serializedModel:
      .unsupported("models of the kind \(kind) run on Apple's systems only: their parameters are not public")
    default: .unsupported("models of the kind \(kind) are not supported")
    }
  }
}

/// Passes features under the names of the outputs: each is the input of the same name, or else of the same position.
struct IdentityFunction: FeatureFunction {
  private let pairs: [(input: String, output: String)]

  init(_ function: FunctionDescription) {
    let inputs = function.inputs
    pairs = function.outputs.enumerated().compactMap { position, output in
      let input = inputs.first { $0.name == output.name } ?? (inputs.indices.contains(position) ? inputs[position] : nil)
      return input.map { ($0.name, output.name) }
    }
  }

  func apply(to features: inout [String: ModelValue]) throws {
    let values = pairs.map { features[$0.input] ?? .none }
    for (pair, value) in zip(pairs, values) { features[pair.output] = value }
  }
}
