import Foundation
import Martlet

/// Shape and strides of an array, also as the `NSNumber` arrays that clients see. Arrays of equal shape may share one object.
package final class ArrayForm: @unchecked Sendable {
  package let extents: [Int]
  package let steps: [Int]
  let shape: [NSNumber]
  let strides: [NSNumber]
  /// Number of elements.
  let count: Int
  /// Whether the elements are row-major and contiguous.
  let isContiguous: Bool

  init(extents: [Int], steps: [Int]) {
    self.extents = extents
    self.steps = steps
    shape = extents.map { NSNumber(value: $0) }
    strides = steps.map { NSNumber(value: $0) }
    count = extents.reduce(1, *)
    isContiguous = Shape.isContiguous(extents, strides: steps)
  }

  /// Row-major and contiguous.
  convenience init(rowMajor extents: [Int]) { self.init(extents: extents, steps: Shape.contiguousStrides(extents)) }
}
