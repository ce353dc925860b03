package import MartletTensor

extension HostTensor {
  /// A tensor of the given elements.
  package init<Element: BitwiseCopyable>(_ dtype: DType, _ shape: [Int], _ elements: [Element]) {
    precondition(MemoryLayout<Element>.size == dtype.byteCount && elements.count == shape.reduce(1, *))
    self = unsafe elements.withUnsafeBytes { unsafe HostTensor(dtype: dtype, shape: shape, bytes: Array($0))! }
  }

  package func elements<Element: BitwiseCopyable>(as type: Element.Type = Element.self) -> [Element] {
    precondition(MemoryLayout<Element>.size == dtype.byteCount)
    return unsafe withUnsafeBytes { unsafe Array($0.bindMemory(to: Element.self)) }
  }

  /// The tensor with its axes in another order, row-major.
  package func permuted(_ axes: [Int]) -> HostTensor {
    let target = axes.map { shape[$0] }
    var result = HostTensor(zeros: dtype, shape: target)
    let strides = Shape.contiguousStrides(shape)
    let targetStrides = Shape.contiguousStrides(target)
    let size = dtype.byteCount
    let source = bytes
    unsafe result.withUnsafeMutableBytes { bytes in
      for position in 0..<(source.count / size) {
        var rest = position
        var from = 0
        for axis in target.indices {
          from += rest / targetStrides[axis] * strides[axes[axis]]
          rest %= targetStrides[axis]
        }
        for byte in 0..<size { unsafe bytes[position * size + byte] = source[from * size + byte] }
      }
    }
    return result
  }
}
