import Martlet
import MartletBytes
import MartletTensor

/// The measurements of one model.
struct Measurement {
  /// Resident memory after a number of steps.
  struct Resident {
    let step: Int
    let byteCount: Int
  }

  let path: String
  let method: String
  let threads: Int
  let loadSeconds: Double
  /// Time of the first prediction.
  let firstSeconds: Double
  /// Times of the later predictions in ascending order; at least one.
  let times: [Double]
  /// Growth of peak resident memory during loading and running, in bytes; nil if the system does not report it.
  let memoryGrowthByteCount: Int?
  /// Calls of the C allocator per prediction; nil if they are not counted.
  var allocationsPerPrediction: Double?
  /// The same for predictions that reuse the outputs of the previous one.
  var allocationsReusingOutputs: Double?
  /// What is timed: a prediction, or a step of training.
  var call = "prediction"
  /// Resident memory after some of the steps of a training.
  var resident: [Resident] = []
  var sweep: ExtentSweep?
  var profile: KernelProfile?

  /// The time that a fraction `share` of the predictions does not exceed (nearest rank).
  func percentile(_ share: Double) -> Double {
    // In range: at most the number of times.
    let rank = Int((share * Double(times.count)).rounded(.up))
    return times[max(0, min(times.count, rank) - 1)]
  }

  /// The median; for an even count the mean of the two middle values.
  var median: Double {
    let middle = times.count / 2
    return times.count.isMultiple(of: 2) ? (times[middle - 1] + times[middle]) / 2 : times[middle]
  }

  var text: String {
    var lines = ["\(path), method \(method), \(Formatting.count(threads, "thread"))"]
    var rows = [
      ["load", Formatting.seconds(loadSeconds)], ["first \(call)", Formatting.seconds(firstSeconds)],
      [
        call,
        "minimum \(Formatting.seconds(times[0])), median \(Formatting.seconds(median)), p95 \(Formatting.seconds(percentile(0.95)))"
          + " (of \(times.count))",
      ],
    ]
    rows.append(["peak memory", memoryGrowthByteCount.map { "\(Formatting.bytes($0)) more than before loading" } ?? "not available"])
    rows.append([
      "allocations",
      allocationsPerPrediction.map { count in
        "\(Formatting.significant(count)) per \(call)"
          + (allocationsReusingOutputs.map { ", \(Formatting.significant($0)) with outputs reused" } ?? "")
      } ?? "not counted in this build",
    ])
    rows += resident.map { ["memory after step \($0.step)", Formatting.bytes($0.byteCount)] }
    if let sweep { rows += sweep.rows }
    lines += Formatting.table(rows, [.left, .left], indentation: "  ")
    if let profile { lines += [""] + profile.lines }
    return lines.joined(separator: "\n")
  }

  /// Times in seconds.
  var json: JSONValue {
    var members: [JSONValue.Member] = [
      .init("model", .string(path)), .init("method", .string(method)), .init("threads", .integer(threads)),
      .init("loadSeconds", .number(loadSeconds)), .init("firstSeconds", .number(firstSeconds)),
      .init(
        call,
        .members([
          "minimumSeconds": .number(times[0]), "medianSeconds": .number(median), "p95Seconds": .number(percentile(0.95)),
          "count": .integer(times.count),
        ])),
      .init("memoryGrowthByteCount", memoryGrowthByteCount.map { .integer($0) } ?? .null),
      .init("allocationsPerPrediction", allocationsPerPrediction.map { .number($0) } ?? .null),
      .init("allocationsReusingOutputs", allocationsReusingOutputs.map { .number($0) } ?? .null),
    ]
    if !resident.isEmpty {
      members.append(
        .init("resident", .array(resident.map { .members(["step": .integer($0.step), "byteCount": .integer($0.byteCount)]) })))
    }
    if let sweep { members.append(.init("sweep", sweep.json)) }
    if let profile { members.append(.init("profile", profile.json)) }
    return .object(members)
  }
}
