/// Properties of an operator with its attributes that passes rely on.
package struct OperatorTraits: OptionSet, Sendable {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Each element of the only result is an unchanged element of operand 0, for any dtype. Other operands only select elements.
  package static let movesElements = OperatorTraits(rawValue: 1 << 0)
  /// The only result has the elements of operand 0 in the same row-major order. The shape may differ.
  package static let keepsElementOrder = OperatorTraits(rawValue: 1 << 1)
  /// The result equals operand 0 if their shapes are equal.
  package static let isIdentityForEqualShapes = OperatorTraits(rawValue: 1 << 2)
  /// The result is an image `[N, C, H, W]`, which kernels may store channels-last.
  package static let givesImages = OperatorTraits(rawValue: 1 << 3)
  /// Kernels can store the result as part of the channels of a larger channels-last image.
  package static let storesSpacedPixels = OperatorTraits(rawValue: 1 << 4)
  /// Kernels can read operand 0 from part of the channels of a larger channels-last image.
  package static let readsSpacedPixels = OperatorTraits(rawValue: 1 << 5)
  /// The result is a weight decoded from a compressed form that kernels may be able to use directly.
  package static let decodesWeight = OperatorTraits(rawValue: 1 << 6)
  /// The node has a side effect and must stay even if its results are unused.
  package static let hasEffect = OperatorTraits(rawValue: 1 << 7)
}
