import MartletCoreMLFile
import MartletFeatures
import MartletTensor

/// Recommends items by their similarity to given ones.
struct ItemSimilarityFunction: FeatureFunction {
  private let model: ItemSimilarityRecommender
  private let positions: CategoryColumns?

  init(_ model: ItemSimilarityRecommender) {
    self.model = model
    positions = model.items.map { CategoryColumns($0) }
  }

  /// The score of an item k is the sum over the given items i of similarity(k, i) · (score(i) - shift(k)). Given items are not recommended unless
  /// the call excludes others. Of equal scores the item with the lower position comes first.
  func apply(to features: inout [String: ModelValue]) throws {
    let given = try ratings(features[model.names.items], model.names.items)
    var sums: [Int: (weighted: Double, plain: Double)] = [:]
    for (item, rating) in given {
      model.table.forEach(similarTo: item) { other, similarity in
        let sum = sums[other] ?? (0, 0)
        sums[other] = (sum.weighted + similarity * rating, sum.plain + similarity)
      }
    }
    func score(_ item: Int) -> Double {
      guard let sum = sums[item] else { return 0 }
      return sum.weighted - model.table.shift(of: item) * sum.plain
    }
    let excluded = Set(try items(features, model.names.exclusion) ?? given.map(\.item))
    let allowed = try items(features, model.names.restriction)
    let candidates = allowed.map { Array(Set($0)).sorted() } ?? Array(0..<model.itemCount)
    var ranked = candidates.filter { !excluded.contains($0) }.map { (item: $0, score: score($0)) }
    ranked.sort { ($1.score, $0.item) < ($0.score, $1.item) }
    if let count = try recommendationCount(features) { ranked = Array(ranked.prefix(count)) }
    if let name = model.names.recommendedItems { features[name] = .sequence(names(of: ranked.map(\.item))) }
    if let name = model.names.recommendedScores { features[name] = .dictionary(dictionary(of: ranked)) }
  }

  private func recommendationCount(_ features: [String: ModelValue]) throws -> Int? {
    guard let name = model.names.recommendationCount else { return nil }
    switch features[name] ?? .none {
    case .int(let count): return count < 0 ? nil : count
    case .none: return nil
    case let value: throw MartletError.mismatch(name, "an integer", value)
    }
  }

  /// Items with the numbers that belong to them; 1 where there are none.
  private func ratings(_ value: ModelValue?, _ name: String) throws -> [(item: Int, rating: Double)] {
    switch value {
    case .dictionary(let dictionary)?:
      guard let positions else {
        guard case .byInteger(let numbers) = dictionary else { throw MartletError.mismatch(name, "a dictionary of integers", value) }
        return numbers.filter { isItem($0.key) }.map { ($0.key, $0.value) }.sorted { $0.0 < $1.0 }
      }
      return positions.entries(of: dictionary).map { ($0.column, $0.number) }.sorted { $0.0 < $1.0 }
    default: return try items(value, name).map { ($0, 1) }
    }
  }

  private func isItem(_ number: Int) -> Bool { (0..<model.itemCount).contains(number) }

  private func items(_ features: [String: ModelValue], _ name: String?) throws -> [Int]? {
    guard let name, let value = features[name] else { return nil }
    if case .none = value { return nil }
    return try items(value, name)
  }

  /// The items in a sequence or an array. Names that are no items are ignored.
  private func items(_ value: ModelValue?, _ name: String) throws -> [Int] {
    func position(_ value: ModelValue) -> Int? { positions?.column(of: value) }
    switch value {
    case .sequence(.strings(let names))?: return names.compactMap { position(.string($0)) }
    case .sequence(.integers(let numbers))?:
      return positions == nil ? numbers.filter(isItem) : numbers.compactMap { position(.int($0)) }
    case .tensor(let tensor)?:
      let numbers = tensor.host.numbers.compactMap { Int(exactly: $0) }
      return positions == nil ? numbers.filter(isItem) : numbers.compactMap { position(.int($0)) }
    case let value: throw MartletError.mismatch(name, "a dictionary, a sequence or an array of items", value)
    }
  }

  private func names(of items: [Int]) -> ModelSequence {
    switch model.items {
    case .strings(let names)?: .strings(items.map { names[$0] })
    case .integers(let names)?: .integers(items.map { Int(widening: names[$0]) })
    case nil: .integers(items)
    }
  }

  private func dictionary(of ranked: [(item: Int, score: Double)]) -> ModelDictionary {
    switch names(of: ranked.map(\.item)) {
    case .strings(let names): .byString(Dictionary(zip(names, ranked.map(\.score)), uniquingKeysWith: { first, _ in first }))
    case .integers(let names): .byInteger(Dictionary(zip(names, ranked.map(\.score)), uniquingKeysWith: { first, _ in first }))
    }
  }
}
