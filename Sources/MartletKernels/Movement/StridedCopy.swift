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
    return { context in
      // Evaluated even if there is nothing to copy, because these functions check the position.
      let from = try sourceOffset?(context) ?? 0
      let to = try destinationOffset?(context) ?? 0
      let src = unsafe context.address(source) + from * source.dtype.byteCount
      let dst = unsafe context.address(destination) + to * destination.dtype.byteCount
      context.parallel((split + chunk - 1) / chunk) { part, _ in
        let first = part * chunk
        let count = min(chunk, split - first)
        unsafe copy.convert(first, count, src, source.dtype, dst, destination.dtype)
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
    unsafe copy.convert(0, count, UnsafeMutableRawPointer(mutating: source), type.dtype, target, dtype)
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

  /// Copies positions `first ..< first + count` of the outermost axis, from elements of `sourceType` to elements of `type`.
  func convert(
    _ first: Int, _ count: Int, _ src: UnsafeMutableRawPointer, _ sourceType: DType, _ dst: UnsafeMutableRawPointer, _ type: DType
  ) {
    if extents.count > MK_COPY_MAX_RANK {
      // More axes than the C kernel supports, which only artificial files have: the outermost axis is a loop here.
      var rest = self
      rest.extents.removeFirst()
      rest.sourceStrides.removeFirst()
      rest.destinationStrides.removeFirst()
      for index in first..<first + count {
        unsafe rest.convert(
          0, rest.extents[0], src + index * sourceStrides[0] * sourceType.byteCount, sourceType,
          dst + index * destinationStrides[0] * type.byteCount, type)
      }
      return
    }
    unsafe withUnsafeTemporaryAllocation(of: Int.self, capacity: max(extents.count, 1)) { shape in
      for i in extents.indices { unsafe shape[i] = i == 0 ? count : extents[i] }
      let from = unsafe src + first * (sourceStrides.first ?? 0) * sourceType.byteCount
      let to = unsafe dst + first * (destinationStrides.first ?? 0) * type.byteCount
      if sourceType == type {
        unsafe mk_copy_strided(
          Int32(type.byteCount), Int32(extents.count), shape.baseAddress, from, sourceStrides, to, destinationStrides)
      } else {
        unsafe mk_convert_strided(
          Int32(sourceType.rawValue), Int32(type.rawValue), Int32(extents.count), shape.baseAddress, from, sourceStrides, to,
          destinationStrides)
      }
    }
  }
}
