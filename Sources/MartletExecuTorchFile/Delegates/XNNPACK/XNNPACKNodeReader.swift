import MartletBytes
import MartletTensor

/// Reads the nodes of a graph in order, and tracks which values are defined.
struct XNNPACKNodeReader {
  private typealias Node = XNNPACKGraph.Node
  private typealias Operation = XNNPACKGraph.Operation
  /// Slots of the fields in a node's table. Attributes are read separately.
  private struct Fields {
    let operation: Operation
    var inputs: [(slot: Int, name: StaticString)]
    var outputs: [(slot: Int, name: StaticString)]
    let flags: Int
    /// Slot of an optional input.
    var optionalInput: (slot: Int, name: StaticString)?
  }

  private let values: [XNNPACKValue]
  /// Index of each value by id.
  private let indices: [Int: Int]
  /// Whether a value is constant, an external input, or written by a node read so far.
  private(set) var isDefined: [Bool]

  init(values: [XNNPACKValue], indices: [Int: Int]) {
    self.values = values
    self.indices = indices
    self.isDefined = values.map { $0.data != nil || $0.isExternalInput }
  }

  /// Reads an `XNode` table.
  mutating func node(_ node: FlatBufferTable) throws(FileError) -> XNNPACKGraph.Node {
    let debugHandle: UInt32 = try node.integer(2, "debug_handle")
    let bounds = try node.table(3, "output_min_max") { (table) throws(FileError) in
      XNNPACKGraph.OutputBounds(minimum: try table.float(0, "output_min"), maximum: try table.float(1, "output_max"))
    }
    let result = try node.union(0, "xnode_union") { (tag, table) throws(FileError) -> XNNPACKGraph.Node in
      let fields = try Self.fields(of: table, tag: tag)
      var inputs: [Int] = []
      for (slot, name) in fields.inputs { inputs.append(try input(table, slot, name)) }
      if let (slot, name) = fields.optionalInput, try table.integer(slot, name) != XNNPACKGraph.invalidID {
        inputs.append(try input(table, slot, name))
      }
      var outputs: [Int] = []
      for (slot, name) in fields.outputs { outputs.append(try output(table, slot, name)) }
      let flags: UInt32 = try table.integer(fields.flags, "flags")
      return XNNPACKGraph.Node(
        operation: fields.operation, inputs: inputs, outputs: outputs, flags: XNNPACKGraph.Flags(rawValue: flags),
        outputBounds: bounds, debugHandle: debugHandle)
    }
    guard let result else { throw node.error("is missing", field: "xnode_union") }
    return result
  }

  private func value(_ table: FlatBufferTable, _ slot: Int, _ name: StaticString) throws(FileError) -> Int {
    let id: UInt32 = try table.integer(slot, name)
    guard let index = indices[Int(widening: id)] else { throw table.error("there is no value \(id)", field: name) }
    return index
  }

  private func input(_ table: FlatBufferTable, _ slot: Int, _ name: StaticString) throws(FileError) -> Int {
    let index = try value(table, slot, name)
    guard isDefined[index] else {
      throw table.error("the value \(values[index].id) is neither constant nor input nor written by an earlier node", field: name)
    }
    return index
  }

  private mutating func output(_ table: FlatBufferTable, _ slot: Int, _ name: StaticString) throws(FileError) -> Int {
    let index = try value(table, slot, name)
    guard !isDefined[index] else {
      throw table.error("the value \(values[index].id) is constant, an input or written by an earlier node", field: name)
    }
    isDefined[index] = true
    return index
  }

  // MARK: Operations

  private static func fields(of table: FlatBufferTable, tag: UInt8) throws(FileError) -> Fields {
    if let unary = unary(tag) { return oneToOne(.unary(unary)) }
    if let binary = binary(tag) { return twoToOne(.binary(binary)) }
    switch tag {
    case 2:
      return Fields(
        operation: .fullyConnected, inputs: [(0, "input1_id"), (1, "filter_id")], outputs: [(3, "output_id")], flags: 4,
        optionalInput: (2, "bias_id"))
    case 3: return oneToOne(.softmax)
    case 5: return oneToOne(.transpose(permutation: try permutation(table)), firstSlot: 2)
    case 7: return convolution(.convolution2D(try convolution(table)))
    case 9:
      return oneToOne(
        .resizeBilinear2D(height: try extent(table, 0, "new_height"), width: try extent(table, 1, "new_width")), firstSlot: 2)
    case 10:
      let (before, after) = try pair(table, (0, "pre_paddings"), (1, "post_paddings"))
      return oneToOne(.constantPad(before: before, after: after, value: try table.float(2, "padding_value")), firstSlot: 3)
    case 11: return oneToOne(.averagePooling2D(try pooling(table)), firstSlot: 10)
    case 13: return convolution(.depthwiseConvolution2D(try convolution(table)))
    case 14: return oneToOne(.maxPooling2D(try pooling(table)), firstSlot: 10)
    case 18: return oneToOne(.convert)
    case 19: return oneToOne(.globalAveragePooling2D)
    case 20:
      let shape = try table.ints(1, "new_shape", of: UInt32.self) ?? []
      return oneToOne(.reshape(newShape: shape), firstSlot: 2)
    case 21:
      return Fields(
        operation: .argMaxPooling2D(try argMaxPooling(table)), inputs: [(6, "input_id")],
        outputs: [(7, "output_value_id"), (8, "output_index_id")], flags: 9)
    case 25: return oneToOne(.leakyReLU(negativeSlope: try table.float(0, "negative_slope")), firstSlot: 1)
    case 29: return oneToOne(.elu(alpha: try table.float(0, "alpha")), firstSlot: 1)
    case 31: return twoToOne(.prelu)
    case 32: return try concatenation(table, inputCount: 2)
    case 33: return try concatenation(table, inputCount: 3)
    case 34: return try concatenation(table, inputCount: 4)
    case 35:
      let (offsets, sizes) = try pair(table, (1, "offsets"), (2, "sizes"))
      return oneToOne(.slice(offsets: offsets, sizes: sizes), firstSlot: 3)
    case 36:
      return Fields(
        operation: .scaledDotProductAttention,
        inputs: [(0, "query_id"), (1, "key_id"), (2, "value_id"), (3, "scale_id"), (4, "mask_id")], outputs: [(5, "output_id")],
        flags: 6)
    case 37: return twoToOne(.batchMatrixMultiply)
    case 38: return try concatenation(table, inputCount: 5)
    case 39: return convolution(.transposedConvolution2D(try convolution(table)))
    case 46: return oneToOne(.copy)
    default: throw table.error("\(tag) is not a known kind of node")
    }
  }

  /// The unary operation with a tag of `XNodeUnion`: a table with only an input, an output and flags.
  private static func unary(_ tag: UInt8) -> XNNPACKGraph.Unary? {
    switch tag {
    case 4: .sigmoid
    case 6: .clamp
    case 17: .floor
    case 22: .squareRoot
    case 23: .ceiling
    case 24: .hardswish
    case 27: .negate
    case 28: .square
    case 30: .abs
    case 40: .reciprocalSquareRoot
    case 41: .log
    case 42: .gelu
    case 43: .tanh
    case 44: .exp
    case 45: .sine
    case 47: .cosine
    default: nil
    }
  }

  /// The elementwise binary operation with a tag of `XNodeUnion`.
  private static func binary(_ tag: UInt8) -> XNNPACKGraph.Binary? {
    switch tag {
    case 1: .add
    case 8: .divide
    case 12: .minimum
    case 15: .multiply
    case 16: .subtract
    case 26: .maximum
    default: nil
    }
  }

  /// Fields of an operation with an input, an output and flags in slots from `firstSlot` on.
  private static func oneToOne(_ operation: Operation, firstSlot: Int = 0) -> Fields {
    Fields(operation: operation, inputs: [(firstSlot, "input_id")], outputs: [(firstSlot + 1, "output_id")], flags: firstSlot + 2)
  }

  /// `_XNNNode2x1`
  private static func twoToOne(_ operation: Operation) -> Fields {
    Fields(operation: operation, inputs: [(0, "input1_id"), (1, "input2_id")], outputs: [(2, "output_id")], flags: 3)
  }

  /// The values of `_XNNNodeConv`.
  private static func convolution(_ operation: Operation) -> Fields {
    Fields(
      operation: operation, inputs: [(15, "input1_id"), (16, "filter_id")], outputs: [(18, "output_id")], flags: 19,
      optionalInput: (17, "bias_id"))
  }

  /// `_XNNCat`. The fifth input was added later and has the last slot.
  private static func concatenation(_ table: FlatBufferTable, inputCount: Int) throws(FileError) -> Fields {
    let axis: UInt32 = try table.integer(0, "axis")
    let inputs: [(Int, StaticString)] = [(1, "input1_id"), (2, "input2_id"), (3, "input3_id"), (4, "input4_id"), (7, "input5_id")]
    return Fields(
      operation: .concatenate(axis: Int(widening: Int32(bitPattern: axis))), inputs: Array(inputs.prefix(inputCount)),
      outputs: [(5, "output_id")], flags: 6)
  }

  // MARK: Attributes

  private static func extent(_ table: FlatBufferTable, _ slot: Int, _ name: StaticString) throws(FileError) -> Int {
    let value: UInt32 = try table.integer(slot, name)
    return Int(widening: value)
  }

  /// Two lists of equal length.
  private static func pair(
    _ table: FlatBufferTable, _ first: (slot: Int, name: StaticString), _ second: (slot: Int, name: StaticString)
  ) throws(FileError) -> ([Int], [Int]) {
    let firsts = try table.ints(first.slot, first.name, of: UInt32.self) ?? []
    let seconds = try table.ints(second.slot, second.name, of: UInt32.self) ?? []
    guard firsts.count == seconds.count else {
      throw table.error("\(seconds.count) values, but \(firsts.count) of \(first.name)", field: second.name)
    }
    return (firsts, seconds)
  }

  private static func permutation(_ table: FlatBufferTable) throws(FileError) -> [Int] {
    let axes = try table.ints(1, "perm", of: UInt32.self) ?? []
    guard axes.sorted() == Array(axes.indices) else {
      throw table.error("not a permutation of \(axes.count) axes", field: "perm")
    }
    return axes
  }

  private static func padding(_ table: FlatBufferTable) throws(FileError) -> XNNPACKGraph.Padding {
    XNNPACKGraph.Padding(
      top: try extent(table, 0, "padding_top"), right: try extent(table, 1, "padding_right"),
      bottom: try extent(table, 2, "padding_bottom"), left: try extent(table, 3, "padding_left"))
  }

  private static func convolution(_ table: FlatBufferTable) throws(FileError) -> XNNPACKGraph.Convolution {
    XNNPACKGraph.Convolution(
      padding: try padding(table),
      kernelHeight: try extent(table, 4, "kernel_height"), kernelWidth: try extent(table, 5, "kernel_width"),
      strideHeight: try extent(table, 6, "subsampling_height"), strideWidth: try extent(table, 7, "subsampling_width"),
      dilationHeight: try extent(table, 8, "dilation_height"), dilationWidth: try extent(table, 9, "dilation_width"),
      groups: try extent(table, 12, "groups"),
      groupInputChannels: try extent(table, 10, "group_input_channels"),
      groupOutputChannels: try extent(table, 11, "group_output_channels"),
      adjustmentHeight: try extent(table, 13, "adjustment_height"), adjustmentWidth: try extent(table, 14, "adjustment_width"))
  }

  private static func pooling(_ table: FlatBufferTable) throws(FileError) -> XNNPACKGraph.Pooling {
    XNNPACKGraph.Pooling(
      padding: try padding(table),
      height: try extent(table, 4, "pooling_height"), width: try extent(table, 5, "pooling_width"),
      strideHeight: try extent(table, 6, "stride_height"), strideWidth: try extent(table, 7, "stride_width"),
      dilationHeight: try extent(table, 8, "dilation_height"), dilationWidth: try extent(table, 9, "dilation_width"))
  }

  /// `XNNArgMaxPooling2d` has neither strides nor dilations.
  private static func argMaxPooling(_ table: FlatBufferTable) throws(FileError) -> XNNPACKGraph.Pooling {
    let height = try extent(table, 4, "pooling_height")
    let width = try extent(table, 5, "pooling_width")
    return XNNPACKGraph.Pooling(
      padding: try padding(table), height: height, width: width, strideHeight: height, strideWidth: width, dilationHeight: 1,
      dilationWidth: 1)
  }
}
