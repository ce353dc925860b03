/// A generator of random numbers (xorshift64) that gives the same sequence in every run.
package struct SeededGenerator: RandomNumberGenerator {
  private var state: UInt64

  package init(seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 | 1 }

  package mutating func next() -> UInt64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return state
  }

  // The loops below call no generic functions such as `Float.random`, which are slow in debug builds.

  /// Uniformly distributed numbers.
  package mutating func floats(_ count: Int, in range: ClosedRange<Float> = -1...1) -> [Float] {
    let (low, width) = (range.lowerBound, range.upperBound - range.lowerBound)
    return unsafe [Float](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = count
      guard let numbers = buffer.baseAddress else { return }
      var index = 0
      while index < count {
        unsafe numbers[index] = low + width * (Float(next() >> 40) * 0x1p-24)
        index += 1
      }
    }
  }

  /// Uniformly distributed integers. The range has at most 2^32 of them.
  package mutating func integers(_ count: Int, in range: ClosedRange<Int>) -> [Int] {
    let (low, extent) = (range.lowerBound, UInt64(range.upperBound - range.lowerBound + 1))
    return unsafe [Int](unsafeUninitializedCapacity: count) { buffer, filled in
      filled = count
      guard let numbers = buffer.baseAddress else { return }
      var index = 0
      while index < count {
        unsafe numbers[index] = low + Int((next() >> 32) * extent >> 32)
        index += 1
      }
    }
  }
}
