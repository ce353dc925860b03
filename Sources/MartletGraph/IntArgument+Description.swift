extension IntArgument: CustomStringConvertible {
  /// The number, or the operand's position in brackets.
  package var description: String {
    switch self {
    case .constant(let value): "\(value)"
    case .operand(let position): "[\(position)]"
    }
  }
}
