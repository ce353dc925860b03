import Foundation

/// Finds integer arithmetic that traps if a number from a file is too large. `Extent` (MartletTensor) and labelled conversions cannot trap.
///
/// The lint knows no types. It takes from a file's declarations which names are floating point numbers or `Extent`s, and for sums it
/// looks only at operands whose names are those of declared numbers (`extent`, `byteCount`, `offset`, `padding`, …). What is left and safe
/// bears a comment `// In range: …` with the reason, on its line or on lines of their own above it; above a line that opens a block, the
/// comment holds for the block.
struct NumberLint {
  enum Rule: String {
    case conversion = "a conversion that traps: use a labelled one, such as Int(exactly:) or Int(widening:)"
    case check = "an overflow check by hand: use Extent"
    case product = "a product that may overflow: use Extent"
    case sum = "a sum that may overflow: use Extent"
  }

  struct Finding {
    let line: Int
    let rule: Rule
    let text: String
  }

  /// The characters of the file, with blanks for comments and the text of string literals.
  private let code: [UInt8]
  private let lines: [Substring]
  /// For each line whether a comment gives the reason why its numbers are in range.
  private var isReasoned: [Bool] = []
  /// Names that the file declares as floating-point numbers or extents.
  private var checkedNames: Set<String> = []
  private(set) var findings: [Finding] = []

  static let reason = "// In range: "

  /// - Parameters:
  ///   - text: a Swift file.
  ///   - skipped: types; functions with a parameter of one of them are left out.
  init(_ text: String, skipping skipped: [String] = []) {
    code = Self.code(of: Array(text.utf8))
    lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    isReasoned = reasonedLines()
    for (number, line) in lines.enumerated() where !skipped.isEmpty && line.contains("func ") {
      let signature = lines[number..<min(number + 8, lines.count)]
      let end = signature.firstIndex { $0.hasSuffix("{") } ?? number
      if signature[...end].contains(where: { line in skipped.contains { line.contains(": \($0)") } }) { cover(number, in: &isReasoned) }
    }
    checkedNames = namesOfCheckedTypes()
    var lineNumber = 0
    for index in code.indices {
      if code[index] == UInt8(ascii: "\n") { lineNumber += 1 }
      guard let rule = rule(at: index), !isReasoned[lineNumber] else { continue }
      findings.append(Finding(line: lineNumber + 1, rule: rule, text: lines[lineNumber].trimmingCharacters(in: .whitespaces)))
    }
  }

  // MARK: Rules

  private static let integers: Set<String> = [
    "Int", "Int8", "Int16", "Int32", "Int64", "UInt", "UInt8", "UInt16", "UInt32", "UInt64",
  ]
  /// Labels of conversions that do not trap.
  private static let labels: Set<String> = [
    "exactly", "truncatingIfNeeded", "clamping", "widening", "bitPattern", "littleEndian", "bigEndian", "ascii",
  ]
  private static let overflowChecks: Set<String> = [
    "addingReportingOverflow", "subtractingReportingOverflow", "multipliedReportingOverflow", "dividedReportingOverflow",
  ]

  private func rule(at index: Int) -> Rule? {
    let character = code[index]
    if Self.isIdentifier(character) {
      guard index == 0 || !Self.isIdentifier(code[index - 1]) else { return nil }
      let name = word(at: index)
      if Self.overflowChecks.contains(name) { return .check }
      if Self.integers.contains(name) { return conversion(index, name) }
      if name == "reduce" { return reduction(index) }
      return nil
    }
    // Operators between two operands are surrounded by blanks.
    guard index > 1, index + 2 < code.count, code[index - 1] == UInt8(ascii: " ") else { return nil }
    let next = code[index + 1]
    let isAssigning = next == UInt8(ascii: "=") && code[index + 2] == UInt8(ascii: " ")
    guard next == UInt8(ascii: " ") || isAssigning else { return nil }
    switch character {
    case UInt8(ascii: "*"): return product(index, after: index + (isAssigning ? 2 : 1))
    case UInt8(ascii: "+"), UInt8(ascii: "-"): return sum(index, after: index + (isAssigning ? 2 : 1))
    default: return nil
    }
  }

  private func conversion(_ index: Int, _ name: String) -> Rule? {
    let open = index + name.utf8.count
    guard open < code.count, code[open] == UInt8(ascii: "("), index == 0 || code[index - 1] != UInt8(ascii: ".") else { return nil }
    let argument = inside(open)
    let trimmed = argument.trimmingCharacters(in: .whitespacesAndNewlines)
    if trimmed.isEmpty || Self.isLiteral(trimmed) { return nil }
    // Named constants of C headers.
    if trimmed.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) }) { return nil }
    if let colon = trimmed.firstIndex(of: ":"), Self.labels.contains(String(trimmed[..<colon])) { return nil }
    // Text: the result is nil if it is no number.
    return trimmed.contains("radix:") ? nil : .conversion
  }

  private func reduction(_ index: Int) -> Rule? {
    let open = index + 6
    guard open < code.count, code[open] == UInt8(ascii: "(") else { return nil }
    let argument = inside(open)
    if argument.hasSuffix(", *") { return .product }
    return argument.hasSuffix(", +") && Self.isDeclaredNumber(operand(before: index)) ? .sum : nil
  }

  private func product(_ index: Int, after: Int) -> Rule? {
    let (left, right) = (operand(before: index), operand(after: after))
    if isChecked(left) || isChecked(right) || Self.isLiteral(left) && Self.isLiteral(right) { return nil }
    // A small literal times a position in memory.
    if Self.isSmallLiteral(left), Self.isPosition(right) { return nil }
    if Self.isSmallLiteral(right), Self.isPosition(left) { return nil }
    return .product
  }

  private func sum(_ index: Int, after: Int) -> Rule? {
    let (left, right) = (operand(before: index), operand(after: after))
    if isChecked(left) || isChecked(right) || isChecked(expression(before: index)) { return nil }
    // Lists, text and pointers.
    for part in [left, right] where part.hasPrefix("[") || part.contains("Array(") || part.contains("\"") || part.contains("ointer") {
      return nil
    }
    return Self.isDeclaredNumber(left) || Self.isDeclaredNumber(right) ? .sum : nil
  }

  // MARK: Operands

  private static let checkedTypes: Set<String> = ["Double", "Float", "Float16", "T", "CGFloat", "Extent", "Duration", "TimeInterval"]

  /// True for an operand that is a floating point number or an extent as far as its text and the file's declarations tell.
  private func isChecked(_ operand: String) -> Bool {
    if operand.contains(".pi") || operand.contains(".rounded(") || operand.contains("squareRoot") || operand.contains("doubleValue") {
      return true
    }
    if operand.contains(where: \.isNumber), operand.contains(#/\b[0-9][0-9_]*(\.[0-9]|e-?[0-9])|\b0x[0-9A-F.]+p/#) { return true }
    return Self.words(operand).contains { checkedNames.contains($0) || Self.checkedTypes.contains($0) }
  }

  private static func isLiteral(_ operand: some StringProtocol) -> Bool {
    var digits = Substring(operand)
    if digits.first == "-" { digits = digits.dropFirst() }
    return digits.first?.isNumber == true && digits.utf8.allSatisfy { isIdentifier($0) }
  }

  private static func isSmallLiteral(_ operand: String) -> Bool { isLiteral(operand) && operand.utf8.count <= 4 }

  /// True for an index of a list in memory, or its count.
  private static func isPosition(_ operand: String) -> Bool {
    operand.hasSuffix(".count") || ["$0", "$1", "index", "position", "axis", "slot", "word", "pair", "part"].contains(operand)
      || operand.hasSuffix("MemoryLayout")
  }

  private static let numberNames = [
    "extent", "extents", "byteCount", "offset", "offsets", "stride", "strides", "padding", "dilation", "size", "sizes", "shape", "span",
    "reach",
    "amount", "amounts", "bound", "length", "before", "after",
  ]

  /// True if the last name of the operand, apart from arguments and indices, is that of a number that files declare.
  private static func isDeclaredNumber(_ operand: String) -> Bool {
    var depth = 0
    var outer = ""
    for character in operand {
      if "([{".contains(character) { depth += 1 }
      if depth == 0 { outer.append(character) }
      if ")]}".contains(character) { depth -= 1 }
    }
    guard let name = words(outer).last else { return false }
    return numberNames.contains { wanted in
      name == wanted || name.hasSuffix(wanted.prefix(1).uppercased() + wanted.dropFirst())
    }
  }

  private static func words(_ text: String) -> [String] {
    text.split { !($0.isLetter || $0.isNumber || $0 == "_") }.filter { $0.first?.isNumber == false }.map(String.init)
  }

  /// The operand that ends before the operator at `index`.
  private func operand(before index: Int) -> String {
    var end = index
    while end > 0, code[end - 1] == UInt8(ascii: " ") { end -= 1 }
    var start = end
    while start > 0 {
      let character = code[start - 1]
      if Self.isIdentifier(character) || ".$?!".utf8.contains(character) {
        start -= 1
      } else if let open = Self.brackets[character] {
        var depth = 0
        repeat {
          start -= 1
          if code[start] == character { depth += 1 }
          if code[start] == open { depth -= 1 }
        } while depth > 0 && start > 0
      } else {
        break
      }
    }
    return text(start..<end)
  }

  /// What precedes the operator at `index` on its line, up to the bracket that is open there.
  private func expression(before index: Int) -> String {
    var depth = 0
    var start = index
    while start > 0, code[start - 1] != UInt8(ascii: "\n"), depth > 0 || !"([{,".utf8.contains(code[start - 1]) {
      if ")]}".utf8.contains(code[start - 1]) { depth += 1 }
      if "([{".utf8.contains(code[start - 1]) { depth -= 1 }
      start -= 1
    }
    return text(start..<index)
  }

  /// The operand that begins after `index`.
  private func operand(after index: Int) -> String {
    var start = index
    while start < code.count, code[start] == UInt8(ascii: " ") || code[start] == UInt8(ascii: "\n") { start += 1 }
    for keyword in ["try ", "unsafe "] where code[start...].starts(with: keyword.utf8) { start += keyword.utf8.count }
    var end = start
    if end < code.count, code[end] == UInt8(ascii: "-") { end += 1 }
    while end < code.count {
      let character = code[end]
      if character == UInt8(ascii: "("), end >= 0 {
        end = closing(end)
      } else if character == UInt8(ascii: "[") {
        end = closing(end)
      } else if Self.isIdentifier(character) || "$?!".utf8.contains(character)
        || (character == UInt8(ascii: ".") && !(end + 1 < code.count && code[end + 1] == UInt8(ascii: ".")))
      {
        end += 1
      } else {
        break
      }
    }
    return text(start..<end)
  }

  // MARK: Text

  private static let brackets: [UInt8: UInt8] = [
    UInt8(ascii: ")"): UInt8(ascii: "("), UInt8(ascii: "]"): UInt8(ascii: "["), UInt8(ascii: "}"): UInt8(ascii: "{"),
  ]

  private static func isIdentifier(_ character: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(character | 0x20) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(character)
      || character == UInt8(ascii: "_")
  }

  private func text(_ range: Range<Int>) -> String { String(decoding: code[range], as: UTF8.self) }

  private func word(at index: Int) -> String {
    var end = index
    while end < code.count, Self.isIdentifier(code[end]) { end += 1 }
    return text(index..<end)
  }

  /// The position after the bracket that closes the one at `open`.
  private func closing(_ open: Int) -> Int {
    var depth = 0
    var index = open
    while index < code.count {
      if "([{".utf8.contains(code[index]) { depth += 1 }
      if ")]}".utf8.contains(code[index]) { depth -= 1 }
      index += 1
      if depth == 0 { break }
    }
    return index
  }

  private func inside(_ open: Int) -> String { text(open + 1..<max(open + 1, closing(open) - 1)) }

  private func namesOfCheckedTypes() -> Set<String> {
    let text = String(decoding: code, as: UTF8.self)
    let types = "(?:Double|Float|Float16|T|CGFloat|Extent|Duration|TimeInterval)"
    let patterns = [
      #"\b(\w+)\s*:\s*(?:inout )?\[{0,2}"# + types + #"\b"#,
      #"\b(?:let|var)\s+(\w+)\s*=\s*(?:try |unsafe )*"# + types + #"\b"#,
      #"\b(?:let|var)\s+(\w+)\s*=\s*-?[0-9][0-9_]*\.[0-9]"#,
      #"\bfunc (\w+)\([^\n]*-> "# + types + #"\b"#,
    ]
    return patterns.reduce(into: []) { names, pattern in
      guard let pattern = try? NSRegularExpression(pattern: pattern) else { return }
      for match in pattern.matches(in: text, range: NSRange(text.startIndex..., in: text)) {
        if let range = Range(match.range(at: 1), in: text) { names.insert(String(text[range])) }
      }
    }
  }

  private func reasonedLines() -> [Bool] {
    var result = [Bool](repeating: false, count: lines.count)
    for (number, line) in lines.enumerated() where line.contains(Self.reason) {
      result[number] = true
      guard line.trimmingCharacters(in: .whitespaces).hasPrefix(Self.reason) else { continue }
      // Lines of their own: the comment may go on for some more.
      var next = number + 1
      while next < lines.count, lines[next].trimmingCharacters(in: .whitespaces).hasPrefix("//") { next += 1 }
      if next < lines.count { cover(next, in: &result) }
    }
    return result
  }

  /// Marks a line, and the lines of the block or of the list of parameters and the block that it opens.
  private func cover(_ first: Int, in marks: inout [Bool]) {
    func indentation(_ line: Substring) -> Int { line.prefix { $0 == " " }.count }
    marks[first] = true
    guard lines[first].hasSuffix("{") || lines[first].hasSuffix("(") else { return }
    var next = first + 1
    while next < lines.count, lines[next].isEmpty || indentation(lines[next]) > indentation(lines[first]) || lines[next].hasSuffix("{") {
      marks[next] = true
      next += 1
    }
  }

  /// The text with blanks for comments and the literal parts of strings, byte by byte.
  private static func code(of text: [UInt8]) -> [UInt8] {
    var result = text
    var index = 0
    func starts(_ mark: String) -> Bool { text[index] == mark.utf8.first && text[index...].starts(with: mark.utf8) }
    func blank(_ count: Int) {
      for place in index..<min(index + count, text.count) where text[place] != UInt8(ascii: "\n") { result[place] = UInt8(ascii: " ") }
      index += count
    }
    /// Blanks a string literal up to its end. Interpolated expressions stay.
    func string(_ quote: String) {
      index += quote.utf8.count
      while index < text.count, !starts(quote) {
        if starts("\\(") {
          blank(2)
          var depth = 1
          while index < text.count, depth > 0 {
            if text[index] == UInt8(ascii: "(") { depth += 1 }
            if text[index] == UInt8(ascii: ")") { depth -= 1 }
            if depth == 0 { break }
            if text[index] == UInt8(ascii: "\"") { string("\"") } else { index += 1 }
          }
          blank(1)
        } else {
          blank(text[index] == UInt8(ascii: "\\") ? 2 : 1)
        }
      }
      index += quote.utf8.count
    }
    while index < text.count {
      if starts("//") {
        blank(text[index...].firstIndex(of: UInt8(ascii: "\n")).map { $0 - index } ?? text.count - index)
      } else if starts("/*") {
        while index < text.count, !starts("*/") { blank(1) }
        blank(2)
      } else if starts("\"\"\"") {
        string("\"\"\"")
      } else if text[index] == UInt8(ascii: "\"") {
        string("\"")
      } else {
        index += 1
      }
    }
    return result
  }
}
