import CoreML
import Testing

@testable import Fruit

/// An output that no model has computed.
private final class MockOutput: MLFeatureProvider {
  private let values: [String: MLFeatureValue]
  var featureNames: Set<String> { Set(values.keys) }

  init(_ values: [String: MLFeatureValue]) { self.values = values }

  func featureValue(for featureName: String) -> MLFeatureValue? { values[featureName] }
}

struct RipenessReportTests {
  private func output(_ label: String, _ probabilities: [String: Double]) throws -> MockOutput {
    MockOutput([
      "label": MLFeatureValue(string: label),
      "probabilities": try MLFeatureValue(dictionary: probabilities.mapValues { NSNumber(value: $0) }),
    ])
  }

  @Test func sure() throws {
    #expect(RipenessReport(try output("ripe", ["ripe": 0.92, "unripe": 0.08]))?.text == "ripe (92 %)")
    #expect(RipenessReport(try output("unripe", ["ripe": 0.3, "unripe": 0.7]))?.text == "unripe (70 %)")
  }

  @Test func unsure() throws {
    #expect(RipenessReport(try output("ripe", ["ripe": 0.55, "unripe": 0.45]))?.text == "not sure (55 %)")
  }

  @Test func incomplete() throws {
    #expect(RipenessReport(MockOutput(["label": MLFeatureValue(string: "ripe")])) == nil)
    #expect(RipenessReport(try output("other", ["ripe": 1])) == nil)
    #expect(RipenessReport(RipenessOutput(label: "ripe", probabilities: ["ripe": 1])) == RipenessReport(try output("ripe", ["ripe": 1])))
  }
}
