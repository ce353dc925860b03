import Foundation
import Martlet
import MartletConformance
import MartletTensor
import Testing

/// The tiny language models made by `Oracles/make_language_models.py`: caches, kinds of weights and forms of calls.
@Suite struct LanguageModelTests {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/language-models").path

  private static func folders() throws -> [String] {
    let all = try RecordedCase.folders(under: fixtures)
    #if DEBUG
      return stride(from: 0, to: all.count, by: 6).map { all[$0] }
    #else
      return all
    #endif
  }

  @Test(arguments: [1, 2]) func everyFormGivesItsRecordedLogits(threads: Int) async throws {
    var options = ModelOptions()
    options.threads = threads
    let runner = CaseRunner(concurrency: 2) { [options] recorded in try ModelCase(recorded, options: options) }
    let folders = try Self.folders()
    let report = try await runner.run(paths: folders)
    #if !DEBUG
      #expect(report.results.count >= 40)
    #endif
    #expect(report.results.count == folders.count)
    for result in report.results where !result.passed { Issue.record("\(result.path): \(result.failures)") }
  }

  /// Calls whose positions do not fit are errors, and leave the states as they were: the steps around them give the recorded logits.
  @Test func positionsOutOfRangeChangeNothing() async throws {
    var checked = 0
    for folder in try Self.folders() {
      let recorded = try RecordedCase(folder: folder)
      guard recorded.expectation == .outputs, let first = recorded.steps.first, first.inputs.entries.count == 2,
        case .integers(_, let shape)? = first.inputs.entries.last, shape.count == 1,
        // Attention sinks and windows that are shifted take positions without end. Caches that are made anew by comparing positions select
        // nothing beyond their end, and ExecuTorch's runtime gives a result, too.
        !["sinks", "shifted", "copied"].contains(where: { folder.contains("/\($0)") })
      else { continue }
      let model = MisledModel(try ModelCase(recorded, options: ModelOptions()))
      let runner = CaseRunner(concurrency: 1) { _ in model }
      let result = runner.result(folder: folder)
      #expect(result.passed, "\(folder): \(result.failures)")
      #expect(model.refused.value == 3 * recorded.steps.count, "\(folder): \(model.refused.value) calls are refused")
      checked += 1
    }
    #expect(checked > 0)
  }

  @Test func unknownOperatorsAreNamed() throws {
    let names = [
      "unknown-low-bits-portable": "torchao::_linear_8bit_act_4bit_weight.out", "unknown-experts-portable": "llama::quantized_moe_ffn.out",
      "unknown-cache-portable": "kvcache::update_and_attend.out",
    ]
    for (folder, name) in names {
      let error = #expect(throws: MartletError.self) {
        try Model(contentsOf: URL(fileURLWithPath: "\(Self.fixtures)/\(folder)/model.pte")).load()
      }
      #expect(error?.kind == .unsupported && "\(error!)".contains(name), "\(folder): \(error.map { "\($0)" } ?? "")")
    }
  }
}

/// A model that is called at positions that do not exist before each step.
private struct MisledModel: CaseModel {
  final class Count: @unchecked Sendable { var value = 0 }

  let model: ModelCase
  /// Calls that threw.
  let refused = Count()

  init(_ model: ModelCase) { self.model = model }

  func run(method: String?, inputs: [CaseValue]) throws -> [CaseValue] {
    if inputs.count == 2, case .tensor(let tokens, _) = inputs[0], case .tensor(let positions, _) = inputs[1] {
      let count = Int64(tokens.shape[1])
      // Of a step with several tokens, the last one alone may be too far.
      let last = Int64.max - count
      let starts: [Int64] = count > 1 ? [1000, 24 - count + 1, last] : [24, 1000, last]
      for start in starts {
        let wrong = HostTensor(
          (0..<Int64(positions.elementCount)).map { .int(start + $0) }, dtype: .int64, shape: positions.shape)!
        do {
          _ = try model.run(method: method, inputs: [inputs[0], .tensor(wrong, dimOrder: nil)])
        } catch is MartletError {
          refused.value += 1
        }
      }
    }
    return try model.run(method: method, inputs: inputs)
  }
}
