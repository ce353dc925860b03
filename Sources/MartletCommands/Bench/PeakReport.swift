import MartletBytes
import MartletKernels

/// The measurements of `martlet bench --peak`.
struct PeakReport {
  private let threads: Int
  /// Cycles per second of one core.
  private let clock: Double
  private let arithmetic: [(name: String, unit: String?, rate: Double, operationsPerCycle: Double)]
  private let reading: Double

  /// Runs the measurements, which take some seconds.
  init(threads: Int) {
    let peak = ProcessorPeak(threads: threads)
    self.threads = threads
    clock = ProcessorPeak(threads: 1).operationsPerSecond(.clock, seconds: 0.1)
    arithmetic = ProcessorPeak.Arithmetic.allCases.filter { $0 != .clock }.map {
      ($0.rawValue, peak.unit($0), peak.operationsPerSecond($0, seconds: 0.4), peak.operationsPerCycle($0))
    }
    reading = peak.bytesReadPerSecond(seconds: 0.4)
  }

  var text: String {
    var rows = arithmetic.map { entry in
      let rate = "\(Formatting.significant(entry.rate * 1e-9)) billion operations per second"
      return [entry.name, entry.unit.map { "\(rate) (\($0))" } ?? "not supported"]
    }
    rows.insert(["clock", "\(Formatting.significant(clock * 1e-9)) GHz"], at: 0)
    rows.append(["reading", "\(Formatting.significant(reading * 1e-9)) GB/s"])
    return ([Formatting.count(threads, "thread")] + Formatting.table(rows, [.left, .left], indentation: "  ")).joined(separator: "\n")
  }

  /// Rates in cycles, operations and bytes per second, and the operations that no core exceeds in a cycle.
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
            .init("unit", .string(unit)), .init("operationsPerSecond", .number(entry.rate)),
            .init("operationsPerCycleAtMost", .number(entry.operationsPerCycle)),
          ])))
    }
    members.append(.init("bytesReadPerSecond", .number(reading)))
    return .object(members)
  }
}
