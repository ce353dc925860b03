import MartletTensor
import Testing

@Suite struct ExtentTests {
  private static let numbers = [Int.min, Int.min + 1, -(1 << 40), -2, -1, 0, 1, 2, 3, 1 << 31, 1 << 52, 1 << 62, Int.max - 1, Int.max]

  /// The exact result of an operation on integers of twice the width; nil if it does not fit.
  private static func exact(_ a: Int, _ b: Int, _ operation: (Int128, Int128) -> Int128?) -> Int? {
    operation(Int128(a), Int128(b)).flatMap { Int(exactly: $0) }.flatMap { $0 == .min ? nil : $0 }
  }

  @Test(arguments: numbers) func `Arithmetic is exact or unrepresentable`(_ a: Int) {
    for b in Self.numbers where a != .min && b != .min {
      #expect((Extent(a) + b).value == Self.exact(a, b) { $0 + $1 })
      #expect((Extent(a) - b).value == Self.exact(a, b) { $0 - $1 })
      #expect((Extent(a) * b).value == Self.exact(a, b) { $0 * $1 })
      #expect((Extent(a) / b).value == Self.exact(a, b) { $1 == 0 ? nil : $0 / $1 })
      #expect((Extent(a) < Extent(b)) == (a < b))
      #expect(Extent(a).fits(b) == (a <= b))
    }
  }

  @Test func `Results of an unrepresentable number are unrepresentable`() {
    let overflow = Extent(Int.max) + 1
    #expect(!overflow.isRepresentable)
    for result in [overflow - Extent(Int.max), overflow * 0, overflow / 2, 0 * overflow, 1 - overflow, overflow.dividedRoundingUp(by: 2)] {
      #expect(result.value == nil && result.count == nil && result.clamped == .max)
      #expect(!result.fits(.max) && result > Extent(Int.max))
    }
    #expect(Extent(UInt64.max) == .unrepresentable)
    #expect(Extent(roundingUp: .nan) == .unrepresentable)
    #expect(Extent(roundingUp: .infinity) == .unrepresentable)
    #expect(Extent(roundingUp: 0x1p63) == .unrepresentable)
    #expect(Extent(roundingUp: -0x1p63) == .unrepresentable)
    #expect(Extent(roundingUp: 2.25) == 3)
  }

  @Test func `Counts are between 0 and the largest element count`() {
    #expect(Extent(-1).count == nil)
    #expect(Extent(0).count == 0)
    #expect(Extent(Shape.largestElementCount).count == Shape.largestElementCount)
    #expect((Extent(Shape.largestElementCount) + 1).count == nil)
  }

  @Test func `Sums and products of lists`() {
    #expect(Extent.sum([]) == 0)
    #expect(Extent.product([]) == 1)
    #expect(Extent.sum([1, 2, 3]) == 6)
    #expect(Extent.product([2, 3, 0]) == 0)
    #expect(!Extent.sum([Int.max, 1, -1]).isRepresentable)
    #expect(!Extent.product([1 << 40, 1 << 40, 0]).isRepresentable)
    #expect(Extent(7).dividedRoundingUp(by: 2) == 4)
    #expect(!Extent(7).dividedRoundingUp(by: 0).isRepresentable)
  }
}
