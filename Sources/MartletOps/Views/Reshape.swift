package import MartletGraph
package import MartletTensor

/// The operand's elements in row-major order with another shape.
/// - Shapes: any; `shape` may contain one -1, which is inferred, and run-time integers.
/// - DTypes: all.
/// - Sources: ATen `view_copy.out`; `executorch_prim::et_view.default`; views that a `.pte` expresses by shared memory;
///   MIL `reshape`.
package struct Reshape: PlannedOperator {
  package static let contract = OperatorContract([.init("x", .data, .any)], accuracy: .exact)

  package var shape: [IntArgument]
  package var name: String { "reshape" }

  package init(shape: [IntArgument]) { self.shape = shape }

  package func infer(_ operands: Operands) throws(OperatorError) -> [OperandType] {
    let x = try operands.tensor(0)
    var target = try operands.ints(shape)
    if let free = target.firstIndex(of: -1) {
      target[free] = 1
      guard let rest = Shape.elementCount(target), rest > 0, x.elementCount % rest == 0 else {
        throw .invalid("\(x.shape) cannot be reshaped to \(shape.count) axes with \(target) and one inferred extent")
      }
      target[free] = x.elementCount / rest
    }
    guard Shape.elementCount(target) == x.elementCount else {
      throw .invalid("\(x.shape) cannot be reshaped to \(target): the element counts differ")
    }
    return [.tensor(TensorType(x.dtype, target))]
  }

  package var traits: OperatorTraits { .movesElements.union(.keepsElementOrder).union(.isIdentityForEqualShapes) }

  package func symbolicShape(_ operands: SymbolicOperands) -> [SymbolicExtent?]? {
    var result = shape.map { operands.extent($0) }
    if let free = shape.firstIndex(of: .constant(-1)), let x = operands.shape(0) {
      result[free] = Self.rest(of: x, without: result.indices.filter { $0 != free }.map { result[$0] })
    }
    return result
  }

  /// The product of the extents `x` divided by that of `known`, if it is a number or an extent.
  private static func rest(of x: [SymbolicExtent], without known: [SymbolicExtent?]) -> SymbolicExtent? {
    var (factors, divisors, open) = ([Int](), [Int](), [SymbolicExtent]())
    for extent in x {
      if case .fixed(let count) = extent { factors.append(count) } else { open.append(extent) }
    }
    for extent in known {
      guard let extent else { return nil }
      if case .fixed(let count) = extent {
        divisors.append(count)
      } else {
        guard let equal = open.firstIndex(of: extent) else { return nil }
        open.remove(at: equal)
      }
    }
    guard let dividend = Extent.product(factors).value, let divisor = Extent.product(divisors).value, divisor > 0, dividend % divisor == 0
    else { return nil }
    if open.isEmpty { return .fixed(dividend / divisor) }
    return open.count == 1 && dividend == divisor ? open[0] : nil
  }

  package func narrowForm(_ operands: [TensorSignature?]) -> NarrowForm? {
    NarrowForm(narrowed: self, operands: Set(operands.indices), tied: Set(operands.indices))
  }

  package func alias(_ node: NodePlan) -> TensorView? { node.input(0).reshaped(node.outputType(0).shape) }

  package func plan(_ node: NodePlan) throws(OperatorError) {
    let output = node.outputs[0]
    let source = node.input(0)
    guard let target = output.reshaped(source.shape) else { throw .invalid("the result must be row-major") }
    node.builder.emitCopy(from: source, to: target, source: node.source)
  }
}
