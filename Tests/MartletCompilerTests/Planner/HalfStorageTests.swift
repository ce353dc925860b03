import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

/// Programs in float16: kernels read and write it, and weights stay what they are.
@Suite struct HalfStorageTests {
  /// A first layer, convolutions of several methods with a residual, a product over pixels, attention and a classifier.
  private static func network(_ dtype: DType) throws -> Graph {
    var random = SeededGenerator(seed: 5)
    var graph = Graph(name: "network")
    func tensor(_ shape: [Int]) -> ValueType { .tensor(TensorSignature(TensorType(dtype, shape))) }
    func weight(_ shape: [Int]) -> ValueID {
      let numbers = random.floats(shape.reduce(1, *))
      let host = dtype == .float16 ? HostTensor(dtype, shape, numbers.map { Float16($0).bitPattern }) : HostTensor(dtype, shape, numbers)
      return graph.addConstant(Constant(host))
    }
    func conv(_ x: ValueID, _ inputs: Int, _ outputs: Int, side: Int, kernel: Int, stride: Int = 1, residual: ValueID? = nil) -> ValueID {
      let pad = kernel / 2
      var op = Convolution(
        stride: [stride, stride], padding: [(pad, pad), (pad, pad)], dilation: [1, 1], outputPadding: [0, 0], groups: 1, dtype: dtype)
      op.activation = Activation(.silu)
      let kernels = weight([outputs, inputs, kernel, kernel])
      return graph.addNode(
        op, [x, kernels, nil, residual], type: tensor([1, outputs, side, side]), source: "conv")
    }
    let x = graph.addInput(tensor([1, 3, 32, 32]))
    let first = conv(x, 3, 32, side: 16, kernel: 3, stride: 2)
    let second = conv(first, 32, 32, side: 16, kernel: 3, residual: first)
    let small = conv(second, 32, 40, side: 8, kernel: 3, stride: 2)
    let wide = conv(small, 40, 64, side: 8, kernel: 1)
    let split = Reshape(shape: [1, 2, 32, 64].map(IntArgument.constant))
    let heads = graph.addNode(split, [wide], type: tensor([1, 2, 32, 64]), source: "heads")
    let attention = graph.addNode(Attention(scale: 0.1), [heads, heads, heads], type: tensor([1, 2, 32, 64]), source: "attention")
    let matrix = weight([64, 50])
    let rows = graph.addNode(MatMul(dtype: dtype), [attention, matrix], type: tensor([1, 2, 32, 50]), source: "linear")
    graph.outputs = [rows]
    try graph.verify()
    return graph
  }

  @Test func nothingIsConvertedAndWeightsTakeHalfTheMemory() throws {
    func plan(_ dtype: DType) throws -> (labels: [String], byteCount: Int) {
      let packed = PackedStore()
      let plan = try Planner.plan(
        PreparedGraph(try Self.network(dtype)), inputs: [.tensor(TensorType(dtype, [1, 3, 32, 32]))], packed: packed, workers: 1,
        precision: .exact)
      return (plan.steps.map(\.label), packed.byteCount)
    }
    let (single, half) = (try plan(.float32), try plan(.float16))
    #expect(half.labels.filter { $0.hasPrefix("convert") } == [])
    // Matrix tiles have layouts of their own. Where transforming weights costs much, they are kept transformed, in float32.
    let method = ConvolutionMethod.fastest(images: 1, height: 16, width: 16, inputChannels: 32, outputChannels: 32, areHalves: true)
    if ProductArithmetic(.exact, .float16, .float16) == .single {
      #expect(method.keepsHalves ? half.byteCount * 2 <= single.byteCount : half.byteCount < single.byteCount)
    }
  }
}
