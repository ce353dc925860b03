/// A number that a model file declares or that is computed from such numbers: an extent, a count, a size in bytes, a position, a stride.
///
/// Arithmetic never traps. A result that does not fit, and any result computed from one, is *unrepresentable*: it compares greater than
/// every number, so that a check against an upper bound refuses it, and its `value` is nil.
///
/// ```swift
/// guard (Extent(rows) * columns + padding).fits(limit) else { throw … }
/// ```
package struct Extent: Sendable, Hashable {
  /// `Int.min` if the number is not representable.
  @usableFromInline let raw: Int

  @inlinable init(raw: Int) { self.raw = raw }

  @inlinable package init(_ value: Int) { raw = value }

  /// - Parameter value: any integer; unrepresentable if it does not fit `Int`.
  @inlinable package init(_ value: UInt64) { raw = Int(exactly: value) ?? Int.min }

  /// - Parameter value: any integer; unrepresentable if it does not fit `Int`.
  package init(_ value: some BinaryInteger) { raw = Int(exactly: value) ?? Int.min }

  /// The value rounded up; unrepresentable if it is not finite or does not fit.
  package init(roundingUp value: Double) { raw = Int(exactly: value.rounded(.up)) ?? Int.min }

  /// A number that is larger than any other.
  @inlinable package static var unrepresentable: Extent { Extent(raw: .min) }

  @inlinable package var isRepresentable: Bool { raw != .min }

  /// The number; nil if it is unrepresentable.
  @inlinable package var value: Int? { isRepresentable ? raw : nil }

  /// The number if it is between 0 and `Shape.largestElementCount`; nil otherwise.
  package var count: Int? { raw >= 0 && raw <= Shape.largestElementCount ? raw : nil }

  /// The number, or `Int.max` if it is unrepresentable; for messages and estimates.
  @inlinable package var clamped: Int { isRepresentable ? raw : .max }

  @inlinable static func combine(_ a: Extent, _ b: Extent, _ operation: (Int, Int) -> (partialValue: Int, overflow: Bool)) -> Extent {
    guard a.isRepresentable, b.isRepresentable else { return .unrepresentable }
    let (result, overflow) = operation(a.raw, b.raw)
    return overflow ? .unrepresentable : Extent(raw: result)
  }

  @inlinable package static func + (a: Extent, b: Extent) -> Extent { combine(a, b) { $0.addingReportingOverflow($1) } }
  @inlinable package static func - (a: Extent, b: Extent) -> Extent { combine(a, b) { $0.subtractingReportingOverflow($1) } }
  @inlinable package static func * (a: Extent, b: Extent) -> Extent { combine(a, b) { $0.multipliedReportingOverflow(by: $1) } }
  /// The quotient rounded towards zero; unrepresentable for a divisor of 0.
  @inlinable package static func / (a: Extent, b: Extent) -> Extent { combine(a, b) { $0.dividedReportingOverflow(by: $1) } }

  @inlinable package static func + (a: Extent, b: Int) -> Extent { a + Extent(b) }
  @inlinable package static func - (a: Extent, b: Int) -> Extent { a - Extent(b) }
  @inlinable package static func * (a: Extent, b: Int) -> Extent { a * Extent(b) }
  @inlinable package static func / (a: Extent, b: Int) -> Extent { a / Extent(b) }

  @inlinable package static func += (a: inout Extent, b: Extent) { a = a + b }
  @inlinable package static func += (a: inout Extent, b: Int) { a = a + b }
  @inlinable package static func *= (a: inout Extent, b: Int) { a = a * b }

  /// The quotient of two non-negative numbers, rounded up.
  @inlinable package func dividedRoundingUp(by divisor: Int) -> Extent { (self + (Extent(divisor) - 1)) / divisor }

  // Not generic over sequences: the Swift runtime takes 0.25 ms to instantiate a type at its first use, which would slow down a load.

  package static func sum(_ numbers: [Int]) -> Extent { sum(numbers[...]) }

  package static func sum(_ numbers: ArraySlice<Int>) -> Extent {
    var sum: Extent = 0
    for number in numbers { sum += number }
    return sum
  }

  package static func product(_ numbers: [Int]) -> Extent { product(numbers[...]) }

  package static func product(_ numbers: ArraySlice<Int>) -> Extent {
    var product: Extent = 1
    for number in numbers { product *= number }
    return product
  }
}

extension Extent: ExpressibleByIntegerLiteral {
  @inlinable package init(integerLiteral value: Int) { self.init(value) }
}

extension Extent: Comparable {
  @inlinable package static func < (a: Extent, b: Extent) -> Bool { a.isRepresentable && (!b.isRepresentable || a.raw < b.raw) }

  /// True if the number is representable and no larger than `limit`.
  @inlinable package func fits(_ limit: Int) -> Bool { self <= Extent(limit) }
}

extension Extent: CustomStringConvertible {
  package var description: String { value.map { "\($0)" } ?? "more than \(Int.max)" }
}
