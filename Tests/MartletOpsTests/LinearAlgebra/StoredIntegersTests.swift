import MartletCompiler
import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import MartletTestSampling
import MartletVocabulary
import Synchronization
import Testing

/// Products with matrices that are stored as integers with scales, against sums of the numbers that they stand for.
@Suite struct StoredIntegersTests {
  /// A matrix of `columns` rows of `depth` integers.
  struct Matrix: CustomTestStringConvertible {
    var columns: Int
    var depth: Int
    var block: Int
    var bits = 8
    var isSigned = true
    var scales = DType.float32
    var zeroPoints: DType?
    var zeroPoint: Int32 = 0

    var testDescription: String {
      "\(columns) x \(depth), \(bits) bits, groups of \(block), \(scales), zero points \(zeroPoints.map { "\($0)" } ?? "\(zeroPoint)")"
    }
  }

  static let matrices = [
    Matrix(columns: 515, depth: 512, block: 512),
    Matrix(columns: 521, depth: 509, block: 509, isSigned: false, zeroPoints: .uint8),
    Matrix(columns: 260, depth: 1024, block: 32, scales: .float16, zeroPoints: .int8),
    Matrix(columns: 260, depth: 1040, block: 16, scales: .bfloat16),
    Matrix(columns: 300, depth: 900, block: 12, isSigned: false, zeroPoint: 121),
    Matrix(columns: 515, depth: 512, block: 32, bits: 4, scales: .bfloat16, zeroPoint: 8),
    Matrix(columns: 260, depth: 1056, block: 1056, bits: 4, scales: .float16, zeroPoint: 8),
    Matrix(columns: 260, depth: 1056, block: 32, bits: 4, zeroPoints: .int64),
    Matrix(columns: 400, depth: 672, block: 12, bits: 4, zeroPoint: 7),
    Matrix(columns: 270, depth: 1152, block: 128, bits: 4, scales: .bfloat16, zeroPoints: .uint8),
  ]

  /// A graph that multiplies up to 40 rows with the matrix, and the numbers that the matrix stands for.
  private func graph(_ matrix: Matrix, bias: HostTensor, dtype: DType) -> (graph: Graph, numbers: [Double]) {
    var generator = SeededGenerator(seed: UInt64(matrix.columns * matrix.depth))
    let (columns, depth, blocks) = (matrix.columns, matrix.depth, matrix.depth / matrix.block)
    let integers = generator.integers(columns * depth, in: matrix.bits == 4 ? 0...15 : matrix.isSigned ? -128...127 : 0...255)
    let scales = HostTensor(.float32, [columns, blocks], generator.floats(columns * blocks, in: 0.01...0.02)).rounded(to: matrix.scales)
    let points = generator.integers(columns * blocks, in: matrix.bits == 4 ? 0...15 : -20...90)
    let stored: HostTensor
    var operation = Dequantize(zeroPoint: matrix.zeroPoint)
    if matrix.bits == 4 {
      let bytes = (0..<columns * depth / 2).map { UInt8(integers[2 * $0] | integers[2 * $0 + 1] << 4) }
      stored = HostTensor(.uint8, [columns, depth / 2], bytes)
      operation.storage = .nibbles(lastExtent: depth)
    } else if matrix.isSigned {
      stored = HostTensor(.int8, [columns, depth], integers.map { Int8($0) })
    } else {
      stored = HostTensor(.uint8, [columns, depth], integers.map { UInt8($0) })
    }
    var graph = Graph(name: "stored")
    var operands: [ValueID?] = [graph.addConstant(Constant(stored)), graph.addConstant(Constant(scales))]
    switch matrix.zeroPoints {
    case .int8: operands.append(graph.addConstant(Constant(HostTensor(.int8, [columns, blocks], points.map { Int8($0) }))))
    case .uint8: operands.append(graph.addConstant(Constant(HostTensor(.uint8, [columns, blocks], points.map { UInt8(max($0, 0)) }))))
    case .int64: operands.append(graph.addConstant(Constant(HostTensor(.int64, [columns, blocks], points.map { Int64($0) }))))
    default: break
    }
    func type(_ rows: [Dimension]) -> ValueType { .tensor(TensorSignature(dtype: .float32, dimensions: rows)) }
    let rows = Dimension.symbolic(bound: 130)
    let x = graph.addInput(.tensor(TensorSignature(dtype: dtype, dimensions: [rows, .fixed(depth)])))
    let residual = graph.addInput(type([rows, .fixed(columns)]))
    let real = graph.addNode(operation, operands, type: type([.fixed(columns), .fixed(depth)]), source: "weight")
    let right = graph.addNode(Permute(axes: [1, 0]), [real], type: type([.fixed(depth), .fixed(columns)]), source: "permute")
    graph.outputs = [
      graph.addNode(
        MatMul(dtype: .float32, alpha: 0.5, activation: .clamp(-6, 9)), [x, right, graph.addConstant(Constant(bias)), residual],
        type: type([rows, .fixed(columns)]), source: "matmul")
    ]
    let (factors, shift) = (scales.numbers, Double(matrix.zeroPoint))
    let numbers = integers.indices.map { index -> Double in
      let place = index / depth * blocks + index % depth / matrix.block
      let point = matrix.zeroPoints == nil ? 0 : Double(matrix.zeroPoints == .uint8 ? max(points[place], 0) : points[place])
      return (Double(integers[index]) - point - shift) * factors[place]
    }
    return (graph, numbers)
  }

  @Test(arguments: matrices) func productsAreThoseOfTheNumbers(_ matrix: Matrix) throws {
    var generator = SeededGenerator(seed: 3)
    let (columns, depth) = (matrix.columns, matrix.depth)
    let bias = HostTensor(.float32, [columns], generator.floats(columns))
    for dtype in [DType.float32, .float16] {
      let (graph, numbers) = graph(matrix, bias: bias, dtype: dtype)
      let store = PackedStore()
      let method = try CompiledMethod(
        PassPipeline.standard.run(on: graph), packed: store, states: StateStore(), threads: WorkerThreads(2))
      for rows in inDebug([1, 3, 9, 17], otherwise: [1, 2, 3, 5, 8, 9, 17, 40, 130]) {
        let x = HostTensor(.float32, [rows, depth], generator.floats(rows * depth)).rounded(to: dtype)
        let residual = HostTensor(.float32, [rows, columns], generator.floats(rows * columns))
        let result = try StoredProduct.run(method, [x, residual]).numbers
        let reference = StoredProduct(x: x.numbers, matrix: numbers, bias: bias.numbers, residual: residual.numbers)
        let largest = reference.largestError(of: result, rows: rows)
        #expect(largest < 2e-4, "\(rows) rows of \(dtype)")
      }
      // Nothing but scales and zero points of other types is copied.
      #expect(store.byteCount < columns * depth / 4)
    }
  }

  /// A place in a file that counts how often it is released.
  private final class Place: Constant.StoredPlace {
    let releases = Atomic(0)
    func joined(with next: any Constant.StoredPlace) -> (any Constant.StoredPlace)? { nil }
    func fetch() {}
    func expectParts() {}
    func release() { releases.add(1, ordering: .relaxed) }
  }

  /// A graph that multiplies up to 8 rows with a matrix of a file, of 512 rows of 1,024 bytes.
  private func graphOfFile(_ place: Place) -> Graph {
    let (columns, depth) = (512, 1024)
    var generator = SeededGenerator(seed: 8)
    let integers = HostTensor(.int8, [columns, depth], generator.integers(columns * depth, in: -128...127).map { Int8($0) })
    let stored = Constant(type: TensorType(.int8, integers.shape), bytes: Constant.Bytes(integers.sharedStorage), place: place)
    let scales = Constant(HostTensor(.float32, [columns, 1], generator.floats(columns, in: 0.01...0.02)))
    var graph = Graph(name: "stored")
    func type(_ rows: Dimension, _ extent: Int) -> ValueType {
      .tensor(TensorSignature(dtype: .float32, dimensions: [rows, .fixed(extent)]))
    }
    let x = graph.addInput(type(.symbolic(bound: 8), depth))
    let real = graph.addNode(
      Dequantize(), [graph.addConstant(stored), graph.addConstant(scales)], type: type(.fixed(columns), depth), source: "weight")
    let right = graph.addNode(Permute(axes: [1, 0]), [real], type: type(.fixed(depth), columns), source: "permute")
    graph.outputs = [graph.addNode(MatMul(dtype: .float32), [x, right], type: type(.symbolic(bound: 8), columns), source: "matmul")]
    return graph
  }

  @Test func aMatrixOfAFileIsCopiedForSingleRows() throws {
    let (columns, depth, place) = (512, 1024, Place())
    let graph = graphOfFile(place)
    var generator = SeededGenerator(seed: 9)
    let store = PackedStore()
    let method = try CompiledMethod(PassPipeline.standard.run(on: graph), packed: store, states: StateStore(), threads: WorkerThreads(1))
    let row = generator.floats(depth)
    let pair = try StoredProduct.run(method, [HostTensor(.float32, [2, depth], row + row)]).elements(as: Float.self)
    #expect(store.byteCount < columns * depth)
    let single = try StoredProduct.run(method, [HostTensor(.float32, [1, depth], row)]).elements(as: Float.self)
    #expect(store.byteCount >= columns * depth && place.releases.load(ordering: .relaxed) > 0)
    #expect(zip(single, pair).allSatisfy { abs($0 - $1) < 1e-3 })
    #expect(zip(single, pair.suffix(columns)).allSatisfy { abs($0 - $1) < 1e-3 })
  }

  @Test func aMatrixOfAFileIsReadInPlaceWhereMemoryIsShort() throws {
    let store = PackedStore()
    let method = try CompiledMethod(
      PassPipeline.standard.run(on: graphOfFile(Place())), packed: store, states: StateStore(), threads: WorkerThreads(1),
      limits: ResourceLimits(memoryByteCount: 1 << 19))
    _ = try StoredProduct.run(method, [HostTensor(.float32, [1, 1024], [Float](repeating: 1, count: 1024))])
    #expect(store.byteCount < 1 << 18)
  }

  @Test func aSmallMatrixIsPacked() throws {
    let matrix = Matrix(columns: 64, depth: 64, block: 64)
    let graph = graph(matrix, bias: HostTensor(.float32, [64], [Float](repeating: 0, count: 64)), dtype: .float32).graph
    let store = PackedStore()
    let method = try CompiledMethod(PassPipeline.standard.run(on: graph), packed: store, states: StateStore(), threads: WorkerThreads(1))
    let numbers = HostTensor(.float32, [1, 64], [Float](repeating: 1, count: 64))
    _ = try StoredProduct.run(method, [numbers, numbers])
    #expect(store.byteCount >= 64 * 64 * 4)
  }
}
