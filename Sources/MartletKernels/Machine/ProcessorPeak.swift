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

  /// Additions and multiplications per second of all threads together: the sum of each thread's best interval within `seconds`. 0 if no
  /// unit performs the arithmetic.
  package func operationsPerSecond(_ arithmetic: Arithmetic, seconds: Double) -> Double {
    let kind = arithmetic.kind
    guard unit(arithmetic) != nil else { return 0 }
    return sum { rates in
      // Intervals of a few milliseconds.
      var rounds = 1
      while rates.measure({ mk_peak_run(kind, rounds) }).seconds < 3e-3, rounds < 1 << 40 { rounds *= 2 }
      return rates.repeated(for: seconds) { mk_peak_run(kind, rounds) }.max() ?? 0
    }
  }

  /// Bytes per second that all threads together read from separate memory that exceeds the caches, each from its first byte to its last: the
  /// sum of each thread's best pass within `seconds`.
  package func bytesReadPerSecond(seconds: Double) -> Double {
    let count = 32 << 20
    return sum { rates in
      let values = UnsafeMutableBufferPointer<Float>.allocate(capacity: count)
      defer { unsafe values.deallocate() }
      unsafe values.initialize(repeating: 1)
      return rates.repeated(for: seconds) {
        unsafe mk_peak_read(values.baseAddress!, count) > 0 ? Double(count * MemoryLayout<Float>.size) : 0
      }.max() ?? 0
    }
  }

  /// The sum of `body`'s results over all threads.
  private func sum(_ body: (Rates) -> Double) -> Double {
    var results = [Double](repeating: 0, count: threads)
    unsafe results.withUnsafeMutableBufferPointer { results in
      // Each chunk is written by one thread only.
      nonisolated(unsafe) let results = unsafe results
      ThreadPool(limit: threads).run(threads) { chunk, _ in unsafe results[chunk] = body(Rates()) }
    }
    return results.reduce(0, +)
  }

  private struct Rates {
    let clock = ContinuousClock()

    func measure(_ body: () -> Double) -> (amount: Double, seconds: Double) {
      let start = clock.now
      let amount = body()
      let time = (clock.now - start).components
      return (amount, Double(time.seconds) + Double(time.attoseconds) * 1e-18)
    }

    /// Calls `body` repeatedly, at least once, and returns the rate of each call: its result divided by its duration.
    func repeated(for seconds: Double, _ body: () -> Double) -> [Double] {
      var rates: [Double] = []
      var left = seconds
      repeat {
        let (amount, time) = measure(body)
        rates.append(amount / max(time, 1e-9))
        left -= time
      } while left > 0
      return rates
    }
  }
}
