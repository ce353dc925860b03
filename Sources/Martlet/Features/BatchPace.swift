/// Measured durations of a batch's predictions in order and in parallel. Used to choose the faster mode.
package struct BatchPace {
  package enum Mode: Equatable {
    /// A number of predictions in order.
    case inOrder(Int)
    /// A number of predictions on several threads, in chunks of `part`.
    case concurrently(Int, part: Int)

    /// Number of predictions.
    package var count: Int {
      switch self {
      case .inOrder(let count), .concurrently(let count, _): count
      }
    }
  }

  /// Duration below which waking other threads does not pay off.
  private static let shortestStretch = Duration.microseconds(20)
  /// Target duration of one chunk: long enough to repay scheduling, short enough to balance the threads.
  private static let partDuration = Duration.microseconds(20)
  /// Number of trials before a mode counts as slower, because other programs may have slowed down the first ones.
  private static let trials = 3
  /// Interval, in calls, at which the slower mode is tried again, because the load of the machine may have changed.
  private static let retrialInterval = 64

  package init() {}

  private var inOrderCount = 0
  private var inOrder: Duration?
  private var concurrent: Duration?
  private var concurrentCount = 0

  /// The mode and number of the next predictions, of which `count` remain.
  package func mode(for count: Int, threads: Int) -> Mode {
    // The first prediction includes one-time work; the second shows how long one takes.
    guard let inOrder else { return .inOrder(1) }
    // Several short predictions in a row take less time per prediction than a single one.
    let isLong = inOrder > Self.partDuration
    if !isLong, inOrderCount < Self.trials { return .inOrder(count) }
    let isTried = concurrentCount < Self.trials || (inOrderCount + concurrentCount) % Self.retrialInterval == 0
    guard isTried || concurrent.map({ $0 < inOrder }) ?? true, count > 1, inOrder * count > Self.shortestStretch else {
      return .inOrder(count)
    }
    // In range: at most the duration of a part in nanoseconds.
    let part = max(1, min(Int(Self.partDuration / max(inOrder, .nanoseconds(1))), count / threads))
    // The remainder of long predictions is computed by all threads together.
    let even = isLong ? count - count % threads : count
    return even > 1 ? .concurrently(even, part: part) : .inOrder(count)
  }

  package mutating func note(_ mode: Mode, in time: Duration) {
    let each = time / mode.count
    switch mode {
    case .inOrder:
      inOrderCount += 1
      // The first one includes one-time work.
      if inOrderCount > 1 { inOrder = min(inOrder ?? each, each) }
    case .concurrently:
      concurrentCount += 1
      concurrent = min(concurrent ?? each, each)
    }
  }
}
