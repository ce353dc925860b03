/// Properties of an operator, with its attributes, that rewrites of graphs ask for.
package struct OperatorTraits: OptionSet, Sendable {
  package let rawValue: UInt16
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// Each element of the only result is one of operand 0's, whatever its type and value; other operands say which.
  package static let movesElements = OperatorTraits(rawValue: 1 << 0)
  /// The only result has operand 0's elements in the same row-major order, in a shape of its own.
  package static let keepsElementOrder = OperatorTraits(rawValue: 1 << 1)
  /// A result of operand 0's shape is operand 0.
  package static let isIdentityForEqualShapes = OperatorTraits(rawValue: 1 << 2)
  /// The result is an image `[N, C, H, W]` that kernels may store channels-last.
  package static let givesImages = OperatorTraits(rawValue: 1 << 3)
  /// Kernels can store the result's pixels with other channels between them, as in a concatenation along the channels.
  package static let storesSpacedPixels = OperatorTraits(rawValue: 1 << 4)
  /// Kernels read operand 0 where its pixels are stored so.
  package static let readsSpacedPixels = OperatorTraits(rawValue: 1 << 5)
  /// The result stands for a weight that is stored in another form, which kernels may have a use for.
  package static let decodesWeight = OperatorTraits(rawValue: 1 << 6)
  /// The node does something beside giving results, so that it stays when nobody uses them.
  package static let hasEffect = OperatorTraits(rawValue: 1 << 7)
}
