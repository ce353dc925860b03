/// Sets and mappings of characters that normalizers and pre-tokenizers use; read at their first use.
enum CharacterData {
  static let numeric = UnicodeTableReader.set(UnicodeTables.numeric)
  static let punctuation = UnicodeTableReader.set(UnicodeTables.punctuation)
  static let removedByCleaning = UnicodeTableReader.set(UnicodeTables.removedByCleaning)
  static let nonspacingMarks = UnicodeTableReader.set(UnicodeTables.nonspacingMarks)
  static let combiningMarks = UnicodeTableReader.set(UnicodeTables.combiningMarks)
  static let lowercase = UnicodeTableReader.mapping(UnicodeTables.lowercase)
  static let scriptPieces: [(range: ClosedRange<UInt32>, value: Int)] = UnicodeTableReader.runs(UnicodeTables.scriptPieces)

  /// The number of a character's script for splitting; 0 for characters that end no stretch.
  static func scriptPiece(_ scalar: UInt32) -> Int {
    let runs = scriptPieces
    var low = 0
    var high = runs.count
    while low < high {
      // In range: positions in a list.
      let middle = (low + high) / 2
      if runs[middle].range.upperBound < scalar { low = middle + 1 } else { high = middle }
    }
    return low < runs.count ? runs[low].value : 0
  }
}
