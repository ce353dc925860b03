package import MartletGraph
import MartletTensor

/// Size of a resized image, and the distance of its pixels in the operand.
package struct ResizeTarget: Sendable, Hashable {
  /// Height and width of the result; nil if the factors determine them.
  package var size: [IntArgument]?
  /// Scale factors of height and width. With a given size, they only determine the distance of the pixels.
  package var factors: [Double]?

  package init(size: [IntArgument]?, factors: [Double]?) {
    self.size = size
    self.factors = factors
  }

  /// The shape of the result for an operand `[…, H, W]` of rank at least 3.
  func shape(_ operands: Operands, _ x: TensorType) throws(OperatorError) -> [Int] {
    guard x.rank >= 3 else { throw .invalid("an image needs rank at least 3, not the shape \(x.shape)") }
    var shape = x.shape
    if let factors, factors.count != 2 || !factors.allSatisfy({ $0 >= 0x1p-30 && $0.isFinite }) {
      throw .invalid("resizing by \(factors) is not possible")
    }
    for axis in 0..<2 {
      let position = x.rank - 2 + axis
      if let size {
        guard size.count == 2 else { throw .invalid("a size needs two extents, not \(size.count)") }
        shape[position] = try operands.int(size[axis])
      } else if let factors {
        guard let extent = Int(exactly: (Double(x.shape[position]) * factors[axis]).rounded(.towardZero)) else {
          throw .invalid("resizing by \(factors) is not possible")
        }
        shape[position] = extent
      } else {
        throw .invalid("resizing needs a size or factors")
      }
      // The sampling tables hold one entry for each position.
      guard shape[position] > 0, x.shape[position] > 0, shape[position] < 1 << 28 else {
        throw .invalid("resizing \(x.shape) to \(shape) is not possible")
      }
    }
    return shape
  }

  /// Distance between neighbouring pixels of the result along an axis (0 is height), in pixels of the operand.
  func step<T: BinaryFloatingPoint>(_ axis: Int, from extent: Int, to target: Int, alignCorners: Bool, as type: T.Type) -> T {
    // In range: floating-point numbers.
    if alignCorners { return target > 1 ? T(extent - 1) / T(target - 1) : 0 }
    if let factors { return T(1 / factors[axis]) }
    return T(extent) / T(target)
  }
}
