import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

/// Convolutions that store their results where a concatenation wants them, against the same operators one by one.
@Suite struct JoinedPartTests {
  private struct Block {
    var graph = Graph(name: "joined")
    var random = SeededGenerator(seed: 31)

    func tensor(_ shape: [Int]) -> ValueType { .tensor(TensorSignature(TensorType(.float32, shape))) }

    mutating func add(_ op: any Operator, _ inputs: [ValueID?], _ shape: [Int], _ source: String) -> ValueID {
      graph.addNode(op, inputs, type: tensor(shape), source: source)
    }

    mutating func conv(_ x: ValueID, _ inputs: Int, _ outputs: Int, side: Int, kernel: Int = 3, upsamples: Bool = false) -> ValueID {
      let pad = upsamples ? 0 : kernel / 2
      var op = Convolution(
        stride: upsamples ? [2, 2] : [1, 1], padding: [(pad, pad), (pad, pad)], dilation: [1, 1], isTransposed: upsamples,
        outputPadding: [0, 0], groups: 1, dtype: .float32)
      op.activation = .clamp(-1, 1)
      let shape = (upsamples ? [inputs, outputs] : [outputs, inputs]) + [kernel, kernel]
      let weight = graph.addConstant(Constant(HostTensor(.float32, shape, random.floats(shape.reduce(1, *)))))
      return add(op, [x, weight], [1, outputs, side, side], "conv")
    }
  }

  private static func pool() -> Pool {
    Pool(.sliding(kernel: [2, 2], stride: [2, 2], before: [0, 0], after: [0, 0], dilation: [1, 1], ceil: false), reduction: .maximum)
  }

  /// A level of a UNet: the image goes down and comes up again, and is joined with what it was. With `blocked`, a reader that cannot take
  /// pixels with gaps between them keeps the operands from being made in place.
  private static func level(blocked: Bool, channelsLast: Bool = false) throws -> (graph: Graph, input: HostTensor) {
    var block = Block()
    let x = block.graph.addInput(block.tensor([1, 5, 12, 12]))
    let wide = block.conv(x, 5, 19, side: 12)
    let small = block.add(pool(), [wide], [1, 19, 6, 6], "pool")
    let up = block.conv(small, 19, 13, side: 12, kernel: 2, upsamples: true)
    let pixel = block.conv(x, 5, 16, side: 12, kernel: 1)
    let joined: ValueID
    if channelsLast {
      // As XNNPACK's payloads have it.
      let parts = [(wide, 19), (up, 13), (pixel, 16)].map { block.add(Permute(axes: [0, 2, 3, 1]), [$0.0], [1, 12, 12, $0.1], "cat") }
      let whole = block.add(Concat(axis: -1, dtype: .float32), parts, [1, 12, 12, 48], "cat")
      joined = block.add(Permute(axes: [0, 3, 1, 2]), [whole], [1, 48, 12, 12], "cat")
    } else {
      joined = block.add(Concat(axis: 1, dtype: .float32), [wide, up, pixel], [1, 48, 12, 12], "cat")
    }
    var outputs = [block.conv(joined, 48, 7, side: 12)]
    if blocked { outputs += [wide, up, pixel] }
    block.graph.outputs = outputs
    try block.graph.verify()
    var random = SeededGenerator(seed: 8)
    return (block.graph, HostTensor(.float32, [1, 5, 12, 12], random.floats(5 * 144)))
  }

  @Test(arguments: 1...3) func resultsAreThoseOfCopies(_ threads: Int) throws {
    let (free, input) = try Self.level(blocked: false)
    let (blocked, _) = try Self.level(blocked: true)
    let expected = try runGraph(blocked, [input], threads: threads).elements(as: Float.self)
    #expect(try runGraph(free, [input], threads: threads).elements(as: Float.self) == expected)
    #expect(expected.contains { $0 != 0 && abs($0) < 1 })
    let (channelsLast, _) = try Self.level(blocked: false, channelsLast: true)
    let rewritten = try PassPipeline.standard.run(on: channelsLast)
    for graph in [channelsLast, rewritten] { #expect(try runGraph(graph, [input], threads: threads).elements(as: Float.self) == expected) }
  }

  @Test func nothingIsCopiedIntoTheConcatenation() throws {
    func copies(blocked: Bool, channelsLast: Bool = false) throws -> Int {
      var (graph, _) = try Self.level(blocked: blocked, channelsLast: channelsLast)
      if channelsLast { graph = try PassPipeline.standard.run(on: graph) }
      let method = try CompiledMethod(graph, packed: PackedStore(), states: StateStore(), threads: WorkerThreads(1))
      let plan = try method.plan(for: [.tensor(TensorType(.float32, [1, 5, 12, 12]), order: nil)])
      return plan.steps.count { $0.label.hasPrefix("copy") && "\($0.source)".contains("cat") }
    }
    #expect(try copies(blocked: true) == 3)
    #expect(try copies(blocked: false) == 0)
    #expect(try copies(blocked: false, channelsLast: true) == 0)
  }
}
