import MartletSystem

extension Model {
  /// The signature of a method.
  ///
  /// - Parameter method: the method's name; nil for the default method.
  /// - Throws: `MartletError` of the kind `invalidInput` if the model has no such method.
  public func signature(of method: String? = nil) throws -> MethodSignature {
    let name = method ?? defaultMethod
    if let signature = methods.first(where: { $0.name == name }) { return signature }
    throw noMethod(name)
  }

  /// Runs a method on another thread with inputs by name and returns the outputs by name.
  ///
  /// Cancelling the task stops the run between two kernels with `CancellationError`.
  public func run(_ inputs: [String: ModelValue], method: String? = nil) async throws -> [String: ModelValue] {
    let signature = try signature(of: method)
    let values = try ordered(inputs, signature)
    let results = try await run(values, method: method)
    return Dictionary(zip(signature.outputs.map(\.name), results), uniquingKeysWith: { first, _ in first })
  }

  /// The inputs in the method's order, with defaults for those left out.
  func ordered(_ inputs: [String: ModelValue], _ signature: MethodSignature) throws -> [ModelValue] {
    try signature.inputs.map { input in
      if let value = inputs[input.name] { return value }
      if case .none = input.kind { return ModelValue.none }
      if input.isOptional { return ModelValue.none }
      var error = MartletError.invalidInput("input \(input.name) is missing")
      (error.file, error.method) = (name, signature.name)
      throw error
    }
  }
}
