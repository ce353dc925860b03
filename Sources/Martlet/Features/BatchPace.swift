/// Measured times of a batch's predictions, one after the other and several at the same time, to choose between the two.
package struct BatchPace {
  package enum Mode: Equatable {
    /// Number of predictions one after the other.
    case inOrder(Int)
    /// Number of predictions on several threads, each of which takes `part` at a time.
    case concurrently(Int, part: Int)

    /// Number of predictions.
    package var count: Int {
      switch self {
      case .inOrder(let count), .concurrently(let count, _): count
      }
    }
  }

  /// Duration below which other threads are not worth waking.
  private static let shortestStretch = Duration.microseconds(20)
  /// Target duration of one part: long enough to repay scheduling, short enough to balance the threads.
  private static let partDuration = Duration.microseconds(20)
  /// Number of trials before a way counts as slower: other programs may have slowed down the first ones.
  private static let trials = 3
  /// The slower way is tried again once in so many stretches: other programs may have gone.
  private static let retrialInterval = 64

  package init() {}

  private var inOrderCount = 0
  private var inOrder: Duration?
  private var concurrent: Duration?
  private var concurrentCount = 0

  /// How to make the next of `count` predictions.
  package func mode(for count: Int, threads: Int) -> Mode {
    // The first prediction includes one-time work; the second shows how long one takes.
    guard let inOrder else { return .inOrder(1) }
    // Several short ones in a row take less time each than one alone.
    let isLong = inOrder > Self.partDuration
    if !isLong, inOrderCount < Self.trials { return .inOrder(count) }
    let isTried = concurrentCount < Self.trials || (inOrderCount + concurrentCount) % Self.retrialInterval == 0
    guard isTried || concurrent.map({ $0 < inOrder }) ?? true, count > 1, inOrder * count > Self.shortestStretch else {
      return .inOrder(count)
    }
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
