import MartletConformance
import MartletKernels

/// The measurements of `martlet bench --peak`.
struct PeakReport {
  private let threads: Int
  private let arithmetic: [(name: String, unit: String?, rate: Double)]
  private let reading: Double

  /// Runs the measurements, which take some seconds.
  init(threads: Int) {
    let peak = ProcessorPeak(threads: threads)
    self.threads = threads
    arithmetic = ProcessorPeak.Arithmetic.allCases.map { ($0.rawValue, peak.unit($0), peak.operationsPerSecond($0, seconds: 0.4)) }
    reading = peak.bytesReadPerSecond(seconds: 0.4)
  }

  var text: String {
    var rows = arithmetic.map { entry in
      let rate = "\(Formatting.significant(entry.rate * 1e-9)) billion operations per second"
      return [entry.name, entry.unit.map { "\(rate) (\($0))" } ?? "not supported"]
    }
    rows.append(["reading", "\(Formatting.significant(reading * 1e-9)) GB/s"])
    return ([Formatting.count(threads, "thread")] + Formatting.table(rows, [.left, .left], indentation: "  ")).joined(separator: "\n")
  }

  /// Rates in operations and bytes per second.
  var json: JSONValue {
    var members = [JSONValue.Member("threads", .integer(threads))]
    for entry in arithmetic {
      guard let unit = entry.unit else { continue }
      members.append(
        .init(entry.name, .object([.init("unit", .string(unit)), .init("operationsPerSecond", .number(entry.rate))])))
    }
    members.append(.init("bytesReadPerSecond", .number(reading)))
    return .object(members)
  }
}
