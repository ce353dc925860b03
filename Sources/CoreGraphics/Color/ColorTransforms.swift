package import MartletColor
import Synchronization

/// Conversions in use: their tables are computed once.
package enum ColorTransforms {
  private struct Key: Hashable {
    let source: ColorSpace
    let target: ColorSpace
    private let hashes: SIMD2<Int>

    init(_ source: CGColorSpace, _ target: CGColorSpace) {
      (self.source, self.target) = (source.meaning, target.meaning)
      hashes = SIMD2(source.meaningHash, target.meaningHash)
    }

    static func == (first: Key, second: Key) -> Bool { first.source == second.source && first.target == second.target }
    func hash(into hasher: inout Hasher) { hasher.combine(hashes) }
  }

  private static let limit = 32
  private static let transforms = Mutex<[Key: ColorTransform]>([:])

  /// Nil if colours cannot be converted to `target`. A palette is converted as its base space.
  package static func transform(from source: CGColorSpace, to target: CGColorSpace) -> ColorTransform? {
    guard target.supportsOutput else { return nil }
    let key = Key(source, target)
    if let transform = transforms.withLock({ $0[key] }) { return transform }
    guard let transform = try? ColorTransform(from: key.source, to: key.target) else { return nil }
    transforms.withLock { transforms in
      if transforms.count >= limit { transforms.removeAll() }
      transforms[key] = transform
    }
    return transform
  }
}

extension CGColorSpace {
  /// The conversion to sRGB; nil if colours cannot be converted.
  package var transformToSRGB: ColorTransform? {
    CGColorSpace(name: CGColorSpace.sRGB).flatMap { ColorTransforms.transform(from: self, to: $0) }
  }

  /// True if components of 8 bits have the same numbers in sRGB: of red, green and blue, or of shades.
  package var keepsBytesInSRGB: Bool {
    if case .gray = meaning.definition { return meaning == .deviceGray }
    return transformToSRGB?.isByteIdentity ?? false
  }
}
