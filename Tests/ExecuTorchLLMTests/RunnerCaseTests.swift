import ExecuTorchLLM
import Testing

/// What upstream's runner says, recorded by Oracles/make_runner_cases.py.
private struct RunnerCases: Decodable {
  struct Run: Decodable {
    let model: String
    let calls: [Call]
  }

  struct Call: Decodable {
    let reset: Bool?
    let prompt: String?
    let config: Settings?
    let stop_at: Int?
    let pieces: [String]?
    let status: Int?
  }

  struct Settings: Decodable {
    let echo: Bool
    let warming: Bool
    let max_new_tokens: Int
    let seq_len: Int
    let temperature: Double
    let num_bos: Int
    let num_eos: Int

    var config: Config {
      Config {
        $0.isEchoEnabled = echo
        $0.isWarming = warming
        $0.maximumNewTokens = max_new_tokens
        $0.sequenceLength = seq_len
        $0.temperature = temperature
        $0.bosCount = num_bos
        $0.eosCount = num_eos
      }
    }
  }

  let tokenizer: String
  let runs: [Run]
}

@Suite struct RunnerCaseTests {
  @Test func `conversations are those of upstream's runner`() throws {
    let data = try Data(contentsOf: Fixture.folder.appendingPathComponent("runner_cases.json"))
    let cases = try JSONDecoder().decode(RunnerCases.self, from: data)
    var count = 0
    for run in cases.runs {
      let runner = TextRunner(modelPath: Fixture.path(run.model), tokenizerPath: Fixture.path(cases.tokenizer))
      for call in run.calls {
        guard let prompt = call.prompt, let settings = call.config else {
          runner.reset()
          continue
        }
        var pieces: [String] = []
        let error = Fixture.error {
          try runner.generate(prompt, settings.config) {
            pieces.append($0)
            if pieces.count == call.stop_at { runner.stop() }
          }
        }
        #expect(pieces == call.pieces, "\(run.model): \(prompt), \(settings)")
        #expect(error?.code ?? 0 == call.status, "\(run.model): \(prompt), \(settings)")
        count += 1
      }
    }
    #expect(count >= 300)
  }
}
