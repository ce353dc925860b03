import MartletBytes
import MartletExecuTorchFile
import Testing

@Suite struct XNNPACKGraphTests {
  @Test(arguments: ["xnnpack_segment.pte", "xnnpack_inline.pte"])
  func `A fully connected layer has its weights and biases`(name: String) throws {
    let graph = try Fixture.graph(name)
    #expect(graph.nodes.count == 1)
    let node = graph.nodes[0]
    #expect(node.operation == .fullyConnected)
    try #require(node.inputs.count == 3)
    #expect(node.inputs[0] == graph.inputs[0])
    #expect(node.outputs == graph.outputs)
    let filter = graph.values[node.inputs[1]]
    #expect(filter.dataType == .float32)
    #expect(filter.sizes == [2, 3])
    #expect(try filter.data?.floats() == [0, 1, 2, 3, 4, 5])
    #expect(try graph.values[node.inputs[2]].data?.floats() == [0, 1])
    #expect(graph.values[graph.inputs[0]].sizes == [1, 3])
  }

  @Test func `A convolution has its attributes and a fused activation`() throws {
    let graph = try Fixture.graph("xnnpack_convolution.pte")
    let node = try #require(graph.nodes.first { if case .convolution2D = $0.operation { true } else { false } })
    guard case .convolution2D(let convolution) = node.operation else {
      Issue.record("the node is \(node.operation)")
      return
    }
    #expect(numbers(of: convolution) == [1, 1, 1, 1, 3, 3, 1, 1, 1, 1, 2, 3, 1, 0, 0])
    #expect(node.outputBounds?.minimum == 0)
    #expect(node.outputBounds?.maximum == .infinity)
    let filter = graph.values[node.inputs[1]]
    #expect(filter.sizes == [3, 3, 3, 2])
    // Written as [output, input, height, width] = 0, 1, 2, ...; stored with the input channels innermost.
    #expect(try filter.data?.floats().prefix(4) == [0, 9, 1, 10])
    #expect(graph.nodes.contains { $0.operation == .transpose(permutation: [0, 2, 3, 1]) })
    #expect(graph.nodes.contains { $0.operation == .transpose(permutation: [0, 3, 1, 2]) })
  }

  @Test func `Weights of four bits have scales for blocks`() throws {
    let graph = try Fixture.graph("xnnpack_blockwise.pte")
    let node = try #require(graph.nodes.first { $0.operation == .fullyConnected })
    let filter = graph.values[node.inputs[1]]
    #expect(filter.dataType == .qbint4)
    #expect(filter.sizes == [8, 64])
    #expect(filter.data?.count == 256)
    guard case .blockwise(axis: 0, blockSize: 32, let scales) = try #require(filter.quantization) else {
      Issue.record("the quantization is \(String(describing: filter.quantization))")
      return
    }
    #expect(scales.count == 16)
    #expect(scales.values.allSatisfy { $0 > 0 && $0 < 1 })
    let input = graph.values[node.inputs[0]]
    #expect(input.dataType == .qdint8)
    guard case .perTokenDynamic(nonBatchRank: 1) = try #require(input.quantization) else {
      Issue.record("the quantization is \(String(describing: input.quantization))")
      return
    }
    #expect(graph.nodes.contains { $0.operation == .convert && $0.outputs == [node.inputs[0]] })
  }

  @Test func `An int8 convolution has scales for the tensor and for its channels`() throws {
    let graph = try Fixture.graph("xnnpack_int8.pte")
    let node = try #require(graph.nodes.first { if case .convolution2D = $0.operation { true } else { false } })
    guard case .perTensor(let scale, _) = try #require(graph.values[node.inputs[0]].quantization) else {
      Issue.record("the input is not quantised as a whole")
      return
    }
    #expect(scale > 0)
    let filter = graph.values[node.inputs[1]]
    #expect(filter.dataType == .qcint8)
    guard case .perChannel(axis: 0, let scales) = try #require(filter.quantization) else {
      Issue.record("the filter is not quantised by channel")
      return
    }
    #expect(scales.format == .float32)
    #expect(scales.count == 3)
    #expect(scales.values.allSatisfy { $0 > 0 })
    let bias = graph.values[node.inputs[2]]
    #expect(bias.dataType == .qcint32)
    #expect(bias.data?.count == 12)
  }

  @Test func `Every kind of node is read with its own attributes`() throws {
    let graph = try XNNPACKGraph(Fixture.file("xnnpack_nodes.xnn")) { _ in nil }
    #expect(graph.version == "1")
    #expect(graph.nodes.count == 47)
    for node in graph.nodes {
      switch node.operation {
      case .unary(let function): #expect(node.operation.name == function.rawValue)
      case .binary(let function): #expect(node.operation.name == function.rawValue)
      // The name of the case.
      default: #expect(node.operation.name == "\(node.operation)".prefix { $0 != "(" })
      }
    }
    for (index, node) in graph.nodes.enumerated() {
      #expect(node.debugHandle == UInt32(index))
      #expect(node.outputBounds?.minimum == -1)
      #expect(node.outputBounds?.maximum == 6)
      #expect(node.flags == .keepDims)
      #expect(!node.inputs.isEmpty)
    }
    #expect(graph.inputs == [0])
    #expect(graph.outputs == graph.nodes[0].outputs)
    #expect(try graph.values[1].data?.floats() == [1.5, -2.5])

    // Attributes are numbered upwards from 100 in the order of the schema.
    let expected = [
      "add", "fullyConnected", "softmax", "sigmoid", "transpose 1 0", "clamp", "convolution2D " + run(100, 15), "divide",
      "resizeBilinear2D 115 116", "constantPad 117 118 119 120 121.5", "averagePooling2D " + run(122, 10), "minimum",
      "depthwiseConvolution2D " + run(132, 15), "maxPooling2D " + run(147, 10), "multiply", "subtract", "floor", "convert",
      "globalAveragePooling2D", "reshape 157 158", "argMaxPooling2D " + run(159, 6) + " 163 164 1 1", "squareRoot", "ceiling",
      "hardswish", "leakyReLU 165.5", "maximum", "negate", "square", "elu 166.5", "abs", "prelu", "concatenate 167",
      "concatenate 168", "concatenate 169", "slice 170 171 172 173", "scaledDotProductAttention", "batchMatrixMultiply",
      "concatenate 174", "transposedConvolution2D " + run(175, 15), "reciprocalSquareRoot", "log", "gelu", "tanh", "exp", "sine",
      "copy", "cosine",
    ]
    #expect(graph.nodes.map { text(of: $0.operation) } == expected)

    let inputCounts = graph.nodes.map(\.inputs.count)
    #expect(inputCounts[31...33] == [2, 3, 4])
    #expect(inputCounts[37] == 5)
    #expect(graph.nodes[20].outputs.count == 2)
    #expect(graph.nodes[6].inputs == [0, 1, 1])
    // No bias.
    #expect(graph.nodes[12].inputs == [0, 1])
    #expect(graph.nodes[37].inputs == [0, 1, 0, 0, 0])
    #expect(graph.nodes[35].inputs == [0, 0, 0, 1, 0])
  }

  /// `count` numbers from `first` on.
  private func run(_ first: Int, _ count: Int) -> String { (first..<first + count).map(String.init).joined(separator: " ") }

  /// The operation and its attributes in the order of the schema.
  private func text(of operation: XNNPACKGraph.Operation) -> String {
    switch operation {
    case .unary(let unary): unary.rawValue
    case .binary(let binary): binary.rawValue
    case .leakyReLU(let slope): "leakyReLU \(slope)"
    case .elu(let alpha): "elu \(alpha)"
    case .convolution2D(let convolution): text("convolution2D", numbers(of: convolution))
    case .depthwiseConvolution2D(let convolution): text("depthwiseConvolution2D", numbers(of: convolution))
    case .transposedConvolution2D(let convolution): text("transposedConvolution2D", numbers(of: convolution))
    case .averagePooling2D(let pooling): text("averagePooling2D", numbers(of: pooling))
    case .maxPooling2D(let pooling): text("maxPooling2D", numbers(of: pooling))
    case .argMaxPooling2D(let pooling): text("argMaxPooling2D", numbers(of: pooling))
    case .transpose(let permutation): text("transpose", permutation)
    case .reshape(let shape): text("reshape", shape)
    case .slice(let offsets, let sizes): text("slice", offsets + sizes)
    case .resizeBilinear2D(let height, let width): text("resizeBilinear2D", [height, width])
    case .constantPad(let before, let after, let value): text("constantPad", before + after) + " \(value)"
    case .concatenate(let axis): text("concatenate", [axis])
    default: "\(operation)"
    }
  }

  private func text(_ name: String, _ numbers: [Int]) -> String { ([name] + numbers.map(String.init)).joined(separator: " ") }

  private func numbers(of padding: XNNPACKGraph.Padding) -> [Int] { [padding.top, padding.right, padding.bottom, padding.left] }

  private func numbers(of attributes: XNNPACKGraph.Convolution) -> [Int] {
    numbers(of: attributes.padding) + [
      attributes.kernelHeight, attributes.kernelWidth, attributes.strideHeight, attributes.strideWidth, attributes.dilationHeight,
      attributes.dilationWidth, attributes.groupInputChannels, attributes.groupOutputChannels, attributes.groups,
      attributes.adjustmentHeight, attributes.adjustmentWidth,
    ]
  }

  private func numbers(of attributes: XNNPACKGraph.Pooling) -> [Int] {
    numbers(of: attributes.padding) + [
      attributes.height, attributes.width, attributes.strideHeight, attributes.strideWidth, attributes.dilationHeight,
      attributes.dilationWidth,
    ]
  }

  @Test func `A payload without a header has its constants inside`() throws {
    let graph = try XNNPACKGraph(Fixture.file("xnnpack_old.xnn")) { _ in nil }
    #expect(graph.nodes.map(\.operation) == [.binary(.add)])
    #expect(try graph.values[1].data?.floats() == [1.5, -2.5])
    #expect(graph.values[graph.inputs[0]].dynamicQuantization == .qint8)
  }

  @Test func `Data that is missing under its name is an error that names it`() throws {
    let program = try Fixture.program("xnnpack_segment.pte")
    let error = #expect(throws: FileError.self) { try XNNPACKGraph(program.plans[0].delegates[0].payload) { _ in nil } }
    #expect(error?.reason.contains("is missing") == true)
    #expect(error?.field.hasPrefix("xnnpack.xvalues[") == true)
    #expect(!program.namedData.isEmpty)
    // Too short for the weights it stands for.
    #expect(throws: FileError.self) { try XNNPACKGraph(program.plans[0].delegates[0].payload) { _ in ByteView.empty } }
  }
}
