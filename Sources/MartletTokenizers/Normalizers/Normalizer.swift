import MartletTensor

/// A step that changes text before it is divided.
enum Normalizer: Sendable {
  case form(NormalizationForm)
  case lowercase
  case strip(left: Bool, right: Bool)
  case stripAccents
  case prepend([UInt8])
  case replacePattern(Int, with: [UInt8])
  case replaceText([UInt8], with: [UInt8])
  case byteLevel
  case neural
  case bert(cleans: Bool, separatesIdeographs: Bool, stripsAccents: Bool, lowercases: Bool)
  case precompiled(PrecompiledMap)

  func apply(_ text: inout AlignedText, _ workspace: Workspace) {
    switch self {
    case .form(let form): form.normalize(&text)
    case .lowercase: Self.lowercase(&text)
    case .strip(let left, let right): Self.strip(&text, left: left, right: right)
    case .stripAccents: text.filter { !CharacterData.combiningMarks.contains($0) }
    case .prepend(let prefix): text.prepend(prefix)
    case .replacePattern(let pattern, let content):
      unsafe Self.replace(&text, content) { bytes, body in
        unsafe workspace.patterns[pattern].forEachMatch(in: bytes, body)
      }
    case .replaceText(let wanted, let content):
      unsafe Self.replace(&text, content) { bytes, body in unsafe UTF8Text.forEachOccurrence(of: wanted, in: bytes, body) }
    case .byteLevel: text = ByteAlphabet.mapped(text)
    case .neural: Self.normalizeForTranslation(&text)
    case .bert(let cleans, let separatesIdeographs, let stripsAccents, let lowercases):
      if cleans {
        text.filter({ !CharacterData.removedByCleaning.contains($0) }, map: { Whitespace.contains($0) ? 0x20 : $0 })
      }
      if separatesIdeographs { Self.separateIdeographs(&text) }
      if stripsAccents {
        NormalizationForm.nfd.normalize(&text)
        text.filter { $0 < 0x80 || !CharacterData.nonspacingMarks.contains($0) }
      }
      if lowercases { Self.lowercase(&text) }
    case .precompiled(let map): map.normalize(&text)
    }
  }

  private static func lowercase(_ text: inout AlignedText) {
    var changes = TextChanges(of: text)
    for scalar in text.scalars {
      if scalar >= 0x80, let mapped = CharacterData.lowercase[scalar] {
        changes.put(mapped)
      } else {
        changes.put(scalar &- 0x41 < 26 ? scalar | 0x20 : scalar, change: 0)
      }
    }
    text = changes.result
  }

  private static func strip(_ text: inout AlignedText, left: Bool, right: Bool) {
    let scalars = text.scalars
    let leading = left ? scalars.prefix { Whitespace.contains($0) }.count : 0
    let trailing = right ? scalars.reversed().prefix { Whitespace.contains($0) }.count : 0
    guard leading > 0 || trailing > 0 else { return }
    var changes = TextChanges(of: text, removed: leading)
    for index in leading..<max(leading, scalars.count - trailing) { changes.put(scalars[index], change: 0) }
    text = changes.result
  }

  /// Replaces each match; what stands for it has the origin of the match's last character.
  private static func replace(
    _ text: inout AlignedText, _ content: [UInt8],
    _ forEachMatch: (UnsafeBufferPointer<UInt8>, (Range<Int>) -> Void) -> Void
  ) {
    guard !text.isEmpty else { return }
    var result = AlignedText(tracksOrigins: text.tracksOrigins)
    result.bytes.reserveCapacity(text.bytes.count + text.bytes.count / 4)
    var last = 0
    let source = text
    unsafe source.bytes.withUnsafeBufferPointer { bytes in
      unsafe forEachMatch(bytes) { match in
        result.append(source, last..<match.lowerBound)
        result.append(content, origin: source.origin(match.upperBound - 1))
        last = match.upperBound
      }
    }
    result.append(source, last..<source.bytes.count)
    text = result
  }

  private static func separateIdeographs(_ text: inout AlignedText) {
    var changes = TextChanges(of: text)
    for scalar in text.scalars {
      switch scalar {
      case 0x4E00...0x9FFF, 0x3400...0x4DBF, 0x20000...0x2A6DF, 0x2A700...0x2B73F, 0x2B740...0x2B81F, 0x2B920...0x2CEAF,
        0xF900...0xFAFF, 0x2F800...0x2FA1F:
        changes.putApart(scalar)
      default: changes.put(scalar, change: 0)
      }
    }
    text = changes.result
  }

  private static func normalizeForTranslation(_ text: inout AlignedText) {
    text.filter(
      { scalar in
        switch scalar {
        case 0x1...0x8, 0xB, 0xE...0x1F, 0x7F, 0x8F, 0x9F: false
        default: true
        }
      },
      map: { scalar in
        switch scalar {
        case 0x9, 0xA, 0xC, 0xD, 0x1680, 0x200B...0x200F, 0x2028, 0x2029, 0x2581, 0xFEFF, 0xFFFD: 0x20
        default: scalar
        }
      })
  }
}
