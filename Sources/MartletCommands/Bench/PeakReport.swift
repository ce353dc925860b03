import MartletBytes
import MartletKernels

/// The measurements of `martlet bench --peak`.
struct PeakReport {
  private let threads: Int
  /// Cycles per second of one core.
  private let clock: Double
  private let arithmetic: [(name: String, unit: String?, rate: ProcessorPeak.Rate, operationsPerCycleAtMost: Double)]
  private let reading: Double

  /// Runs the measurements, which take some seconds.
  init(threads: Int) {
    let peak = ProcessorPeak(threads: threads)
    self.threads = threads
    arithmetic = ProcessorPeak.Arithmetic.allCases.filter { $0 != .clock }.map {
      ($0.rawValue, peak.unit($0), peak.rate(of: $0, seconds: 0.3), peak.operationsPerCycle($0))
    }
    clock = arithmetic.map(\.rate.clock).max() ?? 0
    reading = peak.bytesReadPerSecond(seconds: 0.4)
  }

  var text: String {
    var rows = arithmetic.map { entry in
      let perSecond: Double = entry.rate.operationsPerSecond
      let rate = "\(Formatting.significant(perSecond * 1e-9)) billion operations per second"
      let cycle = "\(Formatting.significant(entry.rate.operationsPerCycle)) per cycle and core"
      return [entry.name, entry.unit.map { "\(rate), \(cycle) (\($0))" } ?? "not supported"]
    }
    rows.insert(["clock", "\(Formatting.significant(clock * 1e-9)) GHz"], at: 0)
    rows.append(["reading", "\(Formatting.significant(reading * 1e-9)) GB/s"])
    return ([Formatting.count(threads, "thread")] + Formatting.table(rows, [.left, .left], indentation: "  ")).joined(separator: "\n")
  }

  /// Rates in cycles, operations and bytes per second, and operations in a cycle of one core: measured, and what no core exceeds.
  var json: JSONValue {
    var members = [
      JSONValue.Member("threads", .integer(threads)), .init("instructionSet", .string(MachineProfile.current.step)),
      .init("clock", .number(clock)),
    ]
    for entry in arithmetic {
      guard let unit = entry.unit else { continue }
      members.append(
        .init(
          entry.name,
          .object([
            .init("unit", .string(unit)), .init("operationsPerSecond", .number(entry.rate.operationsPerSecond)),
            .init("operationsPerCycle", .number(entry.rate.operationsPerCycle)),
            .init("operationsPerCycleAtMost", .number(entry.operationsPerCycleAtMost)),
          ])))
    }
    members.append(.init("bytesReadPerSecond", .number(reading)))
    return .object(members)
  }
}
