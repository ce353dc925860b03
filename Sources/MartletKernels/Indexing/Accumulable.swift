import MartletTensor

/// An element type that supports in-place addition, as in scattered sums.
protocol Accumulable: BitwiseCopyable {
  /// The sum in the type's own precision; integers wrap around.
  static func sum(_ a: Self, _ b: Self) -> Self
}

extension Accumulable where Self: FixedWidthInteger {
  @inline(__always) static func sum(_ a: Self, _ b: Self) -> Self { a &+ b }
}

extension Accumulable where Self: FloatingPoint {
  @inline(__always) static func sum(_ a: Self, _ b: Self) -> Self { a + b }
}

extension Float: Accumulable {}
extension Double: Accumulable {}
extension Float16: Accumulable {}
extension Int8: Accumulable {}
extension Int16: Accumulable {}
extension Int32: Accumulable {}
extension Int64: Accumulable {}
extension UInt8: Accumulable {}
extension UInt16: Accumulable {}
extension UInt32: Accumulable {}
extension UInt64: Accumulable {}

/// A complex64 element.
struct Complex64Element: Accumulable {
  var parts: SIMD2<Float>

  @inline(__always) static func sum(_ a: Self, _ b: Self) -> Self { Self(parts: a.parts + b.parts) }
}

/// A complex128 element.
struct Complex128Element: Accumulable {
  var parts: SIMD2<Double>

  @inline(__always) static func sum(_ a: Self, _ b: Self) -> Self { Self(parts: a.parts + b.parts) }
}

/// A bfloat16 element.
struct BFloat16Element: Accumulable {
  var bits: UInt16

  @inline(__always)
  static func sum(_ a: Self, _ b: Self) -> Self {
    let value = Float(bitPattern: UInt32(a.bits) << 16) + Float(bitPattern: UInt32(b.bits) << 16)
    if value.isNaN { return Self(bits: 0x7fc0) }
    // Rounded to nearest, ties to even.
    let pattern = value.bitPattern
    return Self(bits: UInt16((pattern &+ 0x7fff &+ ((pattern >> 16) & 1)) >> 16))
  }
}

/// A bool element; addition is the logical or.
struct TruthElement: Accumulable {
  var byte: UInt8

  @inline(__always) static func sum(_ a: Self, _ b: Self) -> Self { Self(byte: (a.byte | b.byte) != 0 ? 1 : 0) }
}
