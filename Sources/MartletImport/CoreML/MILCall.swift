import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor

/// One operation of an ML Program: its parameters by name, as values or attributes, and its results.
///
/// The rows supply the defaults of omitted parameters. Errors name the parameter.
struct MILCall: GraphWriting {
  let operation: MILOperation
  let importer: MILFunctionImporter
  let source: String

  init(_ operation: MILOperation, importer: MILFunctionImporter) {
    self.operation = operation
    self.importer = importer
    source = "\(operation.type) \(operation.resultName)"
  }

  var builder: GraphBuilder { importer.builder }

  /// The first iOS release with the function's operator set: 15 or later.
  var opset: Int { importer.function.opsetVersion ?? 15 }

  // MARK: What is bound

  /// Returns true if the parameter is given. Operators of weight compression pass theirs as attributes.
  func has(_ parameter: String) -> Bool {
    operation.inputs[parameter].map { !$0.bindings.isEmpty } ?? (operation.attributes[parameter] != nil)
  }

  private func bindings(_ parameter: String) throws(CallError) -> [MILBinding] {
    if let argument = operation.inputs[parameter] { return argument.bindings }
    if let attribute = operation.attributes[parameter] { return [.value(attribute)] }
    throw CallError("parameter \(parameter) is missing")
  }

  /// The only binding of the parameter.
  private func binding(_ parameter: String) throws(CallError) -> MILBinding {
    let all = try bindings(parameter)
    guard all.count == 1 else { throw CallError("parameter \(parameter) has \(all.count) values, not one") }
    return all[0]
  }

  private func bound(_ binding: MILBinding) throws(CallError) -> MILBound {
    switch binding {
    case .name(let name): try importer.bound(name)
    case .value(let value): MILBound(value)
    }
  }

  /// The meaning of the parameter's value, in any form.
  func bound(_ parameter: String) throws(CallError) -> MILBound { try bound(try binding(parameter)) }

  /// The meanings of the items of a list parameter.
  func bounds(_ parameter: String) throws(CallError) -> [MILBound] {
    var result: [MILBound] = []
    for binding in try bindings(parameter) { result.append(try bound(binding)) }
    return result
  }

  /// The name that the parameter is bound to; nil for an immediate value.
  func name(_ parameter: String) throws(CallError) -> String? {
    if case .name(let name) = try binding(parameter) { name } else { nil }
  }

  // MARK: Tensors

  private func tensor(_ binding: MILBinding) throws(CallError) -> ValueID {
    switch binding {
    case .name(let name): try importer.tensor(named: name)
    case .value(let value): try importer.tensor(of: MILBound(value), name: nil)
    }
  }

  func tensor(_ parameter: String) throws(CallError) -> ValueID { try tensor(try binding(parameter)) }

  func optionalTensor(_ parameter: String) throws(CallError) -> ValueID? { has(parameter) ? try tensor(parameter) : nil }

  /// The tensors of a list parameter.
  func tensors(_ parameter: String) throws(CallError) -> [ValueID] {
    var result: [ValueID] = []
    for binding in try bindings(parameter) { result.append(try tensor(binding)) }
    return result
  }

  /// Type and declared shape of a tensor parameter.
  func signature(_ parameter: String) throws(CallError) -> TensorSignature {
    guard let signature = try bound(parameter).signature else { throw CallError("parameter \(parameter) is not a tensor") }
    return signature
  }

  func dtype(_ parameter: String) throws(CallError) -> DType { try signature(parameter).dtype }
  func rank(_ parameter: String) throws(CallError) -> Int { try signature(parameter).rank }

  // MARK: Values known when importing

  /// The constant bound to the parameter; nil if it is not constant.
  func constant(_ parameter: String) throws(CallError) -> MILTensor? { try bound(parameter).value?.tensor }

  /// Maximum number of elements of an attribute.
  static let mostAttributeElements = 1 << 16

  /// The elements of a parameter of any rank that must be known when importing.
  func scalars(_ parameter: String) throws(CallError) -> [Scalar] {
    var result: [Scalar] = []
    for bound in try bounds(parameter) {
      if let constant = bound.value?.tensor {
        guard constant.elementCount <= Self.mostAttributeElements else {
          throw CallError("parameter \(parameter) has \(constant.elementCount) elements")
        }
        guard let scalars = constant.scalars else { throw CallError("parameter \(parameter) is \(bound.value!.type), not numbers") }
        result += scalars
        continue
      }
      guard let numbers = bound.numbers, numbers.allSatisfy({ $0.known != nil }) else {
        throw CallError("parameter \(parameter) is not known before the program runs")
      }
      result += numbers.compactMap(\.known)
    }
    return result
  }

  private func scalar(_ parameter: String) throws(CallError) -> Scalar {
    let all = try scalars(parameter)
    guard all.count == 1 else { throw CallError("parameter \(parameter) has \(all.count) elements, not one") }
    return all[0]
  }

  func int(_ parameter: String) throws(CallError) -> Int { try int(try scalar(parameter), parameter) }

  func int(_ parameter: String, default value: Int) throws(CallError) -> Int { has(parameter) ? try int(parameter) : value }

  func ints(_ parameter: String) throws(CallError) -> [Int] {
    var result: [Int] = []
    for scalar in try scalars(parameter) { result.append(try int(scalar, parameter)) }
    return result
  }

  func optionalInts(_ parameter: String) throws(CallError) -> [Int]? { has(parameter) ? try ints(parameter) : nil }

  func double(_ parameter: String) throws(CallError) -> Double { try scalar(parameter).doubleValue }

  func double(_ parameter: String, default value: Double) throws(CallError) -> Double {
    has(parameter) ? try double(parameter) : value
  }

  func bool(_ parameter: String, default value: Bool) throws(CallError) -> Bool {
    has(parameter) ? try scalar(parameter).boolValue : value
  }

  func optionalBools(_ parameter: String) throws(CallError) -> [Bool]? {
    has(parameter) ? try scalars(parameter).map(\.boolValue) : nil
  }

  func string(_ parameter: String) throws(CallError) -> String {
    guard let text = try bound(parameter).value?.string else { throw CallError("parameter \(parameter) is not a string") }
    return text
  }

  func string(_ parameter: String, default value: String) throws(CallError) -> String {
    has(parameter) ? try string(parameter) : value
  }

  // MARK: Numbers that may be computed

  /// The elements of a tensor parameter of rank 0 or 1 as numbers, or of the items of a list parameter. Nil for other parameters.
  ///
  /// - Parameter count: the number of elements, if the program does not declare it.
  func numbers(_ parameter: String, count: Int? = nil) throws(CallError) -> [GraphNumber]? {
    var result: [GraphNumber] = []
    for binding in try bindings(parameter) {
      let numbers: [GraphNumber]?
      switch binding {
      case .name(let name): numbers = try importer.numbers(named: name, count: count)
      case .value(let value): numbers = try importer.numbers(of: MILBound(value))
      }
      guard let numbers else { return nil }
      if !result.isEmpty { try builder.admit(numbers: numbers.count) }
      result += numbers
    }
    return result
  }

  /// The elements of a parameter that is already a list of numbers: computed from shapes, or constant. Nil for tensors that depend on data
  /// and for those of higher rank.
  func shallowNumbers(_ parameter: String) throws(CallError) -> [GraphNumber]? {
    importer.shallowNumbers(of: try bound(parameter))
  }

  /// A number, possibly computed, as a value of the graph.
  mutating func scalarValue(_ parameter: String) throws(CallError) -> ValueID {
    guard let numbers = try numbers(parameter), numbers.count == 1 else {
      // One element in a tensor of higher rank.
      let signature = try signature(parameter)
      guard signature.dimensions.allSatisfy({ $0 == .fixed(1) }) else { throw CallError("parameter \(parameter) is not one number") }
      let kind = ScalarKind(ofElements: signature.dtype)
      return number(ScalarFromTensor(kind: kind), [try tensor(parameter)], kind)
    }
    return value(of: numbers[0])
  }

  /// Integers that may be computed. Computed ones are appended to `operands`.
  mutating func intArguments(
    _ parameter: String, count: Int? = nil, _ operands: inout [ValueID?]
  ) throws(CallError) -> [IntArgument] {
    guard let numbers = try numbers(parameter, count: count) else {
      throw CallError("parameter \(parameter) is not a list of numbers of known length")
    }
    return try intArguments(numbers, parameter, &operands)
  }

  /// An integer that may be computed. A computed one is appended to `operands`.
  mutating func intArgument(_ parameter: String, _ operands: inout [ValueID?]) throws(CallError) -> IntArgument {
    let all = try intArguments(parameter, count: 1, &operands)
    guard all.count == 1 else { throw CallError("parameter \(parameter) has \(all.count) elements, not one") }
    return all[0]
  }

  // MARK: Results

  var outputCount: Int { operation.outputs.count }

  private func output(_ position: Int) throws(CallError) -> MILNamedType {
    guard operation.outputs.indices.contains(position) else { throw CallError("result \(position) is missing") }
    return operation.outputs[position]
  }

  /// Returns true if the file does not declare the rank of the first result.
  func outputHasOpenRank() throws(CallError) -> Bool {
    guard case .tensor(let type) = try output(0).type else { return false }
    return type.dimensions?.contains(.unknown(variadic: true)) ?? true
  }

  /// Type and declared shape of a result.
  func outputSignature(_ position: Int = 0) throws(CallError) -> TensorSignature {
    guard case .tensor(let type) = try output(position).type else {
      throw CallError("result \(position) is a \(try output(position).type), not a tensor")
    }
    return try TensorSignature(type)
  }

  /// The declared dtype of a result of any rank.
  func outputDType(_ position: Int = 0) throws(CallError) -> DType {
    guard case .tensor(let type) = try output(position).type, let dtype = DType(type.dataType) else {
      return try outputSignature(position).dtype
    }
    return dtype
  }

  /// The declared rank of the result.
  func outputRank(_ position: Int = 0) throws(CallError) -> Int { try outputSignature(position).rank }

  /// Assigns `bound` to the name of the result.
  mutating func set(_ bound: MILBound, output position: Int = 0) throws(CallError) {
    importer.names.define(try output(position).name, bound)
  }

  /// Assigns a tensor of the graph to the result.
  mutating func set(_ value: ValueID, output position: Int = 0) throws(CallError) {
    try set(MILBound(tensor: value, try signature(of: value)), output: position)
  }

  /// Assigns numbers to the result. The result's rank determines whether it is a single number or a list.
  ///
  /// - Throws: if the file declares another rank or length.
  mutating func set(numbers: [GraphNumber], output position: Int = 0) throws(CallError) {
    let signature = try outputSignature(position)
    guard signature.rank <= 1, signature.fixedShape.map({ ($0.first ?? 1) == numbers.count }) ?? true else {
      throw CallError("result \(position) is declared as \(signature) and has \(numbers.count) numbers")
    }
    try builder.admit(numbers: numbers.count)
    try set(MILBound(numbers: numbers, signature), output: position)
  }

  /// Appends a node whose only result is the operation's result at `position`.
  mutating func emit(_ op: any Operator, _ operands: [ValueID?], output position: Int = 0) throws(CallError) {
    let signature = try outputSignature(position)
    let value = intermediate(op, operands, signature)
    builder.setName(try output(position).name, of: value)
    try set(MILBound(tensor: value, signature), output: position)
  }

  /// Appends a node that produces the first results of the operation.
  ///
  /// - Parameter dtypes: the operator's result types. Results whose declared type differs are converted.
  mutating func emit(_ op: any Operator, _ operands: [ValueID?], dtypes: [DType]) throws(CallError) {
    var types: [TensorSignature] = []
    for (position, dtype) in dtypes.enumerated() {
      // The file may omit later results.
      var signature = try outputSignature(min(position, outputCount - 1))
      signature.dtype = dtype
      types.append(signature)
    }
    let values = intermediates(op, operands, types)
    for position in dtypes.indices where position < outputCount { try setConverted(values[position], output: position) }
  }

  /// Converts `value` to the declared dtype and assigns it to the result.
  mutating func setConverted(_ value: ValueID, output position: Int = 0) throws(CallError) {
    try set(try converted(value, to: try outputDType(position)), output: position)
  }
}
