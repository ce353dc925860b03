package import MartletTensor

extension StridedCopy {
  /// A distance in elements that a kernel learns when it runs.
  package typealias Offset = @Sendable (KernelContext) throws -> Int

  /// As `kernel(from:to:)`, where one or both sides lie at an offset that only the run tells: what is copied is the view
  /// moved by that many elements. The offsets must keep the views within their buffers.
  package static func kernel(
    from source: TensorView, sourceMovedBy sourceOffset: Offset? = nil, to destination: TensorView,
    destinationMovedBy destinationOffset: Offset? = nil
  ) -> Kernel {
    precondition(source.shape == destination.shape)
    let copy = CollapsedCopy(source, destination)
    let split = destination.isEmpty ? 0 : copy.extents.first ?? 1
    let parts = copy.extents.count > 0 && destination.byteCount > 128 * 1024 ? min(split, 16) : 1
    let chunk = max((split + parts - 1) / max(parts, 1), 1)
    let sameType = source.dtype == destination.dtype
    return { context in
      // Asked for even if there is nothing to copy, because they check the position.
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
