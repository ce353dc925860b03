import MartletBytes
import MartletTensor

/// Tables of classic models.
extension CompiledFormReader {
  /// Reads the tables of a model. Whether they fit its message is for the model's reader to check.
  func tables() throws(FileError) -> StoredTables {
    switch try tag(CompiledForm.TableTag.self) {
    case .denseVectors:
      let (count, columns) = (try extent(), try extent())
      let values: NumberTable<Double> = try numbers()
      guard Extent(values.count) == Extent(count) * columns else { throw error("there are \(values.count) values for \(count) vectors") }
      return .vectors(
        SupportVectors(count: count, columnCount: columns, storage: .dense(values)), coefficients: try numbers())
    case .sparseVectors:
      let rows = SparseRows(starts: try numbers(), columns: try numbers(), values: try numbers())
      guard let columns = rows.checkedColumnCount else { throw error("sparse vectors do not fit") }
      return .vectors(
        SupportVectors(count: rows.starts.count - 1, columnCount: columns, storage: .sparse(rows)), coefficients: try numbers())
    case .samples:
      let count = try extent()
      return .samples(try numbers(), count: count)
    case .strings: return .categories(.strings(try stringKeys()))
    case .integers: return .categories(.integers(try integerKeys()))
    case .stringsToIntegers: return .toIntegers(try MappingTable(stored: try stringKeys(), try numbers(), in: structure))
    case .integersToStrings: return .toStrings(try MappingTable(stored: try integerKeys(), try storedTexts(), in: structure))
    case .similarities:
      let items: Categories? =
        switch try tag(CompiledForm.NamesTag.self) {
        case .none: Categories?.none
        case .strings: .strings(try stringKeys())
        case .integers: .integers(try integerKeys())
        }
      guard items.map({ $0.count <= ItemSimilarityRecommender.maximumItems }) ?? true else { throw error("there are too many items") }
      return .similarities(
        Similarities(
          items: items, baseItems: try numbers(), shifts: try numbers(), starts: try numbers(), similarItems: try numbers(),
          similarities: try numbers()))
    }
  }

  private func numbers<Element>() throws(FileError) -> NumberTable<Element> { try NumberTable(mapped: try bytes()) }

  private func storedTexts() throws(FileError) -> StoredTexts {
    let all = try bytes()
    return try StoredTexts(bytes: all, starts: try numbers())
  }

  private func stringKeys() throws(FileError) -> KeyTable<String> {
    let keys = try storedTexts()
    return try KeyTable(stored: keys, order: numbers(), in: structure)
  }

  private func integerKeys() throws(FileError) -> KeyTable<Int64> {
    let keys: NumberTable<Int64> = try numbers()
    return try KeyTable(stored: keys, order: numbers(), in: structure)
  }
}
