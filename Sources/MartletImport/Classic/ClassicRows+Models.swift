import MartletCoreMLFile
import MartletFeatures

extension ClassicRows {
  /// Adds the nodes of a model.
  func add(_ member: ClassicMember) throws {
    switch member.model {
    case .glmClassifier(let model): try add(model, member)
    case .glmRegressor(let model): try add(model, member)
    case .imputer(let model): try add(model, member)
    case .featureVectorizer(let model): try add(model, member)
    case .scaler(let model): try add(model, member)
    case .normalizer(let model): try add(model, member)
    case .arrayFeatureExtractor(let model): try add(model, member)
    case .identity: try addIdentity(member)
    case .soundAnalysisPreprocessing(.vggish): try addVGGish(member)
    case .supportVectorClassifier(let model): try add(model, member)
    case .supportVectorRegressor(let model): try add(model, member)
    case .treeEnsembleClassifier(let model): try add(model, member)
    case .treeEnsembleRegressor(let model): try add(model, member)
    case .kNearestNeighborsClassifier(let model): try add(model, member)
    default: throw CallError("models of this kind are not graphs")
    }
  }
}

extension ClassicModel {
  /// True if the model is nodes of a graph for a function with these features.
  func isNumeric(_ function: FunctionDescription) -> Bool {
    guard function.inputs.allSatisfy({ $0.type.isNumeric }) else { return false }
    switch self {
    case .glmClassifier, .glmRegressor, .scaler, .normalizer, .arrayFeatureExtractor, .soundAnalysisPreprocessing: return true
    case .featureVectorizer, .supportVectorClassifier, .supportVectorRegressor, .treeEnsembleClassifier, .treeEnsembleRegressor,
      .kNearestNeighborsClassifier:
      return true
    case .imputer(let imputer): return imputer.isNumeric
    case .identity: return function.outputs.allSatisfy { $0.type.isNumeric }
    default: return false
    }
  }
}

extension Imputer {
  fileprivate var isNumeric: Bool {
    switch imputed {
    case .double, .integer, .doubles, .integers: true
    case .string, .stringDictionary, .integerDictionary: false
    }
  }
}

extension FeatureType {
  /// True for numbers and arrays.
  fileprivate var isNumeric: Bool {
    switch self {
    case .int64, .double, .multiArray: true
    case .string, .image, .dictionary, .sequence, .state: false
    }
  }
}
