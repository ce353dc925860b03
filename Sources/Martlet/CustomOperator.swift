import MartletImport
import MartletOps
import MartletTensor

/// An operator of your own, which models may then call.
///
/// A model that was exported with a custom operator calls it by the name of its `out` form. Give the engine what it needs to
/// run it, in ``ModelOptions/customOperators``: which outputs the operator gives for which inputs, and the kernel that computes them.
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
  /// The name by which models call the operator: `namespace::name.overload`, or `namespace::name` if it has no overload.
  public let name: String
  let definition: CustomDefinition

  /// An operator.
  ///
  /// - Parameters:
  ///   - name: the name in the model file, such as `my::scale.out`.
  ///   - isPure: whether the same inputs always give the same outputs, and the kernel does nothing else. The engine may run a
  ///     pure operator once if its inputs are constants.
  ///   - outputs: element type and shape of every output for given inputs, in order. Called once for each set of
  ///     input shapes, possibly from several threads; may throw to refuse them.
  ///   - kernel: computes the outputs. Called in every run, possibly from several threads; may throw. The engine
  ///     allocates nothing for the call.
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

  /// The importers of `operators`.
  /// - Throws: `MartletError.invalidInput` for names that are malformed, given twice or the engine's.
  static func rows(_ operators: [CustomOperator]) throws -> CallTable {
    var rows: CallTable = [:]
    for custom in operators {
      let name = custom.name
      guard let separator = name.firstRange(of: "::"), separator.lowerBound > name.startIndex, separator.upperBound < name.endIndex else {
        throw MartletError.invalidInput("\"\(name)\" is no name of an operator: it must have the form namespace::name.overload")
      }
      if CallRegistry.rows[name] != nil {
        throw MartletError.invalidInput("the operator \(name) is part of the engine and cannot be replaced")
      }
      guard rows.updateValue(OperatorCall.custom(custom.definition), forKey: name) == nil else {
        throw MartletError.invalidInput("two operators are registered as \(name)")
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
  /// The arguments of a call, by position in the operator's schema; outputs are not among them.
  ///
  /// Every function throws if the argument is of another kind, with a message that says which. An error that you let through fails
  /// the run with it.
  public struct Arguments {
    let base: CustomArguments

    /// Number of arguments without the outputs.
    public var count: Int { base.count }

    /// Whether an optional argument is absent.
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

    /// Element types and shapes of a list of tensors; nil stands for an absent one.
    public func tensorList(_ position: Int) throws -> [TensorDescription?] {
      try (0..<(try base.tensorCount(position))).map { item in
        guard let operand = try base.optionalOperand(position, item: item) else { return nil }
        return TensorDescription(try base.type(ofOperand: operand))
      }
    }

    public func int(_ position: Int) throws -> Int { try base.int(position) }
    /// A number as a floating-point one, whichever kind it is.
    public func double(_ position: Int) throws -> Double { try base.scalar(position).doubleValue }
    public func bool(_ position: Int) throws -> Bool { try base.scalar(position).boolValue }
    public func string(_ position: Int) throws -> String { try base.string(position) }
    public func intList(_ position: Int) throws -> [Int] { try base.intList(position) }
    public func doubleList(_ position: Int) throws -> [Double] { try base.doubleList(position) }
    public func boolList(_ position: Int) throws -> [Bool] { try base.boolList(position) }
  }

  /// A call that runs: where to read and where to write.
  ///
  /// It and all that it gives are valid only until the kernel returns.
  public struct Call {
    let base: CustomCall

    /// The arguments that are no tensors, and the shapes of those that are.
    public var arguments: Arguments { Arguments(base: base.arguments) }

    /// The elements of tensor argument `position`.
    public func input(_ position: Int) throws -> Input {
      try input(operand: try base.arguments.operand(position, item: nil))
    }

    /// The elements of an optional tensor argument.
    public func optionalInput(_ position: Int) throws -> Input? {
      try base.arguments.optionalOperand(position, item: nil).map { try input(operand: $0) }
    }

    /// The elements of one tensor of a list of tensors.
    public func input(_ position: Int, item: Int) throws -> Input {
      try input(operand: try base.arguments.operand(position, item: item))
    }

    /// The elements of one tensor of a list of tensors, which may be absent.
    public func optionalInput(_ position: Int, item: Int) throws -> Input? {
      try base.arguments.optionalOperand(position, item: item).map { try input(operand: $0) }
    }

    private func input(operand: Int) throws -> Input {
      let (view, address) = try unsafe base.input(operand: operand)
      return unsafe Input(
        dataType: DataType(view.dtype), shape: view.shape, bytes: UnsafeRawBufferPointer(start: address, count: view.byteCount))
    }

    public var outputCount: Int { base.outputCount }

    /// The memory for the elements of output `index`. What it holds before the kernel writes it is arbitrary.
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
    /// - Throws: `MartletError.invalidInput` if they are of another type.
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
    /// - Throws: `MartletError.invalidInput` if they are of another type.
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
