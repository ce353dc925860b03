import MartletBytes
import MartletTensor

/// Reads `tokenizer.json` as the library `tokenizers` writes it.
struct HuggingFaceReader {
  private var patterns: [RegexProgram] = []
  private var stepCount = 0

  /// - Parameters:
  ///   - document: the text of `tokenizer.json`.
  ///   - configuration: the text of `tokenizer_config.json`.
  static func read(_ document: JSONDocument, configuration: JSONDocument?) throws(TokenizerError) -> Pipeline {
    var reader = HuggingFaceReader()
    return try reader.pipeline(JSONField(element: document.root, path: ""), configuration.map { JSONField(element: $0.root, path: "") })
  }

  private mutating func pipeline(_ root: JSONField, _ configuration: JSONField?) throws(TokenizerError) -> Pipeline {
    guard root.element.kind == .object else { throw root.error("the file is not a JSON object") }
    let normalizers = try root.optional("normalizer").map { (field) throws(TokenizerError) in try self.normalizers(field) } ?? []
    var preTokenizers =
      try root.optional("pre_tokenizer").map { (field) throws(TokenizerError) in try self.preTokenizers(field) } ?? []
    let modelField = try root.required("model")
    // A byte-level step at the end maps bytes to letters that the model maps back: both are left out.
    var usesBytes = false
    if case .byteLevel(let addsPrefixSpace, let pattern, true) = preTokenizers.last, HuggingFaceModelReader.canUseBytes(modelField) {
      usesBytes = true
      preTokenizers[preTokenizers.count - 1] = .byteLevel(addsPrefixSpace: addsPrefixSpace, pattern: pattern, mapsBytes: false)
    }
    let model = try HuggingFaceModelReader.read(modelField, usesBytes: usesBytes)
    var pipeline = Pipeline(model: model)
    pipeline.normalizers = normalizers
    pipeline.preTokenizers = preTokenizers
    if let field = root.optional("post_processor") { pipeline.postProcessors = try postProcessors(field) }
    if let field = root.optional("decoder") { pipeline.decoders = try decoders(field) }
    pipeline.patterns = patterns
    if let field = root.optional("added_tokens") { pipeline.added = try addedTokens(field, pipeline) }
    if let field = root.optional("truncation") { pipeline.lengths.truncation = try truncation(field) }
    if let field = root.optional("padding") { pipeline.lengths.padding = try padding(field) }
    try findEnds(&pipeline, configuration)
    return pipeline
  }

  // MARK: Steps

  /// The steps of a field that holds one step, or a sequence of them.
  private mutating func steps(_ field: JSONField, list: String) throws(TokenizerError) -> [(type: String, field: JSONField)] {
    var open = [field]
    var steps: [(type: String, field: JSONField)] = []
    while let next = open.popLast() {
      stepCount += 1
      guard stepCount <= TokenizerLimits.stepCount else { throw next.error("there are more than \(TokenizerLimits.stepCount) steps") }
      let type = try next.text("type")
      if type == "Sequence" {
        open += try next.required(list).elements().reversed()
      } else {
        steps.append((type, next))
      }
    }
    return steps
  }

  private mutating func add(_ pattern: String, at field: JSONField, _ dialect: RegexDialect = .oniguruma) throws(TokenizerError) -> Int {
    do {
      patterns.append(try RegexProgram(pattern, dialect: dialect))
    } catch {
      throw field.error("the pattern is wrong or not supported: \(error)")
    }
    return patterns.count - 1
  }

  private enum Pattern {
    case text([UInt8])
    case pattern(Int)
  }

  /// A pattern of a split or a replacement.
  private mutating func pattern(_ field: JSONField) throws(TokenizerError) -> Pattern {
    let pattern = try field.required("pattern")
    if let text = pattern.optional("String") {
      let bytes = try text.bytes()
      return bytes.isEmpty ? .pattern(try add("", at: text)) : .text(bytes)
    }
    let text = try pattern.required("Regex")
    return .pattern(try add(try text.text(), at: text))
  }

  private mutating func normalizers(_ field: JSONField) throws(TokenizerError) -> [Normalizer] {
    var normalizers: [Normalizer] = []
    for (type, step) in try steps(field, list: "normalizers") {
      switch type {
      case "NFC": normalizers.append(.form(.nfc))
      case "NFD": normalizers.append(.form(.nfd))
      case "NFKC": normalizers.append(.form(.nfkc))
      case "NFKD": normalizers.append(.form(.nfkd))
      case "Lowercase": normalizers.append(.lowercase)
      case "Nmt": normalizers.append(.neural)
      case "StripAccents": normalizers.append(.stripAccents)
      case "ByteLevel": normalizers.append(.byteLevel)
      case "Strip":
        normalizers.append(
          .strip(left: try step.required("strip_left").flag(), right: try step.required("strip_right").flag()))
      case "Prepend": normalizers.append(.prepend(try step.bytes("prepend")))
      case "Replace":
        let content = try step.bytes("content")
        switch try pattern(step) {
        case .text(let text): normalizers.append(.replaceText(text, with: content))
        case .pattern(let pattern): normalizers.append(.replacePattern(pattern, with: content))
        }
      case "BertNormalizer":
        let lowercases = try step.flag("lowercase", default: true)
        normalizers.append(
          .bert(
            cleans: try step.flag("clean_text", default: true),
            separatesIdeographs: try step.flag("handle_chinese_chars", default: true),
            stripsAccents: try step.flag("strip_accents", default: lowercases), lowercases: lowercases))
      case "Precompiled":
        let map = try step.required("precompiled_charsmap")
        var text: [UInt8] = []
        map.element.appendString(to: &text)
        guard let blob = unsafe text.withUnsafeBufferPointer({ unsafe Base64.decoded($0) }) else { throw map.error("is not base 64") }
        do {
          normalizers.append(.precompiled(try PrecompiledMap(blob[...])))
        } catch {
          throw error.within(map.path)
        }
      default: throw step.error("the normalizer '\(type)' is not supported")
      }
    }
    return normalizers
  }

  private mutating func preTokenizers(_ field: JSONField) throws(TokenizerError) -> [PreTokenizer] {
    var preTokenizers: [PreTokenizer] = []
    for (type, step) in try steps(field, list: "pretokenizers") {
      switch type {
      case "ByteLevel":
        var number: Int?
        if try step.flag("use_regex", default: true) { number = try add(Self.byteLevelPattern, at: step) }
        preTokenizers.append(
          .byteLevel(addsPrefixSpace: try step.flag("add_prefix_space", default: true), pattern: number, mapsBytes: true))
      case "Metaspace": preTokenizers.append(.metaspace(try metaspace(step)))
      case "Whitespace":
        preTokenizers.append(.pattern(try add(#"\w+|[^\w\s]+"#, at: step, .rust), .removed, inverted: true))
      case "WhitespaceSplit": preTokenizers.append(.characters(.whitespace, .removed))
      case "BertPreTokenizer":
        preTokenizers += [.characters(.whitespace, .removed), .characters(.punctuation, .isolated)]
      case "Punctuation":
        preTokenizers.append(.characters(.punctuation, try behavior(step, default: .isolated)))
      case "Digits":
        preTokenizers.append(
          .characters(.numeric, try step.flag("individual_digits", default: false) ? .isolated : .contiguous))
      case "CharDelimiterSplit":
        preTokenizers.append(.characters(.one(try step.required("delimiter").scalar()), .removed))
      case "Split":
        let behavior = try behavior(step)
        let inverted = try step.flag("invert", default: false)
        switch try pattern(step) {
        case .text(let text): preTokenizers.append(.text(text, behavior, inverted: inverted))
        case .pattern(let pattern): preTokenizers.append(.pattern(pattern, behavior, inverted: inverted))
        }
      case "UnicodeScripts": preTokenizers.append(.scripts)
      case "FixedLength":
        let length = try step.optional("length").map { (field) throws(TokenizerError) in try field.integer(1...1 << 30) } ?? 5
        preTokenizers.append(.fixedLength(length))
      default: throw step.error("the pre-tokenizer '\(type)' is not supported")
      }
    }
    return preTokenizers
  }

  /// The pattern of GPT-2.
  static let byteLevelPattern = #"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+"#

  private func behavior(_ step: JSONField, default value: SplitBehavior? = nil) throws(TokenizerError) -> SplitBehavior {
    guard let field = step.optional("behavior") else {
      guard let value else { throw step.error("'behavior' is missing") }
      return value
    }
    guard let behavior = SplitBehavior(rawValue: try field.text()) else { throw field.error("is unknown") }
    return behavior
  }

  private func metaspace(_ step: JSONField) throws(TokenizerError) -> PreTokenizer.Metaspace {
    var scheme = PreTokenizer.Metaspace.Scheme.always
    if let field = step.optional("prepend_scheme") {
      guard let known = PreTokenizer.Metaspace.Scheme(rawValue: try field.text()) else { throw field.error("is unknown") }
      scheme = known
    }
    if try !step.flag("add_prefix_space", default: true) {
      guard scheme == .never || step.optional("prepend_scheme") == nil else {
        throw step.error("'add_prefix_space' contradicts 'prepend_scheme'")
      }
      scheme = .never
    }
    return PreTokenizer.Metaspace(
      replacement: try step.required("replacement").scalar(), scheme: scheme, splits: try step.flag("split", default: true))
  }

  private mutating func decoders(_ field: JSONField) throws(TokenizerError) -> [Decoder] {
    var decoders: [Decoder] = []
    for (type, step) in try steps(field, list: "decoders") {
      switch type {
      case "ByteLevel": decoders.append(.byteLevel)
      case "ByteFallback": decoders.append(.byteFallback)
      case "Fuse": decoders.append(.fuse)
      case "Metaspace": decoders.append(.metaspace(try metaspace(step)))
      case "WordPiece":
        decoders.append(.wordPiece(prefix: try step.bytes("prefix"), cleansUp: try step.flag("cleanup", default: true)))
      case "BPEDecoder": decoders.append(.bytePair(suffix: try step.bytes("suffix")))
      case "CTC":
        decoders.append(
          .connectionist(
            padding: try step.bytes("pad_token"), delimiter: try step.bytes("word_delimiter_token"),
            cleansUp: try step.flag("cleanup", default: true)))
      case "Strip":
        decoders.append(
          .strip(
            try step.required("content").scalar(), start: try step.required("start").integer(0...1 << 20),
            stop: try step.required("stop").integer(0...1 << 20)))
      case "Replace":
        let content = try step.bytes("content")
        switch try pattern(step) {
        case .text(let text): decoders.append(.replaceText(text, with: content))
        case .pattern(let pattern): decoders.append(.replacePattern(pattern, with: content))
        }
      default: throw step.error("the decoder '\(type)' is not supported")
      }
    }
    return decoders
  }

  // MARK: What is added

  private mutating func postProcessors(_ field: JSONField) throws(TokenizerError) -> [PostProcessor] {
    var postProcessors: [PostProcessor] = []
    for (type, step) in try steps(field, list: "processors") {
      switch type {
      case "ByteLevel":
        postProcessors.append(
          .byteLevel(
            trimsOffsets: try step.flag("trim_offsets", default: true), addsPrefixSpace: try step.flag("add_prefix_space", default: true)))
      case "BertProcessing": postProcessors.append(.bert(start: try pairID(step, "cls"), separator: try pairID(step, "sep")))
      case "RobertaProcessing":
        postProcessors.append(
          .roberta(
            start: try pairID(step, "cls"), separator: try pairID(step, "sep"),
            trimsOffsets: try step.flag("trim_offsets", default: true), addsPrefixSpace: try step.flag("add_prefix_space", default: true)))
      case "TemplateProcessing":
        postProcessors.append(.template(single: try template(step, "single"), pair: try template(step, "pair")))
      default: throw step.error("the post-processor '\(type)' is not supported")
      }
    }
    return postProcessors
  }

  /// The id in a list of a token and its id.
  private func pairID(_ step: JSONField, _ name: String) throws(TokenizerError) -> Int {
    let field = try step.required(name)
    let pair = try field.elements()
    guard pair.count == 2 else { throw field.error("is not a token and its id") }
    return try pair[1].integer(0...TokenizerLimits.tokenCount - 1)
  }

  private func template(_ step: JSONField, _ name: String) throws(TokenizerError) -> [PostProcessor.Piece] {
    var pieces: [PostProcessor.Piece] = []
    for piece in try step.required(name).elements() {
      if let text = piece.optional("Sequence") {
        let second = try text.text("id")
        guard second == "A" || second == "B" else { throw text.error("'id' is neither A nor B") }
        pieces.append(.text(isSecond: second == "B", typeID: try text.required("type_id").integer(0...1 << 31)))
      } else {
        let special = try piece.required("SpecialToken")
        let token = try special.text("id")
        guard let entry = try step.required("special_tokens").optional(token) else { throw special.error("'\(token)' is not listed") }
        var ids: [Int] = []
        for id in try entry.required("ids").elements() { ids.append(try id.integer(0...TokenizerLimits.tokenCount - 1)) }
        pieces.append(.special(ids, typeID: try special.required("type_id").integer(0...1 << 31)))
      }
      guard pieces.count <= TokenizerLimits.stepCount else { throw step.error("a template has too many pieces") }
    }
    return pieces
  }

  private func addedTokens(_ field: JSONField, _ pipeline: Pipeline) throws(TokenizerError) -> AddedTokens {
    var tokens: [AddedTokens.Token] = []
    let workspace = Workspace(patterns: pipeline.patterns)
    guard field.element.kind == .array else { throw field.error("is not a list") }
    try field.element.forEachElement { (element) throws(TokenizerError) in
      let item = JSONField(element: element, path: "\(field.path)[\(tokens.count)]")
      guard tokens.count < TokenizerLimits.addedTokenCount else {
        throw field.error("has more than \(TokenizerLimits.addedTokenCount) tokens")
      }
      let content = try item.bytes("content")
      let id = try item.id("id")
      var token = AddedTokens.Token(id: Int32(clamping: id), content: content, normalizedContent: content)
      token.isSpecial = try item.flag("special", default: false)
      token.isSingleWord = try item.flag("single_word", default: false)
      token.stripsLeft = try item.flag("lstrip", default: false)
      token.stripsRight = try item.flag("rstrip", default: false)
      token.isNormalized = try item.flag("normalized", default: !token.isSpecial)
      // The model's own id counts for a token that it has.
      let known = pipeline.model.vocabulary.id(content)
      if known >= 0 { token.id = known }
      if token.isNormalized {
        var text = AlignedText(tracksOrigins: false)
        text.bytes = content
        for normalizer in pipeline.normalizers { normalizer.apply(&text, workspace) }
        token.normalizedContent = text.bytes
      }
      if !content.isEmpty { tokens.append(token) }
    }
    return AddedTokens(tokens)
  }

  // MARK: Lengths

  private func truncation(_ field: JSONField) throws(TokenizerError) -> LengthRules.Truncation {
    let strategy = try field.text("strategy")
    let strategies: [String: LengthRules.Strategy] = [
      "LongestFirst": .longestFirst, "OnlyFirst": .onlyFirst, "OnlySecond": .onlySecond,
    ]
    guard let strategy = strategies[strategy] else { throw field.error("the strategy '\(strategy)' is unknown") }
    return LengthRules.Truncation(
      length: try field.required("max_length").integer(0...1 << 40),
      stride: try field.optional("stride")?.integer(0...1 << 40) ?? 0, strategy: strategy,
      cutsLeft: try field.optional("direction")?.text() == "Left")
  }

  private func padding(_ field: JSONField) throws(TokenizerError) -> LengthRules.Padding {
    let strategy = try field.required("strategy")
    var length: Int?
    if let fixed = strategy.optional("Fixed") {
      length = try fixed.integer(0...TokenizerLimits.tokenCount)
    } else {
      guard try strategy.text() == "BatchLongest" else { throw strategy.error("is unknown") }
    }
    let multiple = try field.optional("pad_to_multiple_of").map { (field) throws(TokenizerError) in try field.integer(0...1 << 20) }
    return LengthRules.Padding(
      length: length, multiple: multiple ?? 1, onLeft: try field.text("direction") == "Left", id: try field.id("pad_id"),
      typeID: try field.required("pad_type_id").integer(0...1 << 31))
  }

  // MARK: Start and end

  /// Tokens that begin and end a text: from the configuration, or else those whose names say so.
  private func findEnds(_ pipeline: inout Pipeline, _ configuration: JSONField?) throws(TokenizerError) {
    func named(_ name: String) throws(TokenizerError) -> Int? {
      guard let field = configuration?.optional(name) else { return nil }
      let text = try field.element.kind == .object ? field.text("content") : field.text()
      guard let id = pipeline.id(Array(text.utf8)) else { throw field.error("the token '\(text)' is not in the vocabulary") }
      return id
    }
    if configuration != nil {
      pipeline.startID = try named("bos_token")
      pipeline.endID = try named("eos_token")
      return
    }
    func guess(_ words: [String]) -> Int? {
      let tokens = pipeline.added.tokens.filter { token in
        let text = String(decoding: token.content, as: UTF8.self)
        return words.contains { text.contains($0) }
      }
      let texts = tokens.count > 1 ? tokens.filter { String(decoding: $0.content, as: UTF8.self).contains("text") } : tokens
      return texts.count == 1 ? Int(widening: texts[0].id) : nil
    }
    let start = guess(["bos", "begin"]) ?? pipeline.added.id(Array("<s>".utf8)).map { Int(widening: $0) }
    let end = guess(["eos", "end"]) ?? pipeline.added.id(Array("</s>".utf8)).map { Int(widening: $0) }
    pipeline.startID = start ?? end
    pipeline.endID = end ?? start
  }
}
