/// A model that divides words into tokens.
enum TokenModel: Sendable {
  case bytePair(BytePairModel)
  case ranked(RankedModel)
  case unigram(UnigramModel)
  case wordPiece(WordPieceModel)
  case wordLevel(WordLevelModel)

  var vocabulary: Vocabulary {
    switch self {
    case .bytePair(let model): model.vocabulary
    case .ranked(let model): model.vocabulary
    case .unigram(let model): model.vocabulary
    case .wordPiece(let model): model.vocabulary
    case .wordLevel(let model): model.vocabulary
    }
  }
}
