package import MartletTensor
package import MartletVocabulary

/// Elements selected along one axis, with one index per element.
package struct AxisIndexing: Sendable {
  private let x: TensorView
  private let y: TensorView
  private let indices: TensorView
  private let known: IndexRange
  /// Strides of `x` along the axes of the indices; 0 for the indexed axis.
  private let xStrides: [Int]
  private let axisStride: Int
  private let line: Int
  private let lineCount: Int

  /// - Parameters:
  ///   - x: the indexed tensor.
  ///   - axis: its indexed axis. Its extents along all other axes are at least those of `indices`.
  ///   - indices: row-major int64, with the rank of `x`, at least 1.
  ///   - y: one element per index, with the dtype of `x`.
  ///   - allowsNegative: true if negative indices count from the end; otherwise they are out of range.
  package init(_ x: TensorView, axis: Int, indices: TensorView, _ y: TensorView, allowsNegative: Bool = false) {
    precondition(x.rank == indices.rank && x.rank > 0 && y.shape == indices.shape && x.dtype == y.dtype)
    self.x = x
    self.y = y
    self.indices = indices
    known = IndexRange(extent: x.shape[axis], allowsNegative: allowsNegative)
    axisStride = x.strides[axis]
    var strides = x.strides
    strides[axis] = 0
    xStrides = strides
    line = indices.shape[indices.rank - 1]
    lineCount = indices.isEmpty ? 0 : indices.elementCount / line
  }

  /// Calls `body` with the offsets in `x` and `y` for the indices of some lines along the last axis.
  @inline(__always)
  private func forEach(_ lines: Range<Int>, _ context: KernelContext, _ body: (Int, Int) -> Void) throws {
    let list = context.elements(indices, as: Int64.self)
    let shape = indices.shape
    let last = shape.count - 1
    for number in lines {
      var rest = number
      var inX = 0
      var inY = 0
      for axis in stride(from: last - 1, through: 0, by: -1) {
        let (quotient, position) = rest.quotientAndRemainder(dividingBy: shape[axis])
        inX += position * xStrides[axis]
        inY += position * y.strides[axis]
        rest = quotient
      }
      try context.inRanges(line) { range in
        for position in range {
          let index = try known.position(list[number * line + position])
          body(inX + position * xStrides[last] + index * axisStride, inY + position * y.strides[last])
        }
      }
    }
  }

  /// A kernel that sets `y[…] = x[…, index, …]`.
  package func gather() -> Kernel {
    { [self] context in
      // Check the bounds first, so that the copy can run on several threads.
      try check(context)
      context.parallelRanges(lineCount, grain: max(1, 8 * 1024 / max(line, 1))) { lines, _ in
        switch x.dtype.byteCount {
        case 1: move(lines, context, UInt8.self, toX: false)
        case 2: move(lines, context, UInt16.self, toX: false)
        case 4: move(lines, context, UInt32.self, toX: false)
        case 8: move(lines, context, UInt64.self, toX: false)
        default: move(lines, context, SIMD2<UInt64>.self, toX: false)
        }
      }
    }
  }

  /// A kernel that sets `x[…, index, …] = y[…]`. If indices repeat, the last element wins.
  package func scatter() -> Kernel {
    { [self] context in
      try check(context)
      let lines = 0..<lineCount
      switch x.dtype.byteCount {
      case 1: move(lines, context, UInt8.self, toX: true)
      case 2: move(lines, context, UInt16.self, toX: true)
      case 4: move(lines, context, UInt32.self, toX: true)
      case 8: move(lines, context, UInt64.self, toX: true)
      default: move(lines, context, SIMD2<UInt64>.self, toX: true)
      }
    }
  }

  /// A kernel that adds `y[…]` to `x[…, index, …]`.
  package func accumulate() -> Kernel {
    { [self] context in
      switch x.dtype {
      case .float32: try add(context, Float.self)
      case .float64: try add(context, Double.self)
      case .float16: try add(context, Float16.self)
      case .bfloat16: try add(context, BFloat16Element.self)
      case .int8: try add(context, Int8.self)
      case .int16: try add(context, Int16.self)
      case .int32: try add(context, Int32.self)
      case .int64: try add(context, Int64.self)
      case .uint8: try add(context, UInt8.self)
      case .uint16: try add(context, UInt16.self)
      case .uint32: try add(context, UInt32.self)
      case .uint64: try add(context, UInt64.self)
      case .bool: try add(context, TruthElement.self)
      case .complex64: try add(context, Complex64Element.self)
      case .complex128: try add(context, Complex128Element.self)
      }
    }
  }

  /// A kernel that combines `x[…, index, …]` with `y[…]`, in row-major order of the indices. Combinations other than `update` require
  /// elements that are neither complex nor bfloat16.
  package func scatter(_ combination: Combination) -> Kernel {
    if combination == .update { return scatter() }
    return { [self] context in
      switch x.dtype {
      case .float32: try combine(context, combination, Float.self)
      case .float64: try combine(context, combination, Double.self)
      case .float16: try combine(context, combination, Float16.self)
      case .int8: try combine(context, combination, Int8.self)
      case .int16: try combine(context, combination, Int16.self)
      case .int32: try combine(context, combination, Int32.self)
      case .int64: try combine(context, combination, Int64.self)
      case .uint8: try combine(context, combination, UInt8.self)
      case .uint16: try combine(context, combination, UInt16.self)
      case .uint32: try combine(context, combination, UInt32.self)
      case .uint64: try combine(context, combination, UInt64.self)
      case .bfloat16, .bool, .complex64, .complex128: throw KernelError("\(combination) of \(x.dtype)")
      }
    }
  }

  private func combine<T: Combinable>(_ context: KernelContext, _ combination: Combination, _ type: T.Type) throws {
    try check(context)
    let a = context.elements(x, as: type)
    let b = context.elements(y, as: type)
    var failed = false
    try forEach(0..<lineCount, context) { i, j in
      if let value = T.combined(a[i], b[j], combination) { a[i] = value } else { failed = true }
    }
    if failed { throw KernelError("integer division by zero") }
  }

  private func check(_ context: KernelContext) throws {
    let list = context.elements(indices, as: Int64.self)
    try context.inRanges(indices.elementCount) { range in
      for position in range { _ = try known.position(list[position]) }
    }
  }

  private func move<T: BitwiseCopyable>(_ lines: Range<Int>, _ context: KernelContext, _ type: T.Type, toX: Bool) {
    let a = context.elements(x, as: type)
    let b = context.elements(y, as: type)
    // The indices have been checked.
    try? forEach(lines, context) { i, j in
      if toX { a[i] = b[j] } else { b[j] = a[i] }
    }
  }

  private func add<T: Accumulable>(_ context: KernelContext, _ type: T.Type) throws {
    try check(context)
    let a = context.elements(x, as: type)
    let b = context.elements(y, as: type)
    try forEach(0..<lineCount, context) { i, j in a[i] = T.sum(a[i], b[j]) }
  }
}
