import Foundation
import Martlet
import MartletExecuTorchFile
import MartletGraph
import MartletRuntime
import MartletTensor

/// A method that is ready to run, with the values that were set for it. Used by one thread at a time.
final class LoadedMethod {
  private let plan: ExecutionPlan
  private let method: CompiledMethod
  private let call: MethodCall
  private enum Input {
    case tensor(AnyTensor)
    case value(Argument)
  }

  /// The inputs that have been set.
  private var inputs: [Input?]
  /// Tensors that outputs are written into.
  private var outputs: [AnyTensor?]
  /// What the outputs of the present run are made of, and what they were last made of.
  private var written: [AnyTensor?]
  private var layouts: [TensorLayout?]
  private var results: [Value] = []
  /// Copies of inputs whose memory kernels cannot read as it lies.
  private var aligned: [AnyTensor] = []

  init(_ plan: ExecutionPlan, _ method: CompiledMethod) {
    self.plan = plan
    self.method = method
    call = method.takeCall()
    inputs = Array(repeating: nil, count: plan.inputs.count)
    outputs = Array(repeating: nil, count: plan.outputs.count)
    written = outputs
    layouts = Array(repeating: nil, count: plan.outputs.count)
  }

  deinit { method.giveBack(call) }

  // MARK: Setting values

  /// Keeps a value as an input of later runs. The elements of a tensor are copied if the program plans memory for the input;
  /// otherwise the tensor's memory is read when the method runs.
  func setInput(_ value: any ValueConvertible, at position: Int) throws {
    guard inputs.indices.contains(position) else {
      throw failure(.invalidArgument, "\(plan.name) has \(inputs.count) inputs and so none at \(position)")
    }
    guard let tensor = tensor(value) else {
      inputs[position] = .value(try argument(value.asValue(), at: position))
      return
    }
    _ = try argument(tensor, at: position)
    guard case .tensor(let declared) = plan.values[plan.inputs[position]], declared.isMemoryPlanned else {
      inputs[position] = .tensor(tensor)
      return
    }
    if case .tensor(let kept)? = inputs[position], kept.dataType == tensor.dataType, kept.layout == tensor.layout {
      unsafe kept.dataPointer.copyMemory(from: tensor.dataPointer, byteCount: tensor.byteCount)
    } else {
      inputs[position] = .tensor(tensor.copy())
    }
  }

  func setInputs(_ values: [any ValueConvertible]) throws {
    guard values.count == inputs.count else {
      throw failure(.invalidArgument, "\(plan.name) takes \(inputs.count) inputs, not \(values.count)")
    }
    for (position, value) in values.enumerated() { try setInput(value, at: position) }
  }

  /// Makes later runs write an output into the memory of `value`, a tensor.
  func setOutput(_ value: Value, at position: Int) throws {
    guard outputs.indices.contains(position) else {
      throw failure(.invalidArgument, "\(plan.name) has \(outputs.count) outputs and so none at \(position)")
    }
    guard let tensor = value.anyTensor else {
      throw failure(.invalidArgument, "Output \(position) of \(plan.name) must go to a tensor, not to \(value)")
    }
    guard case .tensor(let declared) = plan.values[plan.outputs[position]] else {
      throw failure(.invalidArgument, "Output \(position) of \(plan.name) is no tensor")
    }
    guard tensor.dataType.rawValue == declared.scalarType.rawValue else {
      throw failure(.invalidArgument, "Output \(position) of \(plan.name) has \(declared.scalarType) elements, not \(tensor.dataType)")
    }
    // A dynamic output has its largest size here; what it really needs is known when the method runs.
    let needed = declared.layout.byteCount ?? 0
    guard tensor.isAligned else {
      throw failure(.invalidArgument, "The memory for output \(position) of \(plan.name) does not start at a whole element")
    }
    guard tensor.byteCount >= needed || declared.shapeDynamism == .unbound else {
      throw failure(.invalidArgument, "Output \(position) of \(plan.name) needs \(needed) bytes, not \(tensor.byteCount)")
    }
    outputs[position] = tensor
  }

  // MARK: Running

  /// Runs the method.
  ///
  /// - Parameter given: values for the first inputs, which stay set; the others are those set before.
  func run(_ given: [any ValueConvertible]) throws -> [Value] {
    for (position, value) in given.enumerated() { try setInput(value, at: position) }
    call.arguments.removeAll(keepingCapacity: true)
    defer { aligned.removeAll() }
    for position in inputs.indices {
      switch inputs[position] {
      case .tensor(let tensor): call.arguments.append(try argument(tensor, at: position))
      case .value(let argument): call.arguments.append(argument)
      case nil: throw failure(.invalidArgument, "Input \(position) of \(plan.name) has not been set")
      }
    }
    for position in written.indices { written[position] = nil }
    do {
      try unsafe method.run(call) { position, type in
        let tensor = try output(position, type)
        written[position] = tensor
        return unsafe tensor.dataPointer
      }
    } catch {
      throw failure(error)
    }
    return takeResults()
  }

  /// Where output `position` of this run goes.
  private func output(_ position: Int, _ type: TensorType) throws -> AnyTensor {
    if let tensor = outputs[position] {
      guard tensor.byteCount >= type.byteCount else {
        throw failure(
          .invalidArgument, "Output \(position) of \(plan.name) is \(type) and needs \(type.byteCount) bytes, not \(tensor.byteCount)")
      }
      if tensor.shape == type.shape, tensor.dimensionOrder == order(position, rank: type.rank) { return tensor }
      // The same memory with the shape that this run gives.
      return AnyTensor(
        storage: tensor.storage, byteOffset: tensor.byteOffset, dataType: tensor.dataType, layout: try layout(position, type.shape),
        shapeDynamism: tensor.shapeDynamism)
    }
    return AnyTensor(
      storage: TensorStorage(byteCount: type.byteCount, zeroed: false), dataType: DataType(type.dtype),
      layout: try layout(position, type.shape), shapeDynamism: dynamism(position))
  }

  private func takeResults() -> [Value] {
    // The values of the last run stand for this one too, if all outputs went where they are.
    if results.count == call.results.count,
      zip(call.results.indices, results).allSatisfy({ index, value in
        if case .tensor = call.results[index] { value.anyTensor === written[index] } else { false }
      })
    {
      return results
    }
    let values = call.results.enumerated().map { position, result in
      switch result {
      case .tensor: Value(written[position]!)
      case .scalar(.int(let value)): Value(Int(value))
      case .scalar(.double(let value)): Value(value)
      case .scalar(.bool(let value)): Value(value)
      case .string(let value): Value(value)
      case .none: Value()
      }
    }
    // Only tensors of the caller's may be handed out twice.
    let areAllSet = written.indices.allSatisfy { written[$0] != nil && written[$0] === outputs[$0] }
    results = areAllSet ? values : []
    return values
  }

  private func layout(_ position: Int, _ shape: [Int]) throws -> TensorLayout {
    if let known = layouts[position], known.shape == shape { return known }
    do {
      let layout = try TensorLayout(shape: shape, dimensionOrder: order(position, rank: shape.count))
      layouts[position] = layout
      return layout
    } catch {
      throw failure(.internal, error.description)
    }
  }

  private func order(_ position: Int, rank: Int) -> [Int] {
    if case .tensor(let declared) = plan.values[plan.outputs[position]], declared.dimOrder.count == rank { return declared.dimOrder }
    return Array(0..<rank)
  }

  private func dynamism(_ position: Int) -> ShapeDynamism {
    guard case .tensor(let declared) = plan.values[plan.outputs[position]] else { return .static }
    return switch declared.shapeDynamism {
    case .fixed: .static
    case .upperBound: .dynamicBound
    case .unbound: .dynamicUnbound
    }
  }

  // MARK: Arguments

  /// The tensor that a value is or holds.
  private func tensor(_ value: any ValueConvertible) -> AnyTensor? {
    switch value {
    case let value as Value: value.anyTensor
    case let tensor as AnyTensor: tensor
    case let tensor as any TypedTensor: tensor.anyTensor
    default: value.asValue().anyTensor
    }
  }

  private func argument(_ tensor: AnyTensor, at position: Int) throws -> Argument {
    guard let dtype = tensor.dataType.dtype else {
      throw failure(.notSupported, "Input \(position) of \(plan.name) has elements of the type \(tensor.dataType)")
    }
    var tensor = tensor
    if !tensor.isAligned {
      tensor = tensor.copy() as AnyTensor
      aligned.append(tensor)
    }
    let isRowMajor = tensor.dimensionOrder.enumerated().allSatisfy { $0 == $1 }
    return try accept(
      unsafe .tensor(
        TensorType(dtype, tensor.shape), UnsafeRawPointer(tensor.dataPointer), order: isRowMajor ? nil : tensor.dimensionOrder),
      at: position)
  }

  private func argument(_ value: Value, at position: Int) throws -> Argument {
    let declared = plan.values[plan.inputs[position]]
    let isRight =
      switch declared {
      case .int(let constant): value.tag == .integer && value.integer == Int(constant)
      case .bool(let constant): value.tag == .boolean && value.boolean == constant
      case .double(let constant): value.tag == .double && Self.isSame(value.double, constant)
      case .string(let constant): value.tag == .string && value.string == constant
      case .none: value.tag == .none
      default: false
      }
    // Numbers and texts are part of an exported program: it was made for one value of them.
    guard isRight else {
      throw failure(.invalidArgument, "Input \(position) of \(plan.name) is \(declared.summary), not \(value)")
    }
    return switch value.tag {
    case .integer: .scalar(.int(Int64(value.integer)))
    case .boolean: .scalar(.bool(value.boolean))
    case .double: .scalar(.double(value.double))
    default: .none
    }
  }

  /// Equal as far as a number that went through a file is.
  private static func isSame(_ value: Double, _ constant: Double) -> Bool {
    if value.isNaN || constant.isNaN { return value.isNaN && constant.isNaN }
    if value.isInfinite || constant.isInfinite { return value == constant }
    return abs(value - constant) <= 1e-4 + abs(constant) * 1e-5
  }

  private func accept(_ argument: Argument, at position: Int) throws -> Argument {
    do {
      return try method.graph.accept(argument, at: position)
    } catch {
      throw failure(error)
    }
  }
}

extension AnyTensor {
  /// Whether the elements lie at multiples of their size, as memory that was allocated for them does.
  fileprivate var isAligned: Bool { UInt(bitPattern: unsafe dataPointer) % UInt(max(size(ofDataType: dataType), 1)) == 0 }
}

/// A `Tensor` of any element type.
protocol TypedTensor {
  var anyTensor: AnyTensor { get }
}

extension Tensor: TypedTensor {}

extension EValue {
  /// The value in a few words, for messages.
  fileprivate var summary: String {
    switch self {
    case .tensor(let tensor): "a tensor of \(tensor.scalarType) elements and the shape \(tensor.sizes)"
    case .int(let value): "the integer \(value)"
    case .double(let value): "the number \(value)"
    case .bool(let value): "\(value)"
    case .string(let value): "the text \"\(value)\""
    default: "nothing"
    }
  }
}
