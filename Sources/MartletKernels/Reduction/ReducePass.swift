package import MartletTensor

/// The function of a reduction. `MK_REDUCE_OPS` in `martlet_reduction.h` specifies semantics and accuracy.
package struct ReduceFunction: Sendable, Hashable {
  let code: Int32
  package var name: String { unsafe mk_reduce_name(code).map { unsafe String(cString: $0) } ?? "?" }

  package static let sum = ReduceFunction(code: Int32(MK_REDUCE_SUM.rawValue))
  package static let sumAbs = ReduceFunction(code: Int32(MK_REDUCE_SUM_ABS.rawValue))
  package static let sumSquares = ReduceFunction(code: Int32(MK_REDUCE_SUM_SQUARES.rawValue))
  package static let prod = ReduceFunction(code: Int32(MK_REDUCE_PROD.rawValue))
  package static let max = ReduceFunction(code: Int32(MK_REDUCE_MAX.rawValue))
  package static let min = ReduceFunction(code: Int32(MK_REDUCE_MIN.rawValue))
  package static let any = ReduceFunction(code: Int32(MK_REDUCE_ANY.rawValue))
  package static let all = ReduceFunction(code: Int32(MK_REDUCE_ALL.rawValue))

  /// The function that combines partial results of this one.
  package var ofPartialResults: ReduceFunction { self == .sumAbs || self == .sumSquares ? .sum : self }
}

/// One pass over memory that reduces one axis. For each outer position, a matrix is reduced along its rows or columns. Results are dense,
/// outer positions first, then lanes.
package struct ReducePass: Sendable {
  /// The elements that are reduced to one result.
  package enum Direction: Sendable {
    /// Adjacent elements; lanes are `laneStride` apart.
    case rows(laneStride: Int)
    /// Elements `stride` apart; lanes are adjacent.
    case columns(stride: Int)
  }

  package enum Result: Sendable {
    /// The reduction of each lane, divided by `divisor` unless that is nil.
    case reduction(ReduceFunction, divisor: Double?)
    /// The position of each lane's largest or smallest element, as int64.
    case position(ofMaximum: Bool)
  }

  package var direction: Direction
  /// Number of elements reduced to one result.
  package var count: Int
  /// Number of results per outer position.
  package var lanes: Int
  /// Extents and strides of the outer positions, outermost first.
  package var outer: [(extent: Int, stride: Int)]
  package var result: Result

  package init(direction: Direction, count: Int, lanes: Int, outer: [(extent: Int, stride: Int)], result: Result) {
    self.direction = direction
    self.count = count
    self.lanes = lanes
    self.outer = outer
    self.result = result
  }

  /// Number of results.
  package var resultCount: Int { outer.reduce(lanes) { $0 * $1.extent } }

  /// Number of shares into which the rows of a single large matrix are divided. Each share is reduced to a row of partial results, which
  /// are then combined. 1 if the rows are not divided.
  ///
  /// Threads then read memory that they have written or that is contiguous. The shares depend only on the extents.
  private var shareCount: Int {
    guard case .columns = direction, case .reduction = result, resultCount == lanes, count >= 64, lanes > 0 else { return 1 }
    return count * lanes >= 16 * 1024 ? 8 : 1
  }

  /// Number of scratch elements that `kernel` needs; 0 if none.
  package var scratchCount: Int { shareCount == 1 ? 0 : shareCount * lanes }

  /// - Parameters:
  ///   - source: float32, float64 or int64; only the address of its first element is used.
  ///   - destination: `resultCount` elements of the source's type or, for positions, int64.
  ///   - scratch: `scratchCount` elements of the source's type. Without it, the work is divided less evenly.
  package func kernel(from source: TensorView, to destination: TensorView, scratch: TensorView? = nil) -> Kernel {
    let results = resultCount
    if results == 0 { return { _ in } }
    if let scratch, case .columns(let stride) = direction, case .reduction(let function, let divisor) = result, shareCount > 1 {
      switch source.dtype {
      case .float32: return shared(Float.self, source, destination, scratch, function, stride, divisor)
      case .float64: return shared(Double.self, source, destination, scratch, function, stride, divisor)
      default: return shared(Int64.self, source, destination, scratch, function, stride, divisor)
      }
    }
    let perLane = Swift.max(count, 1)
    let lanesPerChunk: Int
    switch direction {
    case .rows: lanesPerChunk = Swift.max(1, 16 * 1024 / perLane)
    case .columns: lanesPerChunk = Swift.max(64, 16 * 1024 / perLane / 32 * 32)
    }
    let chunksPerMatrix = (lanes + lanesPerChunk - 1) / lanesPerChunk
    let chunks = chunksPerMatrix * (results / lanes)
    let grain = Swift.max(1, 16 * 1024 / (perLane * Swift.min(lanes, lanesPerChunk)))
    return { context in
      let from = unsafe context.address(source)
      let to = unsafe context.address(destination)
      context.parallelRanges(chunks, grain: grain) { range, _ in
        for chunk in range {
          let (matrix, part) = chunk.quotientAndRemainder(dividingBy: chunksPerMatrix)
          let first = part * lanesPerChunk
          let number = Swift.min(lanesPerChunk, lanes - first)
          let start = offset(of: matrix)
          switch source.dtype {
          case .float32:
            unsafe reduce(
              from.assumingMemoryBound(to: Float.self) + start, to, first: first, number: number, at: matrix * lanes + first)
          case .float64:
            unsafe reduce(
              from.assumingMemoryBound(to: Double.self) + start, to, first: first, number: number, at: matrix * lanes + first)
          default:
            unsafe reduce(
              from.assumingMemoryBound(to: Int64.self) + start, to, first: first, number: number, at: matrix * lanes + first)
          }
        }
      }
    }
  }

  /// Reduces the columns within each share of the rows, then combines the shares.
  private func shared<T: Reducible>(
    _ type: T.Type, _ source: TensorView, _ destination: TensorView, _ scratch: TensorView, _ function: ReduceFunction, _ stride: Int,
    _ divisor: Double?
  ) -> Kernel {
    let (shares, count, lanes) = (shareCount, count, lanes)
    let start = offset(of: 0)
    return { context in
      let from = unsafe context.pointer(source, as: T.self) + start
      let to = unsafe context.pointer(destination, as: T.self)
      let parts = unsafe context.pointer(scratch, as: T.self)
      context.parallel(shares) { share, _ in
        let rows = evenPart(share, of: shares, count)
        unsafe T.reduceColumns(function.code, rows.count, lanes, stride, from + rows.lowerBound * stride, parts + share * lanes)
      }
      unsafe T.reduceColumns(function.ofPartialResults.code, shares, lanes, lanes, parts, to)
      if let divisor {
        for lane in 0..<lanes { unsafe to[lane] = to[lane].divided(by: divisor) }
      }
    }
  }

  private func offset(of matrix: Int) -> Int {
    var rest = matrix
    var offset = 0
    for axis in outer.indices.reversed() {
      let (quotient, remainder) = rest.quotientAndRemainder(dividingBy: outer[axis].extent)
      offset += remainder * outer[axis].stride
      rest = quotient
    }
    return offset
  }

  /// Reduces lanes `first ..< first + number` of the matrix at `x` and stores the results from element `at` of `to` on.
  private func reduce<T: Reducible>(
    _ x: UnsafeMutablePointer<T>, _ to: UnsafeMutableRawPointer, first: Int, number: Int, at position: Int
  ) {
    switch result {
    case .reduction(let function, let divisor):
      let y = unsafe to.assumingMemoryBound(to: T.self) + position
      switch direction {
      case .rows(let laneStride):
        unsafe T.reduceRows(function.code, number, count, laneStride, x + first * laneStride, y)
      case .columns(let stride):
        unsafe T.reduceColumns(function.code, count, number, stride, x + first, y)
      }
      if let divisor {
        for i in 0..<number { unsafe y[i] = y[i].divided(by: divisor) }
      }
    case .position(let wantsMaximum):
      let y = unsafe to.assumingMemoryBound(to: Int64.self) + position
      switch direction {
      case .rows(let laneStride):
        unsafe T.argRows(wantsMaximum ? 1 : 0, number, count, laneStride, x + first * laneStride, y)
      case .columns(let stride):
        unsafe T.argColumns(wantsMaximum ? 1 : 0, count, number, stride, x + first, y)
      }
    }
  }
}

/// Element types in which reductions are computed.
private protocol Reducible: BitwiseCopyable, SendableMetatype {
  func divided(by divisor: Double) -> Self
  static func reduceRows(
    _ op: Int32, _ rows: Int, _ cols: Int, _ stride: Int, _ x: UnsafePointer<Self>, _ y: UnsafeMutablePointer<Self>)
  static func reduceColumns(
    _ op: Int32, _ rows: Int, _ cols: Int, _ stride: Int, _ x: UnsafePointer<Self>, _ y: UnsafeMutablePointer<Self>)
  static func argRows(
    _ max: Int32, _ rows: Int, _ cols: Int, _ stride: Int, _ x: UnsafePointer<Self>, _ y: UnsafeMutablePointer<Int64>)
  static func argColumns(
    _ max: Int32, _ rows: Int, _ cols: Int, _ stride: Int, _ x: UnsafePointer<Self>, _ y: UnsafeMutablePointer<Int64>)
}

extension Float: Reducible {
  fileprivate func divided(by divisor: Double) -> Float { self / Float(divisor) }

  fileprivate static func reduceRows(
    _ op: Int32, _ rows: Int, _ cols: Int, _ stride: Int, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>
  ) { unsafe mk_reduce_rows_f32(op, rows, cols, stride, x, y) }

  fileprivate static func reduceColumns(
    _ op: Int32, _ rows: Int, _ cols: Int, _ stride: Int, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Float>
  ) { unsafe mk_reduce_cols_f32(op, rows, cols, stride, x, y) }

  fileprivate static func argRows(
    _ max: Int32, _ rows: Int, _ cols: Int, _ stride: Int, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Int64>
  ) { unsafe mk_arg_rows_f32(max, rows, cols, stride, x, y) }

  fileprivate static func argColumns(
    _ max: Int32, _ rows: Int, _ cols: Int, _ stride: Int, _ x: UnsafePointer<Float>, _ y: UnsafeMutablePointer<Int64>
  ) { unsafe mk_arg_cols_f32(max, rows, cols, stride, x, y) }
}

extension Double: Reducible {
  fileprivate func divided(by divisor: Double) -> Double { self / divisor }

  fileprivate static func reduceRows(
    _ op: Int32, _ rows: Int, _ cols: Int, _ stride: Int, _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>
  ) { unsafe mk_reduce_rows_f64(op, rows, cols, stride, x, y) }

  fileprivate static func reduceColumns(
    _ op: Int32, _ rows: Int, _ cols: Int, _ stride: Int, _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Double>
  ) { unsafe mk_reduce_cols_f64(op, rows, cols, stride, x, y) }

  fileprivate static func argRows(
    _ max: Int32, _ rows: Int, _ cols: Int, _ stride: Int, _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Int64>
  ) { unsafe mk_arg_rows_f64(max, rows, cols, stride, x, y) }

  fileprivate static func argColumns(
    _ max: Int32, _ rows: Int, _ cols: Int, _ stride: Int, _ x: UnsafePointer<Double>, _ y: UnsafeMutablePointer<Int64>
  ) { unsafe mk_arg_cols_f64(max, rows, cols, stride, x, y) }
}

extension Int64: Reducible {
  /// Integers have no mean; `Reduce` computes it in a floating-point type.
  fileprivate func divided(by divisor: Double) -> Int64 { preconditionFailure("integers are not divided") }

  fileprivate static func reduceRows(
    _ op: Int32, _ rows: Int, _ cols: Int, _ stride: Int, _ x: UnsafePointer<Int64>, _ y: UnsafeMutablePointer<Int64>
  ) { unsafe mk_reduce_rows_i64(op, rows, cols, stride, x, y) }

  fileprivate static func reduceColumns(
    _ op: Int32, _ rows: Int, _ cols: Int, _ stride: Int, _ x: UnsafePointer<Int64>, _ y: UnsafeMutablePointer<Int64>
  ) { unsafe mk_reduce_cols_i64(op, rows, cols, stride, x, y) }

  fileprivate static func argRows(
    _ max: Int32, _ rows: Int, _ cols: Int, _ stride: Int, _ x: UnsafePointer<Int64>, _ y: UnsafeMutablePointer<Int64>
  ) { unsafe mk_arg_rows_i64(max, rows, cols, stride, x, y) }

  fileprivate static func argColumns(
    _ max: Int32, _ rows: Int, _ cols: Int, _ stride: Int, _ x: UnsafePointer<Int64>, _ y: UnsafeMutablePointer<Int64>
  ) { unsafe mk_arg_cols_i64(max, rows, cols, stride, x, y) }
}
