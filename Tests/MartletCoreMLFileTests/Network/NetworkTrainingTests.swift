import MartletCoreMLFile
import CoreMLMessages
import Testing

/// Update parameters of networks, and what is refused.
struct NetworkTrainingTests {
  private static let model = Sample.model([.array("x", 2)], [.array("y", 3)]) {
    $0.neuralNetwork.layers = [NetworkSample.layer { $0.softmax = SpecSoftmaxLayerParams() }]
    var update = SpecNetworkUpdateParameters()
    var loss = SpecLossLayer()
    loss.name = "loss"
    loss.meanSquaredErrorLossLayer.input = "y"
    loss.meanSquaredErrorLossLayer.target = "truth"
    update.lossLayers = [loss]
    update.optimizer.adamOptimizer.learningRate.defaultValue = 0.5
    update.optimizer.adamOptimizer.learningRate.range.maxValue = 1
    update.optimizer.adamOptimizer.beta1.defaultValue = 0.9
    update.optimizer.adamOptimizer.miniBatchSize.defaultValue = 16
    update.optimizer.adamOptimizer.miniBatchSize.set.values = [8, 16]
    update.epochs.defaultValue = 10
    update.epochs.range.minValue = 1
    update.epochs.range.maxValue = 20
    update.seed.defaultValue = 7
    $0.neuralNetwork.updateParams = update
  }

  @Test func `losses, optimiser and parameters are those of the file`() throws {
    let training = try #require(try NetworkSample.network(Self.model).training)
    #expect(training.losses.map(\.function) == [.meanSquaredError])
    #expect(training.losses.map(\.input) == ["y"] && training.losses.map(\.target) == ["truth"])
    guard case .adam(let beta1, _, _)? = training.optimizer else {
      Issue.record("the optimiser is not Adam")
      return
    }
    #expect(beta1.defaultValue == 0.9 && training.learningRate.defaultValue == 0.5)
    guard case .range(0...1) = training.learningRate.choices, case .set([8, 16]) = training.miniBatchSize.choices,
      case .range(1...20) = training.epochs.choices
    else {
      Issue.record("the allowed values are others")
      return
    }
    #expect(training.miniBatchSize.defaultValue == 16 && training.epochs.defaultValue == 10)
    #expect(training.seed == 7 && !training.shuffles)
    #expect(try NetworkSample.network(NetworkSample.model { $0.softmax = SpecSoftmaxLayerParams() }).training == nil)
  }

  private func expect(_ message: String, _ change: (inout SpecNetworkUpdateParameters) -> Void) {
    Sample.expect(message, Self.model) { change(&$0.neuralNetwork.updateParams) }
  }

  @Test func `parameters that contradict themselves are refused`() {
    expect("lossLayers[0]: has no function") { $0.lossLayers[0].lossLayerType = nil }
    expect("optimizer: is of no known kind") { $0.optimizer.optimizerType = nil }
    expect("learningRate: 2.0 is not between 0.0 and 1.0") { $0.optimizer.adamOptimizer.learningRate.defaultValue = 2 }
    expect("learningRate: nan is not a number") { $0.optimizer.adamOptimizer.learningRate.defaultValue = .nan }
    expect("learningRate: 0.5 is not between") { $0.optimizer.adamOptimizer.learningRate.range.maxValue = .nan }
    expect("miniBatchSize: 5 is not one of") { $0.optimizer.adamOptimizer.miniBatchSize.defaultValue = 5 }
    expect("miniBatchSize: -8 is negative") { $0.optimizer.adamOptimizer.miniBatchSize.set.values = [16, -8] }
    expect("epochs: 30 is not between 1 and 20") { $0.epochs.defaultValue = 30 }
    expect("epochs: -1 is negative") { $0.epochs.defaultValue = -1 }
  }
}
