/// Index of a buffer in a plan. The executor resolves it to an address at the start of a call.
package struct BufferID: Sendable, Hashable {
  package let index: Int
  package init(_ index: Int) { self.index = index }
}

/// A tensor in planned memory: a buffer, an offset into it, a shape and strides.
///
/// Strides are in elements; a stride of 0 repeats an element (broadcast). Views never exceed their buffer: operators derive them with the
/// checked methods below.
package struct TensorView: Sendable, Hashable {
  package var buffer: BufferID
  /// Offset of the first element, in elements of `dtype`.
  package var offset: Int
  package var dtype: DType
  package var shape: [Int]
  package var strides: [Int]

  package init(buffer: BufferID, offset: Int = 0, dtype: DType, shape: [Int], strides: [Int]) {
    precondition(shape.count == strides.count)
    self.buffer = buffer
    self.offset = offset
    self.dtype = dtype
    self.shape = shape
    self.strides = strides
  }

  package var rank: Int { shape.count }
  package var type: TensorType { TensorType(dtype, shape) }
  package var elementCount: Int { Extent.product(shape).clamped }
  package var byteCount: Int { (Extent.product(shape) * dtype.byteCount).clamped }
  package var isEmpty: Bool { shape.contains(0) }

  /// Whether the view is row-major and contiguous. Strides of axes of extent 1 do not matter.
  package var isContiguous: Bool { isDense(inOrder: shape.indices) }

  /// Whether the view is contiguous with channels innermost (`[N, …, C]` in memory for a logical `[N, C, …]`).
  package var isChannelsLast: Bool { isDense(inOrder: Shape.channelsLastOrder(rank: rank)) }

  /// The channels-last axis order, outermost first, if the view is channels-last but not row-major; otherwise nil.
  package var channelsLastOrder: [Int]? { !isContiguous && isChannelsLast ? Shape.channelsLastOrder(rank: rank) : nil }

  /// Whether channels are innermost (of a logical `[N, C, …]`) and pixels evenly spaced, with or without gaps between them.
  package var hasEvenPixels: Bool {
    guard rank >= 3, strides[1] == 1 || shape[1] == 1, strides[rank - 1] >= shape[1] else { return false }
    var expected = strides[rank - 1]
    for axis in (2..<rank).reversed() + [0] {
      guard shape[axis] == 1 || strides[axis] == expected else { return false }
      expected *= shape[axis]
    }
    return true
  }

  /// Whether the view is contiguous with the axes laid out in `order`, outermost first.
  package func isDense(inOrder order: some BidirectionalCollection<Int>) -> Bool {
    if isEmpty { return true }
    var expected = 1
    for axis in order.reversed() where shape[axis] != 1 {
      guard strides[axis] == expected else { return false }
      expected *= shape[axis]
    }
    return true
  }

  /// Axis order in memory, outermost first, if the view is dense (a permutation without gaps); otherwise nil.
  package var denseOrder: [Int]? {
    if isContiguous { return Shape.rowMajorOrder(rank: rank) }
    let order = shape.indices.sorted {
      strides[$0] != strides[$1] ? strides[$0] > strides[$1] : (shape[$0] != shape[$1] ? shape[$0] > shape[$1] : $0 < $1)
    }
    return isDense(inOrder: order) ? order : nil
  }

  package func permuted(_ axes: [Int]) -> TensorView {
    var view = self
    view.shape = axes.map { shape[$0] }
    view.strides = axes.map { strides[$0] }
    return view
  }

  /// The view broadcast to `shape`, which must be compatible.
  package func broadcast(to target: [Int]) -> TensorView {
    var view = self
    let missing = target.count - rank
    view.strides = target.indices.map { axis in
      axis < missing || shape[axis - missing] != target[axis] ? 0 : strides[axis - missing]
    }
    view.shape = target
    return view
  }

  /// The same elements in row-major order with another shape; nil if strides cannot express it.
  package func reshaped(_ target: [Int]) -> TensorView? {
    precondition(Extent.product(target) == Extent.product(shape))
    var view = self
    view.shape = target
    if isEmpty || isContiguous {
      view.strides = Shape.contiguousStrides(target)
      return view
    }
    // Merge axes that are adjacent in memory, then split each run along the target's extents.
    var runs: [(extent: Int, stride: Int)] = []
    for axis in shape.indices where shape[axis] != 1 {
      if let last = runs.last, last.stride == strides[axis] * shape[axis] {
        runs[runs.count - 1] = (last.extent * shape[axis], strides[axis])
      } else {
        runs.append((shape[axis], strides[axis]))
      }
    }
    var result = [Int](repeating: 0, count: target.count)
    var run = runs.count - 1
    var remaining = run >= 0 ? runs[run].extent : 1
    var stride = run >= 0 ? runs[run].stride : 1
    for axis in target.indices.reversed() {
      result[axis] = stride
      if target[axis] == 1 { continue }
      while remaining == 1, run > 0 {
        run -= 1
        remaining = runs[run].extent
        stride = runs[run].stride
        result[axis] = stride
      }
      guard remaining % target[axis] == 0 else { return nil }
      remaining /= target[axis]
      stride *= target[axis]
    }
    view.strides = result
    return view
  }

  /// `count` elements along `axis`: `start, start + step, …`.
  package func sliced(axis: Int, start: Int, count: Int, step: Int) -> TensorView {
    if count > 0 {
      // The step of a single element is irrelevant and may have any value.
      precondition(step > 0 && start >= 0 && start < shape[axis] && Extent(count - 1) * step < Extent(shape[axis] - start))
    }
    var view = self
    view.offset += count == 0 ? 0 : start * strides[axis]
    view.shape[axis] = count
    if count > 1 { view.strides[axis] *= step }
    return view
  }

  /// The view at position `index` of `axis`, with that axis removed.
  package func selected(axis: Int, index: Int) -> TensorView {
    precondition(index >= 0 && index < shape[axis])
    var view = self
    view.offset += index * strides[axis]
    view.shape.remove(at: axis)
    view.strides.remove(at: axis)
    return view
  }
}
