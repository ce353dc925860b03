package import MartletGraph
import MartletKernels
package import MartletTensor

/// One argument in a call of a custom operator, as imported. Tensors and computed scalars are operands of the node.
package enum CustomArgument: Sendable, Hashable {
  case tensor(operand: Int)
  /// A list of tensors; nil for an absent one.
  case tensors([Int?])
  case number(Scalar)
  /// A scalar computed by the program.
  case computed(operand: Int)
  case integers([IntArgument])
  case doubles([Double])
  case bools([Bool])
  case string(String)
  case none

  /// Kind of the argument, for messages.
  var kindName: String {
    switch self {
    case .tensor: "a tensor"
    case .tensors: "a list of tensors"
    case .number, .computed: "a number"
    case .integers: "a list of integers"
    case .doubles: "a list of floating-point numbers"
    case .bools: "a list of booleans"
    case .string: "a string"
    case .none: "absent"
    }
  }
}

extension CustomArgument: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tensor(let operand), .computed(let operand): "[\(operand)]"
    case .tensors(let operands): "[\(operands.map { $0.map { "[\($0)]" } ?? "none" }.joined(separator: ", "))]"
    case .number(let scalar): "\(scalar)"
    case .integers(let items): "\(items)"
    case .doubles(let items): "\(items)"
    case .bools(let items): "\(items)"
    case .string(let text): "\"\(text)\""
    case .none: "none"
    }
  }
}

/// A custom operator's code asked for an argument of the wrong kind.
package struct CustomArgumentError: Error, Sendable, CustomStringConvertible {
  package let reason: String
  package init(_ reason: String) { self.reason = reason }
  package var description: String { reason }
}

/// The arguments of a custom operator by position in its schema, as seen by its shape rule or kernel.
@safe
package struct CustomArguments {
  /// Records the operand whose value a shape rule requested before it was known.
  final class NeededValue {
    var operand: Int?
  }

  enum Phase {
    case planning(Operands, NeededValue)
    case running(CustomBinding, KernelContext)
  }

  let list: [CustomArgument]
  let phase: Phase

  package var count: Int { list.count }

  private func argument(_ position: Int) throws(CustomArgumentError) -> CustomArgument {
    guard list.indices.contains(position) else {
      throw CustomArgumentError("argument \(position) does not exist: the call has \(list.count) arguments")
    }
    return list[position]
  }

  private func mismatch(_ position: Int, _ argument: CustomArgument, _ wanted: String) -> CustomArgumentError {
    CustomArgumentError("argument \(position) is \(argument.kindName), not \(wanted)")
  }

  package func isNone(_ position: Int) throws(CustomArgumentError) -> Bool { try argument(position) == .none }

  // MARK: Tensors

  /// The operand of tensor argument `position`, or of item `item` in a tensor list; nil if it is absent.
  package func optionalOperand(_ position: Int, item: Int?) throws(CustomArgumentError) -> Int? {
    let argument = try argument(position)
    switch (argument, item) {
    case (.tensor(let operand), nil): return operand
    case (.none, nil): return nil
    case (.tensors(let items), let item?):
      guard items.indices.contains(item) else {
        throw CustomArgumentError("item \(item) of argument \(position) does not exist: the list has \(items.count) items")
      }
      return items[item]
    default: throw mismatch(position, argument, item == nil ? "a tensor" : "a list of tensors")
    }
  }

  package func operand(_ position: Int, item: Int?) throws(CustomArgumentError) -> Int {
    guard let operand = try optionalOperand(position, item: item) else {
      throw CustomArgumentError("argument \(position) is absent, not a tensor")
    }
    return operand
  }

  package func tensorCount(_ position: Int) throws(CustomArgumentError) -> Int {
    let argument = try argument(position)
    guard case .tensors(let items) = argument else { throw mismatch(position, argument, "a list of tensors") }
    return items.count
  }

  /// Dtype and shape of the tensor in `operand`.
  package func type(ofOperand operand: Int) throws(CustomArgumentError) -> TensorType {
    switch phase {
    case .planning(let operands, _):
      guard let type = operands.optionalTensor(operand) else { throw CustomArgumentError("operand \(operand) is not a tensor") }
      return type
    case .running(let binding, _):
      guard let view = binding.inputs[operand] else { throw CustomArgumentError("operand \(operand) is not a tensor") }
      return view.type
    }
  }

  // MARK: Numbers

  private func scalar(ofOperand operand: Int) throws(CustomArgumentError) -> Scalar {
    switch phase {
    case .planning(let operands, let needed):
      switch operands.all[operand] {
      case .scalar(.known(let scalar)): return scalar
      case .scalar:
        needed.operand = operand
        throw CustomArgumentError("the value of operand \(operand) is not known yet")
      default: throw CustomArgumentError("operand \(operand) is not a number")
      }
    case .running(let binding, let context):
      guard let scalar = binding.scalars[operand] else { throw CustomArgumentError("operand \(operand) is not a number") }
      return scalar.scalar(context)
    }
  }

  package func scalar(_ position: Int) throws(CustomArgumentError) -> Scalar {
    let argument = try argument(position)
    switch argument {
    case .number(let scalar): return scalar
    case .computed(let operand): return try scalar(ofOperand: operand)
    default: throw mismatch(position, argument, "a number")
    }
  }

  package func int(_ position: Int) throws(CustomArgumentError) -> Int {
    let scalar = try scalar(position)
    guard scalar.kind != .double, let value = scalar.intValue.flatMap({ Int(exactly: $0) }) else {
      throw CustomArgumentError("argument \(position) is \(scalar), not an integer")
    }
    return value
  }

  package func string(_ position: Int) throws(CustomArgumentError) -> String {
    let argument = try argument(position)
    guard case .string(let text) = argument else { throw mismatch(position, argument, "a string") }
    return text
  }

  package func intList(_ position: Int) throws(CustomArgumentError) -> [Int] {
    let argument = try argument(position)
    guard case .integers(let items) = argument else { throw mismatch(position, argument, "a list of integers") }
    var result: [Int] = []
    result.reserveCapacity(items.count)
    for item in items {
      switch item {
      case .constant(let value): result.append(value)
      case .operand(let operand):
        guard let value = try scalar(ofOperand: operand).intValue.flatMap({ Int(exactly: $0) }) else {
          throw CustomArgumentError("argument \(position) has an item that is not an integer")
        }
        result.append(value)
      }
    }
    return result
  }

  package func doubleList(_ position: Int) throws(CustomArgumentError) -> [Double] {
    let argument = try argument(position)
    guard case .doubles(let items) = argument else { throw mismatch(position, argument, "a list of floating-point numbers") }
    return items
  }

  package func boolList(_ position: Int) throws(CustomArgumentError) -> [Bool] {
    let argument = try argument(position)
    guard case .bools(let items) = argument else { throw mismatch(position, argument, "a list of booleans") }
    return items
  }
}

/// The row-major tensors and the scalars that a planned call of a custom operator reads and writes, by operand.
package final class CustomBinding: Sendable {
  let inputs: [TensorView?]
  let scalars: [RuntimeScalar?]
  let outputs: [TensorView]

  init(inputs: [TensorView?], scalars: [RuntimeScalar?], outputs: [TensorView]) {
    self.inputs = inputs
    self.scalars = scalars
    self.outputs = outputs
  }
}

/// A running call of a custom operator: its arguments, and the memory of its inputs and outputs.
///
/// Valid only while the kernel runs. Creating a call allocates nothing.
@safe
package struct CustomCall {
  let binding: CustomBinding
  let context: KernelContext
  package let arguments: CustomArguments

  init(_ binding: CustomBinding, _ list: [CustomArgument], _ context: KernelContext) {
    self.binding = binding
    self.context = context
    arguments = CustomArguments(list: list, phase: .running(binding, context))
  }

  /// The tensor in `operand` and the address of its row-major elements.
  package func input(operand: Int) throws(CustomArgumentError) -> (type: TensorView, address: UnsafeRawPointer) {
    guard let view = binding.inputs[operand] else { throw CustomArgumentError("operand \(operand) is not a tensor") }
    return unsafe (view, UnsafeRawPointer(context.address(view)))
  }

  package var outputCount: Int { binding.outputs.count }

  /// Result `index` and the address of its row-major elements.
  package func output(_ index: Int) throws(CustomArgumentError) -> (type: TensorView, address: UnsafeMutableRawPointer) {
    guard binding.outputs.indices.contains(index) else {
      throw CustomArgumentError("output \(index) does not exist: the operator has \(binding.outputs.count) outputs")
    }
    return unsafe (binding.outputs[index], context.address(binding.outputs[index]))
  }

  /// Splits `count` items into ranges of at least `grain` and runs `body` for each, on several threads.
  package func parallelRanges(_ count: Int, grain: Int, _ body: (Range<Int>) -> Void) {
    context.parallelRanges(count, grain: grain) { range, _ in body(range) }
  }
}
