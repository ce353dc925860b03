import MartletTensor

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
    let place = runs.partitioned { runs[$0].range.upperBound >= scalar }
    return place < runs.count ? runs[place].value : 0
  }
}
