package import MartletTensor

/// The largest or smallest elements along an axis.
package enum TopSelection {
  /// A kernel that writes the first `count` elements in descending (or ascending) order and their positions. NaN is greater than any
  /// number. Ties are ordered by position.
  /// - Parameters:
  ///   - x: float32, float64, int64 or uint64, any strides, rank at least 1.
  ///   - values: with the dtype of `x`.
  ///   - indices: int64. Both are row-major, with `count` positions along `axis`.
  package static func kernel(
    _ x: TensorView, axis: Int, count: Int, largest: Bool, values: TensorView, indices: TensorView
  ) -> Kernel {
    let lines = Lines(x, axis: axis, count: count)
    return { context in
      if count == 0 || values.isEmpty { return }
      context.parallelRanges(lines.count, grain: max(1, 4 * 1024 / lines.extent)) { range, _ in
        switch x.dtype {
        case .float32:
          select(
            context, lines, range, context.elements(x, as: Float.self), context.elements(values), context.elements(indices)
          ) { largest ? precedes($1, $0) : precedes($0, $1) }
        case .float64:
          select(
            context, lines, range, context.elements(x, as: Double.self), context.elements(values), context.elements(indices)
          ) { largest ? precedes($1, $0) : precedes($0, $1) }
        case .uint64:
          select(
            context, lines, range, context.elements(x, as: UInt64.self), context.elements(values), context.elements(indices)
          ) { largest ? $0 > $1 : $0 < $1 }
        default:
          select(
            context, lines, range, context.elements(x, as: Int64.self), context.elements(values), context.elements(indices)
          ) { largest ? $0 > $1 : $0 < $1 }
        }
      }
    }
  }

  /// Returns true if `a` is less than `b`. NaN is greater than any number.
  @inline(__always)
  private static func precedes<T: FloatingPoint>(_ a: T, _ b: T) -> Bool { a < b || (b.isNaN && !a.isNaN) }

  /// The lines along an axis.
  private struct Lines: Sendable {
    let count: Int
    let extent: Int
    let stride: Int
    let selected: Int
    /// Extents and strides of the other axes.
    private let shape: [Int]
    private let strides: [Int]
    /// Product of the extents after the axis.
    let inner: Int

    init(_ x: TensorView, axis: Int, count selected: Int) {
      extent = x.shape[axis]
      stride = x.strides[axis]
      self.selected = selected
      var shape = x.shape
      var strides = x.strides
      shape.remove(at: axis)
      strides.remove(at: axis)
      self.shape = shape
      self.strides = strides
      count = shape.reduce(1, *)
      inner = shape[axis...].reduce(1, *)
    }

    /// Offsets of the line's first element in the operand and in the results.
    func start(_ line: Int) -> (source: Int, result: Int) {
      var rest = line
      var source = 0
      for axis in shape.indices.reversed() {
        let (quotient, position) = rest.quotientAndRemainder(dividingBy: shape[axis])
        source += position * strides[axis]
        rest = quotient
      }
      let (block, lane) = line.quotientAndRemainder(dividingBy: inner)
      return (source, block * selected * inner + lane)
    }
  }

  /// Number of candidates that take about a millisecond.
  private static let sinkGrain = 1 << 13

  /// Keeps the best positions of each line in a heap with the worst at the root, stored in the results themselves, and finally sorts them.
  @inline(__always)
  private static func select<T: BitwiseCopyable>(
    _ context: KernelContext, _ lines: Lines, _ range: Range<Int>, _ x: Elements<T>, _ values: Elements<T>, _ indices: Elements<Int64>,
    _ isBetter: (T, T) -> Bool
  ) {
    let step = lines.inner
    for line in range {
      let (source, result) = lines.start(line)
      // True if the candidate (value, position) precedes element `other`.
      func goesBefore(_ value: T, _ position: Int64, _ other: Int) -> Bool {
        let held = values[result + other * step]
        if isBetter(value, held) { return true }
        if isBetter(held, value) { return false }
        return position < indices[result + other * step]
      }
      func set(_ slot: Int, _ value: T, _ position: Int64) {
        values[result + slot * step] = value
        indices[result + slot * step] = position
      }
      /// Puts a candidate at the root of a heap of `count` elements and sifts it down.
      func sink(_ value: T, _ position: Int64, _ root: Int, _ count: Int) {
        var hole = root
        while true {
          var child = 2 * hole + 1
          if child >= count { break }
          let right = child + 1
          if right < count, goesBefore(values[result + child * step], indices[result + child * step], right) { child = right }
          // The child moves up if the candidate precedes it.
          guard goesBefore(value, position, child) else { break }
          set(hole, values[result + child * step], indices[result + child * step])
          hole = child
        }
        set(hole, value, position)
      }
      let count = lines.selected
      for position in 0..<count { set(position, x[source + position * lines.stride], Int64(position)) }
      context.inRanges(count / 2, grain: sinkGrain) { range in
        for number in range {
          let root = count / 2 - 1 - number
          sink(values[result + root * step], indices[result + root * step], root, count)
        }
      }
      context.inRanges(lines.extent - count, grain: sinkGrain) { range in
        for position in range.lowerBound + count..<range.upperBound + count {
          let value = x[source + position * lines.stride]
          // Ties go to earlier positions, so only a strictly better value enters the heap.
          if isBetter(value, values[result]) { sink(value, Int64(position), 0, count) }
        }
      }
      context.inRanges(count - 1, grain: sinkGrain) { range in
        for number in range {
          let last = count - 1 - number
          let value = values[result + last * step]
          let position = indices[result + last * step]
          set(last, values[result], indices[result])
          sink(value, position, 0, last)
        }
      }
    }
  }
}
