package import MartletTensor

/// Copies in which each axis of the destination takes its positions from a table: `y[i, j, …] = x[a[i], b[j], …]`.
/// Padding with mirrored elements, rolls and nearest-neighbour resizing are of this form.
package enum AxisMappedCopy {
  /// - Parameters:
  ///   - maps: for each axis of `destination`, the source position of each destination position; nil for an axis that is copied unchanged.
  ///     Every position must be within the source.
  ///   - source, destination: with the same element size, any strides.
  package static func kernel(from source: TensorView, to destination: TensorView, maps: [[Int]?]) -> Kernel {
    precondition(maps.count == source.rank && source.rank == destination.rank && source.dtype == destination.dtype)
    if destination.isEmpty { return { _ in } }
    let plan = MappedLoops(source, destination, maps)
    let grain = max(1, 16 * 1024 / max(plan.rowCount * plan.run, 1))
    return { context in
      context.parallelRanges(plan.blockCount, grain: grain) { blocks, _ in
        if plan.isContiguousRun {
          unsafe plan.copyRuns(blocks, context.address(source), context.address(destination), destination.dtype.byteCount)
          return
        }
        switch destination.dtype.byteCount {
        case 1: unsafe plan.copyElements(blocks, unsafe context.pointer(source, as: UInt8.self), unsafe context.pointer(destination))
        case 2: unsafe plan.copyElements(blocks, unsafe context.pointer(source, as: UInt16.self), unsafe context.pointer(destination))
        case 4: unsafe plan.copyElements(blocks, unsafe context.pointer(source, as: UInt32.self), unsafe context.pointer(destination))
        case 8: unsafe plan.copyElements(blocks, unsafe context.pointer(source, as: UInt64.self), unsafe context.pointer(destination))
        default:
          unsafe plan.copyElements(blocks, unsafe context.pointer(source, as: SIMD2<UInt64>.self), unsafe context.pointer(destination))
        }
      }
    }
  }
}

/// The axes of a mapped copy from outermost to innermost in the destination: blocks of rows of elements.
private struct MappedLoops: Sendable {
  /// All axes but the two innermost.
  private var outerExtents: [Int] = []
  private var outerStrides: [Int] = []
  /// Source offsets of the positions of all axes, axis after axis, and the index of each axis's first offset.
  private var offsets: [Int] = []
  private var starts: [Int] = []
  private var rowStride = 0
  private var runStride = 0
  private(set) var rowCount = 1
  private(set) var run = 1
  private(set) var blockCount = 1
  /// True if a row is contiguous on both sides.
  private(set) var isContiguousRun = false

  init(_ source: TensorView, _ destination: TensorView, _ maps: [[Int]?]) {
    struct Axis {
      var extent: Int
      var stride: Int
      /// Nil if the axis is not mapped; the source's stride applies then.
      var map: [Int]?
      var sourceStride: Int
    }
    var axes: [Axis] = []
    let order = destination.shape.indices
      .filter { destination.shape[$0] != 1 || maps[$0] != nil }
      .sorted { (destination.strides[$0], $1) > (destination.strides[$1], $0) }
    for axis in order {
      let next = Axis(
        extent: destination.shape[axis], stride: destination.strides[axis], map: maps[axis], sourceStride: source.strides[axis])
      if let last = axes.last, last.map == nil, next.map == nil, last.stride == next.stride * next.extent,
        last.sourceStride == next.sourceStride * next.extent
      {
        axes[axes.count - 1] = Axis(
          extent: last.extent * next.extent, stride: next.stride, map: nil, sourceStride: next.sourceStride)
      } else {
        axes.append(next)
      }
    }
    while axes.count < 2 { axes.insert(Axis(extent: 1, stride: 0, map: nil, sourceStride: 0), at: 0) }
    let inner = axes[axes.count - 1]
    isContiguousRun = inner.map == nil && (inner.extent == 1 || (inner.stride == 1 && inner.sourceStride == 1))
    for (position, axis) in axes.enumerated() {
      starts.append(offsets.count)
      // A contiguous run needs no table.
      if position == axes.count - 1, isContiguousRun { continue }
      offsets += axis.map.map { $0.map { $0 * axis.sourceStride } } ?? (0..<axis.extent).map { $0 * axis.sourceStride }
    }
    for axis in axes.dropLast(2) {
      outerExtents.append(axis.extent)
      outerStrides.append(axis.stride)
      blockCount *= axis.extent
    }
    rowCount = axes[axes.count - 2].extent
    rowStride = axes[axes.count - 2].stride
    run = inner.extent
    runStride = inner.stride
  }

  /// Offsets of a block in the source and the destination.
  private func place(_ block: Int) -> (source: Int, destination: Int) {
    var rest = block
    var source = 0
    var destination = 0
    for axis in outerExtents.indices.reversed() {
      let (quotient, position) = rest.quotientAndRemainder(dividingBy: outerExtents[axis])
      source += offsets[starts[axis] + position]
      destination += position * outerStrides[axis]
      rest = quotient
    }
    return (source, destination)
  }

  func copyRuns(_ blocks: Range<Int>, _ x: UnsafeMutableRawPointer, _ y: UnsafeMutableRawPointer, _ size: Int) {
    let rows = starts[starts.count - 2]
    unsafe offsets.withUnsafeBufferPointer { offsets in
      for block in blocks {
        let (source, destination) = place(block)
        for row in 0..<rowCount {
          unsafe (y + (destination + row * rowStride) * size).copyMemory(
            from: x + (source + offsets[rows + row]) * size, byteCount: run * size)
        }
      }
    }
  }

  func copyElements<T: BitwiseCopyable>(_ blocks: Range<Int>, _ x: UnsafeMutablePointer<T>, _ y: UnsafeMutablePointer<T>) {
    let rows = starts[starts.count - 2]
    let elements = starts[starts.count - 1]
    unsafe offsets.withUnsafeBufferPointer { offsets in
      for block in blocks {
        let (source, destination) = place(block)
        for row in 0..<rowCount {
          let from = unsafe x + source + offsets[rows + row]
          let to = unsafe y + destination + row * rowStride
          if runStride == 1 {
            for i in 0..<run { unsafe to[i] = from[offsets[elements + i]] }
          } else {
            for i in 0..<run { unsafe to[i * runStride] = from[offsets[elements + i]] }
          }
        }
      }
    }
  }
}
