import MartletGraph
import MartletRuntime
import MartletTensor

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
      case .int(let value): try setInput(position, to: .int(Int64(widening: value)))
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
  /// The value of a result that is not a tensor; nil for a tensor.
  init?(_ result: Invocation.Result) {
    switch result {
    case .tensor: return nil
    case .scalar(let scalar): self.init(scalar)
    case .string(let text): self = .string(text)
    case .none: self = .none
    }
  }

  init(_ result: CallResult) {
    switch result {
    case .tensor(let tensor): self = .tensor(Tensor(tensor))
    case .scalar(let scalar): self.init(scalar)
    case .string(let text): self = .string(text)
    case .none: self = .none
    }
  }

  private init(_ scalar: Scalar) {
    switch scalar {
    case .int(let number): self = .int(Int(widening: number))
    case .double(let number): self = .double(number)
    case .bool(let truth): self = .bool(truth)
    }
  }
}
