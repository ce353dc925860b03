import MartletBytes
import MartletCoreMLSpecification

/// The large part of a classic model's parameters, which a compiled form stores beside the model's message: numbers as they are used, and
/// keys with their order.
enum StoredTables: Sendable {
  case vectors(SupportVectors, coefficients: NumberTable<Double>)
  case samples(NumberTable<Float>, count: Int)
  case categories(Categories)
  case toIntegers(MappingTable<String, Int64>)
  case toStrings(MappingTable<Int64, String>)
  case similarities(Similarities)

  /// Nil for a model without tables of so many entries.
  init?(_ model: ClassicModel, leastCount: Int) {
    let count: Int
    switch model {
    case .supportVectorRegressor(let machine):
      count = machine.vectors.elementCount
      self = .vectors(machine.vectors, coefficients: machine.coefficients)
    case .supportVectorClassifier(let machine):
      count = machine.vectors.elementCount
      self = .vectors(machine.vectors, coefficients: machine.coefficients)
    case .kNearestNeighborsClassifier(let neighbors):
      count = neighbors.samples.count
      self = .samples(neighbors.samples, count: neighbors.sampleCount)
    case .oneHotEncoder(let encoder):
      count = encoder.categories.count
      self = .categories(encoder.categories)
    case .dictVectorizer(let vectorizer):
      count = vectorizer.keys.count
      self = .categories(vectorizer.keys)
    case .categoricalMapping(.toIntegers(let table, _)):
      count = table.count
      self = .toIntegers(table)
    case .categoricalMapping(.toStrings(let table, _)):
      count = table.count
      self = .toStrings(table)
    case .itemSimilarityRecommender(let recommender):
      count = max(recommender.table.similarities.count, recommender.itemCount)
      self = .similarities(recommender.table)
    default: return nil
    }
    guard count >= leastCount else { return nil }
  }

  /// The tables of a model and of those in its pipelines that have so many entries, with their positions.
  static func all(of model: CoreMLModel, leastCount: Int, at position: [Int] = []) -> [(position: [Int], tables: StoredTables)] {
    switch model.content {
    case .classic(let classic): StoredTables(classic, leastCount: leastCount).map { [(position, $0)] } ?? []
    case .pipeline(let stages):
      stages.enumerated().flatMap { index, stage in all(of: stage.model, leastCount: leastCount, at: position + [index]) }
    case .program, .network: []
    }
  }
}

extension SupportVectors {
  /// Number of stored elements.
  fileprivate var elementCount: Int {
    switch storage {
    case .dense(let values): values.count
    case .sparse(let rows): rows.values.count
    }
  }
}

extension SpecModel {
  /// Removes what the tables of a compiled form hold.
  /// - Parameter position: that of the model in nested pipelines.
  mutating func removeTables(at position: ArraySlice<Int>) {
    if let index = position.first {
      // The type is that of the model which the position is from.
      switch type {
      case .pipeline: pipeline.models[index].removeTables(at: position.dropFirst())
      case .pipelineClassifier: pipelineClassifier.pipeline.models[index].removeTables(at: position.dropFirst())
      case .pipelineRegressor: pipelineRegressor.pipeline.models[index].removeTables(at: position.dropFirst())
      default: break
      }
      return
    }
    switch type {
    case .supportVectorRegressor:
      supportVectorRegressor.supportVectors = nil
      supportVectorRegressor.clearCoefficients()
    case .supportVectorClassifier:
      supportVectorClassifier.supportVectors = nil
      supportVectorClassifier.coefficients = []
    case .kNearestNeighborsClassifier: kNearestNeighborsClassifier.nearestNeighborsIndex.floatSamples = []
    case .oneHotEncoder(let encoder):
      switch encoder.categoryType {
      case .stringCategories: oneHotEncoder.stringCategories = SpecStringVector()
      case .int64Categories: oneHotEncoder.int64Categories = SpecInt64Vector()
      case nil: break
      }
    case .dictVectorizer(let vectorizer):
      switch vectorizer.map {
      case .stringToIndex: dictVectorizer.stringToIndex = SpecStringVector()
      case .int64ToIndex: dictVectorizer.int64ToIndex = SpecInt64Vector()
      case nil: break
      }
    case .categoricalMapping(let mapping):
      switch mapping.mappingType {
      case .stringToInt64Map: categoricalMapping.stringToInt64Map = SpecStringToInt64Map()
      case .int64ToStringMap: categoricalMapping.int64ToStringMap = SpecInt64ToStringMap()
      case nil: break
      }
    case .itemSimilarityRecommender:
      itemSimilarityRecommender.itemItemSimilarities = []
      itemSimilarityRecommender.clearItemStringIds()
      itemSimilarityRecommender.clearItemInt64Ids()
    default: break
    }
  }
}
