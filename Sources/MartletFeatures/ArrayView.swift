package import MartletTensor

/// The memory of an array's elements.
@safe
package struct ArrayView {
  package let storage: TensorStorage
  package let base: UnsafeMutableRawPointer
  package let shape: [Int]
  package let placement: ElementPlacement

  package init(storage: TensorStorage, base: UnsafeMutableRawPointer, shape: [Int], placement: ElementPlacement) {
    self.storage = storage
    unsafe self.base = base
    self.shape = shape
    self.placement = placement
  }

  package var dtype: DType { placement.dtype }
  /// True if the elements are row-major and contiguous.
  package var isContiguous: Bool { Shape.isContiguous(shape, strides: placement.strides) }
  /// True if kernels can read the elements in place.
  package var isAligned: Bool { unsafe UInt(bitPattern: base) % UInt(clamping: dtype.byteCount) == 0 }

  /// The first element as an array of one element with `rank` axes.
  package func element(rank: Int) -> ArrayView {
    let ones = Array(repeating: 1, count: rank)
    return unsafe ArrayView(storage: storage, base: base, shape: ones, placement: ElementPlacement(dtype, strides: ones))
  }
}
