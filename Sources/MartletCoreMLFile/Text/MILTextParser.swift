package import MartletBytes

/// Parser for the text form of programs, `model.mil` in compiled models, in its old and new type syntax.
///
///     program(1.0)
///     [buildInfo = dict<tensor<string, []>, tensor<string, []>>({{"coremlc-version", "3402.4.1"}})]
///     {
///       func main<ios16>(tensor<fp16, [1, 10]> x) {
///         tensor<fp16, []> y = const()[name = tensor<string, []>("y"), val = tensor<fp16, []>(0x1p+1)];
///         tensor<fp16, [1, 10]> z = mul(x = x, y = y)[name = tensor<string, []>("z")];
///       } -> (z);
///     }
///
/// The new syntax, since iOS 18, writes plain scalar types: `fp16 y = const()[name = string("y"), val = fp16(0x1p+1)]`. Both may be
/// mixed. Blocks of control flow follow an operation's attributes as `(tensor<int32, []> i) { ... } -> (n)`, one after the other.
package struct MILTextParser {
  /// Maximum nesting depth of blocks, types and literals.
  static let maximumDepth = 64

  let weights: WeightFolder
  private(set) var lexer: MILTextLexer
  /// The next token; `lexer` is positioned after it.
  private(set) var token: MILToken
  var depth = 0

  package static func program(_ text: ByteView, weights: WeightFolder) throws(FileError) -> MILProgram {
    var parser = try MILTextParser(text, weights: weights)
    return try parser.program()
  }

  init(_ text: ByteView, weights: WeightFolder) throws(FileError) {
    self.weights = weights
    lexer = MILTextLexer(text)
    token = .end
    try advance()
  }

  // MARK: tokens

  func error(_ reason: String) -> FileError { lexer.error(reason, at: lexer.tokenStart) }

  mutating func advance() throws(FileError) {
    token = try lexer.next()
  }

  mutating func take(_ wanted: MILToken) throws(FileError) {
    guard token == wanted else { throw error("\(wanted) is expected instead of \(token)") }
    try advance()
  }

  /// Consumes the token if it is `wanted`.
  mutating func takeIf(_ wanted: MILToken) throws(FileError) -> Bool {
    guard token == wanted else { return false }
    try advance()
    return true
  }

  mutating func takeIf(_ character: Unicode.Scalar) throws(FileError) -> Bool { try takeIf(.symbol(character)) }

  mutating func take(_ character: Unicode.Scalar) throws(FileError) { try take(.symbol(character)) }

  mutating func takeIdentifier() throws(FileError) -> String {
    guard case .identifier(let name) = token else { throw error("a name is expected instead of \(token)") }
    try advance()
    return name
  }

  mutating func takeWord(_ word: String) throws(FileError) { try take(.identifier(word)) }

  /// The token after the next one.
  func lookAhead() throws(FileError) -> MILToken {
    var copy = lexer
    return try copy.next()
  }

  /// Runs `body` one level deeper.
  mutating func nested<Result>(_ body: (inout MILTextParser) throws(FileError) -> Result) throws(FileError) -> Result {
    guard depth < Self.maximumDepth else { throw error("the program is nested too deeply") }
    depth += 1
    defer { depth -= 1 }
    return try body(&self)
  }

  /// Items separated by commas up to `close`, which is consumed too.
  mutating func list(
    until close: Unicode.Scalar, _ item: (inout MILTextParser) throws(FileError) -> Void
  ) throws(FileError) {
    if try takeIf(close) { return }
    while true {
      try item(&self)
      if try takeIf(close) { return }
      try take(",")
    }
  }

  // MARK: program

  private mutating func program() throws(FileError) -> MILProgram {
    try takeWord("program")
    try take("(")
    guard case .number(let version) = token, let number = Double(version), number >= 1, number < 1000 else {
      throw error("the version of the program is expected instead of \(token)")
    }
    try advance()
    try take(")")
    let attributes = token == .symbol("[") ? try descriptiveAttributes() : [:]
    try take("{")
    var functions: [MILFunction] = []
    while token != .symbol("}") { functions.append(try function()) }
    try advance()
    guard token == .end else { throw error("the program ends before \(token)") }
    guard !functions.isEmpty else { throw error("the program has no function") }
    guard Set(functions.map(\.name)).count == functions.count else { throw error("two functions have the same name") }
    // In range: at least 1 and less than 1,000.
    return MILProgram(version: Int64(number), functions: functions.sorted { $0.name < $1.name }, attributes: attributes)
  }

  private mutating func function() throws(FileError) -> MILFunction {
    try takeWord("func")
    let name = try takeIdentifier()
    try take("<")
    let opset = try takeIdentifier()
    try take(">")
    let inputs = try parameters()
    let attributes = token == .symbol("[") ? try descriptiveAttributes() : [:]
    let block = try body(inputs: [])
    _ = try takeIf(";")
    var function = MILFunction(name: name, inputs: inputs, opset: opset, block: block, attributes: attributes)
    do {
      try MILNameCheck.check(function, path: lexer.path)
    } catch {
      throw error.nested(in: name)
    }
    function.block.numberOperations()
    return function
  }

  /// `(tensor<...> x, tensor<...> y)`.
  private mutating func parameters() throws(FileError) -> [MILNamedType] {
    var inputs: [MILNamedType] = []
    try take("(")
    try list(until: ")") { (parser) throws(FileError) in
      let type = try parser.type()
      inputs.append(MILNamedType(name: try parser.takeIdentifier(), type: type))
    }
    return inputs
  }

  /// `{ operations } -> (names)`.
  private mutating func body(inputs: [MILNamedType]) throws(FileError) -> MILBlock {
    try nested { (parser) throws(FileError) in
      try parser.take("{")
      var operations: [MILOperation] = []
      while parser.token != .symbol("}") { operations.append(try parser.operation()) }
      try parser.advance()
      try parser.take(.arrow)
      try parser.take("(")
      var outputs: [String] = []
      try parser.list(until: ")") { (parser) throws(FileError) in outputs.append(try parser.takeIdentifier()) }
      return MILBlock(inputs: inputs, operations: operations, outputs: outputs, attributes: [:])
    }
  }

  // MARK: operations

  private mutating func operation() throws(FileError) -> MILOperation {
    var outputs: [MILNamedType] = []
    // An operation without results starts with its name, followed by an argument list.
    if try lookAhead() != .symbol("(") {
      repeat {
        let type = try type()
        outputs.append(MILNamedType(name: try takeIdentifier(), type: type))
      } while try takeIf(",")
      try take("=")
    }
    let type = try takeIdentifier()
    var inputs: [String: MILArgument] = [:]
    try take("(")
    try list(until: ")") { (parser) throws(FileError) in
      let parameter = try parser.takeIdentifier()
      try parser.take("=")
      guard inputs.updateValue(try parser.argument(), forKey: parameter) == nil else {
        throw parser.error("the parameter '\(parameter)' is given twice")
      }
    }
    var attributes: [String: MILValue] = [:]
    var blocks: [MILBlock] = []
    while true {
      if token == .symbol("[") {
        attributes.merge(try self.attributes()) { $1 }
      } else if token == .symbol("(") || token == .symbol("{") {
        let inputs = token == .symbol("(") ? try parameters() : []
        blocks.append(try body(inputs: inputs))
        _ = try takeIf(",")
      } else {
        break
      }
    }
    try take(";")
    return MILOperation(type: type, inputs: inputs, outputs: outputs, blocks: blocks, attributes: attributes)
  }

  /// A name, a value, or several of them in parentheses.
  private mutating func argument() throws(FileError) -> MILArgument {
    var bindings: [MILBinding] = []
    if try takeIf("(") {
      try list(until: ")") { (parser) throws(FileError) in bindings.append(try parser.binding()) }
    } else {
      bindings.append(try binding())
    }
    return MILArgument(bindings)
  }

  private mutating func binding() throws(FileError) -> MILBinding {
    guard case .identifier(let name) = token else { throw error("a name or a value is expected instead of \(token)") }
    let following = try lookAhead()
    if following == .symbol("<") || following == .symbol("(") { return .value(try typedValue()) }
    try advance()
    return .name(name)
  }

  // MARK: attributes

  /// `[name = value, name = value]`.
  private mutating func attributes() throws(FileError) -> [String: MILValue] {
    var attributes: [String: MILValue] = [:]
    try take("[")
    try list(until: "]") { (parser) throws(FileError) in
      let name = try parser.takeIdentifier()
      try parser.take("=")
      attributes[name] = try parser.typedValue()
    }
    return attributes
  }

  /// Attributes of programs and functions. Their information about tools and shapes is not needed, so values of unknown form are skipped.
  private mutating func descriptiveAttributes() throws(FileError) -> [String: MILValue] {
    var attributes: [String: MILValue] = [:]
    try take("[")
    try list(until: "]") { (parser) throws(FileError) in
      let name = try parser.takeIdentifier()
      try parser.take("=")
      let start = parser
      do {
        attributes[name] = try parser.typedValue()
      } catch {
        parser = start
        try parser.skipValue()
      }
    }
    return attributes
  }

  /// Skips tokens up to a comma or a closing bracket outside of all brackets.
  private mutating func skipValue() throws(FileError) {
    var open = 0
    while true {
      switch token {
      case .end: throw error("an attribute is not terminated")
      case .symbol("("), .symbol("["), .symbol("{"), .symbol("<"): open += 1
      case .symbol(")"), .symbol("]"), .symbol("}"), .symbol(">"):
        if open == 0 { return }
        open -= 1
      case .symbol(",") where open == 0: return
      default: break
      }
      try advance()
    }
  }
}

private func ~= (pattern: MILToken, value: MILToken) -> Bool { pattern == value }
