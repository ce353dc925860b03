import MartletExecuTorchFile
import MartletGraph
import MartletOps
import MartletTensor

/// Converts the instructions of one execution plan to a graph.
///
/// Instructions write to tensors with fixed places in memory, while the graph assigns each result once. If the file lets two tensors share
/// memory, the later one becomes a view of the earlier. Tensors that are read before any instruction writes them are states. Jumps become
/// regions.
final class MethodImporter {
  let plan: ExecutionPlan
  let context: ProgramImportContext
  /// Names and importers of the plan's operators. Operators without an importer are unknown.
  let operators: [(name: String, row: CallRow?, argumentNames: [String])]
  let builder: GraphBuilder
  /// The plan's values by index. Instructions can assign them any number of times.
  let values: Names<Int, ValueID>
  /// The values stored at each place of the file's memory plan, by area and offset.
  private var writers: [[Int: Writers]]
  /// The declared types of the plan's tensors, as far as they were asked for.
  private var signatures: [TensorSignature?]
  /// Values of the outermost graph for constants of the plan that were read there. Regions have constants of their own.
  private var constants: [ValueID?]
  /// For each value, true if it is a number that an instruction computes.
  private let computed: [Bool]
  /// State index and initial value by the plan's value index.
  private var states: [Int: (position: Int, initial: ValueID)] = [:]

  /// Values of the plan in the same memory.
  private struct Writers {
    /// The one written last.
    let latest: Int
    /// Those that only reinterpret its memory.
    var views: [Int] = []

    func contains(_ index: Int) -> Bool { index == latest || views.contains(index) }
  }

  init(_ plan: ExecutionPlan, context: ProgramImportContext, limits: GraphBuilder.Limits) {
    self.plan = plan
    self.context = context
    operators = plan.operators.map { op in
      let name = op.description
      let row = CallRegistry.rows[name] ?? context.customRows[name]
      return (name, row, row?.argumentNames ?? [])
    }
    writers = [[Int: Writers]](repeating: [:], count: plan.bufferSizes.count)
    signatures = [TensorSignature?](repeating: nil, count: plan.values.count)
    constants = [ValueID?](repeating: nil, count: plan.values.count)
    computed = Self.computedNumbers(of: plan)
    builder = GraphBuilder(plan.name, file: context.file, constants: context.constants, limits: limits)
    values = Names(builder, areVariables: true)
    values.reserveCapacity(plan.values.count)
    // Roughly one value per value of the plan and one node per instruction.
    builder.reserveCapacity(values: plan.values.count, nodes: plan.chains.reduce(0) { $0 + $1.instructions.count })
  }

  func importMethod() throws -> Graph {
    for index in plan.inputs {
      let id = builder.addInput(try type(of: index))
      // Numbers were fixed at export: the program does not read the argument.
      if case .tensor(let tensor) = plan.values[index] {
        values.define(index, id)
        if let place = tensor.location { writers[place.memoryID][place.offset] = Writers(latest: index) }
      }
    }
    for (number, chain) in plan.chains.enumerated() {
      try ChainImporter(importer: self, chain: chain, number: number).importAll()
    }
    let outputs = try plan.outputs.map { try read($0) }
    for (index, state) in states.sorted(by: { $0.value.position < $1.value.position }) {
      guard let last = values[index], last != state.initial else { continue }
      _ = builder.addNode(WriteState(state: state.position), [last], types: [], source: "end of \(plan.name)")
    }
    return try builder.graph(outputs: outputs)
  }

  /// For each value, true if it is a number that an instruction writes.
  private static func computedNumbers(of plan: ExecutionPlan) -> [Bool] {
    var computed = [Bool](repeating: false, count: plan.values.count)
    for chain in plan.chains {
      for instruction in chain.instructions {
        switch instruction {
        case .kernelCall(_, let arguments):
          if let last = arguments.last, plan.values[last].isNumber { computed[last] = true }
        case .move(_, let destination):
          if plan.values[destination].isNumber { computed[destination] = true }
        case .delegateCall, .jumpIfFalse, .free: break
        }
      }
    }
    return computed
  }

  func isComputed(_ index: Int) -> Bool { computed[index] }

  // MARK: Types

  func dtype(_ tensor: ProgramTensor) throws -> DType {
    guard let dtype = DType(tensor.scalarType) else {
      throw CallError("tensors of type \(tensor.scalarType) are not supported")
    }
    return dtype
  }

  func signature(_ tensor: ProgramTensor) throws -> TensorSignature {
    let dtype = try dtype(tensor)
    guard tensor.sizes.count <= 16 else { throw CallError("a tensor has \(tensor.sizes.count) axes, more than 16") }
    let dimensions: [Dimension] = tensor.sizes.map { extent in
      switch tensor.shapeDynamism {
      case .fixed: .fixed(extent)
      case .upperBound: .symbolic(bound: extent)
      case .unbound: .symbolic(bound: nil)
      }
    }
    return TensorSignature(dtype: dtype, dimensions: dimensions, dimOrder: tensor.dimOrder)
  }

  /// The signature of `tensor`, the plan's value at `index`.
  func signature(_ tensor: ProgramTensor, at index: Int) throws -> TensorSignature {
    if let known = signatures[index] { return known }
    let made = try signature(tensor)
    signatures[index] = made
    return made
  }

  func type(of index: Int) throws -> ValueType {
    switch plan.values[index] {
    case .tensor(let tensor): .tensor(try signature(tensor, at: index))
    case .int: .scalar(.int)
    case .double: .scalar(.double)
    case .bool: .scalar(.bool)
    case .string: .string
    case .none: .none
    default: throw CallError("\(plan.values[index].kindName) cannot be a value of its own")
    }
  }

  // MARK: Reading and writing

  /// The plan's value at this point of the program.
  func read(_ index: Int) throws -> ValueID {
    switch plan.values[index] {
    case .tensor(let tensor):
      if let place = tensor.location, let present = writers[place.memoryID][place.offset], !present.contains(index) {
        return try alias(of: present.latest, as: tensor)
      }
      if let known = values[index] { return known }
      guard builder.level == 0, case .constant = tensor.data else { return try source(of: tensor, index) }
      if let known = constants[index] { return known }
      let made = try source(of: tensor, index)
      constants[index] = made
      return made
    case .int, .double, .bool:
      if computed[index], let known = values[index] { return known }
      let literal: Scalar
      switch plan.values[index] {
      case .int(let value): literal = .int(value)
      case .double(let value): literal = .double(value)
      case .bool(let value): literal = .bool(value)
      default: preconditionFailure("a number")
      }
      guard computed[index] else { return builder.addScalar(literal) }
      // The value before any instruction writes it.
      return defineOutermost(index) { builder.addScalar(literal) }
    case .string(let text): return builder.addString(text)
    case .none: return values[index] ?? builder.addNone()
    default: throw CallError("value \(index) is \(plan.values[index].kindName), which cannot be a value of its own")
    }
  }

  /// The plan's value, which must be a tensor at this point. Instructions may have assigned something else.
  func readTensor(_ index: Int) throws -> ValueID {
    let value = try read(index)
    guard builder.isTensor(value) else { throw CallError("value \(index) is \(builder.type(of: value)), not a tensor") }
    return value
  }

  /// Defines the plan's value in the outermost scope, so that loops carry it, and returns its value in the open scope.
  private func defineOutermost(_ index: Int, _ make: () -> ValueID) -> ValueID {
    builder.outermost { values.define(index, make()) }
    return values[index]!
  }

  /// A tensor that shares the memory of `writer`: the same elements with another shape.
  private func alias(of writer: Int, as tensor: ProgramTensor) throws -> ValueID {
    let value = try read(writer)
    let target = try signature(tensor)
    guard let source = builder.tensorSignature(of: value) else { return value }
    guard source.dtype == target.dtype else {
      throw CallError("a \(target) shares the memory of a \(source)")
    }
    if source.dimensions == target.dimensions { return value }
    guard let shape = target.fixedShape else { throw CallError("a \(target) of dynamic shape shares the memory of a \(source)") }
    return builder.addNode(Reshape(shape: shape.map { .constant($0) }), [value], type: .tensor(target), source: "shared memory")
  }

  /// A tensor that no instruction has written: a constant or a state.
  private func source(of tensor: ProgramTensor, _ index: Int) throws -> ValueID {
    switch tensor.data {
    case .constant(let bytes):
      let constant = try context.constants.constant(bytes, layout: tensor.layout)
      return builder.addConstant(constant, name: tensor.qualifiedName)
    case .external(let name, _):
      let bytes = try context.external.tensorData(named: name, layout: tensor.layout, program: context.program)
      return builder.addConstant(try context.constants.constant(bytes, layout: tensor.layout), name: name)
    case .mutableInitialized(let bytes, let place):
      let initial = try context.constants.constant(bytes, layout: tensor.layout)
      return try addState(tensor, index, place, initial)
    case .planned(let place):
      return try addState(tensor, index, place, nil)
    case .callerProvided:
      throw CallError("tensor \(index) is read before it is written")
    }
  }

  private func addState(
    _ tensor: ProgramTensor, _ index: Int, _ place: ProgramTensor.PlannedLocation, _ initial: Constant?
  ) throws -> ValueID {
    let type = try signature(tensor)
    guard let shape = type.fixedShape else { throw CallError("state \(index) has a dynamic shape") }
    let own = tensor.stateName(at: place)
    let name = context.sharesStates ? own : "\(plan.name)/\(own)"
    let position = builder.addState(StateDeclaration(name: name, type: TensorType(type.dtype, shape), initial: initial))
    let id = builder.stateAtEntry(position, type)
    writers[place.memoryID][place.offset] = Writers(latest: index)
    states[index] = (position, id)
    return defineOutermost(index) { id }
  }

  /// The tensor's current value, or zeros if nothing has written it. For operators that fill a tensor piecewise.
  func readOrZeros(_ index: Int) throws -> ValueID {
    guard case .tensor(let tensor) = plan.values[index], values[index] == nil else { return try read(index) }
    let type = try signature(tensor)
    guard let shape = type.dimensions.map(\.upperBound) as? [Int], HostTensor.byteCount(dtype: type.dtype, shape: shape) != nil else {
      throw CallError("tensor \(index) has no bounded shape")
    }
    // Created by a node, so that its size counts towards the memory of a call.
    return defineOutermost(index) {
      builder.addNode(
        Full(shape: shape.map { .constant($0) }, dtype: type.dtype), [builder.addScalar(.int(0))],
        type: .tensor(TensorSignature(TensorType(type.dtype, shape))), source: "zeros for value \(index)")
    }
  }

  /// Assigns `value` to the plan's value from here on.
  ///
  /// - Parameter isView: true if the value only reinterprets the memory at its place, so that other values there stay valid.
  func write(_ index: Int, _ value: ValueID, isView: Bool = false) throws {
    values.assign(index, value)
    if case .tensor(let tensor) = plan.values[index] {
      guard let place = tensor.location else { return }
      if isView, writers[place.memoryID][place.offset] != nil {
        writers[place.memoryID][place.offset]?.views.append(index)
      } else {
        writers[place.memoryID][place.offset] = Writers(latest: index)
      }
    }
  }

  /// Imports a branch or a loop's body in a scope of its own.
  func branch(_ name: String, _ body: () throws -> Void) throws -> Names<Int, ValueID>.Branch {
    let before = writers
    defer { writers = before }
    return try values.branch(name, body)
  }
}

extension EValue {
  fileprivate var isNumber: Bool {
    switch self {
    case .int, .double, .bool: true
    default: false
    }
  }
}

extension ProgramTensor {
  /// The tensor's place in the file's memory plan, if instructions write it.
  var location: PlannedLocation? {
    // Empty tensors can have any place; sharing one with them means nothing.
    if sizes.contains(0) { return nil }
    return switch data {
    case .planned(let place), .mutableInitialized(_, let place): place
    case .constant, .external, .callerProvided: nil
    }
  }
}
