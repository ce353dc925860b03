import MartletTensor

/// The characters, divided into classes that no set of a pattern tells apart.
struct ScalarClasses: Sendable {
  /// Number of classes.
  let count: Int
  /// The class of each character of ASCII.
  let ascii: [UInt8]
  /// The page in `pages` of each 256 characters.
  private let pageNumbers: [UInt16]
  private let pages: [UInt8]
  /// For each set the classes that it consists of.
  let members: [[Bool]]

  /// - Throws: if there are more than 255 classes.
  init(_ sets: [ScalarSet]) throws(RegexError) {
    // Stretches of characters within which no set begins or ends.
    var bounds: Set<UInt32> = [0]
    for set in sets {
      for range in set.ranges {
        bounds.insert(range.lowerBound)
        bounds.insert(range.upperBound &+ 1)
      }
    }
    bounds.insert(ScalarSet.largest &+ 1)
    let starts = bounds.sorted()
    var membership = [[UInt64]](repeating: [UInt64](repeating: 0, count: sets.count / 64 + 1), count: starts.count - 1)
    for (number, set) in sets.enumerated() {
      var stretch = 0
      for range in set.ranges {
        while starts[stretch] < range.lowerBound { stretch += 1 }
        while starts[stretch] <= range.upperBound {
          membership[stretch][number / 64] |= 1 << UInt64(clamping: number % 64)
          stretch += 1
        }
      }
    }
    var classes: [[UInt64]: Int] = [:]
    var ordered: [[UInt64]] = []
    var classOfStretch: [UInt8] = []
    for key in membership {
      if let known = classes[key] {
        classOfStretch.append(UInt8(clamping: known))
      } else {
        classOfStretch.append(UInt8(clamping: ordered.count))
        classes[key] = ordered.count
        ordered.append(key)
      }
    }
    guard ordered.count < 256 else { throw RegexError(position: 0, reason: "the pattern has too many different classes of characters") }
    count = ordered.count
    members = sets.indices.map { number in ordered.map { $0[number / 64] >> UInt64(clamping: number % 64) & 1 == 1 } }
    (pageNumbers, pages) = Self.paged(starts, classOfStretch, classCount: ordered.count)
    var ascii: [UInt8] = []
    for code in 0..<128 { ascii.append(pages[Int(widening: pageNumbers[0]) * 256 + code]) }
    self.ascii = ascii
  }

  /// A table of two levels; pages of one class are shared.
  private static func paged(_ starts: [UInt32], _ classes: [UInt8], classCount: Int) -> ([UInt16], [UInt8]) {
    var numbers: [UInt16] = []
    var pages: [UInt8] = []
    var uniform = [UInt16?](repeating: nil, count: classCount)
    var stretch = 0
    for page in UInt32(0)..<0x1100 {
      let first = page << 8
      let end = first &+ 0x100
      if starts[stretch + 1] >= end {
        let value = classes[stretch]
        if let shared = uniform[Int(widening: value)] {
          numbers.append(shared)
        } else {
          let number = UInt16(clamping: pages.count / 256)
          uniform[Int(widening: value)] = number
          numbers.append(number)
          pages.append(contentsOf: repeatElement(value, count: 256))
        }
      } else {
        numbers.append(UInt16(clamping: pages.count / 256))
        var code = first
        var inner = stretch
        while code < end {
          let next = min(starts[inner + 1], end)
          pages.append(contentsOf: repeatElement(classes[inner], count: Int(widening: next &- code)))
          code = next
          if code == starts[inner + 1] { inner += 1 }
        }
      }
      while stretch + 1 < classes.count, starts[stretch + 1] <= end { stretch += 1 }
    }
    return (numbers, pages)
  }

  /// The class of a character.
  @inline(__always)
  func of(_ scalar: UInt32) -> UInt8 {
    let page = Int(widening: pageNumbers[Int(widening: scalar >> 8)])
    return pages[page &* 256 &+ Int(widening: scalar & 0xFF)]
  }
}
