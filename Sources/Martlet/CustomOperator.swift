import MartletImport
import MartletOps
import MartletTensor

/// A custom operator that models can call.
///
/// A model exported with a custom operator calls it by the name of its `out` variant. Register the operator in
/// ``ModelOptions/customOperators`` with a shape rule, which describes the outputs for given inputs, and a kernel, which computes them.
///
/// ```swift
/// let scale = CustomOperator("my::scale.out") { arguments in
///   [try arguments.tensor(0)]
/// } kernel: { call in
///   let x = try call.input(0).elements(as: Float.self)
///   let y = try call.output(0).elements(as: Float.self)
///   let factor = Float(try call.arguments.double(1))
///   for index in x.indices { y[index] = factor * x[index] }
/// }
/// var options = ModelOptions()
/// options.customOperators = [scale]
/// ```
///
/// See <doc:CustomOperators>.
public struct CustomOperator: Sendable {
  /// Name by which models call the operator: `namespace::name.overload`, or `namespace::name` if it has no overload.
  public let name: String
  let definition: CustomDefinition

  /// Creates a custom operator.
  ///
  /// - Parameters:
  /// - name: the name in the model file, such as `my::scale.out`.
  ///   - isPure: true if the outputs depend only on the inputs and the kernel has no side effects. The engine may run a pure operator only
  ///     once if its inputs are constants.
  ///   - outputs: returns element type and shape of every output, in order. Called once for each set of input shapes, possibly from
  ///     several threads. It may throw to reject the inputs.
  ///   - kernel: computes the outputs. Called in every run, possibly from several threads. It may throw. The engine allocates nothing for
  ///     the call.
  public init(
    _ name: String, isPure: Bool = true,
    outputs: @escaping @Sendable (_ arguments: Arguments) throws -> [TensorDescription],
    kernel: @escaping @Sendable (_ call: Call) throws -> Void
  ) {
    self.name = name
    definition = CustomDefinition(
      name: name, isPure: isPure,
      infer: { arguments in
        try outputs(Arguments(base: arguments)).map { TensorType($0.dataType.dtype, $0.shape) }
      },
      kernel: { call in try kernel(Call(base: call)) })
  }

  /// Importer rows of `operators`.
  /// - Throws: `MartletError` of the kind `invalidInput` for a name that is malformed, given twice, or that of a built-in operator.
  static func rows(_ operators: [CustomOperator]) throws -> [String: CallRow] {
    var rows: [String: CallRow] = [:]
    for custom in operators {
      let name = custom.name
      guard let separator = name.firstRange(of: "::"), separator.lowerBound > name.startIndex, separator.upperBound < name.endIndex else {
        throw MartletError.invalidInput("\"\(name)\" is not an operator name: it must have the form namespace::name.overload")
      }
      if CallRegistry.rows[name] != nil {
        throw MartletError.invalidInput("\(name) is a built-in operator and cannot be replaced")
      }
      guard rows.updateValue(OperatorCall.custom(custom.definition), forKey: name) == nil else {
        throw MartletError.invalidInput("two custom operators have the name \(name)")
      }
    }
    return rows
  }
}

/// Element type and shape of a tensor.
public struct TensorDescription: Sendable, Hashable {
  public var dataType: DataType
  /// Extents, outermost axis first.
  public var shape: [Int]

  public init(_ dataType: DataType, shape: [Int]) {
    self.dataType = dataType
    self.shape = shape
  }
}

extension CustomOperator {
  /// The arguments of a call, by position in the operator's schema, without the outputs.
  ///
  /// Every accessor throws if the argument is of another kind; the message names both kinds. If you let that error through, the run fails
  /// with it.
  public struct Arguments {
    let base: CustomArguments

    /// Number of arguments, without the outputs.
    public var count: Int { base.count }

    /// Returns true if an optional argument is absent.
    public func isNone(_ position: Int) throws -> Bool { try base.isNone(position) }

    /// Element type and shape of a tensor.
    public func tensor(_ position: Int) throws -> TensorDescription {
      TensorDescription(try base.type(ofOperand: try base.operand(position, item: nil)))
    }

    /// Element type and shape of an optional tensor.
    public func optionalTensor(_ position: Int) throws -> TensorDescription? {
      guard let operand = try base.optionalOperand(position, item: nil) else { return nil }
      return TensorDescription(try base.type(ofOperand: operand))
    }

    /// Element types and shapes of a list of tensors; nil for an absent tensor.
    public func tensorList(_ position: Int) throws -> [TensorDescription?] {
      try (0..<(try base.tensorCount(position))).map { item in
        guard let operand = try base.optionalOperand(position, item: item) else { return nil }
        return TensorDescription(try base.type(ofOperand: operand))
      }
    }

    public func int(_ position: Int) throws -> Int { try base.int(position) }
    /// A numeric argument of any kind, converted to `Double`.
    public func double(_ position: Int) throws -> Double { try base.scalar(position).doubleValue }
    public func bool(_ position: Int) throws -> Bool { try base.scalar(position).boolValue }
    public func string(_ position: Int) throws -> String { try base.string(position) }
    public func intList(_ position: Int) throws -> [Int] { try base.intList(position) }
    public func doubleList(_ position: Int) throws -> [Double] { try base.doubleList(position) }
    public func boolList(_ position: Int) throws -> [Bool] { try base.boolList(position) }
  }

  /// A call of the kernel: gives access to the arguments and to the memory of inputs and outputs.
  ///
  /// The call and all buffers obtained from it are valid only until the kernel returns.
  public struct Call {
    let base: CustomCall

    /// The non-tensor arguments, and the types and shapes of the tensors.
    public var arguments: Arguments { Arguments(base: base.arguments) }

    /// The elements of tensor argument `position`.
    public func input(_ position: Int) throws -> Input {
      try input(operand: try base.arguments.operand(position, item: nil))
    }

    /// The elements of an optional tensor argument.
    public func optionalInput(_ position: Int) throws -> Input? {
      try base.arguments.optionalOperand(position, item: nil).map { try input(operand: $0) }
    }

    /// The elements of one tensor in a tensor list.
    public func input(_ position: Int, item: Int) throws -> Input {
      try input(operand: try base.arguments.operand(position, item: item))
    }

    /// The elements of an optional tensor in a tensor list.
    public func optionalInput(_ position: Int, item: Int) throws -> Input? {
      try base.arguments.optionalOperand(position, item: item).map { try input(operand: $0) }
    }

    private func input(operand: Int) throws -> Input {
      let (view, address) = try unsafe base.input(operand: operand)
      return unsafe Input(
        dataType: DataType(view.dtype), shape: view.shape, bytes: UnsafeRawBufferPointer(start: address, count: view.byteCount))
    }

    public var outputCount: Int { base.outputCount }

    /// The memory for the elements of output `index`, uninitialised on entry.
    public func output(_ index: Int) throws -> Output {
      let (view, address) = try unsafe base.output(index)
      return unsafe Output(
        dataType: DataType(view.dtype), shape: view.shape, bytes: UnsafeMutableRawBufferPointer(start: address, count: view.byteCount))
    }

    /// Splits `0..<count` into ranges of at least `grain` and calls `body` with each, on as many threads as the model may use.
    public func parallel(_ count: Int, grain: Int, _ body: (_ range: Range<Int>) -> Void) {
      base.parallelRanges(count, grain: grain, body)
    }
  }

  /// A tensor that a kernel reads.
  @safe
  public struct Input {
    public let dataType: DataType
    /// Extents, outermost axis first.
    public let shape: [Int]
    /// The elements in row-major order.
    public let bytes: UnsafeRawBufferPointer

    public var elementCount: Int { unsafe bytes.count / dataType.byteCount }

    /// The elements in row-major order.
    /// - Throws: `MartletError` of the kind `invalidInput` if the tensor has another element type.
    public func elements<Element: TensorElement>(as type: Element.Type = Element.self) throws -> UnsafeBufferPointer<Element> {
      try dataType.require(type)
      return unsafe bytes.assumingMemoryBound(to: type)
    }
  }

  /// A tensor that a kernel writes.
  @safe
  public struct Output {
    public let dataType: DataType
    /// Extents, outermost axis first.
    public let shape: [Int]
    /// The elements in row-major order.
    public let bytes: UnsafeMutableRawBufferPointer

    public var elementCount: Int { unsafe bytes.count / dataType.byteCount }

    /// The elements in row-major order.
    /// - Throws: `MartletError` of the kind `invalidInput` if the tensor has another element type.
    public func elements<Element: TensorElement>(as type: Element.Type = Element.self) throws -> UnsafeMutableBufferPointer<Element> {
      try dataType.require(type)
      return unsafe bytes.assumingMemoryBound(to: type)
    }
  }
}

extension TensorDescription {
  fileprivate init(_ type: TensorType) { self.init(DataType(type.dtype), shape: type.shape) }
}

extension DataType {
  fileprivate func require<Element: TensorElement>(_ type: Element.Type) throws {
    guard Element.dataType == self else {
      throw MartletError.invalidInput("the tensor holds \(rawValue) elements, not \(Element.dataType.rawValue)")
    }
  }
}
