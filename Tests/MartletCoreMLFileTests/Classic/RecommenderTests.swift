import MartletCoreMLFile
import CoreMLMessages
import MartletFeatures
import Testing

@Suite struct RecommenderTests {
  private static func similar(_ item: UInt64, _ list: [(UInt64, Double)], shift: Double = 0) -> SpecItemSimilarityRecommender.SimilarItems {
    var row = SpecItemSimilarityRecommender.SimilarItems()
    (row.itemID, row.itemScoreAdjustment) = (item, shift)
    for (other, score) in list {
      var entry = SpecItemSimilarityRecommender.ConnectedItem()
      (entry.itemID, entry.similarityScore) = (other, score)
      row.similarItemList.append(entry)
    }
    return row
  }

  private static let model = Sample.model([.dictionary("items"), .int64("k")], [.sequence("list"), .dictionary("scores")]) {
    $0.itemSimilarityRecommender.itemItemSimilarities = [
      similar(2, [(1, 0.5), (0, 0.25)], shift: 0.125), similar(0, [(2, 0.75)]),
    ]
    $0.itemSimilarityRecommender.itemStringIds.vector = ["a", "b", "c"]
    $0.itemSimilarityRecommender.itemInputFeatureName = "items"
    $0.itemSimilarityRecommender.numRecommendationsInputFeatureName = "k"
    $0.itemSimilarityRecommender.recommendedItemListOutputFeatureName = "list"
    $0.itemSimilarityRecommender.recommendedItemScoreOutputFeatureName = "scores"
  }

  private func read(_ message: SpecModel) throws -> ItemSimilarityRecommender {
    guard case .itemSimilarityRecommender(let model) = try Sample.classic(message) else { throw Sample.OtherKind() }
    return model
  }

  @Test func `Similar items lie in flat arrays, ascending`() throws {
    let model = try read(Self.model)
    #expect(model.itemCount == 3 && model.items == .strings(["a", "b", "c"]))
    #expect(model.table.baseItems == [0, 2] && model.table.shifts == [0, 0.125] && model.table.starts == [0, 1, 3])
    #expect(model.table.similarItems == [2, 0, 1] && model.table.similarities == [0.75, 0.25, 0.5])
    #expect(model.names.items == "items" && model.names.recommendationCount == "k")
    #expect(model.names.restriction == nil && model.names.exclusion == nil)
    #expect(model.names.recommendedItems == "list" && model.names.recommendedScores == "scores")
  }

  @Test func `Items without names are counted`() throws {
    var message = Self.model
    message.itemSimilarityRecommender.clearItemStringIds()
    message.itemSimilarityRecommender.itemItemSimilarities[1].similarItemList[0].itemID = 7
    let model = try read(message)
    #expect(model.itemCount == 8 && model.items == nil)
  }

  @Test func `Damaged items and names are refused`() {
    func expect(_ message: String, _ change: (inout SpecItemSimilarityRecommender) -> Void) {
      Sample.expect(message, Self.model) { change(&$0.itemSimilarityRecommender) }
    }
    let kind = "itemSimilarityRecommender."
    expect(kind + "itemItemSimilarities[0].similarItemList[1].itemId: 3 is not below the number of items, 3") {
      $0.itemItemSimilarities[0].similarItemList[1].itemID = 3
    }
    expect(kind + "itemItemSimilarities[1].itemId: 18446744073709551615 is not below the number of items, 3") {
      $0.itemItemSimilarities[1].itemID = .max
    }
    expect(kind + "itemItemSimilarities[1].itemId: 9223372036854775808 is not below the limit of 16777216 items") {
      $0.clearItemStringIds()
      $0.itemItemSimilarities[1].itemID = 1 << 63
    }
    expect(kind + "itemItemSimilarities[1].itemId: the item 2 occurs twice") { $0.itemItemSimilarities[1].itemID = 2 }
    expect(kind + "itemStringIds: a name occurs twice") { $0.itemStringIds.vector = ["a", "b", "a"] }
    expect(kind + "itemInt64Ids: a name occurs twice") {
      $0.clearItemStringIds()
      $0.itemInt64Ids.vector = [1, 2, 1]
    }
    expect(kind + "itemInt64Ids: items have either") { $0.itemInt64Ids.vector = [1, 2, 3] }
    expect(kind + "recommendedItemListOutputFeatureName: neither") {
      ($0.recommendedItemListOutputFeatureName, $0.recommendedItemScoreOutputFeatureName) = ("", "")
    }
    expect("there is no input 'x', which itemSimilarityRecommender.itemExclusionInputFeatureName names") {
      $0.itemExclusionInputFeatureName = "x"
    }
    expect("description.input (k): a model of the kind itemSimilarityRecommender cannot have the type int64") {
      $0.itemInputFeatureName = "k"
    }
  }
}
