import Foundation
import MartletGraph
import MartletKernels
import MartletOps
import MartletRuntime
import MartletTensor
import MartletTesting
import MartletVocabulary
import Testing

/// Products of a single row with constant matrices, which are read where they lie if they are large and their columns contiguous, against
/// the same products with packed matrices.
@Suite struct MatrixVectorTests {
  private func random(_ dtype: DType, _ shape: [Int], _ random: inout SeededGenerator) -> HostTensor {
    let values = random.floats(shape.reduce(1, *))
    return switch dtype {
    case .float16: HostTensor(dtype, shape, values.map { Float16($0).bitPattern })
    case .bfloat16: HostTensor(dtype, shape, values.map { UInt16(truncatingIfNeeded: $0.bitPattern >> 16) })
    default: HostTensor(dtype, shape, values)
    }
  }

  /// Both sums are in single precision, but in another order.
  private func areClose(_ a: HostTensor, _ b: HostTensor, terms: Int) -> Bool {
    zip(a.numbers, b.numbers).allSatisfy { abs($0 - $1) <= 2e-5 * Double(terms).squareRoot() }
  }

  /// Matrices of 1 MiB or a little more: smaller ones are packed always.
  static let extents: [(k: Int, n: Int, DType)] = [
    (509, 517, .float32), (1, 262_147, .float32), (262_147, 1, .float32), (7_951, 33, .float32), (17, 15_427, .float32),
    (519, 1021, .float16), (1021, 519, .bfloat16),
  ]

  @Test(arguments: extents) func aMatrixInPlaceGivesWhatThePackedOneGives(_ extent: (k: Int, n: Int, dtype: DType)) throws {
    let (k, n, dtype) = extent
    var generator = SeededGenerator(seed: UInt64(k * 1000 + n))
    let row = random(.float32, [1, 1, k], &generator)
    let matrix = random(dtype, [k, n], &generator)
    let bias = TestOperand.constant(random(.float32, [n], &generator))
    let residual = TestOperand.tensor(random(.float32, [1, 1, n], &generator))
    for (operation, threads) in [
      (MatMul(dtype: .float32, alpha: 0.5, beta: 2, activation: .clamp(-1, 2)), 3),
      (MatMul(dtype: .float32, activation: Activation(.silu)), 1),
    ] {
      func result(_ matrix: TestOperand) throws -> HostTensor {
        try runTensorOperator(operation, [.tensor(row), matrix, bias, residual], threads: threads)
      }
      let (inPlace, packed) = (try result(.laidOutConstant(matrix, [1, 0])), try result(.constant(matrix)))
      #expect(inPlace.shape == [1, 1, n])
      #expect(areClose(inPlace, packed, terms: k))
    }
  }

  @Test func aConvolutionOfOnePixelGivesWhatPackedWeightsGive() throws {
    let (k, n) = (509, 517)
    var generator = SeededGenerator(seed: 5)
    let pixel = TestOperand.tensor(random(.float32, [1, k, 1, 1], &generator))
    let weight = random(.float32, [n, k, 1, 1], &generator)
    let bias = TestOperand.constant(random(.float32, [n], &generator))
    let residual = TestOperand.tensor(random(.float32, [1, n, 1, 1], &generator))
    var operation = Convolution(
      stride: [1, 1], padding: [(0, 0), (0, 0)], dilation: [1, 1], outputPadding: [0, 0], groups: 1, dtype: .float32)
    operation.activation = Activation(.hardswish)
    let inPlace = try runTensorOperator(operation, [pixel, .constant(weight), bias, residual])
    let packed = try runTensorOperator(operation, [pixel, .laidOutConstant(weight, [1, 0, 2, 3]), bias, residual])
    #expect(inPlace.shape == [1, n, 1, 1])
    #expect(areClose(inPlace, packed, terms: k))
  }

  /// A method of any number of rows, times a square matrix with contiguous columns.
  private func method(_ stored: HostTensor, _ store: PackedStore) throws -> CompiledMethod {
    let extent = stored.shape[0]
    let matrix = Constant(viewOf: Constant(stored), shape: stored.shape, strides: [1, extent])
    var graph = Graph(name: "rows")
    let rows = ValueType.tensor(TensorSignature(dtype: .float32, dimensions: [.symbolic(bound: 8), .fixed(extent)]))
    let x = graph.addInput(rows)
    graph.outputs = [graph.addNode(MatMul(dtype: .float32), [x, graph.addConstant(matrix)], type: rows, source: "test")]
    return try CompiledMethod(graph, packed: store, states: StateStore(), threads: WorkerThreads(1))
  }

  private func run(_ method: CompiledMethod, _ rows: HostTensor) throws -> HostTensor {
    defer { withExtendedLifetime(rows) {} }
    let argument = unsafe Argument.tensor(TensorType(.float32, rows.shape), UnsafeRawPointer(rows.sharedStorage.pointer))
    guard case .tensor(let result) = try method.run([argument])[0] else { throw HarnessError.noTensor }
    return result
  }

  @Test func aMatrixIsPackedForSeveralRowsOrIfItIsSmall() throws {
    var generator = SeededGenerator(seed: 11)
    let matrix = random(.float32, [512, 512], &generator)
    let row = random(.float32, [1, 512], &generator)
    let store = PackedStore()
    let method = try method(matrix, store)
    let single = try run(method, row)
    #expect(store.byteCount == 0)
    let numbers = row.elements(as: Float.self)
    let several = try run(method, HostTensor(.float32, [2, 512], numbers + numbers))
    #expect(store.byteCount >= 512 * 512 * 4)
    #expect(
      zip(several.elements(as: Float.self), single.elements(as: Float.self)).allSatisfy { abs($0 - $1) < 1e-3 })
    // Now that it is packed it is used so.
    #expect(areClose(try run(try self.method(matrix, store), row), single, terms: 512))
    let small = PackedStore()
    _ = try run(try self.method(random(.float32, [40, 40], &generator), small), random(.float32, [1, 40], &generator))
    #expect(small.byteCount >= 40 * 40 * 4)
  }
}
