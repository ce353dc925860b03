import MartletTensor

/// Hashes of short byte strings.
enum ByteHash {
  @inline(__always)
  static func mix(_ value: UInt64) -> UInt64 {
    let product = value &* 0x9E37_79B9_7F4A_7C15
    return product ^ product >> 32
  }

  @inline(__always)
  static func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
    var hash = UInt64(truncatingIfNeeded: bytes.count)
    var position = 0
    let raw = UnsafeRawBufferPointer(bytes)
    while bytes.count &- position >= 8 {
      hash = unsafe mix(hash ^ raw.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      position &+= 8
    }
    var rest: UInt64 = 0
    let count = bytes.count &- position
    if count >= 4 {
      // Both ends; they overlap.
      let low = unsafe raw.loadUnaligned(fromByteOffset: position, as: UInt32.self)
      let high = unsafe raw.loadUnaligned(fromByteOffset: position &+ count &- 4, as: UInt32.self)
      rest = UInt64(widening: low) | UInt64(widening: high) << 32
    } else if count > 0 {
      let first = unsafe UInt64(widening: bytes[position])
      let middle = unsafe UInt64(widening: bytes[position &+ count / 2])
      let last = unsafe UInt64(widening: bytes[position &+ count &- 1])
      rest = first | middle << 8 | last << 16
    }
    return mix(mix(hash ^ rest) ^ UInt64(truncatingIfNeeded: count))
  }
}
