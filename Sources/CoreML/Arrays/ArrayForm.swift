import Foundation
import MartletTensor

/// An array's shape and where its elements lie, also as the objects that clients see. Arrays of one shape may share it.
package final class ArrayForm: @unchecked Sendable {
  package let extents: [Int]
  package let steps: [Int]
  let shape: [NSNumber]
  let strides: [NSNumber]
  /// Number of elements.
  let count: Int
  /// Whether the elements lie row-major without gaps.
  let isContiguous: Bool

  init(extents: [Int], steps: [Int]) {
    self.extents = extents
    self.steps = steps
    shape = extents.map { NSNumber(value: $0) }
    strides = steps.map { NSNumber(value: $0) }
    count = extents.reduce(1, *)
    isContiguous = ArrayLayout.isContiguous(shape: extents, strides: steps)
  }

  /// Elements in row-major order without gaps.
  convenience init(rowMajor extents: [Int]) { self.init(extents: extents, steps: Shape.contiguousStrides(extents)) }
}
