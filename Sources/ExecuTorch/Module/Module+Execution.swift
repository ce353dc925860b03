/// Running methods and setting values for them. Where no method is named, it is `forward`.
extension Module {
  // MARK: Running

  /// Runs a method, which is loaded if need be.
  ///
  /// - Parameters:
  ///   - method: the method's name.
  ///   - inputs: values for the first inputs. They are set as by `setInput`, one after the other, and stay set for later runs, also
  ///     when one of them or the run fails. The other inputs must have been set before.
  /// - Returns: the outputs. Tensors have memory of their own, or that of a tensor given to `setOutput`.
  /// - Throws: an error of `ErrorDomain`: `.invalidArgument` when an input is missing or does not fit, and what `load(_:)` throws.
  public func execute(_ method: String, _ inputs: [any ValueConvertible]) throws -> [Value] { try run(method, inputs) }

  public func execute(_ method: String, _ inputs: any ValueConvertible...) throws -> [Value] { try run(method, inputs) }

  /// Runs a method with one input. Upstream has no such overload; without it `Tensor<Float>(module.execute("m", x))` is ambiguous.
  public func execute(_ method: String, _ input: any ValueConvertible) throws -> [Value] { try run(method, [input]) }

  public func forward(_ inputs: [any ValueConvertible]) throws -> [Value] { try run("forward", inputs) }

  public func forward(_ inputs: any ValueConvertible...) throws -> [Value] { try run("forward", inputs) }

  // MARK: Running, with the outputs as a type of the caller's

  /// Runs a method and makes an `Output` of what it gives.
  /// - Throws: in addition, `ErrorCode.invalidType` when the outputs do not make one.
  public func execute<Output: ValueSequenceConstructible>(_ method: String, _ inputs: [any ValueConvertible]) throws -> Output {
    try Output(run(method, inputs))
  }

  public func execute<Output: ValueSequenceConstructible>(_ method: String, _ inputs: any ValueConvertible...) throws -> Output {
    try Output(run(method, inputs))
  }

  public func execute<Output: ValueSequenceConstructible>(_ method: String, _ input: any ValueConvertible) throws -> Output {
    try Output(run(method, [input]))
  }

  public func execute<Output: ValueSequenceConstructible>(_ method: String) throws -> Output {
    try Output(run(method, []))
  }

  public func forward<Output: ValueSequenceConstructible>(_ inputs: [any ValueConvertible]) throws -> Output {
    try Output(run("forward", inputs))
  }

  public func forward<Output: ValueSequenceConstructible>(_ inputs: any ValueConvertible...) throws -> Output {
    try Output(run("forward", inputs))
  }

  public func forward<Output: ValueSequenceConstructible>(_ input: any ValueConvertible) throws -> Output {
    try Output(run("forward", [input]))
  }

  public func forward<Output: ValueSequenceConstructible>() throws -> Output {
    try Output(run("forward", []))
  }

  // MARK: Setting inputs

  /// Sets an input for this and later runs.
  ///
  /// The elements of a tensor are copied now, unless the program leaves the input's memory to the caller (metadata:
  /// `isMemoryPlanned` is false); then they are read when the method runs, and the tensor is kept.
  /// - Throws: `ErrorCode.invalidArgument` when there is no such input or the value does not fit it.
  public func setInput(_ value: any ValueConvertible, for method: String, at index: Int) throws {
    try setInput(value, of: method, at: index)
  }

  public func setInput(_ value: any ValueConvertible, for method: String) throws { try setInput(value, for: method, at: 0) }

  public func setInput(_ value: any ValueConvertible, at index: Int) throws { try setInput(value, for: "forward", at: index) }

  public func setInput(_ value: any ValueConvertible) throws { try setInput(value, for: "forward", at: 0) }

  /// Sets all inputs for this and later runs.
  public func setInputs(_ values: [any ValueConvertible], for method: String) throws { try setInputs(values, of: method) }

  public func setInputs(_ values: [any ValueConvertible]) throws { try setInputs(values, of: "forward") }

  public func setInputs(_ values: any ValueConvertible..., for method: String) throws { try setInputs(values, of: method) }

  public func setInputs(_ values: any ValueConvertible...) throws { try setInputs(values, of: "forward") }

  // MARK: Setting outputs

  /// Makes this and later runs write an output into the memory of a tensor, which is kept. It must be large enough for the
  /// output's largest size and of its data type.
  /// - Throws: `ErrorCode.invalidArgument` when there is no such output, it is no tensor, or the tensor does not fit it.
  public func setOutput(_ value: any ValueConvertible, for method: String, at index: Int) throws {
    try setOutput(value.asValue(), of: method, at: index)
  }

  public func setOutput(_ value: any ValueConvertible, for method: String) throws { try setOutput(value, for: method, at: 0) }

  public func setOutput(_ value: any ValueConvertible, at index: Int) throws { try setOutput(value, for: "forward", at: index) }

  public func setOutput(_ value: any ValueConvertible) throws { try setOutput(value, for: "forward", at: 0) }
}
