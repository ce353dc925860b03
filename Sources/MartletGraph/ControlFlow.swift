import MartletTensor

/// Runs the first region if the first operand (a bool) is true, otherwise the second. The other operands are the inputs of the regions; the
/// outputs of the regions are the results.
package struct Conditional: Operator {
  package var name: String { "if" }
  package init() {}
  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    throw .invalid("control flow is planned region by region")
  }
}

/// Runs its region at least once, and repeats it while the region's first output (a bool) is true. The other outputs are the inputs of the
/// next iteration and, after the last one, the results.
package struct Loop: Operator {
  package var name: String { "loop" }
  package init() {}
  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    throw .invalid("control flow is planned region by region")
  }
}

/// The value of a state at this point of the program.
package struct ReadState: Operator {
  package var state: Int
  package var name: String { "read_state" }
  package init(state: Int) { self.state = state }
  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    throw .invalid("states are bound by the planner")
  }
}

/// Replaces the value of a state by the operand, which has the state's dtype and shape.
package struct WriteState: Operator {
  package var state: Int
  package var name: String { "write_state" }
  package var traits: OperatorTraits { .hasEffect }
  package init(state: Int) { self.state = state }
  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] { [] }
}
