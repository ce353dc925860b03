package import MartletTensor

/// The meaning of a column in the operators' table.
package enum OperatorColumn: Sendable, Hashable {
  case dtype(DType)
  /// For operators on scalars.
  case number(ScalarKind)

  package var name: String {
    switch self {
    case .dtype(let dtype): dtype.name
    case .number(let kind): "\(kind)"
    }
  }
}

/// A line of `operatorSamples`.
struct OperatorSample: Sendable {
  /// Text in the notation of `operatorSamples`.
  typealias Text = Substring

  let op: String
  let arguments: [Text]
  let outputs: [Text]

  static let all: [OperatorSample] = operatorSamples.split(separator: "\n").compactMap { line in
    let line = line.drop { $0 == " " }
    return line.isEmpty || line.hasPrefix("#") ? nil : OperatorSample(line)
  }

  private init(_ line: Substring) {
    guard let arrow = line.ranges(of: " -> ").last else { preconditionFailure("a sample without outputs: \(line)") }
    let call = line[..<arrow.lowerBound].split(separator: " | ")
    op = String(call[0])
    arguments = Array(call.dropFirst())
    outputs = Array(line[arrow.upperBound...].split(separator: ", "))
  }

  /// Whether the operator takes only scalars.
  var isScalar: Bool { arguments.contains { $0.hasPrefix("S=") } }

  var columns: [OperatorColumn] {
    isScalar ? [.number(.int), .number(.double), .number(.bool)] : Self.dtypes.map { .dtype($0) }
  }

  static let dtypes: [DType] = [
    .float32, .float64, .float16, .bfloat16, .int8, .int16, .int32, .int64, .uint8, .uint16, .uint32, .uint64, .bool, .complex64,
    .complex128,
  ]
}

/// The meaning of a sample's letters in a column.
extension OperatorColumn {
  /// The element type that a name in a sample stands for; nil if the column has none.
  func dtype(named name: some StringProtocol) -> DType? {
    if let named = DType.allCases.first(where: { $0.name == name }) { return named }
    guard case .dtype(let t) = self else { return nil }
    let isIntegral = t.isInteger || t == .bool
    let f = isIntegral ? DType.float32 : t
    switch name {
    case "T": return t
    case "F": return f
    case "R": return Self.real(f)
    case "V": return Self.real(t)
    case "C": return t == .float32 ? .complex64 : t == .float64 ? .complex128 : nil
    case "A": return isIntegral ? .int64 : t
    default: return nil
    }
  }

  private static func real(_ dtype: DType) -> DType {
    switch dtype {
    case .complex64: .float32
    case .complex128: .float64
    default: dtype
    }
  }

  /// The kind of a scalar output.
  func kind(named name: some StringProtocol) -> ScalarKind? {
    switch (name, self) {
    case ("int", _): .int
    case ("double", _): .double
    case ("bool", _): .bool
    case ("S", .number(let kind)): kind
    case ("K", .dtype(.bool)): .bool
    case ("K", .dtype(let dtype)): dtype.isInteger ? .int : .double
    default: nil
    }
  }
}
