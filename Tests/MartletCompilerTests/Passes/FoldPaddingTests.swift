import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct FoldPaddingTests {
  /// Padding by 1, 2 rows and 0, 3 columns.
  private func padded(
    _ graph: inout Graph, _ x: ValueID, with value: Double = 0, mode: Pad.Mode = .constant, leading: [Int] = []
  ) -> ValueID {
    var shape = graph.signature(x)!.fixedShape!
    shape[2] += 3
    shape[3] += 3
    let before = leading + [1, 0]
    let after = leading.map { _ in 0 } + [2, 3]
    for (axis, amount) in leading.enumerated() { shape[2 - leading.count + axis] += amount }
    let op = Pad(mode, before: before.map { .constant($0) }, after: after.map { .constant($0) })
    return graph.node(op, mode == .constant ? [x, graph.addScalar(.double(value))] : [x], shape)
  }

  private func pooled(
    _ graph: inout Graph, _ x: ValueID, _ reduction: PoolReduction, padding: Int = 0, ceil: Bool = false
  ) -> ValueID {
    var shape = graph.signature(x)!.fixedShape!
    for axis in 2...3 { shape[axis] = (shape[axis] + 2 * padding - 4 + (ceil ? 1 : 0)) / 2 + 1 }
    let window = Pool.Window.sliding(
      kernel: [4, 4], stride: [2, 2], before: [padding, padding], after: [padding, padding], dilation: [1, 1], ceil: ceil)
    return graph.node(Pool(window, reduction: reduction), [x], shape)
  }

  private func isFolded(_ body: (inout Graph, ValueID) -> ValueID) throws -> Bool {
    var graph = Graph(name: "g")
    graph.outputs = [body(&graph, graph.input([1, 2, 7, 6]))]
    if try isLeft(graph, by: FoldPadding()) { return false }
    let result = try rewritten(graph, by: FoldPadding())
    #expect(!result.nodes.contains { $0.op is Pad })
    return true
  }

  @Test(arguments: [0, 0.5]) func zerosBeforeAConvolutionAreItsPadding(value: Double) throws {
    #expect(try isFolded { $0.convolution(padded(&$0, $1, with: value), channels: 3) } == (value == 0))
  }

  @Test func paddingsThatFollowOneAnotherAddUp() throws {
    var graph = Graph(name: "g")
    let x = graph.input([1, 2, 7, 6])
    graph.outputs = [graph.convolution(padded(&graph, padded(&graph, x)), channels: 3)]
    let result = try rewritten(graph, by: FoldPadding())
    let op = try #require(result.nodes.first?.op as? Convolution)
    #expect(op.padding.map(\.before) == [3, 1] && op.padding.map(\.after) == [5, 7])
  }

  @Test func otherPaddingStays() throws {
    #expect(try !isFolded { $0.convolution(padded(&$0, $1, mode: .reflect), channels: 3) })
    // Channels are padded as well.
    #expect(try !isFolded { $0.convolution(padded(&$0, $1, leading: [1]), channels: 3) })
    // Somebody else reads the padded image.
    #expect(
      try !isFolded {
        let image = padded(&$0, $1)
        return $0.binary(.add, $0.convolution(image, channels: 2), image)
      })
  }

  @Test func extentsMayBeKnownPerCallOnly() throws {
    var graph = Graph(name: "g")
    func type(_ channels: Int) -> ValueType {
      .tensor(TensorSignature(dtype: .float32, dimensions: [.fixed(1), .fixed(channels), .symbolic(bound: nil), .symbolic(bound: 9)]))
    }
    let x = graph.addInput(type(2))
    let pad = Pad(.constant, before: [.constant(1), .constant(1)], after: [.constant(2), .constant(2)])
    let image = graph.addNode(pad, [x, graph.addScalar(.double(0))], type: type(2), source: "pad")
    let op = Convolution(
      stride: [2, 2], padding: [(0, 0), (0, 0)], dilation: [1, 1], outputPadding: [0, 0], groups: 1, dtype: .float32)
    graph.outputs = [graph.addNode(op, [image, graph.weight([3, 2, 3, 3])], type: type(3), source: "conv")]
    let result = try #require(try FoldPadding().rewrite(graph))
    try result.verify()
    #expect(result.operatorNames == ["conv"] && result.nodes[0].inputs[0] == x)
  }

  @Test func zerosBeforeAnAverageAreCounted() throws {
    #expect(try isFolded { pooled(&$0, padded(&$0, $1), .average(countsPadding: false, divisor: nil)) })
    #expect(try isFolded { pooled(&$0, padded(&$0, $1), .average(countsPadding: true, divisor: nil), padding: 1) })
    #expect(try isFolded { pooled(&$0, padded(&$0, $1), .average(countsPadding: false, divisor: 5), padding: 1) })
    // Zeros of the padding count and those of the pooling do not.
    #expect(try !isFolded { pooled(&$0, padded(&$0, $1), .average(countsPadding: false, divisor: nil), padding: 1) })
    #expect(try !isFolded { pooled(&$0, padded(&$0, $1), .average(countsPadding: true, divisor: nil), ceil: true) })
  }

  @Test func aMaximumTakesWhatCannotBeOne() throws {
    #expect(try isFolded { pooled(&$0, padded(&$0, $1, with: -.infinity), .maximum) })
    #expect(try isFolded { pooled(&$0, padded(&$0, $0.unary(.relu, $1)), .maximum) })
    #expect(try !isFolded { pooled(&$0, padded(&$0, $1), .maximum) })
    #expect(try !isFolded { pooled(&$0, padded(&$0, $0.unary(.tanh, $1)), .maximum) })
  }
}
