import MartletCoreMLFile
import MartletFeatures
import MartletGraph
import MartletOps
import MartletTensor

/// Turns a function of an ML Program into a graph: operations become nodes in their order, blocks become regions.
final class MILFunctionImporter {
  /// A graph or region under construction.
  struct Scope {
    var graph: Graph
    /// What the names stand for that are defined or used here.
    var names: [String: MILBound] = [:]
    /// The values of the scope around, by what stands for them here.
    var captures: [ValueID: ValueID] = [:]
    /// Those of them that are inputs of the region, in order, behind the region's own.
    var captured: [ValueID] = []
  }

  let function: MILFunction
  let declared: CoreMLFunctionDescription
  let file: String
  let constants: ConstantPool
  private let firstState: Int
  private var scopes: [Scope]
  /// Operands of all nodes: any number of operations may list any number of values.
  private var operandCount = 0
  private static let mostOperands = 1 << 22
  /// The operation that is being imported.
  private var current: [NodeOrigin] = []
  /// Regions inside one another, each of which takes stack while it is imported, rewritten and planned.
  private static let deepestNesting = 64

  /// - Parameter firstState: the position that the first state has in the graph that the function becomes part of.
  init(_ function: MILFunction, declared: CoreMLFunctionDescription, file: String, constants: ConstantPool, firstState: Int = 0) {
    self.firstState = firstState
    self.function = function
    self.declared = declared
    self.file = file
    self.constants = constants
    scopes = [Scope(graph: Graph(name: declared.programName))]
    scopes[0].names.reserveCapacity(function.inputs.count + function.block.operations.count)
  }

  private var depth: Int { scopes.count - 1 }

  func importFunction() throws -> Graph {
    try addInputs()
    try importBlock(function.block)
    let declaredOutputs = declared.outputs.map(\.name)
    for name in declaredOutputs.isEmpty ? function.block.outputs : declaredOutputs {
      do {
        let value = try tensor(named: name)
        scopes[0].graph.outputs.append(value)
        if scopes[0].graph[value].name == nil { scopes[0].graph[value].name = name }
      } catch {
        throw CallError("output '\(name)': \(error.reason)")
      }
    }
    return scopes[0].graph
  }

  // MARK: Inputs

  /// Inputs in the description's order, those that it does not have behind them.
  private func addInputs() throws {
    let types = Dictionary(function.inputs.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
    for feature in declared.inputs {
      guard let type = types[feature.name] else { throw CallError("the function has no input '\(feature.name)'") }
      try addInput(feature.name, type, feature.type)
    }
    for feature in declared.states {
      guard let type = types[feature.name] else { throw CallError("the function has no state '\(feature.name)'") }
      try addState(feature.name, type)
    }
    for input in function.inputs where scopes[0].names[input.name] == nil {
      if case .state = input.type { try addState(input.name, input.type) } else { try addInput(input.name, input.type, nil) }
    }
  }

  private func addInput(_ name: String, _ type: MILType, _ feature: FeatureType?) throws(CallError) {
    let signature = try Self.inputSignature(name, type, feature)
    let id = scopes[0].graph.addInput(.tensor(signature), name: name)
    scopes[0].names[name] = MILBound(tensor: id, signature)
  }

  /// The type of an input, its open extents bounded as the description says.
  static func inputSignature(_ name: String, _ type: MILType, _ feature: FeatureType?) throws(CallError) -> TensorSignature {
    guard case .tensor(let tensor) = type else { throw CallError("input '\(name)' is a \(type), not a tensor") }
    var signature = try TensorSignature(tensor)
    guard let feature else { return signature }
    for axis in signature.dimensions.indices where signature.dimensions[axis] == .symbolic(bound: nil) {
      if let bounded = feature.dimension(axis, rank: signature.rank) { signature.dimensions[axis] = bounded }
    }
    return signature
  }

  private func addState(_ name: String, _ type: MILType) throws(CallError) {
    guard let tensor = type.tensor else { throw CallError("state '\(name)' is a \(type), not a tensor") }
    let signature = try TensorSignature(tensor)
    guard let shape = signature.fixedShape, HostTensor.byteCount(dtype: signature.dtype, shape: shape) != nil else {
      throw CallError("state '\(name)' has no fixed shape")
    }
    let position = firstState + scopes[0].graph.states.count
    scopes[0].graph.states.append(StateDeclaration(name: name, type: TensorType(signature.dtype, shape), initial: nil))
    scopes[0].names[name] = MILBound(state: position, signature)
  }

  // MARK: Operations

  func importBlock(_ block: MILBlock) throws {
    for (index, operation) in block.operations.enumerated() {
      func failure(_ reason: String) -> ImportError {
        let name = operation.resultName
        return ImportError(
          file: file, method: declared.programName, location: "operation \(index) '\(name)'", op: operation.type, reason: reason)
      }
      guard let row = MILRegistry.rows[operation.type] else { throw failure("the operator is not supported") }
      var call = MILCall(operation, importer: self)
      let outer = current
      current = [NodeOrigin(SourceOperation(number: operation.number, op: operation.type, name: operation.resultName))]
      defer { current = outer }
      do {
        try row(&call)
        guard operandCount <= Self.mostOperands else { throw CallError("the function has more than \(Self.mostOperands) operands") }
      } catch let error as CallError {
        throw failure(error.reason)
      }
    }
  }

  func addNode(_ op: any Operator, _ inputs: [ValueID?], types: [ValueType], regions: [Graph] = [], source: String) -> [ValueID] {
    operandCount += inputs.count
    return scopes[depth].graph.addNode(op, inputs, types: types, regions: regions, source: source, origins: current)
  }

  func addScalar(_ scalar: Scalar) -> ValueID { scopes[depth].graph.addScalar(scalar) }

  func addConstant(_ constant: Constant, name: String? = nil) -> ValueID { scopes[depth].graph.addConstant(constant, name: name) }

  func type(of value: ValueID) -> ValueType { scopes[depth].graph[value].type }

  func signature(of value: ValueID) -> TensorSignature? { scopes[depth].graph.signature(value) }

  func constant(_ value: ValueID) -> Constant? { scopes[depth].graph.constant(value) }

  func setName(_ name: String, of value: ValueID) { scopes[depth].graph[value].name = name }

  // MARK: Names

  func bind(_ name: String, _ bound: MILBound) { scopes[depth].names[name] = bound }

  /// What a name stands for, its values taken into the regions between where it is defined and the current scope.
  func bound(_ name: String) throws(CallError) -> MILBound {
    for level in scopes.indices.reversed() {
      guard var bound = scopes[level].names[name] else { continue }
      for inner in level..<depth {
        bound = bound.mapped { capture($0, into: inner + 1) }
        scopes[inner + 1].names[name] = bound
      }
      return bound
    }
    throw CallError("'\(name)' has no value")
  }

  /// What stands at `level` for a value of the scope around.
  private func capture(_ value: ValueID, into level: Int) -> ValueID {
    if let known = scopes[level].captures[value] { return known }
    let outer = scopes[level - 1].graph[value]
    let inner: ValueID
    switch outer.origin {
    case .constant, .scalar, .string, .none: inner = scopes[level].graph.add(outer)
    case .input, .node:
      inner = scopes[level].graph.addInput(outer.type, name: outer.name)
      scopes[level].captured.append(value)
    }
    scopes[level].captures[value] = inner
    return inner
  }

  // MARK: Forms of a value

  /// The tensor that a name stands for.
  func tensor(named name: String) throws(CallError) -> ValueID {
    var bound = try bound(name)
    if let tensor = bound.tensor { return tensor }
    let tensor = try tensor(of: bound, name: name)
    bound.tensor = tensor
    bind(name, bound)
    return tensor
  }

  /// The tensor of a bound that has none in the graph yet.
  func tensor(of bound: MILBound, name: String?) throws(CallError) -> ValueID {
    if let tensor = bound.tensor { return tensor }
    if let value = bound.value {
      guard let tensor = value.tensor else { throw CallError("\(Self.title(name)) is a \(value.type), not a tensor") }
      return addConstant(try constant(tensor), name: name)
    }
    guard let numbers = bound.numbers, let signature = bound.signature else {
      throw CallError("\(Self.title(name)) is not a tensor")
    }
    return try tensor(numbers, rank: signature.rank, dtype: signature.dtype)
  }

  private static func title(_ name: String?) -> String { name.map { "'\($0)'" } ?? "the value" }

  /// A constant of the file; its bytes stay where they are if they are aligned.
  private func constant(_ tensor: MILTensor) throws(CallError) -> Constant {
    guard let dtype = DType(ofConstants: tensor.dataType) else {
      throw CallError("constants of type \(tensor.dataType.textName) are not supported here")
    }
    guard tensor.shape.count <= 16 else { throw CallError("a constant has \(tensor.shape.count) axes, more than 16") }
    if tensor.elementCount == 0 {
      guard HostTensor.byteCount(dtype: dtype, shape: tensor.shape) != nil else { throw CallError("\(tensor.shape) is no shape") }
      return Constant(HostTensor(zeros: dtype, shape: tensor.shape))
    }
    if let booleans = tensor.booleans, let host = HostTensor(dtype: .bool, shape: tensor.shape, bytes: booleans.map { $0 ? 1 : 0 }) {
      return Constant(host)
    }
    let strides = Shape.contiguousStrides(tensor.shape)
    if let values = tensor.dataType.valuesOfFloat8 {
      guard let table = HostTensor(values.map { .double($0) }, dtype: dtype, shape: [1, values.count, 1]) else {
        throw CallError("constants of type \(tensor.dataType.textName) are not supported here")
      }
      let bytes = try constants.constant(tensor.data, type: TensorType(.uint8, [tensor.elementCount]), strides: [1])
      do throws(OperatorError) {
        let decoded = try CompressedConstant.lookedUp(bytes, table: Constant(table), vectorAxis: nil)
        return Constant(viewOf: decoded, shape: tensor.shape, strides: strides)
      } catch {
        throw CallError("\(error)")
      }
    }
    return try constants.constant(tensor.data, type: TensorType(dtype, tensor.shape), strides: strides)
  }

  /// A tensor of rank 0 or 1 of numbers.
  private func tensor(_ numbers: [MILNumber], rank: Int, dtype: DType) throws(CallError) -> ValueID {
    let known = numbers.compactMap(\.known)
    if known.count == numbers.count {
      guard let host = HostTensor(known, dtype: dtype, shape: rank == 0 ? [] : [known.count]) else {
        throw CallError("numbers are not supported as \(dtype)")
      }
      return addConstant(Constant(host))
    }
    let pieces = numbers.map { number in
      let shape: [Int] = rank == 0 ? [] : [1]
      return addNode(
        Full(shape: shape.map { .constant($0) }, dtype: dtype), [value(number)],
        types: [.tensor(TensorSignature(TensorType(dtype, shape)))], source: "shape")[0]
    }
    if pieces.count == 1 { return pieces[0] }
    return addNode(
      Concat(axis: 0, dtype: dtype), pieces, types: [.tensor(TensorSignature(TensorType(dtype, [pieces.count])))], source: "shape")[0]
  }

  func value(_ number: MILNumber) -> ValueID {
    switch number {
    case .known(let scalar): addScalar(scalar)
    case .computed(let value): value
    }
  }

  /// The largest list that is taken apart into numbers.
  private static let mostNumbers = 64

  /// The elements of a tensor of rank 0 or 1 as numbers; nil for other values. Elements that are computed become numbers of the graph,
  /// whose use as extents ends a plan.
  ///
  /// - Parameter count: how many elements there are, where the program leaves that open.
  func numbers(named name: String, count: Int? = nil) throws(CallError) -> [MILNumber]? {
    var bound = try bound(name)
    guard let numbers = try numbers(of: bound, count: count) else { return nil }
    bound.numbers = numbers
    bind(name, bound)
    return numbers
  }

  func numbers(of bound: MILBound, count: Int? = nil) throws(CallError) -> [MILNumber]? {
    if let numbers = Self.shallowNumbers(of: bound) { return numbers }
    guard let tensor = bound.tensor, let signature = bound.signature, signature.rank <= 1, !signature.dtype.isComplex,
      let count = signature.fixedShape.map({ $0.first ?? 1 }) ?? count, count <= Self.mostNumbers
    else { return nil }
    let kind: ScalarKind = signature.dtype.isFloatingPoint ? .double : signature.dtype == .bool ? .bool : .int
    return (0..<count).map { position in
      var element = tensor
      if signature.rank == 1 {
        element =
          addNode(
            Select(axis: 0, index: .constant(position)), [tensor], types: [.tensor(TensorSignature(TensorType(signature.dtype, [])))],
            source: "element \(position)")[0]
      }
      return .computed(addNode(ScalarFromTensor(kind: kind), [element], types: [.scalar(kind)], source: "element \(position)")[0])
    }
  }

  /// The elements of a tensor that is a list of numbers already, or a constant.
  static func shallowNumbers(of bound: MILBound) -> [MILNumber]? {
    if let numbers = bound.numbers { return numbers }
    guard let tensor = bound.value?.tensor, tensor.shape.count <= 1, tensor.elementCount <= mostNumbers else { return nil }
    return tensor.scalars?.map { .known($0) }
  }

  // MARK: Regions

  /// Imports a block in a scope of its own.
  ///
  /// - Parameter body: imports the operations and gives the region's results, which become its outputs.
  func region(_ name: String, _ body: () throws -> [ValueID]) throws -> Scope {
    guard depth < Self.deepestNesting else { throw CallError("blocks are nested more than \(Self.deepestNesting) deep") }
    scopes.append(Scope(graph: Graph(name: name)))
    do {
      scopes[depth].graph.outputs = try body()
    } catch {
      scopes.removeLast()
      throw error
    }
    return scopes.removeLast()
  }

  /// An input of the region under construction besides what it captures; all must be added before anything is captured.
  func addRegionInput(_ type: ValueType, name: String) -> ValueID { scopes[depth].graph.addInput(type, name: name) }

  /// What stands in the region under construction for a value of the scope around.
  func taken(_ outer: ValueID) -> ValueID { capture(outer, into: depth) }

  /// The signature of a value of the scope around.
  func outerSignature(_ outer: ValueID) -> TensorSignature? { scopes[depth - 1].graph.signature(outer) }

  /// Runs `body` and forgets the names that it binds here.
  func temporarily<Result>(_ body: () throws -> Result) rethrows -> Result {
    let names = scopes[depth].names
    defer { scopes[depth].names = names }
    return try body()
  }
}

extension FeatureType {
  /// An open extent as the description bounds it; nil where it says nothing.
  fileprivate func dimension(_ axis: Int, rank: Int) -> Dimension? {
    func dimension(_ extents: [Int]) -> Dimension {
      let extent = extents[0]
      return extents.allSatisfy { $0 == extent } ? .fixed(extent) : .symbolic(bound: extents.max())
    }
    func dimension(_ range: SizeRange) -> Dimension {
      range.upperBound == range.lowerBound ? .fixed(range.lowerBound) : .symbolic(bound: range.upperBound)
    }
    switch self {
    case .multiArray(let array), .state(let array):
      switch array.flexibility {
      case .fixed: return array.shape.count == rank ? dimension([array.shape[axis]]) : nil
      case .enumerated(let shapes):
        let extents = ([array.shape] + shapes).filter { $0.count == rank }.map { $0[axis] }
        return extents.isEmpty ? nil : dimension(extents)
      case .ranges(let ranges): return ranges.count == rank ? dimension(ranges[axis]) : nil
      }
    case .image(let image):
      guard rank == 4, axis >= 2 else { return nil }
      switch image.flexibility {
      case .fixed: return .fixed(axis == 2 ? image.size.height : image.size.width)
      case .enumerated(let sizes): return dimension(([image.size] + sizes).map { axis == 2 ? $0.height : $0.width })
      case .ranges(let width, let height): return dimension(axis == 2 ? height : width)
      }
    case .int64, .double, .string, .dictionary, .sequence: return nil
    }
  }
}

extension MILTensor {
  /// The elements as numbers; nil for strings.
  var scalars: [Scalar]? {
    if let booleans { return booleans.map { .bool($0) } }
    if let doubles { return doubles.map { .double($0) } }
    return integers?.map { .int($0) }
  }
}
