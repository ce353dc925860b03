import MartletBytes

// Types: `tensor<fp16, [1, ?]>`, `list<T, 3>`, `tuple<T, U>`, `dict<K, V>`, `state<T>`, and the plain `fp16` of a scalar.
extension MILTextParser {
  mutating func type() throws(FileError) -> MILType {
    try nested { (parser) throws(FileError) in
      let word = try parser.takeIdentifier()
      switch word {
      case "tensor":
        try parser.take("<")
        let dataType = try parser.dataType()
        try parser.take(",")
        let dimensions = try parser.dimensions()
        try parser.take(">")
        return .tensor(MILTensorType(dataType, dimensions))
      case "list":
        try parser.take("<")
        let element = try parser.type()
        try parser.take(",")
        let length = try parser.dimension()
        try parser.take(">")
        return .list(element: element, length: length)
      case "tuple":
        try parser.take("<")
        var types: [MILType] = []
        try parser.list(until: ">") { (parser) throws(FileError) in types.append(try parser.type()) }
        return .tuple(types)
      case "dict":
        try parser.take("<")
        let key = try parser.type()
        try parser.take(",")
        let value = try parser.type()
        try parser.take(">")
        return .dictionary(key: key, value: value)
      case "state":
        try parser.take("<")
        let wrapped = try parser.type()
        try parser.take(">")
        return .state(wrapped)
      default:
        guard let dataType = MILDataType(textName: word) else { throw parser.error("'\(word)' before this is not a known type") }
        return .tensor(MILTensorType(dataType, []))
      }
    }
  }

  private mutating func dataType() throws(FileError) -> MILDataType {
    guard case .identifier(let name) = token, let type = MILDataType(textName: name) else {
      throw error("an element type is expected instead of \(token)")
    }
    try advance()
    return type
  }

  /// `[1, ?]`, or `?` for an unknown rank.
  private mutating func dimensions() throws(FileError) -> [MILDimension]? {
    if try takeIf("?") { return nil }
    var dimensions: [MILDimension] = []
    try take("[")
    try list(until: "]") { (parser) throws(FileError) in dimensions.append(try parser.dimension()) }
    return dimensions
  }

  private mutating func dimension() throws(FileError) -> MILDimension {
    if try takeIf("?") { return .unknown(variadic: false) }
    if try takeIf("*") {
      try take("?")
      return .unknown(variadic: true)
    }
    guard case .number(let text) = token, let extent = Int(text, radix: 10), extent >= 0 else {
      throw error("an extent is expected instead of \(token)")
    }
    try advance()
    return .constant(extent)
  }
}

// Values: a type followed by a literal in parentheses.
extension MILTextParser {
  mutating func typedValue() throws(FileError) -> MILValue {
    try nested { (parser) throws(FileError) in
      let type = try parser.type()
      try parser.take("(")
      let value = try parser.literal(of: type)
      try parser.take(")")
      return value
    }
  }

  private mutating func literal(of type: MILType) throws(FileError) -> MILValue {
    try nested { (parser) throws(FileError) in
      // A literal may repeat its type.
      if case .identifier(let word) = parser.token, word != "BLOBFILE" {
        let following = try parser.lookAhead()
        if following == .symbol("<") || following == .symbol("(") { return try parser.typedValue() }
      }
      switch type {
      case .tensor(let type): return .tensor(try parser.tensor(type))
      case .list(let element, let length):
        var values: [MILValue] = []
        try parser.elements { (parser) throws(FileError) in values.append(try parser.literal(of: element)) }
        if let extent = length.extent, extent != values.count {
          throw parser.error("a list has \(values.count) values, but its type has \(extent)")
        }
        return .list(values, element: element)
      case .tuple(let types):
        var values: [MILValue] = []
        try parser.elements { (parser) throws(FileError) in
          guard values.count < types.count else { throw parser.error("a tuple has more values than its type") }
          values.append(try parser.literal(of: types[values.count]))
        }
        guard values.count == types.count else { throw parser.error("a tuple has fewer values than its type") }
        return .tuple(values)
      case .dictionary(let keyType, let valueType):
        var pairs: [(key: MILValue, value: MILValue)] = []
        try parser.take("{")
        try parser.list(until: "}") { (parser) throws(FileError) in
          try parser.take("{")
          let key = try parser.literal(of: keyType)
          try parser.take(",")
          let value = try parser.literal(of: valueType)
          try parser.take("}")
          pairs.append((key, value))
        }
        return .dictionary(pairs)
      case .state: throw parser.error("a state cannot have a value")
      }
    }
  }

  /// Values in brackets of any kind.
  private mutating func elements(_ item: (inout MILTextParser) throws(FileError) -> Void) throws(FileError) {
    if try takeIf("(") {
      try list(until: ")", item)
    } else if try takeIf("[") {
      try list(until: "]", item)
    } else {
      try take("{")
      try list(until: "}", item)
    }
  }

  private mutating func tensor(_ type: MILTensorType) throws(FileError) -> MILTensor {
    if token == .identifier("BLOBFILE") { return try blob(type) }
    var scalars = ScalarList(type: type.dataType)
    var builder = MILTensorBuilder(type: type, path: lexer.path)
    let start = self
    if token == .symbol("[") {
      var shape: [Int?] = []
      try scalarList(into: &scalars, axis: 0, shape: &shape)
      // An axis that no list reaches, because an enclosing list is empty, has the type's extent.
      let known = type.dimensions?.map(\.extent)
      let extents = shape.enumerated().compactMap { axis, extent in extent ?? (known?.count == shape.count ? known?[axis] : 0) }
      // Lists may also be flat for any rank.
      if shape.count > 1 || type.dimensions?.count == 1 { builder.actualShape = extents }
    } else {
      try scalar(into: &scalars)
    }
    do {
      switch scalars.kind {
      case .strings: return try builder.strings(scalars.strings)
      case .booleans: return try builder.elements(scalars.booleans)
      case .integers: return try builder.integers(scalars.integers)
      case .floats: return try builder.floats(scalars.floats)
      }
    } catch {
      throw start.error(error.reason)
    }
  }

  /// A bracketed list of scalars or of such lists, all with equal extents, which are recorded in `shape` from `axis` on.
  private mutating func scalarList(into scalars: inout ScalarList, axis: Int, shape: inout [Int?]) throws(FileError) {
    try take("[")
    if axis == shape.count { shape.append(nil) }
    var count = 0
    var inner = scalars
    scalars = ScalarList(type: .bool)
    var extents = shape
    try nested { (parser) throws(FileError) in
      try parser.list(until: "]") { (parser) throws(FileError) in
        if parser.token == .symbol("[") {
          guard count == 0 || extents.count > axis + 1 else { throw parser.error("a list mixes scalars and lists") }
          try parser.scalarList(into: &inner, axis: axis + 1, shape: &extents)
        } else {
          guard extents.count == axis + 1 else { throw parser.error("a list mixes scalars and lists") }
          try parser.scalar(into: &inner)
        }
        count += 1
      }
    }
    scalars = inner
    if let extent = extents[axis], extent != count { throw error("lists on the same level have \(extent) and \(count) elements") }
    extents[axis] = count
    shape = extents
  }

  private mutating func scalar(into scalars: inout ScalarList) throws(FileError) {
    guard scalars.append(token) else { throw error("a value is expected instead of \(token)") }
    try advance()
  }

  /// `BLOBFILE(path = string("@model_path/weights/weight.bin"), offset = uint64(64))`.
  private mutating func blob(_ type: MILTensorType) throws(FileError) -> MILTensor {
    let start = self
    try advance()
    var path: String?
    var offset: UInt64?
    try take("(")
    try list(until: ")") { (parser) throws(FileError) in
      let name = try parser.takeIdentifier()
      try parser.take("=")
      let value = try parser.typedValue()
      switch name {
      case "path": path = value.string
      case "offset": if let number = value.tensor?.integers, number.count == 1 { offset = UInt64(exactly: number[0]) }
      default: throw parser.error("'\(name)' is not part of a reference to a weight file")
      }
    }
    guard let path, let offset else { throw start.error("a reference to a weight file lacks its path or offset") }
    return try weights.tensor(type, fileName: path, recordOffset: offset)
  }
}

/// Scalars of a literal, with the precision that the element type requires. Only the list of the type's kind is filled.
private struct ScalarList {
  enum Kind {
    case strings, booleans, integers, floats
  }

  let kind: Kind
  private(set) var strings: [String] = []
  private(set) var booleans: [UInt8] = []
  private(set) var integers: [Int64] = []
  private(set) var floats: [Double] = []

  init(type: MILDataType) {
    kind =
      switch type {
      case .string: .strings
      case .bool: .booleans
      case .float8E4M3FN, .float8E5M2, .float16, .bfloat16, .float32, .float64: .floats
      default: .integers
      }
  }

  /// Appends the value of `token`; returns false if it has the wrong type.
  mutating func append(_ token: MILToken) -> Bool {
    switch (kind, token) {
    case (.strings, .string(let text)): strings.append(text)
    case (.booleans, .identifier(let word)):
      guard word == "true" || word == "false" else { return false }
      booleans.append(word == "true" ? 1 : 0)
    case (.integers, .number(let text)):
      // Unsigned 64-bit integers are stored by bit pattern.
      guard let value = Int64(text, radix: 10) ?? UInt64(text, radix: 10).map(Int64.init(bitPattern:)) else { return false }
      integers.append(value)
    case (.floats, .number(let text)), (.floats, .identifier(let text)):
      guard let value = Double(text) else { return false }
      floats.append(value)
    default: return false
    }
    return true
  }
}
