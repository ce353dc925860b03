import Martlet
import Testing

/// How a batch is divided, by how long its predictions take.
@Suite struct BatchPaceTests {
  /// After predictions of such a time, one after the other.
  private func pace(_ microseconds: Int) -> BatchPace {
    var pace = BatchPace()
    #expect(pace.mode(for: 64, threads: 2) == .inOrder(1))
    // The first one is slow.
    pace.note(.inOrder(1), in: .milliseconds(100))
    #expect(pace.mode(for: 63, threads: 2) == .inOrder(1))
    pace.note(.inOrder(1), in: .microseconds(microseconds))
    return pace
  }

  @Test func `long predictions are made one a thread, and what is left over by all threads together`() {
    #expect(pace(1000).mode(for: 64, threads: 4) == .concurrently(64, part: 1))
    #expect(pace(1000).mode(for: 63, threads: 4) == .concurrently(60, part: 1))
    #expect(pace(1000).mode(for: 3, threads: 4) == .inOrder(3))
    #expect(pace(1000).mode(for: 1, threads: 4) == .inOrder(1))
  }

  @Test func `a thread takes several short predictions at a time`() {
    // One alone was slower than each of many is.
    var pace = pace(10)
    #expect(pace.mode(for: 62, threads: 2) == .inOrder(62))
    pace.note(.inOrder(62), in: .microseconds(62 * 4))
    #expect(pace.mode(for: 62, threads: 2) == .concurrently(62, part: 5))
    #expect(pace.mode(for: 7, threads: 2) == .concurrently(7, part: 3))
    #expect(pace.mode(for: 3, threads: 2) == .inOrder(3))
  }

  @Test func `what has been slower several times is seldom tried again`() {
    var pace = pace(100)
    for _ in 0..<3 {
      #expect(pace.mode(for: 64, threads: 2) == .concurrently(64, part: 1))
      pace.note(.concurrently(64, part: 1), in: .microseconds(64 * 110))
    }
    // Two in order and three on several threads came before.
    for count in 5..<64 {
      #expect(pace.mode(for: 64, threads: 2) == .inOrder(64), "\(count)")
      pace.note(.inOrder(64), in: .microseconds(64 * 100))
    }
    #expect(pace.mode(for: 64, threads: 2) == .concurrently(64, part: 1))
    pace.note(.concurrently(64, part: 1), in: .microseconds(64 * 110))
    #expect(pace.mode(for: 64, threads: 2) == .inOrder(64))
  }

  @Test func `what was slow once because of other programs is`() {
    var pace = pace(100)
    for time in [300, 60, 400, 500] { pace.note(.concurrently(64, part: 1), in: .microseconds(64 * time)) }
    #expect(pace.mode(for: 64, threads: 2) == .concurrently(64, part: 1))
  }
}
