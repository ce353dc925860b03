import Martlet
import MartletPixels
import MartletTensor

/// Compares the outputs of a model with those that a case expects.
package struct CaseComparison: Sendable {
  package var tolerance: Tolerance
  /// If set, floating-point tensors are tested for this distribution instead of being compared with expected values.
  package var distribution: RecordedCase.Distribution?

  package init(tolerance: Tolerance, distribution: RecordedCase.Distribution? = nil) {
    self.tolerance = tolerance
    self.distribution = distribution
  }

  /// - Parameter place: names the value in messages, e.g. `output 0`.
  /// - Returns: all differences; empty if the value passes.
  package func failures(actual: CaseValue, expected: CaseValue, place: String) -> [CaseFailure] {
    switch (actual, expected) {
    case (.tensor(let actual, _), .tensor(let expected, _)):
      return failures(actual: actual, expected: expected, place: place)
    case (.int(let actual), .int(let expected)): return exact(actual, expected, place)
    case (.bool(let actual), .bool(let expected)): return exact(actual, expected, place)
    case (.string(let actual), .string(let expected)): return exact("\"\(actual)\"", "\"\(expected)\"", place)
    case (.none, .none): return []
    case (.double(let actual), .double(let expected)):
      if tolerance.accepts(actual, expected) { return [] }
      return [CaseFailure(.values, place: place, "\(actual), expected \(expected)")]
    case (.list(let actual), .list(let expected)):
      guard actual.count == expected.count else {
        return [CaseFailure(.shape, place: place, "\(actual.count) items, expected \(expected.count)")]
      }
      return zip(actual, expected).enumerated().flatMap { index, pair in
        failures(actual: pair.0, expected: pair.1, place: "\(place)[\(index)]")
      }
    case (.image(let actual), .image(let expected)): return failures(actual: actual, expected: expected, place: place)
    case (.dictionary(.byString(let actual)), .dictionary(.byString(let expected))):
      return failures(actual: actual, expected: expected, place: place)
    case (.dictionary(.byInteger(let actual)), .dictionary(.byInteger(let expected))):
      return failures(actual: actual, expected: expected, place: place)
    case (.dictionary, .dictionary):
      return [CaseFailure(.valueKind, place: place, "one dictionary has string keys, the other integer keys")]
    default: return [CaseFailure(.valueKind, place: place, "\(actual.kind), expected \(expected.kind)")]
    }
  }

  private func exact<Value: Equatable>(_ actual: Value, _ expected: Value, _ place: String) -> [CaseFailure] {
    actual == expected ? [] : [CaseFailure(.values, place: place, "\(actual), expected \(expected)")]
  }

  private func failures(actual: HostTensor, expected: HostTensor, place: String) -> [CaseFailure] {
    guard actual.dtype == expected.dtype else {
      return [CaseFailure(.dtype, place: place, "dtype \(actual.dtype), expected \(expected.dtype)")]
    }
    guard actual.shape == expected.shape else {
      return [CaseFailure(.shape, place: place, "shape \(actual.shape), expected \(expected.shape)")]
    }
    if let distribution, case .floating(let values) = actual.elements {
      return distribution.fault(of: values).map { [CaseFailure(.distribution, place: place, $0)] } ?? []
    }
    return TensorComparison(actual: actual, expected: expected, tolerance: tolerance)
      .failures(tolerance: tolerance, place: place)
  }

  /// Images are compared sample by sample, as values from 0 to 255.
  private func failures(actual: Image, expected: Image, place: String) -> [CaseFailure] {
    guard (actual.width, actual.height) == (expected.width, expected.height) else {
      return [
        CaseFailure(
          .shape, place: place,
          "\(actual.width) x \(actual.height) pixels, expected \(expected.width) x \(expected.height)")
      ]
    }
    guard actual.format == expected.format else {
      return [CaseFailure(.dtype, place: place, "pixel format \(actual.format), expected \(expected.format)")]
    }
    let differing = zip(actual.pixels, expected.pixels).enumerated().filter { _, pair in
      !tolerance.accepts(Double(pair.0), Double(pair.1))
    }
    guard let first = differing.first else { return [] }
    let pixel = first.offset / expected.format.channelCount
    return [
      CaseFailure(
        .values, place: place,
        "\(differing.count) of \(expected.pixels.count) samples differ, the first in row \(pixel / expected.width), "
          + "column \(pixel % expected.width): \(first.element.0), expected \(first.element.1)")
    ]
  }

  /// With `top_k`, the expected dictionary lists only the largest entries; all others must not exceed them.
  private func failures<Key: Comparable>(
    actual: [Key: Double], expected: [Key: Double], place: String
  ) -> [CaseFailure] {
    var messages: [String] = []
    for (key, value) in expected.sortedByKey {
      if let other = actual[key] {
        if !tolerance.accepts(other, value) { messages.append("\(key): \(other), expected \(value)") }
      } else {
        messages.append("\(key) is missing")
      }
    }
    let others = actual.filter { expected[$0.key] == nil }.sortedByKey
    if tolerance.topCount == nil {
      messages += others.map { "\($0.key) is not expected" }
    } else if let least = expected.values.min() {
      // In range: floating-point numbers.
      let bound = least + tolerance.absolute + tolerance.relative * abs(least)
      messages += others.filter { !($0.value <= bound) }.map { "\($0.key): \($0.value) is larger than the listed \(least)" }
    }
    guard let first = messages.first else { return [] }
    let rest = messages.count > 1 ? " (and \(messages.count - 1) more)" : ""
    return [CaseFailure(.values, place: place, first + rest)]
  }
}

extension RecordedCase.Distribution {
  /// Tests range, mean and variance with bounds of six standard errors.
  /// - Returns: a description of the failure, or nil.
  func fault(of values: [Double]) -> String? {
    guard !values.isEmpty else { return nil }
    let count = Double(values.count)
    guard values.allSatisfy(\.isFinite) else { return "a value is not finite" }
    let mean = values.reduce(0, +) / count
    // Computed about the distribution's own mean, which is known.
    let (expectedMean, expectedVariance, varianceOfSquare): (Double, Double, Double) =
      switch self {
      case .uniform01: (0.5, 1.0 / 12, 1.0 / 180)
      case .normal01: (0, 1, 2)
      }
    if self == .uniform01, let outside = values.first(where: { $0 < 0 || $0 >= 1 }) {
      return "\(outside) is not in 0..<1"
    }
    // In range: floating-point numbers.
    let variance = values.reduce(0) { $0 + ($1 - expectedMean) * ($1 - expectedMean) } / count
    if abs(mean - expectedMean) > 6 * (expectedVariance / count).squareRoot() {
      return "mean \(mean) over \(values.count) values, expected \(expectedMean)"
    }
    if abs(variance - expectedVariance) > 6 * (varianceOfSquare / count).squareRoot() {
      return "variance \(variance) over \(values.count) values, expected \(expectedVariance)"
    }
    return nil
  }
}
