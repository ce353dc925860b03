import Foundation
import Martlet
import Testing

/// Networks that Apple's compiler made, as models. Their numbers are recorded cases in `Tests/Fixtures/espresso`.
@Suite struct CompiledNetworkModelTests {
  private static func url(_ name: String) -> URL {
    URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("Fixtures/espresso/\(name)")
  }

  @Test func `Loading names what is met, and says to compile from the source`() throws {
    for (name, reason) in [
      ("layer", "layers of the type rnn_arch are not supported in compiled networks"), ("quantized", "the layer has quantization_mode 2"),
      ("field", "the layer has the field secret"), ("compressed", "the compiled network is compressed"),
      ("forest", "models of the kind treeEnsembleRegressor are not supported in compiled form"),
    ] {
      let model = try Model(contentsOf: Self.url("refused/\(name).mlmodelc"))
      do {
        try model.load()
        Issue.record("\(name) is loaded")
      } catch let error as MartletError {
        #expect(error.kind == .unsupported && error.reason.hasPrefix(reason), "\(error)")
        #expect(error.reason.hasSuffix("; compile the model from its .mlmodel or .mlpackage"))
      }
    }
  }

  @Test func `An encrypted model has an error of its own`() throws {
    #expect {
      try Model(contentsOf: Self.url("refused/encrypted.mlmodelc"))
    } throws: {
      ($0 as? MartletError)?.kind == .encrypted
    }
  }

  @Test func `Inspection lists layers, labels and why a model cannot run`() throws {
    let classifier = try ModelInspection(contentsOf: Self.url("classifier-text/model.mlmodelc"))
    #expect(classifier.component?.network?.layers.map(\.name).sorted() == ["innerProduct", "softmaxND"])
    #expect(classifier.methods[0].signature.classLabels == .strings(["cat", "dog", "ox"]) && classifier.component?.refusal == nil)
    let refused = try ModelInspection(contentsOf: Self.url("refused/layer.mlmodelc"))
    #expect(refused.component?.network?.layers.map(\.name).sorted() == ["innerProduct", "rnn_arch"])
    #expect(refused.component?.refusal?.contains("rnn_arch") == true)
    #expect(try ModelInspection(contentsOf: Self.url("refused/compressed.mlmodelc")).component?.refusal?.contains("compressed") == true)
  }
}
