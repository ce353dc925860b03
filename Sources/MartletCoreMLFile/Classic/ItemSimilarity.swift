import MartletBytes
import MartletFeatures
import MartletTensor

/// Scores items by their similarity to given items.
///
/// The score of an item is the sum over the given items of the similarity times the given item's score less the item's shift.
package struct ItemSimilarityRecommender: Sendable, Equatable {
  /// The features that the model reads and writes; nil for those that it does not have.
  package struct FeatureNames: Sendable, Equatable {
    package let items: String
    package let recommendationCount: String?
    package let restriction: String?
    package let exclusion: String?
    package let recommendedItems: String?
    package let recommendedScores: String?
  }

  package let itemCount: Int
  /// The items' names; nil if they are 0, 1, ….
  package var items: Categories? { table.items }
  package let table: Similarities
  package let names: FeatureNames

  /// Number of items that a model may have.
  package static let maximumItems = 1 << 24
}

/// Items and the similarities between them.
package struct Similarities: Sendable, Equatable {
  /// The items' names; nil if they are 0, 1, ….
  package let items: Categories?
  /// Items with similar items or a shift, ascending.
  package let baseItems: NumberTable<Int32>
  /// One for each base item.
  package let shifts: NumberTable<Double>
  /// The base item `baseItems[b]` is similar to the items from `starts[b]` to `starts[b + 1]`.
  package let starts: NumberTable<Int>
  /// Ascending for each base item. An item may occur twice; then its similarities add up.
  package let similarItems: NumberTable<Int32>
  /// One for each similar item.
  package let similarities: NumberTable<Double>

  /// Calls `body` with each item that is similar to an item.
  package func forEach(similarTo item: Int, _ body: (_ other: Int, _ similarity: Double) -> Void) {
    guard let base = base(item) else { return }
    for entry in starts[base]..<starts[base + 1] { body(Int(widening: similarItems[entry]), similarities[entry]) }
  }

  /// The amount subtracted from an item's scores.
  package func shift(of item: Int) -> Double { base(item).map { shifts[$0] } ?? 0 }

  /// The position of an item among the base items.
  private func base(_ item: Int) -> Int? {
    let place = baseItems.partitioned { baseItems[$0] >= item }
    return place < baseItems.count && baseItems[place] == item ? place : nil
  }

  /// The reason why the numbers do not fit each other; nil if they do.
  var objection: String? {
    let limit = Int32(clamping: items?.count ?? ItemSimilarityRecommender.maximumItems)
    var last: Int32 = -1
    for item in baseItems {
      guard item > last, item < limit else { return "the base items are not in order" }
      last = item
    }
    guard shifts.count == baseItems.count, starts.count == baseItems.count + 1, starts.first == 0,
      starts.last == similarItems.count, similarities.count == similarItems.count, zip(starts, starts.dropFirst()).allSatisfy({ $0 <= $1 })
    else { return "the counts of similar items do not fit" }
    return similarItems.allSatisfy { $0 >= 0 && $0 < limit } ? nil : "a similar item is none"
  }

  /// One more than the largest item.
  var leastItemCount: Int { max(Int(widening: baseItems.last ?? 0), Int(widening: similarItems.max() ?? 0)) + 1 }
}

extension ClassicReader {
  func itemSimilarityRecommender(_ source: SpecItemSimilarityRecommender) throws(FileError) -> ItemSimilarityRecommender {
    let table: Similarities
    if case .similarities(let stored)? = tables {
      table = stored
      if let objection = table.objection { throw error("itemItemSimilarities", objection) }
    } else {
      table = try similarities(source)
    }
    return ItemSimilarityRecommender(itemCount: table.items?.count ?? table.leastItemCount, table: table, names: try names(source))
  }

  private func similarities(_ source: SpecItemSimilarityRecommender) throws(FileError) -> Similarities {
    let items = try items(source)
    let limit = items?.count ?? ItemSimilarityRecommender.maximumItems
    guard limit <= ItemSimilarityRecommender.maximumItems else {
      throw error("items", "\(limit) items exceed the limit of \(ItemSimilarityRecommender.maximumItems)")
    }
    func item(_ id: UInt64, _ field: String) throws(FileError) -> Int32 {
      guard let item = Int32(exactly: id), item < limit else {
        let reason =
          items == nil ? "\(id) is not below the limit of \(limit) items" : "\(id) is not below the number of items, \(limit)"
        throw error(field, reason)
      }
      return item
    }

    let rows = source.itemItemSimilarities
    var baseItems: [Int32] = []
    var shifts: [Double] = []
    var starts = [0]
    var similarItems: [Int32] = []
    var similarities: [Double] = []
    let ids = rows.map(\.itemID)
    for index in rows.indices.sorted(by: { (ids[$0], $0) < (ids[$1], $1) }) {
      let row = rows[index]
      let base = try item(ids[index], "itemItemSimilarities[\(index)].itemId")
      guard base != baseItems.last else { throw error("itemItemSimilarities[\(index)].itemId", "the item \(base) occurs twice") }
      baseItems.append(base)
      shifts.append(row.itemScoreAdjustment)
      var entries: [(item: Int32, similarity: Double)] = []
      let list = row.similarItemList
      entries.reserveCapacity(list.count)
      for (position, entry) in list.enumerated() {
        let similar = try item(entry.itemID, "itemItemSimilarities[\(index)].similarItemList[\(position)].itemId")
        entries.append((similar, entry.similarityScore))
      }
      entries.sort { ($0.item, $0.similarity) < ($1.item, $1.similarity) }
      similarItems += entries.map(\.item)
      similarities += entries.map(\.similarity)
      starts.append(similarItems.count)
    }
    return Similarities(
      items: items, baseItems: NumberTable(baseItems), shifts: NumberTable(shifts), starts: NumberTable(starts),
      similarItems: NumberTable(similarItems), similarities: NumberTable(similarities))
  }

  private func items(_ source: SpecItemSimilarityRecommender) throws(FileError) -> Categories? {
    let (strings, integers) = (source.itemStringIds.vector, source.itemInt64Ids.vector)
    guard strings.isEmpty || integers.isEmpty else { throw error("itemInt64Ids", "items have either texts or integers as names") }
    guard Set(strings).count == strings.count else { throw error("itemStringIds", "a name occurs twice") }
    guard Set(integers).count == integers.count else { throw error("itemInt64Ids", "a name occurs twice") }
    return strings.isEmpty ? (integers.isEmpty ? nil : .integers(KeyTable(integers))) : .strings(KeyTable(strings))
  }

  private func names(_ source: SpecItemSimilarityRecommender) throws(FileError) -> ItemSimilarityRecommender.FeatureNames {
    func name(
      _ side: ClassicInterface.Side, _ name: String, _ field: String, _ first: FeatureKind, _ second: FeatureKind? = nil
    ) throws(FileError) -> String? {
      if name.isEmpty { return nil }
      return try interface.feature(side, named: name, by: field, first, second ?? first).name
    }
    let inputs = interface.function.inputs
    let items = source.itemInputFeatureName.isEmpty && inputs.count == 1 ? inputs[0].name : source.itemInputFeatureName
    try interface.feature(.input, named: items, by: "itemInputFeatureName", .dictionary, .sequence, .multiArray)
    let names = ItemSimilarityRecommender.FeatureNames(
      items: items,
      recommendationCount: try name(
        .input, source.numRecommendationsInputFeatureName, "numRecommendationsInputFeatureName", .int64),
      restriction: try name(
        .input, source.itemRestrictionInputFeatureName, "itemRestrictionInputFeatureName", .sequence, .multiArray),
      exclusion: try name(.input, source.itemExclusionInputFeatureName, "itemExclusionInputFeatureName", .sequence, .multiArray),
      recommendedItems: try name(
        .output, source.recommendedItemListOutputFeatureName, "recommendedItemListOutputFeatureName", .sequence),
      recommendedScores: try name(
        .output, source.recommendedItemScoreOutputFeatureName, "recommendedItemScoreOutputFeatureName", .dictionary))
    guard names.recommendedItems != nil || names.recommendedScores != nil else {
      throw error("recommendedItemListOutputFeatureName", "neither the items nor the scores have an output")
    }
    return names
  }
}
