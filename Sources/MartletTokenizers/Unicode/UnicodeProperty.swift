/// Sets of characters by the names of Unicode properties, as regular expressions write them.
enum UnicodeProperty {
  /// General categories in the order of `UnicodeTables.categories`.
  private static let categoryNames = [
    "Lu", "Ll", "Lt", "Lm", "Lo", "Mn", "Mc", "Me", "Nd", "Nl", "No", "Pc", "Pd", "Ps", "Pe", "Pi", "Pf", "Po", "Sm", "Sc", "Sk", "So",
    "Zs", "Zl", "Zp", "Cc", "Cf", "Co", "Cn", "Cs",
  ]

  private static let longNames = [
    "letter": "l", "casedletter": "lc", "uppercaseletter": "lu", "lowercaseletter": "ll", "titlecaseletter": "lt",
    "modifierletter": "lm", "otherletter": "lo", "mark": "m", "combiningmark": "m", "nonspacingmark": "mn", "spacingmark": "mc",
    "enclosingmark": "me", "number": "n", "decimalnumber": "nd", "letternumber": "nl", "othernumber": "no", "punctuation": "p",
    "connectorpunctuation": "pc", "dashpunctuation": "pd", "openpunctuation": "ps", "closepunctuation": "pe",
    "initialpunctuation": "pi", "finalpunctuation": "pf", "otherpunctuation": "po", "symbol": "s", "mathsymbol": "sm",
    "currencysymbol": "sc", "modifiersymbol": "sk", "othersymbol": "so", "separator": "z", "spaceseparator": "zs",
    "lineseparator": "zl", "paragraphseparator": "zp", "other": "c", "control": "cc", "format": "cf", "privateuse": "co",
    "unassigned": "cn", "surrogate": "cs",
  ]

  private static let categories: [String: ScalarSet] = {
    var ranges: [[ClosedRange<UInt32>]] = Array(repeating: [], count: categoryNames.count)
    for run in UnicodeTableReader.runs(UnicodeTables.categories) { ranges[run.value].append(run.range) }
    var sets: [String: ScalarSet] = [:]
    for (name, ranges) in zip(categoryNames, ranges) {
      let set = ScalarSet(ranges)
      sets[name.lowercased()] = set
      let family = name.prefix(1).lowercased()
      sets[family] = sets[family, default: ScalarSet()].union(set)
    }
    sets["lc"] = ["lu", "ll", "lt"].compactMap { sets[$0] }.reduce(ScalarSet()) { $0.union($1) }
    return sets
  }()

  private static let scripts: [String: ScalarSet] = {
    var ranges: [[ClosedRange<UInt32>]] = Array(repeating: [], count: UnicodeTables.scriptNames.count)
    for run in UnicodeTableReader.runs(UnicodeTables.scripts) { ranges[run.value].append(run.range) }
    return Dictionary(zip(UnicodeTables.scriptNames.map(plain), ranges.map(ScalarSet.init))) { first, _ in first }
  }()

  static let alphabetic = UnicodeTableReader.set(UnicodeTables.alphabetic)

  /// The property White_Space.
  static let whitespace = ScalarSet((UInt32(0)...0x3000).filter(Whitespace.contains).map { $0...$0 })

  static let hexadecimalDigits = ScalarSet([0x30...0x39, 0x41...0x46, 0x61...0x66])

  static func category(_ name: String) -> ScalarSet { categories[name] ?? ScalarSet() }

  /// Letters, marks, decimal digits and connecting punctuation: what `\w` matches, apart from joiners.
  static let word = ["m", "nd", "pc"].map(category).reduce(alphabetic) { $0.union($1) }

  /// `word` and the joiners U+200C and U+200D: `\w` of Rust.
  static let wordWithJoiners = word.union(ScalarSet("\u{200C}", "\u{200D}"))

  /// Names are compared without case, blanks, hyphens and underscores.
  private static func plain(_ name: String) -> String {
    String(String.UnicodeScalarView(name.unicodeScalars.filter { !" -_".unicodeScalars.contains($0) })).lowercased()
  }

  /// The set with that name: a general category, a script or one of some binary properties; nil if there is none.
  static func set(named name: String) -> ScalarSet? {
    if let separator = name.firstIndex(where: { $0 == "=" || $0 == ":" }) {
      let value = plain(String(name[name.index(after: separator)...]))
      switch plain(String(name[..<separator])) {
      case "gc", "generalcategory": return categories[longNames[value] ?? value]
      case "sc", "script": return scripts[value]
      default: return nil
      }
    }
    let name = plain(name)
    if let set = categories[longNames[name] ?? name] ?? scripts[name] { return set }
    switch name {
    case "any": return .all
    case "ascii": return ScalarSet([0...0x7F])
    case "assigned": return category("cn").inverted
    case "alphabetic", "alpha": return alphabetic
    case "whitespace", "space", "wspace": return whitespace
    case "word": return word
    case "digit": return category("nd")
    case "alnum": return alphabetic.union(category("nd"))
    case "punct": return posix("punct")
    case "upper", "uppercase": return binary { $0.isUppercase }
    case "lower", "lowercase": return binary { $0.isLowercase }
    case "cased": return binary { $0.isCased }
    case "ideographic": return binary { $0.isIdeographic }
    case "emoji": return binary { $0.isEmoji }
    case "emojipresentation": return binary { $0.isEmojiPresentation }
    case "emojimodifier": return binary { $0.isEmojiModifier }
    case "emojimodifierbase": return binary { $0.isEmojiModifierBase }
    case "math": return binary { $0.isMath }
    case "dash": return binary { $0.isDash }
    case "xidstart": return binary { $0.isXIDStart }
    case "xidcontinue": return binary { $0.isXIDContinue }
    case "idstart": return binary { $0.isIDStart }
    case "idcontinue": return binary { $0.isIDContinue }
    default: return nil
    }
  }

  /// A class of POSIX by its name between colons, in Unicode.
  static func posix(_ name: String) -> ScalarSet? {
    switch name {
    case "alpha": return alphabetic
    case "digit": return category("nd")
    case "alnum": return alphabetic.union(category("nd"))
    case "upper": return binary { $0.isUppercase }
    case "lower": return binary { $0.isLowercase }
    case "space": return whitespace
    case "blank": return category("zs").union(ScalarSet("\t"))
    case "cntrl": return category("cc")
    case "punct": return category("p").union(category("s"))
    case "graph": return ["zs", "zl", "zp", "cc", "cn", "cs"].map(category).reduce(ScalarSet()) { $0.union($1) }.inverted
    case "print": return ["zl", "zp", "cc", "cn", "cs"].map(category).reduce(ScalarSet()) { $0.union($1) }.inverted
    case "xdigit": return hexadecimalDigits
    case "word": return word
    case "ascii": return ScalarSet([0...0x7F])
    default: return nil
    }
  }

  /// A property that the standard library knows, of the characters that Unicode 16 has.
  private static func binary(_ holds: (Unicode.Scalar.Properties) -> Bool) -> ScalarSet {
    var ranges: [ClosedRange<UInt32>] = []
    for range in category("cn").union(category("co")).union(category("cs")).inverted.ranges {
      for value in range where Unicode.Scalar(value).map({ holds($0.properties) }) == true { ranges.append(value...value) }
    }
    return ScalarSet(ranges)
  }

  private static let caseOrbits = UnicodeTableReader.mapping(UnicodeTables.caseOrbits)

  /// The set with the characters that are equal to a member but for case.
  static func foldingCase(_ set: ScalarSet) -> ScalarSet {
    // Few characters are looked up one by one, in large sets those that have another case.
    var others: [ClosedRange<UInt32>] = []
    if let scalar = set.onlyMember {
      others = caseOrbits[scalar, default: []].map { $0...$0 }
    } else {
      for (scalar, orbit) in caseOrbits where set.contains(scalar) { others += orbit.map { $0...$0 } }
    }
    return others.isEmpty ? set : set.union(ScalarSet(others))
  }
}
