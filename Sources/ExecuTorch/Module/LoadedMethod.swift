import Foundation
import Martlet

/// A method that is ready to run, with the values that were set for it. Used by one thread at a time.
final class LoadedMethod {
  private let method: ProgramMethod
  private let invocation: Invocation
  /// Tensors that outputs are written into.
  private var outputs: [AnyTensor?]
  /// The output tensors of the present run, and the layouts of the last ones.
  private var written: [AnyTensor?]
  private var layouts: [TensorLayout?]
  private var results: [Value] = []

  /// - Parameter invocation: one without inputs, for this object alone.
  init(_ method: ProgramMethod, _ invocation: Invocation) {
    self.method = method
    self.invocation = invocation
    outputs = Array(repeating: nil, count: method.outputs.count)
    written = outputs
    layouts = Array(repeating: nil, count: method.outputs.count)
  }

  // MARK: Inputs

  /// Keeps a value as an input of later runs. The elements of a tensor are copied if the program plans memory for the input;
  /// otherwise the tensor's memory is read when the method runs.
  func setInput(_ value: any ValueConvertible, at position: Int) throws {
    guard method.inputs.indices.contains(position) else {
      throw failure(.invalidArgument, "\(method.name) has \(method.inputs.count) inputs and so none at \(position)")
    }
    do {
      switch value {
      case let value as Value: try setInput(value, at: position)
      case let tensor as AnyTensor: try setInput(tensor, at: position)
      case let tensor as any TypedTensor: try setInput(tensor.anyTensor, at: position)
      default: try setInput(value.asValue(), at: position)
      }
    } catch {
      throw failure(error)
    }
  }

  func setInputs(_ values: [any ValueConvertible]) throws {
    guard values.count == method.inputs.count else {
      throw failure(.invalidArgument, "\(method.name) takes \(method.inputs.count) inputs, not \(values.count)")
    }
    for (position, value) in values.enumerated() { try setInput(value, at: position) }
  }

  private func setInput(_ tensor: AnyTensor, at position: Int) throws {
    guard let dtype = tensor.dataType.dtype else {
      throw failure(.notSupported, "Input \(position) of \(method.name) has elements of the type \(tensor.dataType)")
    }
    let type = TensorType(dtype, tensor.shape)
    let isRowMajor = tensor.dimensionOrder.enumerated().allSatisfy { $0 == $1 }
    let order = isRowMajor ? nil : tensor.dimensionOrder
    if case .tensor(let declared) = method.inputs[position], declared.isMemoryPlanned {
      try invocation.setInput(position, toCopyOf: type, in: tensor.storage, order: order)
    } else {
      try invocation.setInput(position, to: type, in: tensor.storage, order: order)
    }
  }

  private func setInput(_ value: Value, at position: Int) throws {
    if let tensor = value.anyTensor { return try setInput(tensor, at: position) }
    let declared = method.inputs[position]
    let isRight =
      switch declared {
      case .int(let constant): value.tag == .integer && value.integer == Int(constant)
      case .bool(let constant): value.tag == .boolean && value.boolean == constant
      case .double(let constant): value.tag == .double && Self.isSame(value.double, constant)
      case .string(let constant): value.tag == .string && value.string == constant
      case .none: value.tag == .none
      case .tensor: false
      }
    // Numbers and texts are part of an exported program: it was made for one value of them.
    guard isRight else {
      throw failure(.invalidArgument, "Input \(position) of \(method.name) is \(declared.summary), not \(value)")
    }
    switch value.tag {
    case .integer: try invocation.setInput(position, to: .int(Int64(value.integer)))
    case .boolean: try invocation.setInput(position, to: .bool(value.boolean))
    case .double: try invocation.setInput(position, to: .double(value.double))
    default: try invocation.setInputToNone(position)
    }
  }

  /// Whether two numbers are equal, within the tolerance that upstream allows for a value stored in a program.
  private static func isSame(_ value: Double, _ constant: Double) -> Bool {
    if value.isNaN || constant.isNaN { return value.isNaN && constant.isNaN }
    if value.isInfinite || constant.isInfinite { return value == constant }
    return abs(value - constant) <= 1e-4 + abs(constant) * 1e-5
  }

  // MARK: Outputs

  /// Makes later runs write an output into the memory of `value`, a tensor.
  func setOutput(_ value: Value, at position: Int) throws {
    guard outputs.indices.contains(position) else {
      throw failure(.invalidArgument, "\(method.name) has \(outputs.count) outputs and so none at \(position)")
    }
    guard let tensor = value.anyTensor else {
      throw failure(.invalidArgument, "Output \(position) of \(method.name) must go to a tensor, not to \(value)")
    }
    guard case .tensor(let declared) = method.outputs[position] else {
      throw failure(.invalidArgument, "Output \(position) of \(method.name) is not a tensor")
    }
    guard tensor.dataType == declared.dataType else {
      throw failure(.invalidArgument, "Output \(position) of \(method.name) has \(declared.dataType) elements, not \(tensor.dataType)")
    }
    guard tensor.isAligned else {
      throw failure(.invalidArgument, "The memory for output \(position) of \(method.name) is not aligned for its elements")
    }
    // A dynamic output has its largest size here; what it really needs is known when the method runs.
    let needed = declared.byteCount ?? 0
    guard tensor.byteCount >= needed || declared.dynamism == .unbound else {
      throw failure(.invalidArgument, "Output \(position) of \(method.name) needs \(needed) bytes, not \(tensor.byteCount)")
    }
    outputs[position] = tensor
  }

  /// The tensor for output `position` of this run.
  private func output(_ position: Int, _ type: TensorType) throws -> AnyTensor {
    if let tensor = outputs[position] {
      guard tensor.byteCount >= type.byteCount else {
        throw failure(
          .invalidArgument, "Output \(position) of \(method.name) is \(type) and needs \(type.byteCount) bytes, not \(tensor.byteCount)")
      }
      if tensor.shape == type.shape, tensor.dimensionOrder == order(position, rank: type.rank) { return tensor }
      // The same memory with the shape that this run gives.
      return AnyTensor(
        storage: tensor.storage, dataType: tensor.dataType, layout: try layout(position, type.shape),
        shapeDynamism: tensor.shapeDynamism)
    }
    return AnyTensor(
      storage: TensorStorage(byteCount: type.byteCount), dataType: DataType(type.dtype), layout: try layout(position, type.shape),
      shapeDynamism: dynamism(position))
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
    if case .tensor(let declared) = method.outputs[position], declared.dimensionOrder.count == rank { return declared.dimensionOrder }
    return Array(0..<rank)
  }

  private func dynamism(_ position: Int) -> ShapeDynamism {
    guard case .tensor(let declared) = method.outputs[position] else { return .static }
    return switch declared.dynamism {
    case .fixed: .static
    case .upperBound: .dynamicBound
    case .unbound: .dynamicUnbound
    }
  }

  // MARK: Running

  /// Runs the method.
  ///
  /// - Parameter given: values for the first inputs, which stay set; the others are those set before.
  func run(_ given: [any ValueConvertible]) throws -> [Value] {
    for (position, value) in given.enumerated() { try setInput(value, at: position) }
    for position in written.indices { written[position] = nil }
    do {
      try invocation.run { position, type in
        let tensor = try output(position, type)
        written[position] = tensor
        return tensor.storage
      }
    } catch {
      throw failure(error)
    }
    return takeResults()
  }

  private func takeResults() -> [Value] {
    // The values of the last run are returned again if every output was written where they are.
    let count = invocation.resultCount
    if results.count == count, results.indices.allSatisfy({ written[$0] != nil && results[$0].anyTensor === written[$0] }) {
      return results
    }
    let values = (0..<count).map { position in
      switch invocation.result(position) {
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
}

extension AnyTensor {
  /// Whether the elements lie at multiples of their size, as memory that was allocated for them does.
  fileprivate var isAligned: Bool { unsafe UInt(bitPattern: dataPointer) % UInt(max(size(ofDataType: dataType), 1)) == 0 }
}

/// A `Tensor` of any element type.
protocol TypedTensor {
  var anyTensor: AnyTensor { get }
}

extension Tensor: TypedTensor {}

extension ProgramMethod.TensorDeclaration {
  var dataType: DataType { DataType(rawValue: scalarType) ?? .undefined }
}

extension ProgramMethod.Declaration {
  /// The value in a few words, for messages.
  fileprivate var summary: String {
    switch self {
    case .tensor(let tensor): "a tensor of \(tensor.dataType) elements and the shape \(tensor.shape)"
    case .int(let value): "the integer \(value)"
    case .double(let value): "the number \(value)"
    case .bool(let value): "\(value)"
    case .string(let value): "the text \"\(value)\""
    case .none: "nothing"
    }
  }
}
