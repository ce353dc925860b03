/// Properties of an operator with its attributes that passes rely on.
///
/// Passes ask every node, so reading them must not allocate: operators combine them with `union`, not with an array literal.
package struct OperatorTraits: OptionSet, Sendable {
  package let rawValue: UInt16
  @inlinable package init(rawValue: UInt16) { self.rawValue = rawValue }

  @inlinable package static var none: OperatorTraits { OperatorTraits(rawValue: 0) }

  /// Each element of the only result is an unchanged element of operand 0, for any dtype. Other operands only select elements.
  @inlinable package static var movesElements: OperatorTraits { OperatorTraits(rawValue: 1 << 0) }
  /// The only result has the elements of operand 0 in the same row-major order. The shape may differ.
  @inlinable package static var keepsElementOrder: OperatorTraits { OperatorTraits(rawValue: 1 << 1) }
  /// The result equals operand 0 if their shapes are equal.
  @inlinable package static var isIdentityForEqualShapes: OperatorTraits { OperatorTraits(rawValue: 1 << 2) }
  /// The result is an image `[N, C, H, W]`, which kernels may store channels-last.
  @inlinable package static var givesImages: OperatorTraits { OperatorTraits(rawValue: 1 << 3) }
  /// Kernels can store the result as part of the channels of a larger channels-last image.
  @inlinable package static var storesSpacedPixels: OperatorTraits { OperatorTraits(rawValue: 1 << 4) }
  /// Kernels can read operand 0 from part of the channels of a larger channels-last image.
  @inlinable package static var readsSpacedPixels: OperatorTraits { OperatorTraits(rawValue: 1 << 5) }
  /// The result is a weight decoded from a compressed form that kernels may be able to use directly.
  @inlinable package static var decodesWeight: OperatorTraits { OperatorTraits(rawValue: 1 << 6) }
  /// The node has a side effect and must stay even if its results are unused.
  @inlinable package static var hasEffect: OperatorTraits { OperatorTraits(rawValue: 1 << 7) }
}
