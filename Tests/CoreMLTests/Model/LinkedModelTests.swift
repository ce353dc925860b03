import CoreML
import Foundation
import Testing

/// Models in other files, through Core ML's names. The files are made by `Oracles/make_outside_models.py`.
@Suite struct LinkedModelTests {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Fixtures/outside")

  private static func model(_ name: String, _ parameters: [MLParameterKey: Any]? = nil) throws -> MLModel {
    let configuration = MLModelConfiguration()
    configuration.parameters = parameters
    return try MLModel(contentsOf: fixtures.appendingPathComponent("\(name).mlmodel"), configuration: configuration)
  }

  private static func provider(_ numbers: [Double] = [1, 2, 3]) throws -> MLDictionaryFeatureProvider {
    try MLDictionaryFeatureProvider(dictionary: ["x": MLMultiArray(numbers)])
  }

  private static func y(_ model: MLModel) throws -> Double? {
    try model.prediction(from: provider()).featureValue(for: "y")?.doubleValue
  }

  @Test func `a configuration places linked models`() throws {
    #expect(try Self.y(Self.model("link")) == 14.25)
    #expect(try Self.y(Self.model("link", [.linkedModelFileName: "other.mlmodel"])) == 10)
    #expect(try Self.y(Self.model("link", [.linkedModelFileName: Self.fixtures.appendingPathComponent("other.mlmodel")])) == 10)
    let up = "../\(Self.fixtures.lastPathComponent)"
    #expect(try Self.y(Self.model("link_missing", [.linkedModelSearchPath: up, .linkedModelFileName: "other.mlmodel"])) == 10)
    let scoped: [MLParameterKey: Any] = [
      .linkedModelFileName.scoped(to: "first"): "other.mlmodel", .linkedModelSearchPath.scoped(to: "first"): up,
    ]
    let model = try Self.model("link_pipeline", scoped)
    #expect(try Self.y(model) == 12)
    #expect(model.configuration.parameters?.count == 2)
  }

  @Test func `a configuration places links in models that links stand for`() throws {
    // Stages without names go by model and their position, and the stages of a linked pipeline by the link's name and their own.
    #expect(try Self.y(Self.model("link_nested")) == 56.25)
    #expect(try Self.y(Self.model("link_nested", [.linkedModelFileName.scoped(to: "model1").scoped(to: "first"): "other.mlmodel"])) == 16)
    #expect(try Self.y(Self.model("link_nested", [.linkedModelFileName.scoped(to: "model1"): "other.mlmodel"])) == 12)
    // A link to which a link leads is like the only stage of a pipeline.
    #expect(try Self.y(Self.model("link_link")) == 14.25)
    #expect(try Self.y(Self.model("link_link", [.linkedModelFileName: "other.mlmodel"])) == 10)
    #expect(try Self.y(Self.model("link_link", [.linkedModelFileName.scoped(to: "model0"): "other.mlmodel"])) == 10)
  }

  @Test func `a scope that names no link is an error`() throws {
    let place = MLParameterKey.linkedModelFileName
    for (name, key, message) in [
      ("link", place.scoped(to: "first"), "'first'"), ("link_pipeline", place.scoped(to: "third"), "'third'"),
      ("link_pipeline", place.scoped(to: "scaler"), "'scaler'"), ("link_nested", place.scoped(to: "model0"), "'model0'"),
      ("link_nested", place.scoped(to: "model1.third"), "'model1.third'"), ("target", place, "no linked model"),
      ("target", .linkedModelSearchPath, "no linked model"), ("link_missing", place.scoped(to: "elsewhere"), "nothing.mlmodel"),
    ] {
      #expect("\(name) \(key)") {
        _ = try Self.model(name, [key: "other.mlmodel"])
      } throws: { error in
        // A link that leads nowhere comes first: what lies behind it is not known.
        (error as? MLModelError)?.code == (name == "link_missing" ? .io : .parameters) && "\(error)".contains(message)
      }
    }
  }

  @Test func `links that lead nowhere are errors of the model's file`() throws {
    for name in ["link_missing", "link_self", "link_root", "link_parent", "link_path_root"] {
      #expect {
        _ = try Self.model(name)
      } throws: { error in
        (error as? MLModelError)?.code == .io && "\(error)".contains("linkedModel.linkedModelFile")
      }
    }
    #expect {
      _ = try Self.model("link", [.linkedModelFileName: 3])
    } throws: { error in
      (error as? MLModelError)?.code == .parameters
    }
  }

  @Test func `linked classifiers give labels, in batches, too`() throws {
    let model = try Self.model("link_pipeline")
    let inputs = try (0..<9).map { try Self.provider([Double($0) - 4, 1, 0]) }
    let batch = try model.predictions(fromBatch: MLArrayBatchProvider(array: inputs))
    for (row, input) in inputs.enumerated() {
      let y = 2 * (Double(row) - 4) + 4.25
      let single = try model.prediction(from: input)
      for result in [single, batch.features(at: row)] {
        #expect(result.featureValue(for: "y")?.doubleValue == y)
        #expect(result.featureValue(for: "label")?.stringValue == (0.5 * y - 4 > 0 ? "high" : "low"))
      }
      #expect(single.featureValue(for: "p") == batch.features(at: row).featureValue(for: "p"))
    }
  }

  @Test func `many threads get the same bits from one pipeline of links`() throws {
    nonisolated(unsafe) let model = try Self.model("link_pipeline")
    @Sendable func high(_ x: Double) -> Double? {
      let result = try? model.prediction(from: Self.provider([x, 0.7, -0.3]))
      return result?.featureValue(for: "p")?.dictionaryValue["high"]?.doubleValue
    }
    let expected = (0..<50).map { high(Double($0) / 7) }
    #expect(expected.allSatisfy { $0 != nil } && Set(expected).count == 50)
    DispatchQueue.concurrentPerform(iterations: 8) { _ in
      for round in 0..<50 { #expect(high(Double(round) / 7) == expected[round]) }
    }
  }

  @Test func `a model in memory has no folder for links`() async throws {
    let asset = try MLModelAsset(specification: Data(contentsOf: Self.fixtures.appendingPathComponent("link.mlmodel")))
    let configuration = MLModelConfiguration()
    await #expect {
      _ = try await MLModel.load(asset: asset, configuration: configuration)
    } throws: { error in
      (error as? MLModelError)?.code == .io && "\(error)".contains("any folder")
    }
  }
}
