import Martlet
import MartletBytes

/// Times of every kernel over several predictions.
struct KernelProfile {
  struct Row {
    let label: String
    let source: String
    /// Mean time per prediction.
    var seconds: Double
    var flops: Double
    var bytes: Double
    /// Number of kernels in the row.
    var count = 1
  }

  /// Kernels in descending order of time.
  let rows: [Row]
  /// The same by kind, which is the first word of the label.
  let kinds: [Row]
  let totalSeconds: Double
  let roundCount: Int

  /// - Parameter runs: the kernels of each prediction, in order; not empty.
  init(_ runs: [[KernelTime]]) {
    // Predictions may differ if control flow depends on the data: kernels are matched by position, label and source.
    var positions: [String: Int] = [:]
    var rows: [Row] = []
    for run in runs {
      var occurrences: [String: Int] = [:]
      for kernel in run {
        let name = "\(kernel.label)\n\(kernel.source)"
        let occurrence = occurrences[name, default: 0]
        occurrences[name] = occurrence + 1
        let key = "\(name)\n\(occurrence)"
        let share = 1 / Double(runs.count)
        if let position = positions[key] {
          // In range: floating-point numbers.
          rows[position].seconds += kernel.duration * share
          rows[position].flops += kernel.flops * share
          rows[position].bytes += kernel.bytes * share
        } else {
          positions[key] = rows.count
          rows.append(
            Row(
              // In range: floating-point numbers.
              label: kernel.label, source: kernel.source, seconds: kernel.duration * share, flops: kernel.flops * share,
              bytes: kernel.bytes * share))
        }
      }
    }
    var kinds: [String: Row] = [:]
    for row in rows {
      let kind = String(row.label.prefix { $0 != " " })
      var total = kinds[kind] ?? Row(label: kind, source: "", seconds: 0, flops: 0, bytes: 0, count: 0)
      total.seconds += row.seconds
      total.flops += row.flops
      total.bytes += row.bytes
      total.count += 1
      kinds[kind] = total
    }
    totalSeconds = rows.reduce(0) { $0 + $1.seconds }
    roundCount = runs.count
    self.rows = rows.sorted { $0.seconds > $1.seconds }
    self.kinds = kinds.values.sorted { ($1.seconds, $0.label) < ($0.seconds, $1.label) }
  }

  var lines: [String] {
    let head = ["time", "share", "GFLOP/s", "GB/s"]
    let rights: [Formatting.Alignment] = [.right, .right, .right, .right]
    var lines = ["by kind (mean of \(Formatting.count(roundCount, "prediction")), \(Formatting.seconds(totalSeconds)) in kernels)"]
    lines += Formatting.table(
      [head + ["count", "kind"]] + kinds.map { cells($0) + ["\($0.count)", $0.label] }, rights + [.right, .left], indentation: "  ")
    lines += ["", "by node"]
    lines += Formatting.table(
      [head + ["kernel", "source"]] + rows.map { cells($0) + [$0.label, $0.source] }, rights + [.left, .left], indentation: "  ")
    return lines
  }

  private func cells(_ row: Row) -> [String] {
    let share = totalSeconds > 0 ? row.seconds / totalSeconds : 0
    func rate(_ amount: Double) -> String { amount > 0 && row.seconds > 0 ? Formatting.significant(amount / row.seconds * 1e-9) : "–" }
    // In range: floating-point numbers.
    return [Formatting.seconds(row.seconds), "\(Formatting.fixed(share * 100, 1)) %", rate(row.flops), rate(row.bytes)]
  }

  var json: JSONValue {
    func value(_ row: Row, name: String) -> JSONValue {
      .members([
        name: .string(row.label), "source": row.source.isEmpty ? .null : .string(row.source), "seconds": .number(row.seconds),
        "share": .number(totalSeconds > 0 ? row.seconds / totalSeconds : 0), "flops": .number(row.flops), "bytes": .number(row.bytes),
        "count": .integer(row.count),
      ])
    }
    return .members([
      "predictions": .integer(roundCount), "kernelSeconds": .number(totalSeconds),
      "kinds": .array(kinds.map { value($0, name: "kind") }), "kernels": .array(rows.map { value($0, name: "kernel") }),
    ])
  }
}

/// Kernels in the format of chrome://tracing and Perfetto: complete events, times in microseconds.
enum ChromeTrace {
  static func text(_ kernels: [KernelTime], name: String) -> String {
    let origin = kernels.map(\.start).min() ?? 0
    var events: [JSONValue] = [
      .members([
        "name": .string("process_name"), "ph": .string("M"), "pid": .integer(1), "tid": .integer(1),
        "args": .members(["name": .string(name)]),
      ])
    ]
    events += kernels.map { kernel in
      .members([
        "name": .string(kernel.label), "cat": .string(String(kernel.label.prefix { $0 != " " })), "ph": .string("X"),
        "ts": .number((kernel.start - origin) * 1e6), "dur": .number(kernel.duration * 1e6), "pid": .integer(1), "tid": .integer(1),
        "args": .members(["source": .string(kernel.source), "flops": .number(kernel.flops), "bytes": .number(kernel.bytes)]),
      ])
    }
    return JSONValue.members(["displayTimeUnit": .string("ms"), "traceEvents": .array(events)]).text + "\n"
  }
}
