package import MartletTensor

/// What an operator takes, by position, and how exact its results are: the same for all its attributes.
package struct OperatorContract: Sendable {
  package enum Role: String, Sendable {
    /// What the operator is applied to.
    case data
    /// Factors of a product, mostly constant.
    case weight
    /// Numbers for channels, axes or blocks: biases, statistics, scales, tables.
    case parameter
    /// Positions, lengths or places.
    case indices
    /// Which elements count.
    case mask
    /// Values that the operator carries on from an earlier step.
    case state
    /// A number that is no tensor.
    case number
  }

  /// A group of element types.
  package enum DTypes: String, Sendable {
    case any, real, floating, integer, index, complex
    case int8, eightBit = "int8, uint8", float32, bool
    case floating32 = "float32, float64"
    case half = "float32, float16, bfloat16"
    case maskLike = "floating, bool"
    case placeLike = "floating, integer"
    case stored = "int8, uint8, int16, uint16, int32"

    package func contains(_ dtype: DType) -> Bool {
      switch self {
      case .any: true
      case .real: !dtype.isComplex
      case .floating: dtype.isFloatingPoint
      case .integer: dtype.isInteger
      case .index: dtype.isInteger && dtype != .uint64
      case .complex: dtype.isComplex
      case .int8: dtype == .int8
      case .eightBit: dtype == .int8 || dtype == .uint8
      case .float32: dtype == .float32
      case .bool: dtype == .bool
      case .floating32: dtype == .float32 || dtype == .float64
      case .half: [.float32, .float16, .bfloat16].contains(dtype)
      case .maskLike: dtype.isFloatingPoint || dtype == .bool
      case .placeLike: dtype.isFloatingPoint || dtype.isInteger
      case .stored: [.int8, .uint8, .int16, .uint16, .int32].contains(dtype)
      }
    }
  }

  package struct Operand: Sendable {
    package var name: String
    package var role: Role
    /// Element types that are accepted; for numbers those of the tensors that they stand for.
    package var dtypes: DTypes
    /// Whether it may be absent.
    package var isOptional: Bool
    /// Whether any number of such operands, also none, stand here and to the end.
    package var repeats: Bool

    package init(_ name: String, _ role: Role, _ dtypes: DTypes, isOptional: Bool = false, repeats: Bool = false) {
      self.name = name
      self.role = role
      self.dtypes = dtypes
      self.isOptional = isOptional
      self.repeats = repeats
    }
  }

  /// How far results may be from those of exact arithmetic on the operands.
  package enum Accuracy: String, Sendable {
    /// Not at all: elements are moved or chosen, or integers.
    case exact
    /// Some units in the last place of each result.
    case ulp
    /// As the rounding of a sum, in proportion to its length.
    case lengthScaled = "length-scaled"
    /// One step of a quantised number.
    case quantizationStep = "quantization-step"
    /// Random numbers have no exact result.
    case random
  }

  /// Operands in order. Behind them there may be numbers that attributes refer to (`IntArgument`).
  package var operands: [Operand]
  package var accuracy: Accuracy

  package init(_ operands: [Operand], accuracy: Accuracy) {
    self.operands = operands
    self.accuracy = accuracy
  }

  /// The operand that a node has at a position; nil behind the last one.
  package func operand(at position: Int) -> Operand? {
    if position < operands.count { return operands[position] }
    return operands.last.flatMap { $0.repeats ? $0 : nil }
  }
}
