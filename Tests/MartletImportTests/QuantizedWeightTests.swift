import MartletCompiler
import MartletGraph
import MartletOps
import MartletTensor
import Testing

/// What a payload stores as integers stays so until all patterns have been looked for.
@Suite struct QuantizedWeightTests {
  /// The weights of the products and convolutions of an imported payload.
  private func weights(_ name: String) throws -> [QuantizedWeight] {
    var graph = try Fixture.graph("payloads/\(name)", PassPipeline([FoldConstants(keepsQuantized: true)]))
    let nodes = graph.nodes
    let editor = GraphEditor(taking: &graph)
    return nodes.compactMap { node in
      node.op is MatMul || node.op is Convolution ? QuantizedWeight(node.inputs[1], in: editor) : nil
    }
  }

  @Test(arguments: ["weight_qcint8_dynamic", "weight_qcint8_inline_scales"])
  func `An int8 weight is seen as it is stored, with a scale for each output channel`(name: String) throws {
    let found = try weights(name)
    try #require(found.count == 1)
    let weight = found[0]
    #expect(weight.stored.type == TensorType(.int8, [16, 64]))
    // The product takes [input, output].
    #expect(weight.axes == [1, 0])
    #expect(weight.strides == [1, 64])
    #expect(weight.channelAxis == 1)
    #expect(weight.scales.type == TensorType(.float32, [16, 1]))
    #expect(weight.zeroPoint == 0)
    #expect(!weight.hasOneScale)
  }

  @Test func `A 4-bit weight has pairs of numbers and its zero point`() throws {
    let found = try weights("weight_qcint4")
    try #require(found.count == 1)
    #expect(found[0].stored.type == TensorType(.uint8, [16, 32]))
    #expect(found[0].storage == .nibbles(lastExtent: 64))
    #expect(found[0].zeroPoint == 8)
    #expect(found[0].channelAxis == 1)
    #expect(found[0].strides == nil)
  }

  @Test func `Scales of blocks are no scales of channels`() throws {
    let found = try weights("weight_qbint4")
    try #require(found.count == 1)
    #expect(found[0].scales.type == TensorType(.bfloat16, [16, 2]))
    #expect(found[0].channelAxis == nil)
  }

  @Test func `After all passes a weight is a constant that takes no memory until it is packed`() throws {
    let graph = try Fixture.graph("payloads/weight_qcint8", .standard)
    let product = try #require(graph.nodes.first { $0.op is MatMul })
    let weight = try #require(graph.constant(product.inputs[1]))
    #expect(!weight.isStored)
    #expect(weight.type == TensorType(.float32, [64, 16]))
    #expect(weight.strides == [1, 64])
  }
}
