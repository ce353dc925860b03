import Foundation
import MartletCompiler
import MartletGraph
import MartletKernels
import MartletTensor
import MartletVocabulary
import Testing

@Suite struct PassPipelineTests {
  /// Every pass that a precision may run.
  private static let passes = PassPipeline.standard.passes + [KeepRealRows(), NarrowActivations()]

  @Test func everyPassHasATestFileThatRunsIt() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    for name in Set(Self.passes.map { "\(type(of: $0))" }).sorted() {
      let file = folder.appendingPathComponent("\(name)Tests.swift")
      let text = try? String(contentsOf: file, encoding: .utf8)
      #expect(text?.contains("\(name)(") == true, "\(name) has no test in \(file.lastPathComponent)")
    }
  }

  @Test func everyPassIsInThePipeline() throws {
    let root = (0..<4).reduce(URL(fileURLWithPath: #filePath)) { path, _ in path.deletingLastPathComponent() }
    let folder = root.appendingPathComponent("Sources/MartletCompiler/Passes")
    let names = Set(Self.passes.map { "\(type(of: $0))" })
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.count > names.count)
    for file in files {
      let text = try String(contentsOf: folder.appendingPathComponent(file), encoding: .utf8)
      for line in text.split(separator: "\n") where line.hasSuffix(": GraphPass {") {
        let name = line.split(separator: " ").drop { $0 != "struct" }.dropFirst().first.map { String($0.dropLast()) }
        #expect(name.map(names.contains) == true, "\(file): \(line)")
      }
    }
  }

  @Test func passesThatChangeTheGraphAreReported() throws {
    var graph = Graph(name: "g")
    let x = graph.input([2])
    graph.outputs = [graph.unary(.exp, graph.unary(.neg, x))]
    var names: [String] = []
    #expect(try PassPipeline([FoldBatchNorm(), FusePointwise()]).run(on: graph) { names.append($0) }.nodes.count == 1)
    #expect(names == [FusePointwise().name])
  }

  @Test func onlyTheExactPrecisionKeepsRealRows() {
    #expect(PassPipeline.standard(for: .exact).passes.first is KeepRealRows)
    #expect(!PassPipeline.standard(for: ProductPrecision(.near)).passes.contains { $0 is KeepRealRows })
    #expect(!PassPipeline.standard(for: ProductPrecision(.fast)).passes.contains { $0 is KeepRealRows })
  }

  @Test func onlyAPrecisionThatNarrowsHasTheNarrowingPass() {
    var precision = ProductPrecision.exact
    #expect(!PassPipeline.standard(for: precision).passes.contains { $0 is NarrowActivations })
    precision = ProductPrecision(.fast)
    #expect(PassPipeline.standard(for: precision).passes.last is NarrowActivations == precision.narrowsActivations)
  }

  @Test func `A pass that is cancelled ends, and the pipeline throws`() throws {
    var graph = Graph(name: "chain")
    var x = graph.input([4])
    for _ in 0..<1000 { x = graph.unary(.neg, x) }
    graph.outputs = [x]
    let editor = GraphEditor(graph)
    let cancellation = Cancellation()
    Allowance.$current.withValue(Allowance(cancellation: cancellation)) {
      #expect(editor.positions.reduce(0) { count, _ in count + 1 } == 1000)
      var count = 0
      for position in editor.positions {
        count += 1
        if position == 100 { cancellation.cancel() }
      }
      #expect(count < 200)
      let pipeline = PassPipeline([CancellingPass()])
      #expect(throws: CancellationError.self) { _ = try pipeline.run(on: graph) }
    }
  }
}

/// A pass during which the current operation is cancelled.
private struct CancellingPass: GraphPass {
  let name = "cancelling"

  func rewrite(_ graph: inout Graph) -> Bool {
    Allowance.current?.cancellation?.cancel()
    return true
  }
}
