package import Martlet

/// The logits of one position in single precision, in memory that is used again.
@safe
package struct Logits: Sendable {
  package private(set) var values: [Float] = []

  package init() {}

  package init(_ values: [Float]) { self.values = values }

  /// Takes the logits of the last position of a tensor [1, V] or [1, n, V].
  package mutating func load(_ storage: TensorStorage, _ type: TensorType) throws(GenerationError) {
    let count = type.shape.last ?? 1
    let total = type.elementCount
    guard count > 0, total >= count else { throw GenerationError(.invalidLogits, field: "\(type)", "has no logits") }
    if values.count != count { values = [Float](repeating: 0, count: count) }
    let start = unsafe UnsafeRawPointer(storage.pointer) + (total - count) * type.dtype.byteCount
    unsafe values.withUnsafeMutableBufferPointer { target in
      switch type.dtype {
      case .float16: unsafe Self.widen(start.assumingMemoryBound(to: UInt16.self), into: target) { Self.float16($0) }
      case .bfloat16: unsafe Self.widen(start.assumingMemoryBound(to: UInt16.self), into: target) { Float(bitPattern: UInt32($0) << 16) }
      default: unsafe target.baseAddress?.update(from: start.assumingMemoryBound(to: Float.self), count: count)
      }
    }
  }

  @inline(__always)
  private static func widen(
    _ source: UnsafePointer<UInt16>, into target: UnsafeMutableBufferPointer<Float>, _ convert: (UInt16) -> Float
  ) {
    for index in 0..<target.count { unsafe target[index] = convert(source[index]) }
  }

  /// The value of a half-precision number, without the function that a processor of the baseline would call.
  @inline(__always)
  static func float16(_ bits: UInt16) -> Float {
    let magnitude = UInt32(bits & 0x7FFF)
    // 2^112 is the distance between the biases of the exponents.
    let scaled = Float(bitPattern: magnitude << 13) * Float(bitPattern: 0x7780_0000)
    let special: UInt32 = magnitude >= 0x7C00 ? 0x7F80_0000 : 0
    return Float(bitPattern: scaled.bitPattern | special | UInt32(bits & 0x8000) << 16)
  }
}
