import ExecuTorchLLM
import Testing

@Suite struct ConfigTests {
  @Test func `settings have upstream's defaults`() {
    let config = Config()
    #expect(config.isEchoEnabled && !config.isWarming)
    #expect(config.maximumNewTokens == -1 && config.sequenceLength == -1)
    #expect(config.temperature == 0.8 && config.bosCount == 0 && config.eosCount == 0)
  }

  @Test func `a block changes settings, and a copy has them`() throws {
    let config = Config {
      $0.isEchoEnabled = false
      $0.isWarming = true
      $0.maximumNewTokens = 5
      $0.sequenceLength = 128
      $0.temperature = 0.25
      $0.bosCount = 1
      $0.eosCount = 2
    }
    let copy = try #require(config.copy() as? Config)
    config.temperature = 1
    #expect(copy !== config && !copy.isEchoEnabled && copy.isWarming && copy.maximumNewTokens == 5 && copy.sequenceLength == 128)
    #expect(copy.temperature == 0.25 && copy.bosCount == 1 && copy.eosCount == 2)
  }
}
