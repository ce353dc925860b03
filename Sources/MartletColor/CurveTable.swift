import MartletSystem

/// A tone curve and its inverse as tables, for components of 0…1; colours of extended range are computed outside of it.
final class CurveTable: Sendable {
  /// The tables; valid as long as this object.
  let view: CurveView

  init(_ curve: ToneCurve, isExtended: Bool) {
    func limited(_ value: Double) -> Float { value.isFinite ? Float(min(max(value, 0), 1)) : 0 }
    let positions = (0...CurveView.last).map { Double($0) / Double(CurveView.last) }
    let encoded = positions.map { limited(curve.encode($0 * $0)) }
    unsafe view = CurveView(
      decoded: Self.copy(positions.map { limited(curve.decode($0)) }), encoded: Self.copy(encoded),
      decodedBytes: Self.copy((0...255).map { limited(curve.decode(Double($0) / 255)) }),
      encodedBytes: Self.copy(encoded.map { UInt8(truncatingIfNeeded: Int32(($0 * 255).rounded())) }), isLinear: curve == .linear,
      isExtended: isExtended, curve: curve == .linear || !isExtended ? nil : Unmanaged.passRetained(CurveFunction(curve)))
  }

  deinit { unsafe view.deallocate() }

  private static func copy<T: BitwiseCopyable>(_ numbers: [T]) -> UnsafePointer<T> {
    let memory = UnsafeMutablePointer<T>.allocate(capacity: numbers.count)
    unsafe memory.initialize(from: numbers, count: numbers.count)
    return unsafe UnsafePointer(memory)
  }

  /// Tables of several curves; equal ones share their memory.
  static func tables(_ curves: [ToneCurve], isExtended: Bool) -> [CurveTable] {
    let tables = Dictionary(Set(curves).map { ($0, CurveTable($0, isExtended: isExtended)) }) { first, _ in first }
    return curves.compactMap { tables[$0] }
  }

  func decode(_ component: Float) -> Float { view.decode(component) }
  func encode(_ light: Float) -> Float { view.encode(light) }
}

/// A curve behind a reference, for colours outside of the tables.
final class CurveFunction: Sendable {
  let curve: ToneCurve
  init(_ curve: ToneCurve) { self.curve = curve }
}

/// The tables of a `CurveTable`, without a reference to it: loops over pixels retain nothing. The table must outlive the view.
@safe
struct CurveView: @unchecked Sendable {
  /// The last index of `decoded` and `encoded`.
  static let last = 8192

  private let decoded: UnsafePointer<Float>
  /// At equal distances of the square root of the amount of light, for curves that are steep at 0.
  private let encoded: UnsafePointer<Float>
  /// Amounts of light for components of 8 bits.
  private let decodedBytes: UnsafePointer<Float>
  /// Components of 8 bits, at the distances of `encoded`.
  private let encodedBytes: UnsafePointer<UInt8>
  private let isLinear: Bool
  private let isExtended: Bool
  /// Nil for linear curves and those without extended range.
  private let curve: Unmanaged<CurveFunction>?

  @unsafe
  init(
    decoded: UnsafePointer<Float>, encoded: UnsafePointer<Float>, decodedBytes: UnsafePointer<Float>, encodedBytes: UnsafePointer<UInt8>,
    isLinear: Bool, isExtended: Bool, curve: Unmanaged<CurveFunction>?
  ) {
    unsafe (self.decoded, self.encoded, self.decodedBytes, self.encodedBytes) = (decoded, encoded, decodedBytes, encodedBytes)
    self.isLinear = isLinear
    self.isExtended = isExtended
    unsafe self.curve = curve
  }

  @unsafe
  func deallocate() {
    unsafe decoded.deallocate()
    unsafe encoded.deallocate()
    unsafe decodedBytes.deallocate()
    unsafe encodedBytes.deallocate()
    unsafe curve?.release()
  }

  /// Not a number gives 0.
  private static func lookUp(_ table: UnsafePointer<Float>, at position: Float) -> Float {
    let place = position > 0 ? min(position, 1) * Float(last) : 0
    // In range: the place is at most the last one.
    let index = min(Int(truncatingIfNeeded: Int32(place)), last - 1)
    return unsafe table[index] + (table[index + 1] - table[index]) * (place - Float(index))
  }

  private static func limited(_ value: Float) -> Float { value > 0 ? min(value, 1) : 0 }

  func decode(_ component: Float) -> Float {
    if isLinear { return isExtended ? component : Self.limited(component) }
    if isExtended, !(0...1).contains(component), let curve = unsafe curve {
      return unsafe Float(curve._withUnsafeGuaranteedRef { $0.curve.decodeExtended(Double(component)) })
    }
    return unsafe Self.lookUp(decoded, at: component)
  }

  /// The amount of light for a component of 8 bits.
  func decode(byte: UInt8) -> Float { unsafe decodedBytes[Int(truncatingIfNeeded: byte)] }

  func encode(_ light: Float) -> Float {
    if isLinear { return isExtended ? light : Self.limited(light) }
    if isExtended, !(0...1).contains(light), let curve = unsafe curve {
      return unsafe Float(curve._withUnsafeGuaranteedRef { $0.curve.encodeExtended(Double(light)) })
    }
    return unsafe light > 0 ? Self.lookUp(encoded, at: light.squareRoot()) : encoded[0]
  }

  /// True if components are amounts of light, also outside of 0…1.
  var isUnlimitedLinear: Bool { isLinear && isExtended }

  /// Where `byte(at:)` finds the components of 8 bits for amounts of light, which are limited to 0…1. Not a number gives 0.
  @inline(__always)
  static func bytePositions(_ light: SIMD4<Float>) -> SIMD4<Float> {
    let (black, white) = (SIMD4<Float>(repeating: 0), SIMD4<Float>(repeating: 1))
    let positive = black.replacing(with: light, where: light .> black)
    let limited = positive.replacing(with: white, where: positive .> white)
    return limited.squareRoot() * Float(last) + 0.5
  }

  func byte(at position: Float) -> UInt8 {
    // In range: the position is at most the last one.
    unsafe encodedBytes[Int(truncatingIfNeeded: Int32(position))]
  }

  func encodeByte(_ light: Float) -> UInt8 {
    let position = light > 0 ? min(light, 1).squareRoot() * Float(Self.last) + 0.5 : 0
    // In range: the position is at most the last one.
    return unsafe encodedBytes[Int(truncatingIfNeeded: Int32(position))]
  }
}
