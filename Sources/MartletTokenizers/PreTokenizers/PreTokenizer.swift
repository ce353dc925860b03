import MartletTensor

/// A step that divides text into stretches, each of which a model encodes by itself. Some change the text, too.
enum PreTokenizer: Sendable {
  /// By a pattern, by its number in the tokenizer's list.
  case pattern(Int, SplitBehavior, inverted: Bool)
  /// By a text.
  case text([UInt8], SplitBehavior, inverted: Bool)
  /// By characters.
  case characters(SplitCharacters, SplitBehavior)
  case byteLevel(addsPrefixSpace: Bool, pattern: Int?, mapsBytes: Bool)
  case metaspace(Metaspace)
  case scripts
  case fixedLength(Int)

  struct Metaspace: Sendable {
    enum Scheme: String, Sendable { case first, never, always }
    var replacement: UInt32
    var scheme: Scheme
    var splits: Bool
  }

  /// Characters that split.
  enum SplitCharacters: Sendable {
    case whitespace, numeric, punctuation
    case one(UInt32)

    @inline(__always)
    func contains(_ scalar: UInt32) -> Bool {
      switch self {
      case .whitespace: Whitespace.contains(scalar)
      case .numeric: scalar < 0x80 ? scalar &- 0x30 < 10 : CharacterData.numeric.contains(scalar)
      case .punctuation:
        scalar < 0x80
          ? (0x21...0x2F).contains(scalar) || (0x3A...0x40).contains(scalar) || (0x5B...0x60).contains(scalar)
            || (0x7B...0x7E).contains(scalar)
          : CharacterData.punctuation.contains(scalar)
      case .one(let only): scalar == only
      }
    }
  }

  /// Divides the stretches of the workspace's text.
  func apply(_ workspace: Workspace) {
    switch self {
    case .pattern(let pattern, let behavior, let inverted):
      Self.split(workspace, pattern: pattern, behavior, inverted: inverted)
    case .text(let wanted, let behavior, let inverted):
      unsafe Self.split(workspace, behavior, inverted: inverted) { text, segments in
        unsafe Self.append(to: &segments, of: text) { body in unsafe UTF8Text.forEachOccurrence(of: wanted, in: text, body) }
      }
    case .characters(let characters, let behavior):
      unsafe Self.split(workspace, behavior, inverted: false) { text, segments in
        var position = 0
        while position < text.count {
          let (scalar, length) = unsafe UTF8Text.scalar(text, position)
          let end = position &+ length
          if characters.contains(scalar) {
            segments.append(TextSegment(start: position, end: end, isMatch: true))
          } else if let last = segments.last, !last.isMatch {
            segments[segments.count &- 1].end = end
          } else {
            segments.append(TextSegment(start: position, end: end, isMatch: false))
          }
          position = end
        }
      }
    case .byteLevel(let addsPrefixSpace, let pattern, let mapsBytes):
      if addsPrefixSpace {
        Self.rewrite(workspace) { source, result in
          if source.bytes.first != 0x20 { source.prepend([0x20]) }
          result.append(source)
        }
      }
      if let pattern { Self.split(workspace, pattern: pattern, .isolated, inverted: false) }
      if mapsBytes { Self.rewrite(workspace) { source, result in result.append(ByteAlphabet.mapped(source)) } }
    case .metaspace(let metaspace): metaspace.apply(workspace)
    case .scripts: Self.splitScripts(workspace)
    case .fixedLength(let length):
      unsafe Self.split(workspace, .isolated, inverted: false) { text, segments in
        var position = 0
        while position < text.count {
          let start = position
          var count = 0
          while count < length, position < text.count {
            position = unsafe position &+ UTF8Text.length(first: text[position])
            count &+= 1
          }
          segments.append(TextSegment(start: start, end: position, isMatch: true))
        }
      }
    }
  }

  // MARK: Splitting

  /// Splits each stretch that is text by a pattern.
  private static func split(_ workspace: Workspace, pattern: Int, _ behavior: SplitBehavior, inverted: Bool) {
    let cache = workspace.patterns[pattern]
    if behavior == .isolated || behavior == .removed {
      // No segments are needed: whatever is kept is a stretch of its own.
      let keepsMatches = behavior == .isolated || inverted
      let keepsGaps = behavior == .isolated || !inverted
      unsafe splitDirectly(workspace) { text, base, splits in
        var last = 0
        unsafe cache.forEachMatch(in: text) { match in
          if keepsGaps, match.lowerBound > last { splits.append(PreToken(base &+ last, base &+ match.lowerBound)) }
          if keepsMatches, !match.isEmpty { splits.append(PreToken(base &+ match.lowerBound, base &+ match.upperBound)) }
          last = match.upperBound
        }
        if keepsGaps, last < text.count { splits.append(PreToken(base &+ last, base &+ text.count)) }
      }
    } else {
      unsafe split(workspace, behavior, inverted: inverted) { text, segments in
        unsafe append(to: &segments, of: text) { body in unsafe cache.forEachMatch(in: text, body) }
      }
    }
  }

  private static func splitDirectly(
    _ workspace: Workspace, _ body: (_ text: UnsafeBufferPointer<UInt8>, _ base: Int, _ splits: inout [PreToken]) -> Void
  ) {
    workspace.otherSplits.removeAll(keepingCapacity: true)
    var splits: [PreToken] = []
    swap(&splits, &workspace.otherSplits)
    unsafe workspace.text.bytes.withUnsafeBufferPointer { bytes in
      for split in workspace.splits {
        if split.id >= 0 {
          splits.append(split)
        } else {
          let range = split.range
          unsafe body(UnsafeBufferPointer(rebasing: bytes[range]), range.lowerBound, &splits)
        }
      }
    }
    swap(&workspace.otherSplits, &workspace.splits)
    workspace.splits = splits
  }

  private static func split(
    _ workspace: Workspace, _ behavior: SplitBehavior, inverted: Bool,
    segments find: (_ text: UnsafeBufferPointer<UInt8>, _ segments: inout [TextSegment]) -> Void
  ) {
    var segments = workspace.segments
    unsafe splitDirectly(workspace) { text, base, splits in
      segments.removeAll(keepingCapacity: true)
      unsafe find(text, &segments)
      for index in segments.indices {
        segments[index].start &+= base
        segments[index].end &+= base
        if inverted { segments[index].isMatch.toggle() }
      }
      behavior.append(segments, to: &splits)
    }
    workspace.segments = segments
  }

  /// Appends the matches in a text and what lies between them.
  private static func append(
    to segments: inout [TextSegment], of text: UnsafeBufferPointer<UInt8>, _ forEachMatch: ((Range<Int>) -> Void) -> Void
  ) {
    var last = 0
    forEachMatch { match in
      if match.lowerBound > last { segments.append(TextSegment(start: last, end: match.lowerBound, isMatch: false)) }
      segments.append(TextSegment(start: match.lowerBound, end: match.upperBound, isMatch: true))
      last = match.upperBound
    }
    if last < text.count { segments.append(TextSegment(start: last, end: text.count, isMatch: false)) }
  }

  private static func splitScripts(_ workspace: Workspace) {
    unsafe split(workspace, .isolated, inverted: false) { text, segments in
      var position = 0
      var lastScript: Int?
      // Characters before the first one of a script are dropped.
      var start = text.count
      while position < text.count {
        let (scalar, length) = unsafe UTF8Text.scalar(text, position)
        let script = CharacterData.scriptPiece(scalar)
        if script != 0 {
          if lastScript != script {
            if lastScript != nil { segments.append(TextSegment(start: start, end: position, isMatch: true)) }
            start = position
          }
          lastScript = script
        }
        position &+= length
      }
      if position > start { segments.append(TextSegment(start: start, end: position, isMatch: true)) }
    }
  }

  /// Writes each stretch that is text anew.
  static func rewrite(_ workspace: Workspace, _ body: (_ source: inout AlignedText, _ result: inout AlignedText) -> Void) {
    var result = AlignedText(tracksOrigins: workspace.text.tracksOrigins)
    result.bytes.reserveCapacity(workspace.text.bytes.count * 2)
    for index in workspace.splits.indices {
      let split = workspace.splits[index]
      let start = result.bytes.count
      if split.id >= 0 {
        result.append(workspace.text, split.range)
      } else {
        var source = AlignedText(tracksOrigins: result.tracksOrigins)
        source.append(workspace.text, split.range)
        body(&source, &result)
      }
      workspace.splits[index].start = Int32(truncatingIfNeeded: start)
      workspace.splits[index].end = Int32(truncatingIfNeeded: result.bytes.count)
    }
    workspace.text = result
  }
}

extension PreTokenizer.Metaspace {
  func apply(_ workspace: Workspace) {
    var mark: [UInt8] = []
    UTF8Text.append(replacement, to: &mark)
    let scheme = scheme
    // Where the stretches begin before they are written anew, for texts without origins.
    var starts = workspace.splits.lazy.filter { $0.id < 0 }.map(\.start).makeIterator()
    PreTokenizer.rewrite(workspace) { source, result in
      let start = starts.next() ?? 0
      let begins = source.bytes.starts(with: mark) || source.bytes.first == 0x20
      // `first` means the start of the source, which an added token before takes away.
      let isAtStart = source.tracksOrigins ? source.origin(0).start == 0 : start == 0
      let prepends = scheme == .always || (scheme == .first && isAtStart)
      if prepends, !begins, !source.isEmpty { result.append(mark, origin: source.origin(0)) }
      for index in source.bytes.indices {
        let byte = source.bytes[index]
        if byte == 0x20 {
          result.append(mark, origin: source.origin(index))
        } else {
          result.bytes.append(byte)
          if result.tracksOrigins { result.origins.append(source.origins[index]) }
        }
      }
    }
    if splits {
      var splits: [PreToken] = []
      for split in workspace.splits {
        if split.id >= 0 {
          splits.append(split)
          continue
        }
        // Each mark begins a stretch.
        var start = Int(widening: split.start)
        let end = Int(widening: split.end)
        var position = start
        while position < end {
          let isMark = workspace.text.bytes[position] == mark[0] && workspace.text.bytes[position...].starts(with: mark)
          if isMark, position > start {
            splits.append(PreToken(start, position))
            start = position
          }
          position &+= isMark ? mark.count : 1
        }
        if end > start { splits.append(PreToken(start, end)) }
      }
      workspace.splits = splits
    }
  }
}
