import MartletExecuTorchFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Adds the graph of an XNNPACK payload to a method.
///
/// Values keep the shapes of the payload, in which images are NHWC. Quantised values are represented by the real numbers they stand for:
/// results are rounded to the steps of their type, and the passes detect operations that can be computed with integers. Only sums,
/// differences and products of int8 values are imported as integer operators, because XNNPACK rounds them in its own way.
struct XNNPACKImporter: PayloadImporter {
  let graph: XNNPACKGraph
  let importer: MethodImporter
  /// True if extents of the payload are upper bounds.
  private let isDynamic: Bool
  /// The real values of computed values and inputs.
  private var values: [Int: ValueID] = [:]
  /// The stored integers of quantised values.
  private(set) var integers: [Int: ValueID] = [:]

  /// - Parameter arguments: the method's values for the graph's inputs, followed by those for its outputs.
  init(_ graph: XNNPACKGraph, arguments: [Int], importer: MethodImporter) throws {
    self.graph = graph
    self.importer = importer
    isDynamic = arguments.contains { index in
      if case .tensor(let tensor) = importer.plan.values[index] { tensor.shapeDynamism != .fixed } else { false }
    }
  }

  /// Appends the nodes.
  mutating func importAll(_ arguments: [Int]) throws {
    // A quantised operation becomes about three nodes. Larger graphs grow as needed.
    let most = 4096
    // In range: at most 3 * 4096.
    builder.reserveCapacity(values: 3 * min(graph.values.count, most), nodes: 3 * min(graph.nodes.count, most))
    for index in graph.inputs { try takeInput(index, try argument(index, arguments)) }
    for (index, node) in graph.nodes.enumerated() {
      do {
        try builder.operation(node.operation.name, "\(builder.source).\(index)") { try importNode(node) }
      } catch let failure as CallError {
        throw failure.at(node.operation.name, "handle \(node.debugHandle)")
      }
    }
    for index in graph.outputs { try giveOutput(index, try argument(index, arguments)) }
  }

  // MARK: Inputs and outputs

  /// The method's value for an external value of the payload. Payloads number those as the method's arguments, and leave out those that
  /// they do not use.
  private func argument(_ index: Int, _ arguments: [Int]) throws(CallError) -> Int {
    let id = graph.values[index].externalID.map { Int(widening: $0) } ?? arguments.count
    guard arguments.indices.contains(id) else { throw CallError("\(arguments.count) arguments, none of them for external value \(id)") }
    return arguments[id]
  }

  private mutating func takeInput(_ index: Int, _ argument: Int) throws {
    let tensor = try importer.tensorArgument(argument)
    let value = graph.values[index]
    let declared = try importer.signature(tensor)
    var id = try importer.read(argument)
    if declared.rank == 0, value.sizes.allSatisfy({ $0 == 1 }) {
      // Numbers are one-element tensors in the payload.
      let type = TensorSignature(TensorType(declared.dtype, value.sizes))
      id = add(Reshape(shape: value.sizes.map { .constant($0) }), [id], type)
    } else if declared.rank != value.sizes.count {
      throw CallError("an input of rank \(declared.rank) where the payload has \(value.sizes)")
    }
    // The delegate sees the elements in memory order.
    let order = declared.dimOrder ?? Array(0..<declared.rank)
    if order != Array(order.indices) {
      id = add(
        Permute(axes: order), [id], TensorSignature(dtype: declared.dtype, dimensions: order.map { declared.dimensions[$0] }))
    }
    if value.dataType.isInteger {
      integers[index] = id
      values[index] = try dequantized(id, index)
    } else {
      values[index] = id
    }
    if value.dynamicQuantization != nil { values[index] = try roundedByRow(id, index, nonBatchRank: 1) }
  }

  private mutating func giveOutput(_ index: Int, _ argument: Int) throws {
    let declared = try importer.signature(try importer.tensorArgument(argument))
    var id = try integers[index] ?? value(index)
    guard let type = builder.tensorSignature(of: id), type.rank == declared.rank || declared.rank == 0 else {
      throw CallError("an output of \(graph.values[index].sizes) where \(declared) is expected")
    }
    id = try converted(id, to: declared.dtype)
    if type.rank != declared.rank { id = add(Reshape(shape: []), [id], declared) }
    let order = declared.dimOrder ?? Array(0..<declared.rank)
    if order != Array(order.indices) {
      let inverse = order.indices.map { order.firstIndex(of: $0)! }
      id = add(Permute(axes: inverse), [id], declared)
    }
    try importer.write(argument, id)
  }

  // MARK: Values

  /// The real numbers of a value.
  mutating func value(_ index: Int) throws -> ValueID {
    if let known = values[index] { return known }
    let value = graph.values[index]
    guard let data = value.data else { throw CallError("value \(value.id) is read before it is written") }
    let id = try constant(value, data)
    values[index] = id
    return id
  }

  /// The type of a value in the graph.
  func type(_ index: Int) -> TensorSignature {
    let value = graph.values[index]
    let dimensions = value.data == nil ? dimensions(value.sizes) : value.sizes.map { .fixed($0) }
    return TensorSignature(dtype: value.dataType.realType, dimensions: dimensions)
  }

  func dimensions(_ sizes: [Int]) -> [Dimension] { sizes.map { isDynamic ? .symbolic(bound: $0) : .fixed($0) } }

  /// An intermediate result. Mutating, because otherwise Swift copies `self` before it evaluates the operands, and an operand that assigns a
  /// value copies the whole table.
  mutating func add(_ op: any Operator, _ operands: [ValueID?], _ type: TensorSignature) -> ValueID {
    intermediate(op, operands, type)
  }

  /// An intermediate result with other sizes and the given dtype.
  mutating func add(_ op: any Operator, _ operands: [ValueID?], sizes: [Int], like dtype: DType = .float32) -> ValueID {
    add(op, operands, TensorSignature(dtype: dtype, dimensions: dimensions(sizes)))
  }

  /// Assigns `result` to the output of a node, limited to the bounds and rounded to the steps of its type.
  mutating func set(_ index: Int, _ result: ValueID, bounds: XNNPACKGraph.OutputBounds?) throws {
    var result = result
    let type = type(index)
    if let bounds {
      let activation = Self.activation(bounds)
      if activation != .none {
        // Float32 cannot represent every int32.
        let compute: ComputeType = type.dtype == .int32 ? .float64 : .float32
        result = add(Pointwise(activation.program(as: compute), dtype: type.dtype, label: "clamp"), [result], type)
      }
    }
    let value = graph.values[index]
    switch value.quantization {
    case nil:
      guard value.dataType.storage == nil else { throw CallError("a result of type \(value.dataType) has no scale") }
      values[index] = result
    case .perTensor, .perChannel:
      try setIntegers(index, try quantized(result, index))
    case .perTokenDynamic(let nonBatchRank):
      values[index] = try roundedByRow(result, index, nonBatchRank: nonBatchRank)
    case .blockwise:
      throw CallError("the format has no results of type \(value.dataType) with scales of blocks")
    }
  }

  /// Assigns `stored`, the integers of a node's output.
  mutating func setIntegers(_ index: Int, _ stored: ValueID) throws {
    integers[index] = stored
    values[index] = try dequantized(stored, index)
  }

  static func activation(_ bounds: XNNPACKGraph.OutputBounds?) -> Activation {
    guard let bounds, bounds.minimum != -.infinity || bounds.maximum != .infinity else { return .none }
    return .clamp(bounds.minimum, bounds.maximum)
  }

  // MARK: Quantisation

  /// Quantises a result to the integers that its type stores.
  private mutating func quantized(_ result: ValueID, _ index: Int) throws -> ValueID {
    let value = graph.values[index]
    guard let (dtype, range) = value.dataType.storage else {
      throw CallError("results of type \(value.dataType) are not supported")
    }
    let type = TensorSignature(dtype: dtype, dimensions: type(index).dimensions)
    if case .perTensor(let scale, let zeroPoint) = value.quantization {
      let parameters = QuantizationParameters(scale: Double(scale), zeroPoint: Int64(widening: zeroPoint))
      return add(Pointwise.quantize(parameters, to: range, from: .float32, as: dtype), [result], type)
    }
    let scales = try scales(value)
    let shape = TensorSignature(TensorType(.float32, scales.type.shape))
    let inverse = add(Pointwise.inverseScales, [builder.addConstant(scales)], shape)
    let points = builder.addConstant(Constant(HostTensor(zeros: .float32, shape: scales.type.shape)))
    return add(Pointwise.quantize(to: range, from: .float32, as: dtype), [result, inverse, points], type)
  }

  private mutating func dequantized(_ stored: ValueID, _ index: Int) throws -> ValueID {
    let value = graph.values[index]
    guard let (dtype, _) = value.dataType.storage else { throw CallError("values of type \(value.dataType) are not supported here") }
    if builder.constant(stored) != nil {
      // A weight of the method that the payload dequantises for a product outside the payload.
      var op = Dequantize()
      if case .perTensor(_, let point) = value.quantization { op.zeroPoint = point }
      return add(op, [stored, builder.addConstant(try scales(value))], type(index))
    }
    if case .perTensor(let scale, let zeroPoint) = value.quantization {
      let parameters = QuantizationParameters(scale: Double(scale), zeroPoint: Int64(widening: zeroPoint))
      return add(Pointwise.dequantize(parameters, from: dtype, as: .float32), [stored], type(index))
    }
    let scales = builder.addConstant(try scales(value))
    return add(Pointwise.dequantize(hasZeroPoints: false, from: dtype, as: .float32), [stored, scales], type(index))
  }

  /// Rounds the numbers of each row to 8-bit steps determined at run time.
  private mutating func roundedByRow(_ x: ValueID, _ index: Int, nonBatchRank: Int) throws -> ValueID {
    let sizes = graph.values[index].sizes
    guard nonBatchRank >= 1, sizes.count >= nonBatchRank else { throw CallError("rows of \(nonBatchRank) axes of \(sizes)") }
    var x = x
    if let type = builder.tensorSignature(of: x), type.dtype != .float32 {
      x = add(Pointwise(.identity(as: .float32), dtype: .float32, label: "cast"), [x], sizes: sizes)
    }
    guard nonBatchRank > 1 else { return roundedByLastAxis(x, sizes) }
    let batch = Array(sizes.dropLast(nonBatchRank))
    guard let row = Extent.product(sizes.suffix(nonBatchRank)).value else { throw CallError("rows of \(sizes) are too large") }
    let flat = batch + [row]
    let rows = try reshaped(x, to: flat, from: x, axes: Array(batch.indices))
    return try reshaped(roundedByLastAxis(rows, flat), to: sizes, from: x, axes: Array(sizes.indices))
  }

  /// `x` with the extents of `model` on `axes`, followed by an axis for the remaining elements unless `axes` covers all.
  private mutating func reshaped(_ x: ValueID, to sizes: [Int], from model: ValueID, axes: [Int]) throws -> ValueID {
    guard isDynamic else { return add(Reshape(shape: sizes.map { .constant($0) }), [x], sizes: sizes) }
    var operands: [ValueID?] = [x]
    var shape: [IntArgument] = []
    for axis in axes {
      shape.append(.operand(operands.count))
      operands.append(number(TensorExtent(axis: axis), [model], .int))
    }
    if shape.count < sizes.count { shape.append(.constant(-1)) }
    return add(Reshape(shape: shape), operands, sizes: sizes)
  }

  private mutating func roundedByLastAxis(_ x: ValueID, _ sizes: [Int]) -> ValueID {
    let all = dimensions(sizes)
    let rows = Array(all.dropLast()) + [Dimension.fixed(1)]
    let choice = intermediates(
      ChooseQuantization(.rows, range: -128...127), [x],
      [TensorSignature(dtype: .float64, dimensions: rows), TensorSignature(dtype: .int64, dimensions: rows)])
    let perRow = TensorSignature(dtype: .float32, dimensions: rows)
    let inverse = add(Pointwise.inverseScales, [choice[0]], perRow)
    let points = add(Pointwise.roundedZeroPoints, [choice[1]], perRow)
    let stored = add(
      Pointwise.quantize(to: -128...127, from: .float32, as: .int8), [x, inverse, points],
      TensorSignature(dtype: .int8, dimensions: all))
    return add(
      Pointwise.dequantize(hasZeroPoints: true, from: .int8, as: .float32), [stored, choice[0], choice[1]],
      TensorSignature(dtype: .float32, dimensions: all))
  }
}

extension XNNPACKDataType {
  /// True if values are stored as integers in a tensor of the method.
  fileprivate var isInteger: Bool { storage != nil }

  /// Storage type and range of values with static scales, except 4-bit values.
  var storage: (dtype: DType, range: ClosedRange<Int64>)? {
    switch self {
    case .qint8, .qcint8: (.int8, -128...127)
    case .quint8: (.uint8, 0...255)
    case .qint32, .qcint32: (.int32, Int64(widening: Int32.min)...Int64(widening: Int32.max))
    default: nil
    }
  }

  /// The type of the real numbers that the values represent.
  var realType: DType {
    switch self {
    case .float32, .qint8, .quint8, .qint32, .qcint8, .qcint32, .qcint4, .qdint8, .qbint4, .qpint8, .pfloat32: .float32
    case .float16: .float16
    case .bfloat16: .bfloat16
    case .int32: .int32
    }
  }
}
