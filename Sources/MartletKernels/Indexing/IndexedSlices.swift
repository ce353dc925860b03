package import MartletTensor
package import MartletVocabulary

/// Slices of a tensor selected by tuples of indices.
///
/// The indexed tensor is `x[B, O, D₁ … Dₘ, I]`, with batch axes B, outer axes O, indexed axes D and inner axes I. With tuples `t[B, K, m]`,
/// the other tensor `y[B, O, K, I]` holds in `y[b, o, k, i]` the element for `x[b, o, t[b, k]₁, …, t[b, k]ₘ, i]`. Negative indices count
/// from the end.
package struct IndexedSlices: Sendable {
  private let x: TensorView
  private let y: TensorView
  private let tuples: TensorView
  private let offsets: TensorView
  private let batch: Int
  private let positions: Int
  private let extents: [Int]
  private let strides: [Int]
  private let batchStrides: [Int]
  private let batchExtents: [Int]
  private let outer: StridedPair
  private let inner: StridedPair
  private let yBatchStride: Int
  private let yPositionStride: Int

  /// - Parameters:
  ///   - x: the indexed tensor, any strides.
  ///   - batchAxes: number of leading batch axes.
  ///   - firstIndexed: the first indexed axis, at least `batchAxes`.
  ///   - tuples: row-major int64, `[…, m]`, batch axes first.
  ///   - y: row-major, with the dtype of `x` and the shape above; K may be any number of axes.
  ///   - offsets: int64 scratch memory with one offset per tuple.
  package init(
    _ x: TensorView, batchAxes: Int, firstIndexed: Int, tuples: TensorView, _ y: TensorView, offsets: TensorView
  ) {
    let count = tuples.shape[tuples.rank - 1]
    self.x = x
    self.y = y
    self.tuples = tuples
    self.offsets = offsets
    batchExtents = Array(x.shape[..<batchAxes])
    batchStrides = Array(x.strides[..<batchAxes])
    batch = batchExtents.reduce(1, *)
    positions = tuples.shape[batchAxes..<(tuples.rank - 1)].reduce(1, *)
    extents = Array(x.shape[firstIndexed..<(firstIndexed + count)])
    strides = Array(x.strides[firstIndexed..<(firstIndexed + count)])
    let outerExtents = Array(x.shape[batchAxes..<firstIndexed])
    let innerExtents = Array(x.shape[(firstIndexed + count)...])
    let run = innerExtents.reduce(1, *)
    let blockStride = positions * run
    yPositionStride = run
    yBatchStride = outerExtents.reduce(1, *) * blockStride
    outer = StridedPair(
      outerExtents, Array(x.strides[batchAxes..<firstIndexed]), Shape.contiguousStrides(outerExtents).map { $0 * blockStride })
    inner = StridedPair(innerExtents, Array(x.strides[(firstIndexed + count)...]), Shape.contiguousStrides(innerExtents))
    precondition(y.isContiguous && x.dtype == y.dtype && y.elementCount == batch * yBatchStride)
  }

  /// Computes the offset in `x` of each tuple's slices.
  private func computeOffsets(_ context: KernelContext) throws {
    let list = context.elements(tuples, as: Int64.self)
    let offsets = context.elements(offsets, as: Int64.self)
    let count = extents.count
    for number in 0..<batch {
      let base = offset(number, batchExtents, batchStrides)
      try context.inRanges(positions) { range in
        for position in range {
          let tuple = number * positions + position
          var place = base
          for axis in 0..<count {
            let known = IndexRange(extent: extents[axis], allowsNegative: true)
            place += try known.position(list[tuple * count + axis]) * strides[axis]
          }
          offsets[tuple] = Int64(place)
        }
      }
    }
  }

  /// Number of slices that take about a millisecond.
  private var sliceGrain: Int { max(1, (1 << 17) / max(inner.count, 1)) }

  /// Calls `body` with the offsets in `x` and `y` of each slice, for some positions of the batches.
  @inline(__always)
  private func forSlices(_ range: Range<Int>, _ offsets: Elements<Int64>, _ body: (Int, Int) -> Void) {
    for item in range {
      let (number, rest) = item.quotientAndRemainder(dividingBy: outer.count * positions)
      let (block, position) = rest.quotientAndRemainder(dividingBy: positions)
      let start = outer.offsets(block)
      body(
        Int(offsets[number * positions + position]) + start.first,
        number * yBatchStride + start.second + position * yPositionStride)
    }
  }

  /// A kernel that writes the selected slices to `y`.
  package func gather() -> Kernel {
    { [self] context in
      try computeOffsets(context)
      if y.isEmpty { return }
      switch x.dtype.byteCount {
      case 1: gather(context, UInt8.self)
      case 2: gather(context, UInt16.self)
      case 4: gather(context, UInt32.self)
      case 8: gather(context, UInt64.self)
      default: gather(context, SIMD2<UInt64>.self)
      }
    }
  }

  private func gather<T: BitwiseCopyable>(_ context: KernelContext, _ type: T.Type) {
    let a = context.elements(x, as: type)
    let b = context.elements(y, as: type)
    let offsets = context.elements(offsets, as: Int64.self)
    context.parallelRanges(batch * outer.count * positions, grain: max(1, 8 * 1024 / inner.count)) { items, _ in
      forSlices(items, offsets) { from, to in
        if inner.isContiguous {
          for i in 0..<inner.count { b[to + i] = a[from + i] }
        } else {
          for i in 0..<inner.count { b[to + i] = a[from + inner.offsets(i).first] }
        }
      }
    }
  }

  /// A kernel that combines the selected slices of `x` with those of `y`, in order of the positions. Combinations other than `update`
  /// require elements that are neither complex nor bfloat16.
  package func scatter(_ combination: Combination) -> Kernel {
    { [self] context in
      try computeOffsets(context)
      if y.isEmpty { return }
      if combination == .update {
        switch x.dtype.byteCount {
        case 1: return replace(context, UInt8.self)
        case 2: return replace(context, UInt16.self)
        case 4: return replace(context, UInt32.self)
        case 8: return replace(context, UInt64.self)
        default: return replace(context, SIMD2<UInt64>.self)
        }
      }
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

  private func replace<T: BitwiseCopyable>(_ context: KernelContext, _ type: T.Type) {
    let a = context.elements(x, as: type)
    let b = context.elements(y, as: type)
    let offsets = context.elements(offsets, as: Int64.self)
    context.inRanges(batch * outer.count * positions, grain: sliceGrain) { range in
      forSlices(range, offsets) { to, from in
        if inner.isContiguous {
          for i in 0..<inner.count { a[to + i] = b[from + i] }
        } else {
          for i in 0..<inner.count { a[to + inner.offsets(i).first] = b[from + i] }
        }
      }
    }
  }

  private func combine<T: Combinable>(_ context: KernelContext, _ combination: Combination, _ type: T.Type) throws {
    let a = context.elements(x, as: type)
    let b = context.elements(y, as: type)
    let offsets = context.elements(offsets, as: Int64.self)
    var failed = false
    context.inRanges(batch * outer.count * positions, grain: sliceGrain) { range in
      forSlices(range, offsets) { to, from in
        for i in 0..<inner.count {
          let place = to + inner.offsets(i).first
          if let value = T.combined(a[place], b[from + i], combination) { a[place] = value } else { failed = true }
        }
      }
    }
    if failed { throw KernelError("integer division by zero") }
  }
}
