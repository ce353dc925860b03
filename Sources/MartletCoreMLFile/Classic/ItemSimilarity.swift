import MartletBytes
import MartletCoreMLSpecification
package import MartletFeatures
import MartletTensor

/// Scores items by their similarity to given items.
///
/// The score of an item is the sum over the given items of the similarity times the given item's score less the item's shift.
package struct ItemSimilarityRecommender: Sendable, Hashable {
  /// The features that the model reads and writes; nil for those that it does not have.
  package struct FeatureNames: Sendable, Hashable {
    package let items: String
    package let recommendationCount: String?
    package let restriction: String?
    package let exclusion: String?
    package let recommendedItems: String?
    package let recommendedScores: String?
  }

  package let itemCount: Int
  /// The items' names; nil if they are 0, 1, ….
  package let items: ClassLabels?
  /// Items with similar items or a shift, ascending.
  package let baseItems: [Int32]
  /// One for each base item.
  package let shifts: [Double]
  /// The base item `baseItems[b]` is similar to the items from `starts[b]` to `starts[b + 1]`.
  package let starts: [Int]
  /// Ascending for each base item. An item may occur twice; then its similarities add up.
  package let similarItems: [Int32]
  /// One for each similar item.
  package let similarities: [Double]
  package let names: FeatureNames

  /// Number of items that a model may have.
  package static let maximumItems = 1 << 24
}

extension ClassicReader {
  func itemSimilarityRecommender(_ source: SpecItemSimilarityRecommender) throws(FileError) -> ItemSimilarityRecommender {
    let items = try items(source)
    let limit = items?.count ?? ItemSimilarityRecommender.maximumItems
    guard limit <= ItemSimilarityRecommender.maximumItems else {
      throw error("items", "\(limit) items exceed the limit of \(ItemSimilarityRecommender.maximumItems)")
    }
    var largest: Int32 = 0
    func item(_ id: UInt64, _ field: String) throws(FileError) -> Int32 {
      guard let item = Int32(exactly: id), item < limit else {
        let reason =
          items == nil ? "\(id) is not below the limit of \(limit) items" : "\(id) is not below the number of items, \(limit)"
        throw error(field, reason)
      }
      largest = max(largest, item)
      return item
    }

    let rows = source.itemItemSimilarities
    var baseItems: [Int32] = []
    var shifts: [Double] = []
    var starts = [0]
    var similarItems: [Int32] = []
    var similarities: [Double] = []
    for index in rows.indices.sorted(by: { (rows[$0].itemID, $0) < (rows[$1].itemID, $1) }) {
      let row = rows[index]
      let base = try item(row.itemID, "itemItemSimilarities[\(index)].itemId")
      guard base != baseItems.last else { throw error("itemItemSimilarities[\(index)].itemId", "the item \(base) occurs twice") }
      baseItems.append(base)
      shifts.append(row.itemScoreAdjustment)
      var entries: [(item: Int32, similarity: Double)] = []
      entries.reserveCapacity(row.similarItemList.count)
      for (position, entry) in row.similarItemList.enumerated() {
        let similar = try item(entry.itemID, "itemItemSimilarities[\(index)].similarItemList[\(position)].itemId")
        entries.append((similar, entry.similarityScore))
      }
      entries.sort { ($0.item, $0.similarity) < ($1.item, $1.similarity) }
      similarItems += entries.map(\.item)
      similarities += entries.map(\.similarity)
      starts.append(similarItems.count)
    }
    return ItemSimilarityRecommender(
      itemCount: items?.count ?? Int(widening: largest) + 1, items: items, baseItems: baseItems, shifts: shifts, starts: starts,
      similarItems: similarItems, similarities: similarities, names: try names(source))
  }

  private func items(_ source: SpecItemSimilarityRecommender) throws(FileError) -> ClassLabels? {
    let (strings, integers) = (source.itemStringIds.vector, source.itemInt64Ids.vector)
    guard strings.isEmpty || integers.isEmpty else { throw error("itemInt64Ids", "items have either texts or integers as names") }
    guard Set(strings).count == strings.count else { throw error("itemStringIds", "a name occurs twice") }
    guard Set(integers).count == integers.count else { throw error("itemInt64Ids", "a name occurs twice") }
    return strings.isEmpty ? (integers.isEmpty ? nil : .integers(integers)) : .strings(strings)
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
