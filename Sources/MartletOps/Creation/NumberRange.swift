package import MartletGraph
import MartletKernels
package import MartletTensor

/// The values `start, start + step, …` below `end`. Operands 0 to 2 are start, end and step.
/// - Shapes: [`ceil((end - start) / step)`]. The extent is also known if start and end are run-time integers with a known difference.
/// - DTypes: all real ones. int64 truncates all three scalars first; other integer types truncate start and step.
/// - Accuracy: float types compute `start + i * step` in float64.
/// - Sources: ATen `arange.out`, `arange.start_out`; MIL `range_1d`.
package struct NumberRange: PlannedOperator {
  package static let contract = OperatorContract(
    [
      .init("start", .number, .real), .init("end", .number, .real), .init("step", .number, .real),
    ], accuracy: .ulp)

  package var dtype: DType
  package var name: String { "range" }

  package init(dtype: DType) { self.dtype = dtype }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    if dtype.isComplex { throw .unsupported("a range of \(dtype)") }
    let kinds = (try operands.scalar(0).kind, try operands.scalar(1).kind)
    let step = try operands.known(2)
    if kinds == (.int, .int), step.kind == .int {
      let span = try operands.difference(.operand(1), .operand(0))
      guard let step = step.intValue.flatMap({ Int(exactly: $0) }) else { throw .invalid("the step \(step) is too large") }
      return [.tensor(TensorType(dtype, [try Self.count(span: span, step: step)]))]
    }
    let (start, end) = (try operands.known(0), try operands.known(1))
    if dtype == .int64 {
      guard let first = start.intValue, let last = end.intValue, let stride = step.intValue else {
        throw .invalid("the range from \(start) to \(end) by \(step) does not fit int64")
      }
      guard let span = (Extent(Int(widening: last)) - Int(widening: first)).value else {
        throw .invalid("the range from \(start) to \(end) is too long")
      }
      return [.tensor(TensorType(dtype, [try Self.count(span: span, step: Int(widening: stride))]))]
    }
    let (first, last, stride) = (start.doubleValue, end.doubleValue, step.doubleValue)
    // In range: floating-point numbers.
    guard stride != 0, stride.isFinite, first.isFinite, last.isFinite, (last - first) * stride >= 0 else {
      throw .invalid("a range from \(first) to \(last) by \(stride) does not exist")
    }
    guard let count = Extent(roundingUp: (last - first) / stride).count else {
      throw .invalid("the range from \(first) to \(last) by \(stride) is too long")
    }
    return [.tensor(TensorType(dtype, [count]))]
  }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    guard operands.isInteger(1), operands.scalar(0) == .int(0), operands.scalar(2) == .int(1) else { return nil }
    return [operands.extent(.operand(1))]
  }

  private static func count(span: Int, step: Int) throws(OperatorError) -> Int {
    guard step != 0, span == 0 || (span > 0) == (step > 0) else { throw .invalid("a span of \(span) does not match a step of \(step)") }
    let (quotient, remainder) = span.magnitude.quotientAndRemainder(dividingBy: step.magnitude)
    guard let count = (Extent(quotient) + (remainder == 0 ? 0 : 1)).count else {
      throw .invalid("a span of \(span) by \(step) has too many elements")
    }
    return count
  }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let start = node.scalar(0)
    let step = node.scalar(2)
    let count = node.outputs[0].elementCount
    let isFloat = dtype.isFloatingPoint
    let result = node.staging(0, as: isFloat ? .float64 : .int64)
    node.emit("range \(count)", flops: Double(count)) { context in
      if isFloat {
        let (first, stride) = (start.double(context), step.double(context))
        let y = context.elements(result, as: Double.self)
        for i in 0..<count { y[i] = first + Double(i) * stride }
      } else {
        guard let first = start.scalar(context).intValue, let stride = step.scalar(context).intValue else {
          throw KernelError("start or step of an integer range is not an integer")
        }
        let y = context.elements(result, as: Int64.self)
        for i in 0..<count { y[i] = first &+ Int64(widening: i) &* stride }
      }
    }
    node.finish(0, from: result)
  }
}
