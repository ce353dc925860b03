/// Some axes of two strided layouts, outermost first, without axes of extent 1 and with adjacent axes joined where possible.
struct StridedPair: Sendable {
  private(set) var extents: [Int] = []
  private(set) var firstStrides: [Int] = []
  private(set) var secondStrides: [Int] = []
  private(set) var count = 1

  init(_ extents: [Int], _ first: [Int], _ second: [Int]) {
    for axis in extents.indices where extents[axis] != 1 {
      count *= extents[axis]
      if let last = self.extents.indices.last, firstStrides[last] == first[axis] * extents[axis],
        secondStrides[last] == second[axis] * extents[axis]
      {
        self.extents[last] *= extents[axis]
        firstStrides[last] = first[axis]
        secondStrides[last] = second[axis]
      } else {
        self.extents.append(extents[axis])
        firstStrides.append(first[axis])
        secondStrides.append(second[axis])
      }
    }
  }

  /// True if the elements are contiguous on both sides.
  var isContiguous: Bool {
    extents.isEmpty || (extents.count == 1 && firstStrides[0] == 1 && secondStrides[0] == 1)
  }

  /// Offsets of the element at position `index` in row-major order.
  @inline(__always)
  func offsets(_ index: Int) -> (first: Int, second: Int) {
    var rest = index
    var first = 0
    var second = 0
    for axis in extents.indices.reversed() {
      let (quotient, position) = rest.quotientAndRemainder(dividingBy: extents[axis])
      first += position * firstStrides[axis]
      second += position * secondStrides[axis]
      rest = quotient
    }
    return (first, second)
  }
}
