import ArgumentParser
import MartletSystem
import Martlet
import MartletBytes
import MartletTensor

/// An axis of an input and the range of its extents.
struct ExtentRange: ExpressibleByArgument {
  let input: String
  let axis: Int
  let extents: ClosedRange<Int>

  /// `INPUT.AXIS=FIRST-LAST`.
  init?(argument: String) {
    let sides = argument.split(separator: "=", maxSplits: 1)
    guard sides.count == 2, let dot = sides[0].lastIndex(of: "."), let axis = Int(sides[0][sides[0].index(after: dot)...], radix: 10) else {
      return nil
    }
    let limits = sides[1].split(separator: "-").map { Int($0, radix: 10) }
    guard limits.count == 2, let first = limits[0], let last = limits[1], first >= 0, last >= first, axis >= 0 else { return nil }
    input = String(sides[0][..<dot])
    self.axis = axis
    extents = first...last
  }
}

/// Runs a model with many extents of a dynamic axis, to measure the cost of planning for a new extent and the growth of memory.
struct ExtentSweep {
  /// For each extent, the time of the first prediction (with planning) and of the next one, in seconds.
  private(set) var first: [Double] = []
  private(set) var next: [Double] = []
  /// Resident memory in bytes after a quarter of the extents and at the end; nil if the system does not report it.
  private(set) var residentAfterQuarter: Int?
  private(set) var residentAtEnd: Int?

  /// Extents are visited in an order that alternates between large and small ones, so that memory does not grow merely with the extent.
  init(_ model: Model, method: String, signature: MethodSignature, inputs: [ModelValue], ranges: [ExtentRange]) throws {
    let count = ranges.map(\.extents.count).min() ?? 0
    let clock = ContinuousClock()
    let stride = (1...).first { $0 > count * 3 / 8 && Self.areCoprime($0, count) } ?? 1
    var largestFirst = Array(0..<count).map { (Extent($0) * stride).clamped % count }
    largestFirst.removeAll { $0 == count - 1 }
    largestFirst.insert(count - 1, at: 0)
    for (round, step) in largestFirst.enumerated() {
      var values = inputs
      for range in ranges {
        guard let position = signature.inputs.firstIndex(where: { $0.name == range.input }) ?? Int(range.input, radix: 10),
          values.indices.contains(position), case .tensor(let tensor) = values[position], range.axis < tensor.shape.count
        else { throw CommandFailure("\(signature.name) has no input \(range.input) with an axis \(range.axis)") }
        var shape = tensor.shape
        // In range: a number of the range.
        shape[range.axis] = range.extents.lowerBound + step
        values[position] = try GeneratedInput(seed: UInt64(clamping: round), memoryLimit: LimitOptions.byteLimit).random(
          signature.inputs[position], shape: shape)
      }
      for isFirst in [true, false] {
        let start = clock.now
        _ = try model.run(values, method: method)
        let seconds = (clock.now - start).seconds
        if isFirst { first.append(seconds) } else { next.append(seconds) }
      }
      if round == count / 4 { residentAfterQuarter = ProcessMemory.residentByteCount }
      Terminal.showProgress("\(round + 1) of \(count) extents")
    }
    residentAtEnd = ProcessMemory.residentByteCount
  }

  private static func areCoprime(_ a: Int, _ b: Int) -> Bool {
    var (a, b) = (a, b)
    while b != 0 { (a, b) = (b, a % b) }
    return a == 1
  }

  /// Time added to the first prediction by planning, summed over all extents except the very first, which packs weights.
  private var planning: Double { zip(first, next).dropFirst().reduce(0) { $0 + $1.0 - $1.1 } }
  private var predicting: Double { next.dropFirst().reduce(0, +) }

  var rows: [[String]] {
    let count = Double(max(next.count - 1, 1))
    return [
      ["extents", "\(next.count)"],
      [
        "new extents",
        "\(Formatting.seconds(planning / count)) of planning on average, \(Formatting.seconds(predicting / count)) of predicting",
      ],
      [
        "resident memory",
        residentAfterQuarter.flatMap { quarter in
          residentAtEnd.map { "\(Formatting.bytes(quarter)) after a quarter of them, \(Formatting.bytes($0)) at the end" }
        } ?? "not available",
      ],
    ]
  }

  var json: JSONValue {
    .members([
      "count": .integer(next.count), "planningSeconds": .number(planning), "predictingSeconds": .number(predicting),
      "residentByteCountAfterQuarter": residentAfterQuarter.map { .integer($0) } ?? .null,
      "residentByteCountAtEnd": residentAtEnd.map { .integer($0) } ?? .null,
    ])
  }
}
