import MartletTensor

extension PointwiseProgram {
  /// The program without pairs of negations around a bound: -max(-x, c) is min(x, -c), and -min(-x, c) is max(x, -c). Converters to Core ML
  /// wrote ReLU6 so.
  package var withoutPairedNegations: PointwiseProgram {
    var bounds: [Int: (function: BinaryFunction, operand: Int, bound: Double, type: ComputeType)] = [:]
    for number in instructions.indices {
      guard let inner = negated(number), case .binary(let function, let a, let b) = instructions[inner] else { continue }
      guard let bound = literal(b) ?? literal(a), let operand = negated(literal(b) == nil ? b : a) else { continue }
      switch function {
      case .maximum: bounds[number] = (.minimum, operand, -bound, types[number])
      case .minimum: bounds[number] = (.maximum, operand, -bound, types[number])
      default: break
      }
    }
    guard !bounds.isEmpty else { return self }
    var isUsed = instructions.map { _ in false }
    isUsed[isUsed.count - 1] = true
    for number in instructions.indices.reversed() where isUsed[number] {
      for operand in bounds[number].map({ [$0.operand] }) ?? instructions[number].registers { isUsed[operand] = true }
    }
    var result = PointwiseProgram()
    var map = instructions.map { _ in 0 }
    for number in instructions.indices where isUsed[number] {
      if let (function, operand, bound, type) = bounds[number] {
        let literal = result.append(.literal(.double(bound), as: type))
        map[number] = result.append(.binary(function, map[operand], literal))
      } else {
        map[number] = result.append(instructions[number].renumbered { map[$0] })
      }
    }
    return result
  }

  private func literal(_ number: Int) -> Double? {
    if case .literal(let scalar, _) = instructions[number] { scalar.doubleValue } else { nil }
  }

  /// The number of the floating-point instruction whose negative an instruction computes; nil if it computes anything else.
  private func negated(_ number: Int) -> Int? {
    guard types[number] == .float32 || types[number] == .float64 else { return nil }
    switch instructions[number] {
    case .unary(.neg, let x): return x
    case .binary(.mul, let x, let y) where literal(y) == -1: return x
    case .binary(.mul, let x, let y) where literal(x) == -1: return y
    // A line whose offset is 0.
    case .binary(.add, let x, let y) where literal(y) == 0: return negated(x)
    default: return nil
    }
  }
}
