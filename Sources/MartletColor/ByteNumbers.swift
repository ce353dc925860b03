/// Numbers for opaque colours of 8 bits whose components are converted one by one, as tables.
@safe
final class ByteNumbers: @unchecked Sendable {
  /// 256 numbers for each of red, green and blue.
  private let numbers: UnsafeMutablePointer<Float>

  /// - Precondition: there are three curves of each.
  /// - Parameter isIdentity: true if components keep their numbers.
  init(_ inputs: [CurveTable], _ outputs: [CurveTable], isIdentity: Bool) {
    unsafe numbers = .allocate(capacity: 3 * 256)
    var place = unsafe numbers
    for channel in 0..<3 {
      for byte in UInt8.min...UInt8.max {
        let number = isIdentity ? Float(byte) * (1 / 255) : outputs[channel].encode(inputs[channel].view.decode(byte: byte))
        unsafe place.initialize(to: number)
        unsafe place += 1
      }
    }
  }

  deinit { unsafe numbers.deallocate() }

  /// The colour of the first three bytes, with an alpha of 1.
  func color(_ pixel: SIMD4<UInt8>) -> SIMD4<Float> {
    unsafe SIMD4(
      numbers[Int(truncatingIfNeeded: pixel.x)], numbers[256 + Int(truncatingIfNeeded: pixel.y)],
      numbers[512 + Int(truncatingIfNeeded: pixel.z)], 1)
  }
}
