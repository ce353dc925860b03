import MartletBytes
import MartletTensor

/// Reads the nodes of a graph in order, and tracks which values are defined.
struct MPSNodeReader {
  private typealias Operation = MPSGraph.Operation
  private typealias Field = (slot: Int, name: StaticString)

  /// The operation of a node, and the slots of its operands and results in the node's table.
  private struct Fields {
    var operation: Operation
    var inputs: [Field]
    /// Operands that may be absent: they follow the others.
    var optionalInputs: [Field] = []
    /// A list of operands, which follows all others. Each may be absent if `allowsGaps`.
    var inputList: Field?
    var allowsGaps = false
    var outputs: [Field]
    /// Results that may have no value: they follow the others.
    var optionalOutputs: [Field] = []
    var outputList: Field?
  }

  private let schema: MPSSchema
  /// Whether a value is constant, an input, or written by a node read so far.
  private(set) var isDefined: [Bool]

  init(schema: MPSSchema, isDefined: [Bool]) {
    self.schema = schema
    self.isDefined = isDefined
  }

  /// Reads an `MPSNode` table.
  mutating func node(_ node: FlatBufferTable) throws(FileError) -> MPSGraph.Node {
    let bounds = try node.table(2, "min_max") { (table) throws(FileError) in
      MPSGraph.Bounds(minimum: try table.float(0, "min_value"), maximum: try table.float(1, "max_value"))
    }
    let result = try node.union(0, "mpsnode_union") { (tag, table) throws(FileError) -> MPSGraph.Node in
      guard let kind = schema.kind(tag) else { throw table.error("\(tag) is not a known kind of node") }
      let fields = try fields(of: table, kind)
      let inputs = try inputs(table, fields)
      let outputs = try outputs(table, fields)
      if case .split(let sizes, _) = fields.operation, sizes.count != outputs.count {
        throw table.error("\(outputs.count) results for \(sizes.count) sizes", field: "output_ids")
      }
      return MPSGraph.Node(kind: kind, operation: fields.operation, inputs: inputs, outputs: outputs, bounds: bounds)
    }
    guard let result else { throw node.error("is missing", field: "mpsnode_union") }
    return result
  }

  // MARK: Operands and results

  private func inputs(_ table: FlatBufferTable, _ fields: Fields) throws(FileError) -> [Int?] {
    var inputs: [Int?] = []
    for (slot, name) in fields.inputs { inputs.append(try input(try table.integer(slot, name), table, name)) }
    for (slot, name) in fields.optionalInputs {
      let id: Int32 = try table.integer(slot, name)
      inputs.append(id == -1 ? nil : try input(id, table, name))
    }
    if let (slot, name) = fields.inputList {
      for id in try table.integers(slot, name, of: Int32.self) ?? [] {
        inputs.append(id == -1 && fields.allowsGaps ? nil : try input(id, table, name))
      }
    }
    return inputs
  }

  private mutating func outputs(_ table: FlatBufferTable, _ fields: Fields) throws(FileError) -> [Int?] {
    var outputs: [Int?] = []
    for (slot, name) in fields.outputs { outputs.append(try output(try table.integer(slot, name), table, name)) }
    for (slot, name) in fields.optionalOutputs {
      let id: Int32 = try table.integer(slot, name)
      outputs.append(id == -1 ? nil : try output(id, table, name))
    }
    if let (slot, name) = fields.outputList {
      for id in try table.integers(slot, name, of: Int32.self) ?? [] { outputs.append(try output(id, table, name)) }
    }
    return outputs
  }

  private func index(_ id: Int32, _ table: FlatBufferTable, _ name: StaticString) throws(FileError) -> Int {
    guard id >= 0, id < isDefined.count else { throw table.error("there is no value \(id), only \(isDefined.count)", field: name) }
    return Int(widening: id)
  }

  private func input(_ id: Int32, _ table: FlatBufferTable, _ name: StaticString) throws(FileError) -> Int {
    let index = try index(id, table, name)
    guard isDefined[index] else {
      throw table.error("the value \(id) is neither constant nor input nor written by an earlier node", field: name)
    }
    return index
  }

  private mutating func output(_ id: Int32, _ table: FlatBufferTable, _ name: StaticString) throws(FileError) -> Int {
    let index = try index(id, table, name)
    isDefined[index] = true
    return index
  }

  // MARK: Operations

  private func fields(of table: FlatBufferTable, _ kind: MPSGraph.Kind) throws(FileError) -> Fields {
    switch kind {
    case .exp, .exp2, .reciprocal, .sqrt, .neg, .log, .log10, .log2, .erf, .floor, .ceil, .rsqrt, .sigmoid, .sin, .sign, .cos, .tan, .abs,
      .asin, .acos, .atan, .sinh, .cosh, .tanh, .asinh, .acosh, .atanh, .bitwiseNot, .isnan, .isinf, .round, .logicalNot:
      return Self.oneToOne(.unary)
    // The table has room for a second operand.
    case .reLU: return Fields(operation: .unary, inputs: [(0, "input1_id")], outputs: [(2, "output_id")])
    case .mul, .fmod, .remainder, .min, .max, .minimum, .pow, .atan2, .bitwiseAnd, .bitwiseOr, .bitwiseXor: return Self.twoToOne(.binary)
    case .eq, .ne, .ge, .gt, .le, .lt: return Self.twoToOne(.comparison)
    case .add: return Self.twoToOne(.add(alpha: try table.float(3, "alpha")))
    case .sub: return Self.twoToOne(.subtract(alpha: try table.float(3, "alpha")))
    case .div: return Self.twoToOne(.divide(try Self.rounding(table)))
    case .matMul: return Self.twoToOne(.matrixProduct)
    case .addmm:
      return Self.threeToOne(.addMatrixProduct(beta: try table.float(4, "beta"), alpha: try table.float(5, "alpha")))
    case .where: return Self.threeToOne(.choose)
    case .hardTanh:
      return Self.oneToOne(
        .hardTanh(MPSGraph.Bounds(minimum: try table.float(2, "min_value"), maximum: try table.float(3, "max_value"))))
    case .gelu: return Self.oneToOne(.gelu(isTanh: try Self.isTanh(table)))
    case .leakyReLU: return Self.oneToOne(.leakyReLU(negativeSlope: try table.float(2, "negative_slope")))
    case .softmax, .logSoftmax:
      return Self.oneToOne(.softmax(axis: try Self.int(table, 2, "dim"), isLogarithm: kind == .logSoftmax))
    case .clamp: return Self.oneToOne(.clamp)
    case .full:
      let shape = try Self.ints(table, 2, "shape")
      if let wrong = shape.first(where: { $0 < 0 }) { throw table.error("an extent is \(wrong)", field: "shape") }
      return Fields(operation: .full(shape: shape, number: try table.float(3, "fill_value")), inputs: [], outputs: [(1, "output_id")])
    case .fullLike: return Self.oneToOne(.fullLike(number: try table.float(3, "fill_value")))
    case .arange:
      return Fields(
        operation: .arange(start: try table.float(1, "start"), end: try table.float(2, "end"), step: try table.float(3, "step")),
        inputs: [], outputs: [(0, "output_id")])
    case .indexSelect:
      return Fields(
        operation: .indexSelect(axis: try Self.int(table, 2, "dim")), inputs: [(0, "input1_id"), (3, "index_id")],
        outputs: [(1, "output_id")])
    case .embedding: return Self.twoToOne(.embedding)
    case .indexTensor:
      return Fields(
        operation: .index, inputs: [(0, "input1_id")], inputList: (1, "indices_id"), allowsGaps: true, outputs: [(2, "output_id")])
    case .indexPut:
      return Fields(
        operation: .indexPut(valuesShape: try Self.ints(table, 2, "values_shape")), inputs: [(0, "input1_id"), (3, "values_id")],
        inputList: (1, "indices_id"), allowsGaps: true, outputs: [(4, "output_id")])
    case .scatter:
      return Fields(
        operation: .scatter(axis: try Self.longAxis(table, 2)), inputs: [(0, "input1_id"), (3, "idx_id"), (4, "src_id")],
        outputs: [(1, "output_id")])
    case .mean, .permute, .view, .expand, .cat, .squeeze, .unsqueeze, .select, .slice, .pixelShuffle, .splitWithSizes, .cast:
      return try movement(table, kind)
    case .conv2D, .depthwiseConv2D:
      return Fields(
        operation: .convolution(try Self.convolution(table)), inputs: [(0, "input1_id"), (1, "input2_id")],
        optionalInputs: [(2, "input3_id")], outputs: [(3, "output_id")])
    case .batchNorm:
      return Fields(
        operation: .batchNorm(epsilon: try table.float(6, "epsilon")), inputs: [(0, "input_id"), (1, "mean_id"), (2, "var_id")],
        optionalInputs: [(3, "weight_id"), (4, "bias_id")], outputs: [(8, "output1_id")],
        optionalOutputs: [(7, "output2_id"), (9, "output3_id")])
    case .layerNorm:
      let shape = try Self.ints(table, 1, "normalized_shape")
      return Fields(
        operation: .layerNorm(axisCount: shape.count, epsilon: try table.float(4, "eps")), inputs: [(0, "input1_id")],
        optionalInputs: [(2, "weight_id"), (3, "bias_id")], outputs: [(6, "output1_id")],
        optionalOutputs: [(5, "output2_id"), (7, "output3_id")])
    case .maxPool2DWithIndices:
      return Fields(
        operation: .maxPooling(try Self.pooling(table)), inputs: [(0, "input1_id")], outputs: [(14, "output1_id")],
        optionalOutputs: [(15, "output2_id")])
    case .avgPool2D:
      return Fields(operation: .averagePooling(try Self.pooling(table)), inputs: [(0, "input1_id")], outputs: [(14, "output1_id")])
    case .constantPadND:
      let amounts = try Self.ints(table, 2, "pad")
      guard amounts.count % 2 == 0 else { throw table.error("\(amounts.count) numbers are not pairs", field: "pad") }
      return Self.oneToOne(.constantPad(amounts: amounts, number: try table.float(3, "value")))
    case .dequantizePerChannelGroup:
      let size = try Self.int(table, 7, "group_size")
      guard size > 0 else { throw table.error("groups of \(size)", field: "group_size") }
      return Fields(
        operation: .dequantizeGroups(size: size), inputs: [(0, "input1_id"), (2, "scales_id")],
        optionalInputs: [(3, "zero_points_id")], outputs: [(1, "output_id")])
    }
  }

  /// Nodes that change shapes, positions and types.
  private func movement(_ table: FlatBufferTable, _ kind: MPSGraph.Kind) throws(FileError) -> Fields {
    switch kind {
    case .mean:
      return Self.oneToOne(.mean(axes: try Self.counted(table, 3, "dims"), keepsAxes: try table.bool(4, "keep_dims")))
    case .permute: return Self.oneToOne(.permute(axes: try Self.counted(table, 3, "perm")))
    case .view: return Self.oneToOne(.view(shape: try Self.counted(table, 3, "shape")))
    case .expand: return Self.oneToOne(.expand(shape: try Self.counted(table, 3, "shape")))
    case .squeeze: return Self.oneToOne(.squeeze(axes: try Self.ints(table, 2, "dims")))
    case .unsqueeze: return Self.oneToOne(.unsqueeze(axis: try Self.int(table, 2, "dim")))
    case .select:
      return Self.oneToOne(.select(axis: try Self.int(table, 2, "dim"), index: try Self.int(table, 3, "index")))
    case .slice:
      let operation = Operation.slice(
        axis: try Self.longAxis(table, 2), start: try table.integer(3, "start"), end: try table.integer(4, "end"),
        step: try table.integer(5, "step"))
      return Self.oneToOne(operation)
    case .pixelShuffle: return Self.oneToOne(.pixelShuffle(factor: try Self.int(table, 2, "upscale_factor")))
    case .cat:
      return Fields(
        operation: .concatenate(axis: try Self.int(table, 2, "dim")), inputs: [], inputList: (0, "input_ids"),
        outputs: [(1, "output_id")])
    case .splitWithSizes:
      return Fields(
        operation: .split(sizes: try Self.ints(table, 2, "split_sizes"), axis: try Self.int(table, 3, "dim")),
        inputs: [(0, "input1_id")], outputs: [], outputList: (1, "output_ids"))
    default:
      let number: Int16 = try table.integer(2, "dtype")
      guard let type = schema.dataType(number) else { throw table.error("\(number) is not a known data type", field: "dtype") }
      return Self.oneToOne(.cast(type))
    }
  }

  private static func oneToOne(_ operation: Operation) -> Fields {
    Fields(operation: operation, inputs: [(0, "input1_id")], outputs: [(1, "output_id")])
  }

  private static func twoToOne(_ operation: Operation) -> Fields {
    Fields(operation: operation, inputs: [(0, "input1_id"), (1, "input2_id")], outputs: [(2, "output_id")])
  }

  private static func threeToOne(_ operation: Operation) -> Fields {
    Fields(
      operation: operation, inputs: [(0, "input1_id"), (1, "input2_id"), (2, "input3_id")], outputs: [(3, "output_id")])
  }

  // MARK: Attributes

  private static func int(_ table: FlatBufferTable, _ slot: Int, _ name: StaticString) throws(FileError) -> Int {
    let value: Int32 = try table.integer(slot, name)
    return Int(widening: value)
  }

  private static func ints(_ table: FlatBufferTable, _ slot: Int, _ name: StaticString) throws(FileError) -> [Int] {
    try table.ints(slot, name, of: Int32.self) ?? []
  }

  /// A list whose length is stored as well, in `num_dims`.
  private static func counted(_ table: FlatBufferTable, _ slot: Int, _ name: StaticString) throws(FileError) -> [Int] {
    let list = try ints(table, slot, name)
    let count = try int(table, 2, "num_dims")
    guard count == list.count else { throw table.error("is \(count), but there are \(list.count) numbers", field: "num_dims") }
    return list
  }

  /// An axis that is stored with 64 bits.
  private static func longAxis(_ table: FlatBufferTable, _ slot: Int) throws(FileError) -> Int {
    let axis: Int64 = try table.integer(slot, "dim")
    guard let short = Int32(exactly: axis) else { throw table.error("there is no axis \(axis)", field: "dim") }
    return Int(widening: short)
  }

  private static func rounding(_ table: FlatBufferTable) throws(FileError) -> MPSGraph.Rounding? {
    guard let mode = try table.string(3, "rounding_mode"), !mode.isEmpty else { return nil }
    guard let rounding = MPSGraph.Rounding(rawValue: mode) else {
      throw table.error("\"\(mode)\" is not \"floor\" or \"trunc\"", field: "rounding_mode")
    }
    return rounding
  }

  private static func isTanh(_ table: FlatBufferTable) throws(FileError) -> Bool {
    let approximation = try table.string(2, "approximate") ?? "none"
    guard approximation == "none" || approximation == "tanh" else {
      throw table.error("\"\(approximation)\" is not \"none\" or \"tanh\"", field: "approximate")
    }
    return approximation == "tanh"
  }

  private static func padding(_ table: FlatBufferTable, from slot: Int) throws(FileError) -> MPSGraph.Padding {
    MPSGraph.Padding(
      left: try int(table, slot, "padding_left"), right: try int(table, slot + 1, "padding_right"),
      top: try int(table, slot + 2, "padding_top"), bottom: try int(table, slot + 3, "padding_bottom"))
  }

  private static func convolution(_ table: FlatBufferTable) throws(FileError) -> MPSGraph.Convolution {
    MPSGraph.Convolution(
      strideX: try int(table, 4, "stride_x"), strideY: try int(table, 5, "stride_y"),
      dilationX: try int(table, 6, "dilation_x"), dilationY: try int(table, 7, "dilation_y"),
      groups: try int(table, 8, "groups"), padding: try padding(table, from: 9))
  }

  private static func pooling(_ table: FlatBufferTable) throws(FileError) -> MPSGraph.Pooling {
    let divisor = try int(table, 13, "divisor_override")
    return MPSGraph.Pooling(
      kernelHeight: try int(table, 1, "kernel_height"), kernelWidth: try int(table, 2, "kernel_width"),
      strideHeight: try int(table, 3, "stride_height"), strideWidth: try int(table, 4, "stride_width"),
      padding: try padding(table, from: 5),
      dilationHeight: try int(table, 9, "dilation_height"), dilationWidth: try int(table, 10, "dilation_width"),
      ceil: try table.bool(11, "ceil_mode"), countsPadding: try table.bool(12, "count_include_pad"),
      divisor: divisor == 0 ? nil : divisor)
  }
}
