import MartletKernels
import MartletTensor
import Testing

/// Copies with conversion between layouts, compared with a loop over elements.
@Suite struct StridedCopyTests {
  struct Layouts: CustomTestStringConvertible, Sendable {
    var shape: [Int]
    var source: [Int]
    var target: [Int]
    var testDescription: String { "\(shape) from \(source) to \(target)" }
  }

  static let layouts = [
    // Planes to channels-last pixels and back, also longer than a block.
    Layouts(shape: [3, 5000], source: [5000, 1], target: [1, 3]), Layouts(shape: [3, 5000], source: [1, 3], target: [5000, 1]),
    Layouts(shape: [2, 16, 9, 31], source: [4464, 279, 31, 1], target: [4464, 1, 496, 16]),
    Layouts(shape: [2, 33, 9, 31], source: [9207, 1, 1023, 33], target: [9207, 279, 31, 1]),
    Layouts(shape: [70, 70], source: [1, 70], target: [70, 1]), Layouts(shape: [1, 1], source: [9, 9], target: [4, 4]),
    // Pixels with gaps on either side, and on both.
    Layouts(shape: [700, 3], source: [3, 1], target: [8, 1]), Layouts(shape: [700, 32], source: [48, 1], target: [32, 1]),
    Layouts(shape: [41, 700], source: [2, 100], target: [1400, 2]), Layouts(shape: [90, 33], source: [40, 1], target: [50, 1]),
    // Broadcast and reversed axes.
    Layouts(shape: [5, 2100], source: [1, 0], target: [2100, 1]), Layouts(shape: [7, 19], source: [-19, 1], target: [1, 7]),
    Layouts(shape: [7, 19], source: [19, 1], target: [-19, -1]),
    Layouts(shape: [4, 5, 6, 7], source: [1, 4, 20, 120], target: [210, 42, 7, 1]),
  ]

  @Test(arguments: layouts, [(DType.float16, DType.float32), (.float32, .float16), (.int32, .int64), (.float32, .float64)])
  func conversionsBetweenLayouts(_ layouts: Layouts, _ types: (DType, DType)) throws {
    func extent(_ strides: [Int]) -> (first: Int, count: Int) {
      let (low, high) = zip(layouts.shape, strides).reduce((0, 0)) {
        let end = ($1.0 - 1) * $1.1
        return ($0.0 + min(end, 0), $0.1 + max(end, 0))
      }
      return (-low, high - low + 1)
    }
    let (source, target) = (extent(layouts.source), extent(layouts.target))
    let x = (0..<source.count).map { Double($0 % 1999) - 900 }
    let from = TensorView(buffer: BufferID(0), offset: source.first, dtype: types.0, shape: layouts.shape, strides: layouts.source)
    let to = TensorView(buffer: BufferID(1), offset: target.first, dtype: types.1, shape: layouts.shape, strides: layouts.target)
    let input = memory(x, types.0)
    let output = memory([Double](repeating: 77, count: target.count), types.1)
    for threads in [1, 3] {
      var slots: [UInt64] = [0]
      var buffers = unsafe [input.pointer, output.pointer]
      let kernel = StridedCopy.kernel(from: from, to: to)
      try unsafe buffers.withUnsafeMutableBufferPointer { buffers in
        try unsafe slots.withUnsafeMutableBufferPointer { slots in
          try kernel(
            unsafe KernelContext(
              buffers: buffers.baseAddress!, slots: slots.baseAddress!, team: threads == 1 ? nil : ThreadTeam(limit: threads)))
        }
      }
      var expected = [Double](repeating: 77, count: target.count)
      for index in 0..<layouts.shape.reduce(1, *) {
        var (rest, s, d) = (index, source.first, target.first)
        for axis in layouts.shape.indices.reversed() {
          s += rest % layouts.shape[axis] * layouts.source[axis]
          d += rest % layouts.shape[axis] * layouts.target[axis]
          rest /= layouts.shape[axis]
        }
        expected[d] = x[s]
      }
      #expect(numbers(output, types.1, target.count) == expected)
    }
  }

  private func memory(_ values: [Double], _ dtype: DType) -> TensorStorage {
    let storage = TensorStorage(byteCount: values.count * dtype.byteCount)
    let p = unsafe storage.pointer
    for (i, value) in values.enumerated() {
      switch dtype {
      case .float16: unsafe p.storeBytes(of: Float16(value), toByteOffset: 2 * i, as: Float16.self)
      case .float32: unsafe p.storeBytes(of: Float(value), toByteOffset: 4 * i, as: Float.self)
      case .int32: unsafe p.storeBytes(of: Int32(value), toByteOffset: 4 * i, as: Int32.self)
      case .int64: unsafe p.storeBytes(of: Int64(value), toByteOffset: 8 * i, as: Int64.self)
      default: unsafe p.storeBytes(of: value, toByteOffset: 8 * i, as: Double.self)
      }
    }
    return storage
  }

  private func numbers(_ storage: TensorStorage, _ dtype: DType, _ count: Int) -> [Double] {
    let p = unsafe storage.pointer
    return (0..<count).map { i in
      switch dtype {
      case .float16: Double(unsafe p.load(fromByteOffset: 2 * i, as: Float16.self))
      case .float32: Double(unsafe p.load(fromByteOffset: 4 * i, as: Float.self))
      case .int32: Double(unsafe p.load(fromByteOffset: 4 * i, as: Int32.self))
      case .int64: Double(unsafe p.load(fromByteOffset: 8 * i, as: Int64.self))
      default: unsafe p.load(fromByteOffset: 8 * i, as: Double.self)
      }
    }
  }
}
