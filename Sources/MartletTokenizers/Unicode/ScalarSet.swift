import MartletTensor

/// A set of Unicode code points.
struct ScalarSet: Sendable, Hashable {
  /// The smallest and the largest of each stretch, in order; stretches do not touch.
  private(set) var ranges: [ClosedRange<UInt32>]

  static let largest: UInt32 = 0x10FFFF

  init() { ranges = [] }

  init(_ ranges: [ClosedRange<UInt32>]) {
    self.ranges = []
    for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) { appendInOrder(range) }
  }

  init(_ scalars: Unicode.Scalar...) { self.init(scalars.map { $0.value...$0.value }) }

  static let all = ScalarSet([0...largest])

  var isEmpty: Bool { ranges.isEmpty }

  /// The only member; nil if there are none or more.
  var onlyMember: UInt32? {
    guard ranges.count == 1, let range = ranges.first, range.lowerBound == range.upperBound else { return nil }
    return range.lowerBound
  }

  private mutating func appendInOrder(_ range: ClosedRange<UInt32>) {
    if let last = ranges.last, range.lowerBound <= last.upperBound &+ 1 {
      ranges[ranges.count - 1] = last.lowerBound...max(last.upperBound, range.upperBound)
    } else {
      ranges.append(range)
    }
  }

  func contains(_ scalar: UInt32) -> Bool {
    let place = ranges.partitioned { ranges[$0].upperBound >= scalar }
    return place < ranges.count && ranges[place].lowerBound <= scalar
  }

  var inverted: ScalarSet {
    var result = ScalarSet()
    var next: UInt32 = 0
    for range in ranges {
      if range.lowerBound > next { result.ranges.append(next...range.lowerBound &- 1) }
      next = range.upperBound &+ 1
    }
    if next <= Self.largest { result.ranges.append(next...Self.largest) }
    return result
  }

  func union(_ other: ScalarSet) -> ScalarSet {
    if isEmpty { return other }
    return other.isEmpty ? self : ScalarSet(ranges + other.ranges)
  }

  func intersection(_ other: ScalarSet) -> ScalarSet { inverted.union(other.inverted).inverted }

  func subtracting(_ other: ScalarSet) -> ScalarSet { inverted.union(other).inverted }
}
