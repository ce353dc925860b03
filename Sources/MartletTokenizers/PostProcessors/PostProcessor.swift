import MartletTensor

/// A step that adds tokens to those of a text or of a pair of texts.
enum PostProcessor: Sendable {
  enum Piece: Sendable {
    case text(isSecond: Bool, typeID: Int)
    case special([Int], typeID: Int)
  }

  case template(single: [Piece], pair: [Piece])
  /// The start and the separator of BERT.
  case bert(start: Int, separator: Int)
  case roberta(start: Int, separator: Int, trimsOffsets: Bool, addsPrefixSpace: Bool)
  case byteLevel(trimsOffsets: Bool, addsPrefixSpace: Bool)

  /// How many tokens it adds.
  func addedCount(isPair: Bool) -> Int {
    switch self {
    case .template(let single, let pair):
      (isPair ? pair : single).reduce(0) { count, piece in
        if case .special(let ids, _) = piece { count + ids.count } else { count }
      }
    case .bert: isPair ? 3 : 2
    case .roberta: isPair ? 4 : 2
    case .byteLevel: 0
    }
  }

  /// - Parameters:
  ///   - blanks: how many blanks a token with its bytes of the source begins and ends with.
  ///   - sources: the texts, in whose characters blanks are counted.
  func apply(
    _ texts: inout [Encoding], sources: [[UInt8]], addsSpecialTokens: Bool,
    blanks: (Int, ArraySlice<UInt8>) -> (leading: Int, trailing: Int)
  ) {
    switch self {
    case .template(let single, let pair):
      guard addsSpecialTokens else { return }
      let pieces = texts.count == 1 ? single : pair
      texts = pieces.compactMap { piece in
        switch piece {
        case .text(let isSecond, let typeID):
          guard isSecond == false || texts.count > 1 else { return nil }
          var text = texts[isSecond ? 1 : 0]
          text.typeIDs = Array(repeating: typeID, count: text.count)
          return text
        case .special(let ids, let typeID):
          var special = Encoding()
          for id in ids { special.append(special: id, typeID: typeID) }
          return special
        }
      }
    case .bert(let start, let separator):
      guard addsSpecialTokens else { return }
      for index in texts.indices {
        var text = Encoding()
        if index == 0 { text.append(special: start, typeID: 0) }
        texts[index].typeIDs = Array(repeating: index, count: texts[index].count)
        text.append(texts[index])
        text.append(special: separator, typeID: index)
        texts[index] = text
      }
    case .roberta(let start, let separator, let trimsOffsets, let addsPrefixSpace):
      for index in texts.indices {
        if trimsOffsets { Self.trim(&texts[index], sources[index], addsPrefixSpace: addsPrefixSpace, blanks) }
        texts[index].typeIDs = Array(repeating: 0, count: texts[index].count)
        guard addsSpecialTokens else { continue }
        var text = Encoding()
        text.append(special: index == 0 ? start : separator, typeID: 0)
        text.append(texts[index])
        text.append(special: separator, typeID: 0)
        texts[index] = text
      }
    case .byteLevel(let trimsOffsets, let addsPrefixSpace):
      guard trimsOffsets else { return }
      for index in texts.indices { Self.trim(&texts[index], sources[index], addsPrefixSpace: addsPrefixSpace, blanks) }
    }
  }

  /// Takes blanks at the ends of tokens out of their ranges.
  private static func trim(
    _ text: inout Encoding, _ source: [UInt8], addsPrefixSpace: Bool, _ blanks: (Int, ArraySlice<UInt8>) -> (leading: Int, trailing: Int)
  ) {
    for index in text.ids.indices where !text.isSpecial[index] {
      var (start, end) = (text.offsets[index].lowerBound, text.offsets[index].upperBound)
      guard end <= source.count else { continue }
      var (leading, trailing) = blanks(text.ids[index], source[start..<end])
      if leading > 0 {
        // The blank that was put before the text is not of the text.
        if index == 0 || start == 0, addsPrefixSpace, leading == 1 { leading = 0 }
        for _ in 0..<leading where start < end { start = min(start + UTF8Text.length(first: source[start]), end) }
      }
      for _ in 0..<trailing where end > start {
        end -= 1
        while end > start, source[end] & 0xC0 == 0x80 { end -= 1 }
      }
      text.offsets[index] = start..<end
    }
  }
}

/// How long encodings may be, and how long they are made.
struct LengthRules: Sendable {
  enum Strategy: Sendable { case longestFirst, onlyFirst, onlySecond }

  struct Truncation: Sendable {
    var length: Int
    /// Tokens that parts of what is cut off have in common.
    var stride: Int
    var strategy: Strategy
    var cutsLeft: Bool

    /// Cuts texts so that they have `length` tokens together.
    func apply(_ texts: inout [Encoding], added: Int, keepsOverflow: Bool) throws(TokenizerError) {
      let limit = max(length - added, 0)
      let total = texts.reduce(0) { $0 + $1.count }
      guard total > limit else { return }
      func cut(_ index: Int, to count: Int) throws(TokenizerError) {
        try texts[index].cut(to: count, onLeft: cutsLeft, stride: keepsOverflow ? stride : nil)
      }
      if limit == 0 {
        for index in texts.indices { try cut(index, to: 0) }
        return
      }
      switch strategy {
      case .longestFirst where texts.count == 1: try cut(0, to: limit)
      case .longestFirst:
        var (short, long) = (texts[0].count, texts[1].count)
        let isSwapped = short > long
        if isSwapped { swap(&short, &long) }
        long = short > limit ? short : max(short, limit - short)
        if short + long > limit {
          short = limit / 2
          long = short + limit % 2
        }
        if isSwapped { swap(&short, &long) }
        try cut(0, to: short)
        try cut(1, to: long)
      case .onlyFirst, .onlySecond:
        let index = strategy == .onlyFirst ? 0 : 1
        guard index < texts.count else { throw TokenizerError(field: "truncation", "the second text is to be cut, but there is none") }
        guard texts[index].count > total - limit else { throw TokenizerError(field: "truncation", "a text is too short to be cut") }
        try cut(index, to: texts[index].count - (total - limit))
      }
    }
  }

  struct Padding: Sendable {
    /// The length of all encodings; nil for that of the longest in a batch.
    var length: Int?
    var multiple: Int
    var onLeft: Bool
    var id: Int
    var typeID: Int

    /// Makes all encodings equally long.
    func apply(_ encodings: inout [Encoding]) {
      var length = length ?? encodings.reduce(0) { max($0, $1.count) }
      if multiple > 1, length % multiple > 0 { length += multiple - length % multiple }
      for index in encodings.indices { encodings[index].pad(to: length, id: id, typeID: typeID, onLeft: onLeft) }
    }
  }

  var truncation: Truncation?
  var padding: Padding?
}
