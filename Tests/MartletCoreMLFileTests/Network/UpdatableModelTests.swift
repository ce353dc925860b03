import Foundation
import MartletCoreMLFile
import CoreMLMessages
import Testing

/// The format's rules for models that can be trained. A model that breaks one is refused when it is read.
struct UpdatableModelTests {
  /// A product and a softmax, trained with the cross entropy.
  private static let model = Sample.model([.array("x", 2)], [.array("p", 3)]) {
    $0.isUpdatable = true
    $0.description_p.trainingInput = [Feature.array("x", 2).message, Feature.array("truth", 1, type: .int32).message]
    $0.neuralNetwork.layers = [product("h"), softmax]
    $0.neuralNetwork.updateParams = training
  }

  private static func product(_ output: String) -> SpecNeuralNetworkLayer {
    NetworkSample.layer {
      ($0.name, $0.output, $0.isUpdatable) = ("product", [output], true)
      ($0.innerProduct.inputChannels, $0.innerProduct.outputChannels, $0.innerProduct.hasBias_p) = (2, 3, true)
      $0.innerProduct.weights.floatValue = [1, 2, 3, 4, 5, 6]
      $0.innerProduct.bias.floatValue = [1, 2, 3]
      ($0.innerProduct.weights.isUpdatable, $0.innerProduct.bias.isUpdatable) = (true, true)
    }
  }

  private static let softmax = NetworkSample.layer {
    ($0.name, $0.input, $0.output) = ("softmax", ["h"], ["p"])
    $0.softmax = SpecSoftmaxLayerParams()
  }

  private static let training: SpecNetworkUpdateParameters = {
    var training = SpecNetworkUpdateParameters()
    var loss = SpecLossLayer()
    loss.name = "loss"
    (loss.categoricalCrossEntropyLossLayer.input, loss.categoricalCrossEntropyLossLayer.target) = ("p", "truth")
    training.lossLayers = [loss]
    training.optimizer.sgdOptimizer.learningRate.defaultValue = 0.5
    training.optimizer.sgdOptimizer.miniBatchSize.defaultValue = 4
    training.epochs.defaultValue = 2
    return training
  }()

  private func expect(_ message: String, _ change: (inout SpecModel) -> Void) { Sample.expect(message, Self.model, after: change) }

  private func expectTraining(_ message: String, _ change: (inout SpecNetworkUpdateParameters) -> Void) {
    expect(message) { change(&$0.neuralNetwork.updateParams) }
  }

  @Test func `updatable layers are products, convolutions and LSTMs whose weights are marked`() {
    expect("specificationVersion: an updatable model needs version 4, not 3") { $0.specificationVersion = 3 }
    expect("layers: no layer is updatable") { $0.layer.isUpdatable = false }
    expect("layers[1] (softmax): a layer of the type softmax cannot be updated") { $0.neuralNetwork.layers[1].isUpdatable = true }
    expect("layers[0] (product): has weights that are not marked as updatable") { $0.product.weights.isUpdatable = false }
    expect("layers[0] (product): has weights that are not marked as updatable") { $0.product.bias.isUpdatable = false }
    expect("layers[0] (product): quantised weights cannot be updated") {
      $0.product.weights.floatValue = []
      $0.product.weights.rawValue = .init([1, 2, 3, 4, 5, 6])
      $0.product.weights.quantization.numberOfBits = 8
      $0.product.weights.quantization.linearQuantization.scale = [1]
    }
    expect("updateParams: there are several layers with the name 'loss'") { $0.neuralNetwork.layers[1].name = "loss" }
  }

  @Test func `half precision is read, though it is not trained`() throws {
    var model = Self.model
    for path in [\SpecInnerProductLayerParams.weights, \.bias] {
      let count = model.product[keyPath: path].floatValue.count
      model.product[keyPath: path].floatValue = []
      model.product[keyPath: path].float16Value = .init(count: 2 * count)
    }
    let read = try Sample.read(model)
    #expect { try UpdatableModel(read) } throws: { "\($0)".contains("weights that are not float32 cannot be updated") }
    _ = try UpdatableModel(Sample.read(Self.model))
  }

  @Test func `a network has one loss, which derivatives lead from`() {
    expect("isUpdatable: a model of the kind identity cannot be updated") { $0.identity = SpecIdentity() }
    expectTraining("updateParams.lossLayers: there are 2 losses instead of one") {
      $0.lossLayers += $0.lossLayers
      $0.lossLayers[1].name = "other"
    }
    expectTraining("updateParams.lossLayers[0]: no layer gives the blob 'q'") {
      $0.lossLayers[0].meanSquaredErrorLossLayer.input = "q"
      $0.lossLayers[0].meanSquaredErrorLossLayer.target = "truth"
    }
    expectTraining("lossLayers[0]: the input of a cross entropy is not the result of a softmax") {
      $0.lossLayers[0].categoricalCrossEntropyLossLayer.input = "h"
    }
    expectTraining("lossLayers[0]: the target 'h' is the result of a layer") {
      $0.lossLayers[0].categoricalCrossEntropyLossLayer.target = "h"
    }
    expectTraining("layers[0] (product): the layer 'softmax' between it and the loss has no derivative") {
      $0.lossLayers[0].meanSquaredErrorLossLayer.input = "p"
      $0.lossLayers[0].meanSquaredErrorLossLayer.target = "truth"
    }
  }

  @Test func `the optimiser has its parameters`() {
    expect("updateParams: are missing") { $0.neuralNetwork.clearUpdateParams() }
    expectTraining("updateParams.optimizer: is missing") { $0.clearOptimizer() }
    expectTraining("updateParams: the parameters learningRate are missing") { $0.optimizer.sgdOptimizer.clearLearningRate() }
    expectTraining("updateParams: the parameters miniBatchSize are missing") { $0.optimizer.sgdOptimizer.clearMiniBatchSize() }
    expectTraining("updateParams: the parameters epochs are missing") { $0.clearEpochs() }
    expectTraining("updateParams: the parameters beta1, eps are missing") {
      let descent = $0.optimizer.sgdOptimizer
      var adam = SpecAdamOptimizer()
      (adam.learningRate, adam.miniBatchSize) = (descent.learningRate, descent.miniBatchSize)
      adam.beta2.defaultValue = 0.9
      $0.optimizer.adamOptimizer = adam
    }
  }

  @Test func `training takes an input of the model and a target`() {
    let field = "description.trainingInput: "
    expect(field + "training needs an input and a target") { $0.description_p.trainingInput = [] }
    expect(field + "training needs an input and a target") { $0.description_p.trainingInput.removeLast() }
    expect(field + "no training input is an input of the model") { $0.description_p.trainingInput[0].name = "other" }
    expect(field + "there is no target") {
      $0.description_p.input.append($0.description_p.trainingInput[1])
    }
    expect(field + "the target 'truth' of the loss is missing") { $0.description_p.trainingInput[1].name = "other" }
    // The label of a classifier stands for the target.
    let classifier = Sample.model([.array("x", 2)], [.string("label"), .dictionary("p")], label: "label") {
      $0.isUpdatable = true
      $0.description_p.predictedProbabilitiesName = "p"
      $0.description_p.trainingInput = [Feature.array("x", 2).message, Feature.string("label").message]
      $0.neuralNetworkClassifier.layers = [Self.product("h"), Self.softmax]
      $0.neuralNetworkClassifier.stringClassLabels.vector = ["a", "b", "c"]
      $0.neuralNetworkClassifier.updateParams = Self.training
    }
    Sample.expect(field + "'label' does not have the type of the classifier's label", classifier) {
      $0.description_p.trainingInput[1] = Feature.int64("label").message
    }
  }

  @Test func `of a pipeline the last model is updatable, if the pipeline is`() {
    let first = Sample.model([.array("x", 2)], [.array("x", 2)]) { $0.identity = SpecIdentity() }
    let pipeline = Sample.model([.array("x", 2)], [.array("p", 3)]) {
      $0.isUpdatable = true
      $0.pipeline.models = [first, Self.model]
    }
    Sample.expect("pipeline.models[1]: the last model of an updatable pipeline is not updatable", pipeline) {
      $0.pipeline.models[1].isUpdatable = false
    }
    Sample.expect("pipeline.models[1]: an updatable model is in a pipeline that is not updatable", pipeline) { $0.isUpdatable = false }
    Sample.expect("pipeline.models[0]: only the last model of a pipeline can be updatable", pipeline) {
      $0.pipeline.models[0] = Self.model
    }
    Sample.expect("pipeline.models[1].layers: no layer is updatable", pipeline) {
      $0.pipeline.models[1].layer.isUpdatable = false
    }
  }
}
