import MartletTensor

/// The elements of a multi-array or shaped array as they lie in memory.
@safe
struct ArrayView {
  let storage: TensorStorage
  let base: UnsafeMutableRawPointer
  let shape: [Int]
  let placement: ElementPlacement

  var dtype: DType { placement.dtype }
  var isContiguous: Bool { ArrayLayout.isContiguous(shape: shape, strides: placement.strides) }
  /// Whether kernels can read the elements where they are.
  var isAligned: Bool { unsafe UInt(bitPattern: base) % UInt(dtype.byteCount) == 0 }

  /// The first element as an array of one element with `rank` axes.
  func element(rank: Int) -> ArrayView {
    let ones = Array(repeating: 1, count: rank)
    return unsafe ArrayView(storage: storage, base: base, shape: ones, placement: ElementPlacement(dtype, strides: ones))
  }
}

extension MLMultiArray {
  /// Whether kernels can read the elements where they are, if they are without gaps.
  var isAligned: Bool { unsafe UInt(bitPattern: storage.pointer) % UInt(dataType.dtype.byteCount) == 0 }

  var view: ArrayView { unsafe ArrayView(storage: storage, base: storage.pointer, shape: extents, placement: placement) }
}

extension ShapedContent {
  var view: ArrayView {
    unsafe ArrayView(storage: storage, base: UnsafeMutableRawPointer(base), shape: shape, placement: placement)
  }
}

/// A shaped array of elements of some type.
protocol AnyShapedArray: Sendable, Hashable {
  var view: ArrayView { get }
  /// A copy.
  var multiArray: MLMultiArray { get }
}

extension MLShapedArray: AnyShapedArray {
  var view: ArrayView { content.view }
  var multiArray: MLMultiArray { MLMultiArray(self) }
}
