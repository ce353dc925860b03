import ExecuTorchLLM
import Testing

@Suite struct MultimodalRunnerTests {
  @Test func `inputs have the type of what they are made of`() throws {
    let text = MultimodalInput("What is this?")
    #expect(text.type == .text && text.text == "What is this?" && text.image == nil && text.audio == nil)
    let image = ExecuTorchLLM.Image(data: Data(count: 12), width: 2, height: 2, channels: 3)
    #expect(image.data.count == 12 && image.width == 2 && image.height == 2 && image.channels == 3 && !image.isFloat)
    #expect(ExecuTorchLLM.Image(float: Data(count: 48), width: 2, height: 2, channels: 3).isFloat)
    let audio = Audio(data: Data(count: 6), batchSize: 1, bins: 2, frames: 3)
    #expect(audio.data.count == 6 && audio.batchSize == 1 && audio.bins == 2 && audio.frames == 3 && !audio.isFloat)
    #expect(Audio(float: Data(count: 24), batchSize: 1, bins: 2, frames: 3).isFloat)
    let input = MultimodalInput(image)
    #expect(input.type == .image && input.image === image && input.text == nil)
    #expect(MultimodalInput(audio).type == .audio && MultimodalInput(audio).audio === audio)
    #expect(input.copy() as? MultimodalInput === input && image.copy() as? ExecuTorchLLM.Image === image)
    #expect(audio.copy() as? Audio === audio)
    #expect(MultimodalInputType.text.rawValue == 0 && MultimodalInputType.unsupported.rawValue == 3)
  }

  @Test func `text is continued, and other inputs are not supported`() throws {
    let runner = MultimodalRunner(modelPath: Fixture.path("decoder.pte"), tokenizerPath: Fixture.path("tokenizer.json"))
    #expect(!runner.isLoaded())
    try runner.load()
    #expect(runner.isLoaded())
    var text = ""
    let config = Config {
      $0.temperature = 0
      $0.maximumNewTokens = 6
    }
    try runner.generate([MultimodalInput("A light"), MultimodalInput("house")], config) { text += $0 }
    #expect(text == "A lighthouse" + (try Fixture.runner("decoder").pieces("A lighthouse") { $0.maximumNewTokens = 6 }.joined()))
    runner.stop()
    runner.reset()
    let image = ExecuTorchLLM.Image(data: Data(count: 12), width: 2, height: 2, channels: 3)
    #expect(Fixture.error { try runner.generate([MultimodalInput("x"), MultimodalInput(image)], config) }?.code == 16)
    #expect(Fixture.error { try runner.generate([], config) }?.code == 18)
    #expect(Fixture.error { try MultimodalRunner(modelPath: "/nowhere", tokenizerPath: "/nowhere").load() }?.code == -1)
  }
}
