import MartletGraph
import MartletRuntime

extension Invocation {
  /// Sets all inputs.
  /// - Throws: `MartletError.invalidInput` if there are more or fewer than the method declares, or one does not fit.
  func setInputs(_ values: [ModelValue]) throws(MartletError) {
    guard values.count == inputCount else {
      throw MartletError.invalidInput("\(method.graph.name) takes \(inputCount) inputs, not \(values.count)")
    }
    for (position, value) in values.enumerated() {
      switch value {
      case .tensor(let tensor):
        try setInput(position, to: TensorType(tensor.host.dtype, tensor.host.shape), in: tensor.host.sharedStorage)
      case .int(let value): try setInput(position, to: .int(Int64(value)))
      case .double(let value): try setInput(position, to: .double(value))
      case .bool(let value): try setInput(position, to: .bool(value))
      case .string, .none: try setInputToNone(position)
      case .image, .dictionary, .sequence:
        let graph = method.graph
        throw MartletError.invalidInput("input \(position) of \(graph.name) is \(graph[graph.inputs[position]].type), not \(value.kind)")
      }
    }
  }
}

extension ModelValue {
  init(_ result: CallResult) {
    switch result {
    case .tensor(let tensor): self = .tensor(Tensor(tensor))
    case .scalar(.int(let value)): self = .int(Int(value))
    case .scalar(.double(let value)): self = .double(value)
    case .scalar(.bool(let value)): self = .bool(value)
    case .string(let value): self = .string(value)
    case .none: self = .none
    }
  }
}
