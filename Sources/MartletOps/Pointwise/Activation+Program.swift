import MartletKernels
import MartletTensor
package import MartletVocabulary

extension Activation {
  /// The activation as a pointwise program with one tensor operand.
  package func program(as type: ComputeType) -> PointwiseProgram {
    var program = PointwiseProgram()
    let x = program.append(.load(operand: 0, as: type))
    func literal(_ value: Float) -> Int { program.append(.literal(.double(Double(value)), as: type)) }
    switch kind {
    case .none: break
    case .clamp:
      let low = literal(low)
      program.append(.ternary(.clamp, x, low, literal(high)))
    case .hardswish where low == -.infinity: program.append(.unary(.hardswish, x))
    case .hardswish:
      let isAbove = program.append(.binary(.gt, x, literal(low)))
      program.append(.unary(.hardswish, program.append(.ternary(.select, isAbove, x, literal(low)))))
    case .hardsigmoid: program.append(.unary(.hardsigmoid, x))
    case .leakyRelu: program.append(.binary(.leakyRelu, x, literal(low)))
    case .silu: program.append(.unary(.silu, x))
    case .sigmoid: program.append(.unary(.sigmoid, x))
    case .tanh: program.append(.unary(.tanh, x))
    case .geluErf: program.append(.unary(.geluErf, x))
    case .geluTanh: program.append(.unary(.geluTanh, x))
    case .elu:
      let alpha = literal(low)
      program.append(.ternary(.elu, x, alpha, literal(1)))
    }
    return program
  }
}
