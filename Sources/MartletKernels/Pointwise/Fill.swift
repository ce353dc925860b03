package import MartletTensor

/// Tensors filled with a single number.
package enum Fill {
  /// A kernel that writes the number, converted to the view's dtype, to every element of a dense view.
  package static func kernel(_ output: TensorView, value: @escaping @Sendable (KernelContext) -> Scalar) -> Kernel {
    if output.isEmpty { return { _ in } }
    let count = output.elementCount
    let size = output.dtype.byteCount
    return { context in
      let scalar = value(context)
      let target = unsafe context.address(output)
      // Enough for the widest element.
      unsafe withUnsafeTemporaryAllocation(byteCount: 16, alignment: 16) { element in
        let start = element.baseAddress!
        let type = Int32(output.dtype.rawValue)
        switch scalar {
        case .double(var number):
          unsafe mk_convert(Int32(DType.float64.rawValue), &number, 1, type, start, 1)
        case .int(var number):
          unsafe mk_convert(Int32(DType.int64.rawValue), &number, 1, type, start, 1)
        case .bool(let flag):
          var number: Int64 = flag ? 1 : 0
          unsafe mk_convert(Int32(DType.int64.rawValue), &number, 1, type, start, 1)
        }
        context.parallelRanges(count, grain: 256 * 1024 / size) { range, _ in
          unsafe mk_fill(Int32(size), start, target + range.lowerBound * size, range.count)
        }
      }
    }
  }
}
