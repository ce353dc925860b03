import Martlet
import MartletBytes

/// A plan as text and JSON.
struct PlanReport {
  let plan: ModelPlan
  /// Name of the file.
  let name: String

  init(_ plan: ModelPlan, name: String) {
    self.plan = plan
    self.name = name
  }

  /// Operations with kernels.
  var computed: [ModelPlan.Operation] { plan.operations.filter { !$0.kernels.isEmpty } }

  /// Total measured time of all operations in seconds; nil without measurements.
  var measuredSeconds: Double? {
    plan.operations.contains { $0.measuredSeconds != nil } ? plan.operations.reduce(0) { $0 + ($1.measuredSeconds ?? 0) } : nil
  }

  /// Agreement between the order of the estimates and that of the measured times: Spearman's rank correlation, from -1 to 1. Nil without
  /// measurements.
  var rankCorrelation: Double? {
    let rows = computed
    guard measuredSeconds != nil, rows.count > 1 else { return nil }
    return RankCorrelation.spearman(rows.map(\.estimatedSeconds), rows.map { $0.measuredSeconds ?? 0 })
  }

  /// One-line summary of the plan.
  var summary: String {
    let inputs = plan.inputs.isEmpty ? "no inputs" : plan.inputs.joined(separator: ", ")
    return "\(name), method \(plan.method) of \(inputs): \(Formatting.count(plan.operations.count, "operation")), "
      + "\(Formatting.count(plan.kernelCount, "kernel")), \(Formatting.count(plan.threads, "thread"))"
  }

  /// Notes on interpreting the figures.
  var notes: [String] {
    var notes: [String] = []
    let rest = plan.operations.count - computed.count
    if rest > 0 { notes.append("\(Formatting.count(rest, "operation")) without a kernel: folded, part of another's weights, or a view") }
    if plan.isPartial { notes.append("the rest of the method depends on data and could not be planned: --measure runs it") }
    if let rankCorrelation {
      let coefficient = Formatting.fixed(rankCorrelation, 2)
      notes.append("rank correlation of estimates and measured times: \(coefficient) (Spearman's coefficient)")
    }
    return notes
  }

  static func percent(_ share: Double) -> String { "\(Formatting.fixed(share * 100, share < 0.0995 ? 2 : 1)) %" }

  func text(byCost: Bool) -> String {
    let measured = measuredSeconds
    var rows = [["share", "estimate"] + (measured == nil ? [] : ["measured", "share"]) + ["device", "operator", "operation", "kernel"]]
    let operations = byCost ? computed.sorted { $0.share > $1.share } : computed
    for operation in operations {
      var row = [Self.percent(operation.share), Formatting.seconds(operation.estimatedSeconds)]
      if let measured {
        let seconds = operation.measuredSeconds ?? 0
        row += [Formatting.seconds(seconds), Self.percent(measured > 0 ? seconds / measured : 0)]
      }
      rows.append(row + [operation.device, operation.op, operation.name, operation.kernels.joined(separator: "; ")])
    }
    let numbers = [Formatting.Alignment](repeating: .right, count: measured == nil ? 2 : 4)
    return ([summary] + Formatting.table(rows, numbers + [.left, .left, .left, .left], indentation: "  ") + notes).joined(separator: "\n")
  }

  /// Times in seconds.
  var json: JSONValue {
    .members([
      "model": .string(name), "method": .string(plan.method), "inputs": .array(plan.inputs.map { .string($0) }),
      "threads": .integer(plan.threads), "kernelCount": .integer(plan.kernelCount), "isPartial": .boolean(plan.isPartial),
      "estimatedSeconds": .number(plan.estimatedSeconds), "measuredSeconds": measuredSeconds.map { .number($0) } ?? .null,
      "rankCorrelation": rankCorrelation.map { .finite($0) } ?? .null,
      "operations": .array(
        plan.operations.map { operation in
          .members([
            "operator": .string(operation.op), "name": .string(operation.name), "device": .string(operation.device),
            "share": .number(operation.share), "estimatedSeconds": .number(operation.estimatedSeconds),
            "measuredSeconds": operation.measuredSeconds.map { .number($0) } ?? .null,
            "kernels": .array(operation.kernels.map { .string($0) }),
          ])
        }),
    ])
  }
}

enum RankCorrelation {
  /// Spearman's rank correlation of two lists. Equal values share their mean rank.
  static func spearman(_ a: [Double], _ b: [Double]) -> Double {
    let (x, y) = (ranks(a), ranks(b))
    let mean = Double(x.count + 1) / 2
    var (product, first, second) = (0.0, 0.0, 0.0)
    for (p, q) in zip(x, y) {
      product += (p - mean) * (q - mean)
      first += (p - mean) * (p - mean)
      second += (q - mean) * (q - mean)
    }
    // In range: floating-point numbers.
    return first > 0 && second > 0 ? product / (first * second).squareRoot() : .nan
  }

  private static func ranks(_ numbers: [Double]) -> [Double] {
    let order = numbers.indices.sorted { numbers[$0] < numbers[$1] }
    var ranks = [Double](repeating: 0, count: numbers.count)
    var start = 0
    while start < order.count {
      var end = start + 1
      while end < order.count, numbers[order[end]] == numbers[order[start]] { end += 1 }
      for position in start..<end { ranks[order[position]] = Double(start + end + 1) / 2 }
      start = end
    }
    return ranks
  }
}
