package import MartletTensor

/// The operands of an operator and the accuracy of its results, for all values of its attributes.
package struct OperatorContract: Sendable {
  package enum Role: String, Sendable {
    /// The main input.
    case data
    /// The weights of a product or convolution, mostly constant.
    case weight
    /// Values per channel, axis or block: biases, statistics, scales, tables.
    case parameter
    /// Indices, lengths or coordinates.
    case indices
    /// Selects or weights elements.
    case mask
    /// The state of a previous step.
    case state
    /// A scalar, not a tensor.
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
    /// Accepted element types; for scalars, those of the tensors that they replace.
    package var dtypes: DTypes
    /// True if the operand may be absent.
    package var isOptional: Bool
    /// True if zero or more such operands follow, up to the last one.
    package var repeats: Bool

    package init(_ name: String, _ role: Role, _ dtypes: DTypes, isOptional: Bool = false, repeats: Bool = false) {
      self.name = name
      self.role = role
      self.dtypes = dtypes
      self.isOptional = isOptional
      self.repeats = repeats
    }
  }

  /// The largest deviation of results from exact arithmetic on the operands.
  package enum Accuracy: String, Sendable {
    /// None: elements are moved, selected or integers.
    case exact
    /// A few units in the last place.
    case ulp
    /// Rounding errors of a sum, proportional to its length.
    case lengthScaled = "length-scaled"
    /// One step of the quantised type.
    case quantizationStep = "quantization-step"
    /// Random numbers; there is no exact result.
    case random
  }

  /// Operands in order. Scalars that attributes refer to (`IntArgument`) may follow.
  package var operands: [Operand]
  package var accuracy: Accuracy

  package init(_ operands: [Operand], accuracy: Accuracy) {
    self.operands = operands
    self.accuracy = accuracy
  }

  /// The operand at a position; nil after the last one.
  package func operand(at position: Int) -> Operand? {
    if position < operands.count { return operands[position] }
    return operands.last.flatMap { $0.repeats ? $0 : nil }
  }
}
