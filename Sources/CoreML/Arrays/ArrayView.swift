import MartletFeatures
import Martlet

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
