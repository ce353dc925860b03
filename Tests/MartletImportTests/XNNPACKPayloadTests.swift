import Foundation
import Martlet
import MartletCompiler
import MartletConformance
import MartletGraph
import MartletOps
import MartletRuntime
import MartletTensor
import Testing

@Suite struct XNNPACKPayloadTests {
  /// Every kind of node and every type of value, the ranks and broadcast forms of each, and attention as exporters write it.
  @Test(arguments: [("payloads", 77), ("forms", 99), ("attention", 18)])
  func `Recorded programs give their recorded results`(group: String, count: Int) async throws {
    var options = ModelOptions()
    options.threads = 1
    let runner = CaseRunner(concurrency: 2) { [options] recorded in try ModelCase(recorded, options: options) }
    let report = try await runner.run(paths: [Fixture.folder.appendingPathComponent(group).path])
    #expect(report.results.count == count)
    for result in report.results where !result.passed {
      Issue.record("\(result.path): \(result.failures)")
    }
  }

  @Test(arguments: [
    ("unwritten_value", "the value 2 is neither constant nor input nor written by an earlier node"),
    ("weight_too_short", "36 bytes from byte 0 exceed the 12 available bytes"),
  ])
  func `Malformed payloads are invalid files, and the message leads to the field`(name: String, reason: String) throws {
    let model = try Fixture.model("refused/\(name)")
    let error = #expect(throws: MartletError.self) { try model.load() }
    #expect(error?.kind == .invalidFile)
    #expect(error?.file?.hasSuffix("refused/\(name)/model.pte") == true)
    #expect(error?.field?.hasPrefix("forward.chains[0].instructions[0].XnnpackBackend.xnnpack.x") == true)
    #expect(error?.reason == reason)
  }

  @Test(
    arguments: [
      ("argument_missing", nil, "2 arguments, none of them for external value 2"),
      ("blocks_of_results", "convert", "the format has no results of type qbint4 with scales of blocks"),
      ("filter_without_rows", "fullyConnected", "a filter [3]"),
      ("integer_division", "divide", "is not defined for integers"),
      ("weight_without_scales", "add", "a value of type qint8 has no scales"),
      ("window_of_nothing", "argMaxPooling2D", "a window [0, 0] with strides [0, 0] and dilations [1, 1] is not supported"),
    ] as [(String, String?, String)])
  func `Payloads without a meaning are refused by method, instruction and node`(name: String, node: String?, reason: String) throws {
    let model = try Fixture.model("refused/\(name)")
    let error = #expect(throws: MartletError.self) { try model.load() }
    #expect(error?.kind == .unsupported)
    #expect(error?.method == "forward")
    #expect(error?.operator == node ?? "XnnpackBackend")
    #expect(error?.node == "instruction 0 of chain 0" + (node == nil ? "" : ", XnnpackBackend, handle 0"))
    #expect(error?.reason == reason)
    let call = "\(error?.operator ?? "") (\(error?.node ?? ""))"
    #expect(error?.message.hasSuffix("refused/\(name)/model.pte: method forward, \(call): \(reason)") == true)
  }

  @Test func `Every refused program has its test`() {
    #expect(Fixture.names("refused").count == 8)
  }

  @Test(arguments: Fixture.names("payloads"))
  func `Constant weights are packed when a plan is made, not when it runs`(name: String) throws {
    let graph = try Fixture.graph("payloads/\(name)", .standard)
    #expect(!graph.nodes.contains { $0.op is Dequantize && graph.constant($0.inputs[0]) != nil })
    #expect(!(try Fixture.plan(graph)).steps.contains { $0.label.contains("pack") })
  }
}
