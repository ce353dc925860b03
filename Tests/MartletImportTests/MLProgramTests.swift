import Foundation
import Martlet
import MartletBytes
import MartletConformance
import MartletCoreMLFile
import MartletFeatures
import MartletGraph
import MartletOps
import MartletTensor
import Testing

/// ML Programs as graphs: the recorded ones of `Oracles/make_mil_cases.py`, and files of the Core ML readers' tests.
@Suite struct MLProgramTests {
  private static var tests: URL { URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent() }
  private static var cases: URL { tests.appendingPathComponent("Fixtures/mil") }

  private static func model(_ name: String) throws -> Model {
    try Model(contentsOf: cases.appendingPathComponent("\(name)/model.mlpackage"))
  }

  private static func readerModel(_ name: String) throws -> Model {
    try Model(contentsOf: tests.appendingPathComponent("MartletCoreMLFileTests/Fixtures/\(name)"))
  }

  @Test func recordedProgramsGiveTheirResults() async throws {
    let runner = CaseRunner(concurrency: 2) { try ModelCase($0, options: ModelOptions()) }
    let report = try await runner.run(paths: [Self.cases.path])
    #expect(report.results.count >= 15)
    for result in report.results where !result.passed { Issue.record("\(result.path): \(result.failures)") }
  }

  @Test func recordedProgramsGiveTheirResultsWithoutOptimising() async throws {
    let runner = CaseRunner(concurrency: 2) {
      var options = ModelOptions()
      options.isOptimized = false
      return try ModelCase($0, options: options)
    }
    for result in try await runner.run(paths: [Self.cases.path]).results where !result.passed {
      Issue.record("\(result.path): \(result.failures)")
    }
  }

  @Test func shapesThatAreComputedFromShapesAreNumbersOfTheGraph() throws {
    let graph = try Self.model("computed-shapes").graph(nil, isOptimized: false)
    // All but the product of the extents, which is a reduction of a tensor.
    #expect(graph.nodes.count { $0.op is ScalarFromTensor } == 1)
    #expect(graph.nodes.contains { $0.op is TensorExtent })
  }

  @Test func openExtentsHaveTheBoundsOfTheDescription() throws {
    let graph = try Self.model("computed-shapes").graph(nil, isOptimized: false)
    let input = try #require(graph.signature(graph.inputs[0]))
    #expect(input.dimensions == [.symbolic(bound: 8), .symbolic(bound: nil), .fixed(2)])
    #expect(throws: MartletError.self) {
      try Self.model("computed-shapes").run(["x": .tensor(Tensor(zeros: .float32, shape: [9, 4, 2]))])
    }
  }

  @Test func weightsStayInTheirFile() throws {
    let graph = try Self.model("half-precision").graph(nil, isOptimized: false)
    let constants = graph.values.indices.compactMap { graph.constant(ValueID($0)) }
    let weight = try #require(constants.first { $0.type == TensorType(.float16, [4, 8]) })
    let owner = try #require(try weight.bytes().owner as? MappedFile)
    #expect(owner.path.hasSuffix("weight.bin"))
  }

  @Test func branchesAndLoopsAreRegions() throws {
    let graph = try Self.model("control-flow").graph(nil, isOptimized: false)
    let conditionals = graph.nodes.filter { $0.op is Conditional }
    // One written as such, and one around each loop, whose first test may leave it out.
    #expect(conditionals.count == 3)
    #expect(conditionals.count { $0.regions[0].nodes.contains { $0.op is Loop } } == 2)
  }

  @Test func statesKeepTheirValuesBetweenCalls() throws {
    let model = try Self.model("state")
    #expect(try model.graph(nil, isOptimized: false).states.map(\.name) == ["cache"])
    let x = try Tensor([Float16](repeating: 1, count: 4), shape: [1, 4])
    var totals: [Float16] = []
    for _ in 0..<3 { totals.append(try #require(try model.run(["x": .tensor(x)])["y"]?.tensor).scalars(as: Float16.self)[0]) }
    #expect(totals == [1, 3, 7])
    try model.resetState()
    #expect(try #require(try model.run(["x": .tensor(x)])["y"]?.tensor).scalars(as: Float16.self)[0] == 1)
  }

  @Test func functionsAreMethodsAndTheDefaultOneRuns() throws {
    let model = try Self.readerModel("functions.mlpackage")
    #expect(model.methods.count > 1)
    #expect(model.defaultMethod == model.coreMLModel?.description.defaultFunctionName)
    for method in model.methods {
      let inputs = try method.inputs.map { input -> ModelValue in
        guard case .tensor(let type, let shape, _) = input.kind else { return .none }
        return .tensor(try Tensor(zeros: type, shape: shape))
      }
      #expect(try model.run(inputs, method: method.name).count == method.outputs.count)
    }
    #expect(throws: MartletError.self) { try model.run([], method: "another") }
  }

  @Test func compiledModelsGiveTheSameGraphAsTheirPackages() throws {
    for name in ["linear", "control_flow", "classifier", "state"] {
      let package = try Self.readerModel("\(name).mlpackage").graph(nil, isOptimized: false).dump()
      for form in ["old", "new"] {
        #expect(try Self.readerModel("\(name)_\(form).mlmodelc").graph(nil, isOptimized: false).dump() == package)
      }
    }
  }

  @Test func anUnknownOperatorIsNamedWithItsOperationAndFile() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("martlet-mil-\(UUID().uuidString).mlpackage")
    try FileManager.default.copyItem(at: Self.cases.appendingPathComponent("normalizations/model.mlpackage"), to: folder)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appendingPathComponent("Data/com.apple.CoreML/model.mlmodel")
    var bytes = try Data(contentsOf: file)
    // Also the names that were made from the operator's.
    while let name = bytes.range(of: Data("instance_norm".utf8)) { bytes.replaceSubrange(name, with: Data("instance_form".utf8)) }
    try bytes.write(to: file)
    let model = try Model(contentsOf: folder)
    let error = #expect(throws: MartletError.self) { try model.load() }
    let text = "\(try #require(error))"
    #expect(text.contains("instance_form") && text.contains(folder.lastPathComponent) && text.contains("operation"))
  }

  @Test func modelsThatAreNoProgramsAreRefusedByKind() throws {
    let model = try Model(contentsOf: Self.tests.appendingPathComponent("CoreMLTests/Fixtures/tagger.mlmodel"))
    #expect(try model.signature().inputs.map(\.name) == ["text"])
    let error = try #require(#expect(throws: MartletError.self) { try model.load() })
    #expect(error.kind == .unsupported)
    #expect("\(error)".contains("tagger.mlmodel") && "\(error)".contains("wordTagger"))
    #expect(throws: MartletError.self) { try model.run([.string("words")]) }
  }
}
