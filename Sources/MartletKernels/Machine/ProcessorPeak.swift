/// Measured peak rates of this processor with a given number of threads, as a reference for run times.
package struct ProcessorPeak: Sendable {
  /// Kinds of arithmetic.
  package enum Arithmetic: String, CaseIterable, Sendable {
    case float32, bfloat16, int8
    /// Cycles: additions that depend on each other.
    case clock

    var kind: Int32 {
      switch self {
      case .clock: Int32(MK_PEAK_CLOCK.rawValue)
      case .float32: Int32(MK_PEAK_F32.rawValue)
      case .bfloat16: Int32(MK_PEAK_BF16.rawValue)
      case .int8: Int32(MK_PEAK_INT8.rawValue)
      }
    }
  }

  package let threads: Int

  /// - Parameter threads: at least 1.
  package init(threads: Int) { self.threads = threads }

  /// The unit that performs the arithmetic, such as `amx-bf16`; nil if no unit is faster than float32.
  package func unit(_ arithmetic: Arithmetic) -> String? {
    guard let name = unsafe mk_peak_unit(arithmetic.kind) else { return nil }
    return unsafe String(cString: name)
  }

  /// No processor with the unit for the arithmetic performs more operations in a cycle of one core. 0 without a unit.
  package func operationsPerCycle(_ arithmetic: Arithmetic) -> Double { mk_peak_operations_per_cycle(arithmetic.kind) }

  /// Rates of one kind of arithmetic. All are 0 if no unit performs it.
  package struct Rate: Sendable {
    /// Additions and multiplications per second of all threads together: the sum of each thread's best interval.
    package fileprivate(set) var operationsPerSecond = 0.0
    /// Additions and multiplications in a cycle of one core: the median over all threads' intervals, each compared with the clock in the
    /// interval next to it, since clocks change with load and temperature.
    package fileprivate(set) var operationsPerCycle = 0.0
    /// Cycles per second of one core, in the fastest interval.
    package fileprivate(set) var clock = 0.0
  }

  /// Measures `arithmetic` for `seconds`, and the clock beside it for as long.
  package func rate(of arithmetic: Arithmetic, seconds: Double) -> Rate {
    guard unit(arithmetic) != nil else { return Rate() }
    let threads = onEachThread { timer in
      let rounds = timer.rounds(of: arithmetic), cycles = timer.rounds(of: .clock)
      return timer.repeated(for: 2 * seconds) {
        Interval(
          operations: timer.rate { mk_peak_run(arithmetic.kind, rounds) }, clock: timer.rate { mk_peak_run(Arithmetic.clock.kind, cycles) })
      }
    }
    let intervals = threads.flatMap(\.self), ratios = intervals.map { $0.operations / $0.clock }.sorted()
    return Rate(
      operationsPerSecond: threads.map { $0.map(\.operations).max() ?? 0 }.reduce(0, +), operationsPerCycle: ratios[ratios.count / 2],
      clock: intervals.map(\.clock).max() ?? 0)
  }

  /// Bytes per second that all threads together read from separate memory that exceeds the caches, each from its first byte to its last: the
  /// sum of each thread's best pass within `seconds`.
  package func bytesReadPerSecond(seconds: Double) -> Double {
    let count = 32 << 20
    return onEachThread { timer in
      let values = UnsafeMutableBufferPointer<Float>.allocate(capacity: count)
      defer { unsafe values.deallocate() }
      unsafe values.initialize(repeating: 1)
      return timer.repeated(for: seconds) {
        timer.rate { unsafe mk_peak_read(values.baseAddress!, count) > 0 ? Double(count * MemoryLayout<Float>.size) : 0 }
      }.max() ?? 0
    }.reduce(0, +)
  }

  /// The results of `body` on all threads at once.
  private func onEachThread<Result>(_ body: (Timer) -> Result) -> [Result] {
    var results = [Result?](repeating: nil, count: threads)
    unsafe results.withUnsafeMutableBufferPointer { results in
      // Each chunk is written by one thread only.
      nonisolated(unsafe) let results = unsafe results
      ThreadPool(limit: threads).run(threads) { chunk, _ in unsafe results[chunk] = body(Timer()) }
    }
    return results.compactMap(\.self)
  }

  /// Operations and cycles per second of two successive intervals.
  private struct Interval {
    let operations, clock: Double
  }

  private struct Timer {
    private let clock = ContinuousClock()

    /// The result of `body` divided by its duration in seconds.
    func rate(_ body: () -> Double) -> Double {
      let start = clock.now
      let amount = body()
      return amount / max((clock.now - start) / .seconds(1), 1e-9)
    }

    /// The number of rounds of `arithmetic` that take at least a millisecond.
    func rounds(of arithmetic: Arithmetic) -> Int {
      var rounds = 1
      while clock.measure({ _ = mk_peak_run(arithmetic.kind, rounds) }) < .milliseconds(1), rounds < 1 << 40 { rounds *= 2 }
      return rounds
    }

    /// The results of `body`, called for `seconds`, at least once.
    func repeated<Result>(for seconds: Double, _ body: () -> Result) -> [Result] {
      let start = clock.now
      var results = [body()]
      while clock.now - start < .seconds(seconds) { results.append(body()) }
      return results
    }
  }
}
