import MartletCoreMLFile
import CoreMLMessages
import Testing

/// Which blobs layers may read and give, and the ranks that a file notes for them.
struct NetworkConnectionTests {
  private static func layer(
    _ name: String, _ inputs: [String], _ outputs: [String], ranks: [UInt32] = [], _ fill: (inout SpecNeuralNetworkLayer) -> Void
  ) -> SpecNeuralNetworkLayer {
    NetworkSample.layer {
      ($0.name, $0.input, $0.output) = (name, inputs, outputs)
      let notes = ranks.map { rank in
        var note = SpecTensor()
        note.rank = rank
        return note
      }
      ($0.inputTensor, $0.outputTensor) = (Array(notes.prefix(inputs.count)), Array(notes.dropFirst(inputs.count)))
      fill(&$0)
    }
  }

  private static func relu(_ input: String, _ output: String, ranks: [UInt32] = []) -> SpecNeuralNetworkLayer {
    layer("relu", [input], [output], ranks: ranks) { $0.activation.reLu = SpecActivationReLU() }
  }

  private static func copy(_ input: String, _ output: String) -> SpecNeuralNetworkLayer {
    layer("copy", [input], [output]) { $0.copy = SpecCopyLayerParams() }
  }

  private static func network(_ layers: [SpecNeuralNetworkLayer]) -> SpecNeuralNetwork {
    var network = SpecNeuralNetwork()
    network.layers = layers
    return network
  }

  /// A network from x to y.
  private static func model(_ shape: [Int64] = [2], _ layers: SpecNeuralNetworkLayer...) -> SpecModel {
    Sample.model([.array("x", 2)], [.array("y")]) {
      $0.description_p.input[0].type.multiArrayType.shape = shape
      $0.neuralNetwork.layers = layers
      $0.neuralNetwork.arrayInputShapeMapping = .exactArrayMapping
    }
  }

  // MARK: Blobs

  @Test func `layers read blobs that exist and give blobs that do not`() {
    let chain = Self.model([2], Self.relu("x", "h"), Self.relu("h", "y"))
    Sample.expect("layers[0] (relu).input[0]: no layer before gives the blob 'h'", chain) { $0.neuralNetwork.layers.swapAt(0, 1) }
    Sample.expect("layers[1] (relu).output[0]: the blob 'h' is the result of the layer 'relu' already", chain) {
      $0.neuralNetwork.layers[1].output = ["h"]
    }
    Sample.expect("layers[1] (relu).output[0]: the blob 'x' is an input of the model", chain) {
      $0.neuralNetwork.layers[1].output = ["x"]
    }
    Sample.expect("neuralNetwork.layers: no layer gives the output 'z'", chain) { $0.description_p.output[0].name = "z" }
    // A copy may take the place of a blob, also of an input, which then is a result.
    var replacing = Self.model([2], Self.relu("x", "h"), Self.copy("h", "x"))
    replacing.description_p.output[0].name = "x"
    Sample.expect("neuralNetwork.layers: no layer gives the output 'x'", replacing) { $0.neuralNetwork.layers.removeLast() }
  }

  @Test func `a classifier's probabilities are a blob`() {
    let classifier = Sample.model([.array("x", 2)], [.string("label"), .array("h")], label: "label") {
      $0.neuralNetworkClassifier.layers = [Self.relu("x", "h")]
      $0.neuralNetworkClassifier.stringClassLabels.vector = ["a", "b"]
      $0.neuralNetworkClassifier.labelProbabilityLayerName = "h"
    }
    Sample.expect("neuralNetworkClassifier.labelProbabilityLayerName: no layer gives the blob 'x'", classifier) {
      $0.neuralNetworkClassifier.labelProbabilityLayerName = "x"
    }
    Sample.expect("neuralNetworkClassifier.layers: no layer gives the output 'label'", classifier) {
      $0.description_p.predictedFeatureName = ""
    }
  }

  // MARK: Control flow

  @Test func `blobs of a branch can be read if both branches give them`() {
    let branch = Self.layer("choice", ["x"], []) {
      $0.branch.ifBranch = Self.network([Self.relu("x", "h")])
      $0.branch.elseBranch = Self.network([Self.copy("x", "h")])
    }
    let both = Self.model([2], branch, Self.relu("h", "y"))
    Sample.expect("layers[1] (relu).input[0]: no layer before gives the blob 'h'", both) {
      $0.neuralNetwork.layers[0].branch.elseBranch.layers[0].output = ["other"]
    }
    Sample.expect("layers[1] (relu).input[0]: no layer before gives the blob 'h'", both) {
      $0.neuralNetwork.layers[0].branch.elseBranch = SpecNeuralNetwork()
    }
    Sample.expect("layers[0] (choice).ifBranch.layers[0] (relu).output[0]: the blob 'x' is an input of the model", both) {
      $0.neuralNetwork.layers[0].branch.ifBranch.layers[0].output = ["x"]
    }
    // One branch gives a blob from before anew.
    let one = Self.model(
      [2], Self.copy("x", "y"),
      Self.layer("choice", ["x"], []) { $0.branch.ifBranch = Self.network([Self.relu("y", "h"), Self.copy("h", "y")]) })
    Sample.expect("layers[1] (choice).ifBranch.layers[1] (relu).output[0]: the blob 'y' is the result of the layer 'copy'", one) {
      $0.neuralNetwork.layers[1].branch.ifBranch.layers[1] = Self.relu("h", "y")
    }
  }

  @Test func `blobs of a loop can be read after it if it has no condition`() {
    let loop = Self.layer("loop", [], []) {
      $0.loop.maxLoopIterations = 3
      $0.loop.bodyNetwork = Self.network([Self.relu("x", "h")])
    }
    let open = Self.model([2], loop, Self.relu("h", "y"))
    Sample.expect("layers[1] (relu).input[0]: no layer before gives the blob 'h'", open) {
      $0.neuralNetwork.layers[0].loop.conditionNetwork = Self.network([Self.relu("x", "go")])
      $0.neuralNetwork.layers[0].loop.conditionVar = "go"
    }
    let guarded = Self.model(
      [2],
      Self.layer("loop", [], []) {
        $0.loop.conditionNetwork = Self.network([Self.relu("x", "go")])
        $0.loop.conditionVar = "go"
        $0.loop.bodyNetwork = Self.network([Self.relu("go", "h")])
      }, Self.relu("go", "y"))
    Sample.expect("layers[0] (loop).conditionVar: the condition network does not give the blob 'x'", guarded) {
      $0.neuralNetwork.layers[0].loop.conditionVar = "x"
    }
  }

  // MARK: Ranks

  @Test func `notes of ranks agree with one another and with the model's features`() {
    let model = Self.model([1, 2, 3, 4], Self.relu("x", "h", ranks: [4, 4]), Self.relu("h", "y", ranks: [4, 4]))
    Sample.expect("layers[0] (relu).inputTensor[0].rank: the blob 'x' has the rank 4 elsewhere, not 3", model) {
      $0.neuralNetwork.layers[0].inputTensor[0].rank = 3
    }
    Sample.expect("layers[1] (relu).inputTensor[0].rank: the blob 'h' has the rank 4 elsewhere, not 3", model) {
      $0.neuralNetwork.layers[1].inputTensor[0].rank = 3
    }
    Sample.expect("layers[1] (relu).outputTensor[0].rank: the blob 'y' has the rank 1 elsewhere, not 4", model) {
      $0.description_p.output[0].type.multiArrayType.shape = [24]
    }
    Sample.expect("layers[0] (relu).inputTensor: there are 2 shapes of 1 blobs", model) {
      $0.neuralNetwork.layers[0].inputTensor += $0.neuralNetwork.layers[0].inputTensor
    }
    Sample.expect("layers[0] (relu).outputTensor[0]: there are 3 extents for the rank 4", model) {
      $0.neuralNetwork.layers[0].outputTensor[0].dimValue = [1, 2, 3]
    }
    // The old mapping has no ranks.
    #expect(throws: Never.self) {
      var old = Self.model([2], Self.relu("x", "y", ranks: [3, 4]))
      old.neuralNetwork.arrayInputShapeMapping = .rank5ArrayMapping
      _ = try Sample.read(old)
    }
  }

  @Test func `layers have the ranks that the format states`() {
    /// Refuses `layer` with other ranks.
    func expect(
      _ message: String, ranks: [UInt32], instead wrong: [UInt32], inputs: [String] = ["h"], outputs: [String] = ["y"],
      _ fill: (inout SpecNeuralNetworkLayer) -> Void
    ) {
      func model(_ ranks: [UInt32]) -> SpecModel {
        let sources = inputs.map { name in Self.layer("get", ["x"], [name]) { $0.getShape = SpecGetShapeLayerParams() } }
        var model = Self.model([2])
        model.neuralNetwork.layers = sources + [Self.layer("layer", inputs, outputs, ranks: ranks, fill)]
        return model
      }
      Sample.expect("layers[\(inputs.count)] (layer).\(message)", model(ranks)) { $0 = model(wrong) }
    }
    func pooling(_ layer: inout SpecNeuralNetworkLayer) { layer.pooling.valid = SpecValidPadding() }
    expect("input[0]: the blob has the rank 3 instead of at least 4", ranks: [4, 4], instead: [3, 3], pooling)
    expect("output[0]: the blob has the rank 5 instead of 4", ranks: [4, 4], instead: [4, 5], pooling)
    expect("input[0]: the blob has the rank 2 instead of at least 3", ranks: [3, 3], instead: [2, 2]) {
      $0.softmax = SpecSoftmaxLayerParams()
    }
    expect("output[0]: the blob has the rank 4 instead of 3", ranks: [3, 3], instead: [3, 4]) {
      $0.reorganizeData.blockSize = 2
    }
    expect("input[0]: the blob has the rank 4 instead of 5", ranks: [5, 5], instead: [4, 4]) {
      $0.permute.axis = [0, 1, 2, 3]
    }
    expect("output[0]: the blob has the rank 3 instead of 4", ranks: [2, 4], instead: [2, 3]) { $0.expandDims.axes = [0, 1] }
    expect("output[0]: the blob has the rank 3 instead of 2", ranks: [4, 2], instead: [4, 3]) { $0.squeeze.axes = [0, 1] }
    // A blob has at least one axis.
    expect("output[0]: the blob has the rank 2 instead of 0", ranks: [2, 1], instead: [2, 2]) { $0.squeeze.axes = [0, 1] }
    expect("input[0]: the blob has the rank 2 instead of at least 3", ranks: [3, 3], instead: [2, 2]) {
      $0.slice.axis = .channelAxis
      $0.slice.stride = 1
    }
    expect("output[0]: the blob has the rank 2 instead of 3", ranks: [3, 3], instead: [3, 2]) { $0.argMax.axis = 0 }
    expect("input[0]: the blob has the rank 2 instead of at least 3", ranks: [3, 3], instead: [2, 2]) {
      $0.activation.preLu.alpha.floatValue = [1]
    }
    expect("input: the blobs have different ranks, [3, 4]", ranks: [3, 3, 3], instead: [3, 4, 3], inputs: ["h", "i"]) {
      $0.concat = SpecConcatLayerParams()
    }
    expect("output: the blobs have different ranks, [3, 4]", ranks: [3, 3, 3], instead: [3, 3, 4], outputs: ["y", "z"]) {
      $0.topK.k = 1
    }
  }
}
