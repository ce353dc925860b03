package import MartletTensor

/// Copies and conversions between views of equal shape.
package enum StridedCopy {
  /// A distance in elements that is known only at run time.
  package typealias Offset = @Sendable (KernelContext) throws -> Int

  /// A kernel that copies `source` to `destination`, which has the same shape, and converts the elements if the dtypes differ.
  ///
  /// Offsets known only at run time move either view by a number of elements. They must keep the views within their buffers.
  package static func kernel(
    from source: TensorView, sourceMovedBy sourceOffset: Offset? = nil, to destination: TensorView,
    destinationMovedBy destinationOffset: Offset? = nil
  ) -> Kernel {
    precondition(source.shape == destination.shape)
    let copy = CollapsedCopy(source, destination)
    // Split the outermost axis of the destination between threads if there is enough to move.
    let split = destination.isEmpty ? 0 : copy.extents.first ?? 1
    let parts = copy.extents.count > 0 && destination.byteCount > 128 * 1024 ? min(split, 16) : 1
    let chunk = max((split + parts - 1) / max(parts, 1), 1)
    let sameType = source.dtype == destination.dtype
    return { context in
      // Evaluated even if there is nothing to copy, because these functions check the position.
      let from = try sourceOffset?(context) ?? 0
      let to = try destinationOffset?(context) ?? 0
      let src = unsafe context.address(source) + from * source.dtype.byteCount
      let dst = unsafe context.address(destination) + to * destination.dtype.byteCount
      context.parallel((split + chunk - 1) / chunk) { part, _ in
        let first = part * chunk
        let count = min(chunk, split - first)
        if sameType {
          unsafe copy.copy(first, count, src, dst, elementSize: source.dtype.byteCount)
        } else {
          unsafe copy.convert(first, count, src, source.dtype, dst, destination.dtype)
        }
      }
    }
  }
}

extension StridedCopy {
  /// Copies a strided tensor to row-major memory and converts its elements.
  package static func copy(
    from source: UnsafeRawPointer, _ type: TensorType, strides: [Int], to target: UnsafeMutableRawPointer, as dtype: DType
  ) {
    let none = BufferID(0)
    let from = TensorView(buffer: none, dtype: type.dtype, shape: type.shape, strides: strides)
    let to = TensorView(buffer: none, dtype: dtype, shape: type.shape, strides: Shape.contiguousStrides(type.shape))
    if to.isEmpty { return }
    let copy = CollapsedCopy(from, to)
    let count = copy.extents.first ?? 1
    let mutable = unsafe UnsafeMutableRawPointer(mutating: source)
    if type.dtype == dtype {
      unsafe copy.copy(0, count, mutable, target, elementSize: dtype.byteCount)
    } else {
      unsafe copy.convert(0, count, mutable, type.dtype, target, dtype)
    }
  }
}

/// Two strided layouts of one shape without axes of extent 1 and with adjacent axes joined, outermost first in the order of the
/// destination.
struct CollapsedCopy: Sendable {
  var extents: [Int] = []
  var sourceStrides: [Int] = []
  var destinationStrides: [Int] = []

  init(_ source: TensorView, _ destination: TensorView) {
    let axes = destination.shape.indices.filter { destination.shape[$0] != 1 }
      .sorted { (destination.strides[$0], $1) > (destination.strides[$1], $0) }
    for axis in axes {
      let extent = destination.shape[axis]
      if let last = extents.indices.last, sourceStrides[last] == source.strides[axis] * extent,
        destinationStrides[last] == destination.strides[axis] * extent
      {
        extents[last] *= extent
        sourceStrides[last] = source.strides[axis]
        destinationStrides[last] = destination.strides[axis]
      } else {
        extents.append(extent)
        sourceStrides.append(source.strides[axis])
        destinationStrides.append(destination.strides[axis])
      }
    }
  }

  /// Copies positions `first ..< first + count` of the outermost axis.
  func copy(_ first: Int, _ count: Int, _ src: UnsafeMutableRawPointer, _ dst: UnsafeMutableRawPointer, elementSize: Int) {
    guard !extents.isEmpty else { return unsafe dst.copyMemory(from: src, byteCount: elementSize) }
    if extents.count > MK_COPY_MAX_RANK {
      // More axes than the C kernel supports, which only artificial files have: the outermost axis is a loop here.
      var rest = self
      rest.extents.removeFirst()
      rest.sourceStrides.removeFirst()
      rest.destinationStrides.removeFirst()
      for index in first..<first + count {
        unsafe rest.copy(
          0, rest.extents[0], src + index * sourceStrides[0] * elementSize, dst + index * destinationStrides[0] * elementSize,
          elementSize: elementSize)
      }
      return
    }
    unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: extents.count) { shape in
      for i in extents.indices { unsafe shape[i] = i == 0 ? count : extents[i] }
      unsafe mk_copy_strided(
        Int32(elementSize), Int32(extents.count), shape.baseAddress, src + first * sourceStrides[0] * elementSize, sourceStrides,
        dst + first * destinationStrides[0] * elementSize, destinationStrides)
    }
  }

  /// As `copy`, converting each innermost run.
  func convert(
    _ first: Int, _ count: Int, _ src: UnsafeMutableRawPointer, _ sourceType: DType, _ dst: UnsafeMutableRawPointer, _ type: DType
  ) {
    let from = Int32(sourceType.rawValue)
    let to = Int32(type.rawValue)
    guard let inner = extents.indices.last else { return unsafe mk_convert(from, src, 1, to, dst, 1) }
    let run = inner == 0 ? count : extents[inner]
    unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: extents.count) { index in
      for i in extents.indices { unsafe index[i] = 0 }
      var s = first * sourceStrides[0]
      var d = first * destinationStrides[0]
      while true {
        unsafe mk_convert_strided_dst(
          from, src + s * sourceType.byteCount, sourceStrides[inner], to, dst + d * type.byteCount, destinationStrides[inner], run)
        var axis = inner - 1
        while axis >= 0 {
          let extent = axis == 0 ? count : extents[axis]
          unsafe index[axis] += 1
          s += sourceStrides[axis]
          d += destinationStrides[axis]
          if unsafe index[axis] < extent { break }
          unsafe index[axis] = 0
          s -= sourceStrides[axis] * extent
          d -= destinationStrides[axis] * extent
          axis -= 1
        }
        if axis < 0 { return }
      }
    }
  }
}
