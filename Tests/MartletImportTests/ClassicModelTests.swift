import Foundation
import Martlet
import MartletConformance
import MartletGraph
import MartletOps
import Testing

/// Classic models and pipelines: the recorded cases of `Oracles/make_classic_cases.py`.
@Suite struct ClassicModelTests {
  private static var cases: URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fixtures/classic")
  }

  private static func model(_ name: String) throws -> Model { try Model(contentsOf: cases.appendingPathComponent("\(name)/model.mlmodel")) }

  @Test func recordedModelsGiveTheirResults() async throws {
    let report = try await CaseRunner(concurrency: 2) { try ModelCase($0, options: ModelOptions()) }.run(paths: [Self.cases.path])
    #expect(report.results.count >= 30)
    for result in report.results where !result.passed { Issue.record("\(result.path): \(result.failures)") }
  }

  @Test func numericPipelinesAreOneGraph() throws {
    let graph = try Self.model("pipeline-regressor").graph(nil, isOptimized: false)
    #expect(graph.nodes.contains { $0.op is MatMul })
    #expect(graph.inputs.count == 1 && graph.outputs.count == 1)
  }

  /// A batch is one call over rows where the model is numeric; its results are those of single calls.
  @Test(arguments: [
    ("tree-regressor-0", ["x": 6]), ("tree-regressor-named", ["a": 0, "b": -1, "c": 0]), ("tree-classifier-softmax", ["x": 5]),
    ("svm-sparse-probabilities", ["x": 5]), ("pipeline-regressor", ["x": 3]), ("pipeline-program", ["x": 2]),
  ])
  func batchesGiveTheResultsOfSingleCalls(_ name: String, _ inputs: [String: Int]) throws {
    let model = try Self.model(name)
    var state: UInt64 = 88_172_645_463_325_252
    func random() -> Double {
      state ^= state << 13
      state ^= state >> 7
      state ^= state << 17
      return Double(state % 41) / 10 - 2
    }
    let rows = try (0..<37).map { _ in
      try inputs.mapValues { count -> ModelValue in
        switch count {
        case -1: .int(Int(random()))
        case 0: .double(random())
        default: .tensor(try Tensor((0..<count).map { _ in random() }, shape: [count]))
        }
      }
    }
    let batch = try model.run(batch: rows)
    for (row, results) in zip(rows, batch) {
      for (name, value) in try model.run(row) {
        if case .dictionary(let numbers) = value, case .dictionary(let found)? = results[name] {
          #expect(found == numbers, "\(name)")
        } else {
          #expect(results[name].map { "\($0)" } == "\(value)", "\(name)")
        }
      }
    }
    #expect(try model.run(batch: Array(rows.prefix(0))).isEmpty)
    #expect(try model.run(batch: Array(rows.prefix(1))).count == 1)
  }

  @Test func missingAndUnfitInputsAreNamed() throws {
    let model = try Self.model("tree-regressor-named")
    for inputs: [String: ModelValue] in [["a": .double(1), "c": .double(1)], ["a": .double(1), "b": .string("one")]] {
      let error = #expect(throws: MartletError.self) { try model.run(inputs) }
      #expect("\(try #require(error))".contains("b"))
    }
    let rows: [[ModelValue]] = [[.double(1), .int(1), .none], [.double(1), .string("one"), .none]]
    let error = #expect(throws: MartletError.self) { try model.run(batch: rows) }
    #expect("\(try #require(error))".contains("b"))
    let suppression = try Self.model("suppression-per-class")
    #expect(throws: MartletError.self) {
      try suppression.run([
        "confidence": .tensor(Tensor(zeros: .float64, shape: [4, 2])), "coordinates": .tensor(Tensor(zeros: .float64, shape: [5, 4])),
      ])
    }
  }

  @Test func labelsAndSignaturesOfPipelinesAreKnown() throws {
    let model = try Self.model("pipeline-text-0")
    let signature = try model.signature()
    #expect(signature.classLabels == .strings(["no", "yes"]))
    #expect(signature.inputs.map(\.kind).first == .string)
    #expect(signature.outputs.map(\.kind).last == .dictionary(keys: .string))
  }

  /// A spectrogram is nodes of a graph, so that a batch of sounds is one call.
  @Test func spectrogramsOfABatchAreThoseOfSingleSounds() throws {
    let model = try Self.model("sound-vggish-0")
    let rows = try (1...3).map { row -> [String: ModelValue] in
      let samples: [Float] = (0..<15600).map { index in Float((index * row * 37) % 101) / 101 - 0.5 }
      return ["sound": .tensor(try Tensor(samples, shape: [15600]))]
    }
    let batch = try model.run(batch: rows)
    #expect(try model.graph(nil, isOptimized: false).nodes.contains { $0.op is RealFourier })
    for (row, results) in zip(rows, batch) {
      let single = try #require(model.run(row)["bands"]?.tensor)
      let found = try #require(results["bands"]?.tensor)
      #expect(single.shape == [1, 96, 64] && found.shape == single.shape)
      #expect(try found.scalars(as: Float.self) == single.scalars(as: Float.self))
    }
  }

  /// The file says how many rows the outputs have at least.
  @Test func paddedOutputsFitTheMemoryLimit() throws {
    var options = ModelOptions()
    options.memoryLimit = 48
    let url = Self.cases.appendingPathComponent("suppression-padded/model.mlmodel")
    let model = try Model(contentsOf: url, options: options)
    let inputs: [String: ModelValue] = [
      "confidence": .tensor(try Tensor([0.5, 0.25] as [Double], shape: [1, 2])),
      "coordinates": .tensor(try Tensor([0.5, 0.5, 0.25, 0.25] as [Double], shape: [1, 4])),
    ]
    #expect {
      _ = try model.run(inputs)
    } throws: { error in
      (error as? MartletError)?.kind == .outOfMemory
    }
    options.memoryLimit = 128
    #expect(try Model(contentsOf: url, options: options).run(inputs)["boxes"]?.tensor?.shape == [4, 4])
  }
}
