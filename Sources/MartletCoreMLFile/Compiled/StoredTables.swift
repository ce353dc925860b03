import MartletBytes

/// The large part of a classic model's parameters, which a compiled form stores beside the model's message: numbers as they are used, and
/// keys with their order.
indirect enum StoredTables: Sendable {
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

extension StoredTables {
  /// Changes that take stored tables out of a model's message, by the numbers of the model's fields.
  static let removed: [Int: MessageEdit] = [
    // Support vectors and coefficients of a regressor and a classifier.
    301: .message([2: .remove, 3: .remove, 4: .remove]),
    401: .message([3: .remove, 4: .remove, 5: .remove]),
    // Samples of nearest neighbours.
    404: .message([1: .message([2: .remove])]),
    // Similarities of a recommender, and the items.
    501: .message([1: .remove, 2: .remove, 3: .remove]),
    // Categories and tables, whose type remains: of one-hot encoders, dictionary vectorizers and mappings.
    600: .message([1: .clear, 2: .clear]),
    603: .message([1: .clear, 2: .clear]),
    606: .message([1: .clear, 2: .clear]),
  ]
}
