import MartletCompiler
import MartletGraph
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import MartletTestSampling
import MartletVocabulary
import Testing

/// Products with matrices of floats that programs with states read where they are stored, against sums in double precision.
@Suite struct StoredFloatsTests {
  /// A graph that multiplies any number of rows up to 130 with a matrix of `columns` rows of `depth` numbers and keeps the last results.
  private func graph(_ matrix: Constant, columns: Int, depth: Int, bias: HostTensor, keepsState: Bool) -> Graph {
    var graph = Graph(name: "stored")
    let rows = Dimension.symbolic(bound: 130)
    func type(_ rows: Dimension, _ extent: Int) -> ValueType {
      .tensor(TensorSignature(dtype: .float32, dimensions: [rows, .fixed(extent)]))
    }
    let x = graph.addInput(type(rows, depth))
    let residual = graph.addInput(type(rows, columns))
    let weight = graph.addConstant(matrix)
    let right = graph.addNode(Permute(axes: [1, 0]), [weight], type: type(.fixed(depth), columns), source: "permute")
    let product = graph.addNode(
      MatMul(dtype: .float32, alpha: 0.5, activation: .clamp(-6, 9)), [x, right, graph.addConstant(Constant(bias)), residual],
      type: type(rows, columns), source: "matmul")
    graph.outputs = [product]
    if keepsState {
      graph.states = [StateDeclaration(name: "seen", type: TensorType(.float32, [1, 4]), initial: nil)]
      let seen = graph.addNode(ReadState(state: 0), [], type: type(.fixed(1), 4), source: "read")
      graph.addNode(WriteState(state: 0), [seen], types: [], source: "write")
    }
    return graph
  }

  @Test(arguments: [DType.float32, .float16, .bfloat16], [(1024, 768), (515, 1037), (1031, 1024)])
  func productsReadTheMatrixInPlace(_ dtype: DType, _ extents: (columns: Int, depth: Int)) throws {
    var generator = SeededGenerator(seed: 11)
    let (columns, depth) = extents
    let numbers = HostTensor(.float32, [columns, depth], generator.floats(columns * depth)).rounded(to: dtype)
    let bias = HostTensor(.float32, [columns], generator.floats(columns))
    let matrix = Constant(type: TensorType(dtype, [columns, depth]), bytes: Constant.Bytes(numbers.sharedStorage))
    let graph = graph(matrix, columns: columns, depth: depth, bias: bias, keepsState: true)
    let store = PackedStore()
    let method = try CompiledMethod(
      PassPipeline.standard.run(on: graph), packed: store, states: StateStore(), threads: WorkerThreads(2))
    let weights = numbers.numbers
    for rows in inDebug([9, 1, 3, 17], otherwise: [9, 1, 2, 3, 5, 8, 13, 17, 40, 130]) {
      let x = HostTensor(.float32, [rows, depth], generator.floats(rows * depth))
      let residual = HostTensor(.float32, [rows, columns], generator.floats(rows * columns))
      let result = try StoredProduct.run(method, [x, residual]).numbers
      let reference = StoredProduct(x: x.numbers, matrix: weights, bias: bias.numbers, residual: residual.numbers)
      let largest = reference.largestError(of: result, rows: rows)
      #expect(largest < 1e-4, "\(rows) rows")
    }
    #expect(store.byteCount < columns * depth / 4)
  }

  @Test func aProgramWithoutStatesPacksTheMatrix() throws {
    let (columns, depth) = (1024, 768)
    var generator = SeededGenerator(seed: 12)
    let numbers = HostTensor(.float32, [columns, depth], generator.floats(columns * depth))
    let bias = HostTensor(.float32, [columns], generator.floats(columns))
    let graph = graph(Constant(numbers), columns: columns, depth: depth, bias: bias, keepsState: false)
    let store = PackedStore()
    let method = try CompiledMethod(
      PassPipeline.standard.run(on: graph), packed: store, states: StateStore(), threads: WorkerThreads(1))
    let x = HostTensor(.float32, [9, depth], generator.floats(9 * depth))
    _ = try StoredProduct.run(method, [x, HostTensor(.float32, [9, columns], generator.floats(9 * columns))])
    #expect(store.byteCount >= columns * depth * 4)
  }
}
