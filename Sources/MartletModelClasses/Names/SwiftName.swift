/// Names of a model's parts as identifiers of Swift, by the rules of Xcode: characters that an identifier cannot have become `_`, a leading
/// digit and reserved words get one.
package struct SwiftName: Sendable, Hashable, CustomStringConvertible {
  package let description: String

  package init(_ name: String) {
    var text = ""
    for scalar in name.unicodeScalars {
      text.unicodeScalars.append(Self.isAllowed(scalar) ? scalar : "_")
    }
    if text.isEmpty || text.allSatisfy({ $0 == "_" }) { text += "_" }
    if let first = text.unicodeScalars.first, first.properties.numericType == .decimal || !first.properties.isXIDStart && first != "_" {
      text = "_" + text
    }
    if Self.reserved.contains(text) { text += "_" }
    description = text
  }

  private init(unchecked text: String) {
    description = text
  }

  /// A name with its first letter in upper case, as in the `setImage` of `image`.
  var capitalized: String { description.prefix(1).uppercased() + description.dropFirst() }

  /// Identifiers for different names, in their order. Names that become the same identifier get further `_`.
  /// - Parameter taken: identifiers that are used for something else.
  package static func unique(_ names: [String], besides taken: Set<String> = []) -> [SwiftName] {
    var used = taken
    return names.map { name in
      var text = SwiftName(name).description
      while !used.insert(text).inserted { text += "_" }
      return SwiftName(unchecked: text)
    }
  }

  private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isXIDContinue
  }

  /// Keywords of Swift and of Objective-C, whose classes are generated with the same names.
  private static let reserved: Set<String> = [
    // Swift.
    "Any", "Protocol", "Self", "Type", "as", "associatedtype", "break", "case", "catch", "class", "continue", "default", "defer", "deinit",
    "do", "else", "enum", "extension", "fallthrough", "false", "fileprivate", "for", "func", "guard", "if", "import", "in", "init", "inout",
    "internal", "is", "let", "nil", "operator", "precedencegroup", "private", "protocol", "public", "repeat", "rethrows", "return", "self",
    "static", "struct", "subscript", "super", "switch", "throw", "throws", "true", "try", "typealias", "var", "where", "while",
    // C and Objective-C.
    "BOOL", "Class", "IMP", "NO", "NULL", "SEL", "YES", "auto", "bycopy", "byref", "char", "const", "double", "extern", "float", "goto",
    "id",
    "inline", "int", "long", "nonatomic", "oneway", "out", "register", "restrict", "retain", "short", "signed", "sizeof", "strong",
    "typedef", "union", "unsigned", "void", "volatile",
  ]
}

extension String {
  /// The text as a string literal's content.
  var literal: String {
    var text = ""
    for scalar in unicodeScalars {
      switch scalar {
      case "\\": text += "\\\\"
      case "\"": text += "\\\""
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\0": text += "\\0"
      default: text.unicodeScalars.append(scalar)
      }
    }
    return text
  }

  /// The text in one line of a comment that nothing in it can end.
  var comment: String {
    let line = split(whereSeparator: \.isNewline).joined(separator: " ")
    var text = ""
    for scalar in line.unicodeScalars where scalar.value >= 0x20 || scalar == "\t" { text.unicodeScalars.append(scalar) }
    var parts: [Substring] = []
    var rest = text[...]
    while let end = rest.firstRange(of: "*/") ?? rest.firstRange(of: "/*") {
      parts.append(rest[..<rest.index(after: end.lowerBound)])
      rest = rest[rest.index(after: end.lowerBound)...]
    }
    parts.append(rest)
    return parts.joined(separator: " ")
  }
}
