package import MartletTensor

/// Blocks of a tensor that index tensors select along some axes, gathered into or scattered from a tensor that holds the blocks one after
/// another.
///
/// The indexed tensor `x` has outer axes, indexed axes and inner axes. The other tensor `y` has the outer axes, one axis of positions, and
/// the inner axes. Position `p` relates `y[o…, p, i…]` to `x[o…, index₀[p], index₁[p], …, i…]`.
package struct IndexedBlocks: Sendable {
  /// An indexed axis and its indices, one per position: row-major int64.
  package struct Axis: Sendable {
    package let indices: TensorView
    package let extent: Int
    package let stride: Int
    package init(indices: TensorView, extent: Int, stride: Int) {
      self.indices = indices
      self.extent = extent
      self.stride = stride
    }
  }

  private let x: TensorView
  private let y: TensorView
  private let axes: [Axis]
  private let positions: Int
  private let positionStride: Int
  private let outer: StridedPair
  private let inner: StridedPair
  /// Scratch memory for one offset per position.
  private let offsets: TensorView
  private let allowsNegative: Bool

  /// - Parameters:
  ///   - x: the indexed tensor.
  ///   - xOuter, xInner: the axes of `x` that are not indexed.
  ///   - y: the other tensor. Its axes are those of `xOuter`, the positions, then those of `xInner`.
  ///   - axes: the indexed axes.
  ///   - offsets: int64 scratch memory with one element per position.
  ///   - allowsNegative: true if negative indices count from the end; otherwise they are out of range.
  package init(
    _ x: TensorView, outer xOuter: [Int], inner xInner: [Int], _ y: TensorView, axes: [Axis], offsets: TensorView,
    allowsNegative: Bool
  ) {
    let split = xOuter.count
    precondition(y.rank == split + 1 + xInner.count && offsets.elementCount >= y.shape[split])
    self.x = x
    self.y = y
    self.axes = axes
    self.offsets = offsets
    self.allowsNegative = allowsNegative
    positions = y.shape[split]
    positionStride = y.strides[split]
    outer = StridedPair(Array(y.shape[..<split]), xOuter.map { x.strides[$0] }, Array(y.strides[..<split]))
    inner = StridedPair(
      Array(y.shape[(split + 1)...]), xInner.map { x.strides[$0] }, Array(y.strides[(split + 1)...]))
  }

  /// Computes the offset in `x` of each position's first block.
  private func computeOffsets(_ context: KernelContext) throws {
    let offsets = context.elements(offsets, as: Int64.self)
    for position in 0..<positions { offsets[position] = 0 }
    for axis in axes {
      let indices = context.elements(axis.indices, as: Int64.self)
      let known = IndexRange(extent: axis.extent, allowsNegative: allowsNegative)
      try context.inRanges(positions) { range in
        for position in range { offsets[position] += Int64(try known.position(indices[position]) * axis.stride) }
      }
    }
  }

  private var elementSize: Int { x.dtype.byteCount }

  /// A kernel that writes the selected blocks to `y`.
  package func gather() -> Kernel {
    { [self] context in
      try computeOffsets(context)
      if inner.count == 0 { return }
      context.parallelRanges(outer.count * positions, grain: max(1, 32 * 1024 / (inner.count * elementSize))) { items, _ in
        move(items, context, toX: false)
      }
    }
  }

  /// A kernel that writes the blocks of `y` to the selected places of `x`. If indices repeat, the last block wins.
  package func scatter() -> Kernel {
    { [self] context in
      try computeOffsets(context)
      if inner.count == 0 { return }
      // Only outer axes are split between threads, so that the last block for a place is well defined.
      let blockBytes = max(positions, 1) * inner.count * elementSize
      context.parallelRanges(outer.count, grain: max(1, 32 * 1024 / blockBytes)) { range, _ in
        let (first, count) = (range.lowerBound * positions, range.count * positions)
        context.inRanges(count, grain: max(1, (1 << 20) / (inner.count * elementSize))) {
          move(first + $0.lowerBound..<first + $0.upperBound, context, toX: true)
        }
      }
    }
  }

  /// Moves blocks `items`, numbered outer axes first.
  private func move(_ items: Range<Int>, _ context: KernelContext, toX: Bool) {
    if inner.count > 1 { return moveBlocks(items, context, toX: toX) }
    switch elementSize {
    case 1: moveElements(items, context, toX, UInt8.self)
    case 2: moveElements(items, context, toX, UInt16.self)
    case 4: moveElements(items, context, toX, UInt32.self)
    case 8: moveElements(items, context, toX, UInt64.self)
    default: moveElements(items, context, toX, SIMD2<UInt64>.self)
    }
  }

  private func moveElements<T: BitwiseCopyable>(_ items: Range<Int>, _ context: KernelContext, _ toX: Bool, _ type: T.Type) {
    let offsets = context.elements(offsets, as: Int64.self)
    let a = context.elements(x, as: type)
    let b = context.elements(y, as: type)
    var next = items.lowerBound
    while next < items.upperBound {
      let (block, first) = next.quotientAndRemainder(dividingBy: positions)
      let last = min(positions, first + items.upperBound - next)
      let start = outer.offsets(block)
      for position in first..<last {
        let from = start.first + Int(offsets[position])
        let to = start.second + position * positionStride
        if toX { a[from] = b[to] } else { b[to] = a[from] }
      }
      next += last - first
    }
  }

  private func moveBlocks(_ items: Range<Int>, _ context: KernelContext, toX: Bool) {
    let offsets = context.elements(offsets, as: Int64.self)
    let a = unsafe context.address(x)
    let b = unsafe context.address(y)
    let size = elementSize
    for item in items {
      let (block, position) = item.quotientAndRemainder(dividingBy: positions)
      let start = outer.offsets(block)
      let inX = unsafe a + (start.first + Int(offsets[position])) * size
      let inY = unsafe b + (start.second + position * positionStride) * size
      if inner.isContiguous {
        if toX {
          unsafe inX.copyMemory(from: inY, byteCount: inner.count * size)
        } else {
          unsafe inY.copyMemory(from: inX, byteCount: inner.count * size)
        }
      } else if toX {
        unsafe mk_copy_strided(
          Int32(size), Int32(inner.extents.count), inner.extents, inY, inner.secondStrides, inX, inner.firstStrides)
      } else {
        unsafe mk_copy_strided(
          Int32(size), Int32(inner.extents.count), inner.extents, inX, inner.firstStrides, inY, inner.secondStrides)
      }
    }
  }

  /// A kernel that adds the blocks of `y` to the selected places of `x`.
  package func accumulate() -> Kernel {
    { [self] context in
      try computeOffsets(context)
      switch x.dtype {
      case .float32: add(context, Float.self)
      case .float64: add(context, Double.self)
      case .float16: add(context, Float16.self)
      case .bfloat16: add(context, BFloat16Element.self)
      case .int8: add(context, Int8.self)
      case .int16: add(context, Int16.self)
      case .int32: add(context, Int32.self)
      case .int64: add(context, Int64.self)
      case .uint8: add(context, UInt8.self)
      case .uint16: add(context, UInt16.self)
      case .uint32: add(context, UInt32.self)
      case .uint64: add(context, UInt64.self)
      case .bool: add(context, TruthElement.self)
      case .complex64: add(context, Complex64Element.self)
      case .complex128: add(context, Complex128Element.self)
      }
    }
  }

  private func add<T: Accumulable>(_ context: KernelContext, _ type: T.Type) {
    let offsets = context.elements(offsets, as: Int64.self)
    let a = context.elements(x, as: type)
    let b = context.elements(y, as: type)
    for block in 0..<outer.count {
      let start = outer.offsets(block)
      context.inRanges(positions, grain: max(1, (1 << 17) / max(inner.count, 1))) { range in
        for position in range {
          let inX = start.first + Int(offsets[position])
          let inY = start.second + position * positionStride
          for element in 0..<inner.count {
            let (i, j) = inner.offsets(element)
            a[inX + i] = T.sum(a[inX + i], b[inY + j])
          }
        }
      }
    }
  }
}
