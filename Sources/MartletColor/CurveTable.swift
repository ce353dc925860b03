import Foundation

/// A tone curve and its inverse as tables, for components of 0…1; colours of extended range are computed outside of it.
///
/// A class, so that looking up a number retains nothing.
final class CurveTable: Sendable {
  private let curve: ToneCurve
  private let isExtended: Bool
  private let isLinear: Bool
  private let decoded: [Float]
  /// At equal distances of the square root of the amount of light, for curves that are steep at 0.
  private let encoded: [Float]
  /// Amounts of light for components of 8 bits.
  let decodedBytes: [Float]
  /// Components of 8 bits, at the distances of `encoded`.
  private let encodedBytes: [UInt8]

  private static let last: Float = 8192

  init(_ curve: ToneCurve, isExtended: Bool) {
    self.curve = curve
    self.isExtended = isExtended
    isLinear = curve == .linear
    func limited(_ value: Double) -> Float { value.isFinite ? Float(min(max(value, 0), 1)) : 0 }
    let positions = (0...8192).map { Double($0) / 8192 }
    decoded = positions.map { limited(curve.decode($0)) }
    encoded = positions.map { limited(curve.encode($0 * $0)) }
    decodedBytes = (0...255).map { limited(curve.decode(Double($0) / 255)) }
    encodedBytes = encoded.map { UInt8(truncatingIfNeeded: Int32(($0 * 255).rounded())) }
  }

  /// Tables of several curves; equal ones share their memory.
  static func tables(_ curves: [ToneCurve], isExtended: Bool) -> [CurveTable] {
    let tables = Dictionary(Set(curves).map { ($0, CurveTable($0, isExtended: isExtended)) }) { first, _ in first }
    return curves.compactMap { tables[$0] }
  }

  /// Not a number gives 0.
  private static func lookUp(_ table: [Float], at position: Float) -> Float {
    let place = position > 0 ? min(position, 1) * last : 0
    let index = min(Int(truncatingIfNeeded: Int32(place)), 8191)
    return table[index] + (table[index + 1] - table[index]) * (place - Float(index))
  }

  func decode(_ component: Float) -> Float {
    if isLinear { return isExtended ? component : Self.limited(component) }
    if isExtended, !(0...1).contains(component) { return Float(curve.decodeExtended(Double(component))) }
    return Self.lookUp(decoded, at: component)
  }

  func encode(_ light: Float) -> Float {
    if isLinear { return isExtended ? light : Self.limited(light) }
    if isExtended, !(0...1).contains(light) { return Float(curve.encodeExtended(Double(light))) }
    return light > 0 ? Self.lookUp(encoded, at: light.squareRoot()) : encoded[0]
  }

  func encodeByte(_ light: Float) -> UInt8 {
    let position = light > 0 ? min(light, 1).squareRoot() * Self.last + 0.5 : 0
    return encodedBytes[Int(truncatingIfNeeded: Int32(position))]
  }

  private static func limited(_ value: Float) -> Float { value > 0 ? min(value, 1) : 0 }
}
