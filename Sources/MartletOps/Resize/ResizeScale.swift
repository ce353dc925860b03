package import MartletGraph
import MartletTensor

/// How many pixels a resized image has, and how far apart they are in the operand.
package struct ResizeTarget: Sendable, Hashable {
  /// Height and width of the result; nil if the factors give them.
  package var size: [IntArgument]?
  /// Factors of height and width. Given with a size, they only decide how far apart the pixels are.
  package var factors: [Double]?

  package init(size: [IntArgument]?, factors: [Double]?) {
    self.size = size
    self.factors = factors
  }

  /// The shape of the result for an operand `[…, H, W]` of rank at least 3.
  func shape(_ operands: Operands, _ x: TensorType) throws(OperatorError) -> [Int] {
    guard x.rank >= 3 else { throw .invalid("an image of shape \(x.shape)") }
    var shape = x.shape
    if let factors, factors.count != 2 || !factors.allSatisfy({ $0 >= 0x1p-30 && $0.isFinite }) {
      throw .invalid("resizing by \(factors)")
    }
    for axis in 0..<2 {
      let position = x.rank - 2 + axis
      if let size {
        guard size.count == 2 else { throw .invalid("a size of \(size.count) axes") }
        shape[position] = try operands.int(size[axis])
      } else if let factors {
        guard let extent = Int(exactly: (Double(x.shape[position]) * factors[axis]).rounded(.towardZero)) else {
          throw .invalid("resizing by \(factors)")
        }
        shape[position] = extent
      } else {
        throw .invalid("resizing needs a size or factors")
      }
      // The sampling tables hold an entry for each position.
      guard shape[position] > 0, x.shape[position] > 0, shape[position] < 1 << 28 else {
        throw .invalid("resizing \(x.shape) to \(shape)")
      }
    }
    return shape
  }

  /// Distance of neighbouring pixels of the result along an axis (0 is height), in pixels of the operand.
  func step<T: BinaryFloatingPoint>(_ axis: Int, from extent: Int, to target: Int, alignCorners: Bool, as type: T.Type) -> T {
    if alignCorners { return target > 1 ? T(extent - 1) / T(target - 1) : 0 }
    if let factors { return T(1 / factors[axis]) }
    return T(extent) / T(target)
  }
}
