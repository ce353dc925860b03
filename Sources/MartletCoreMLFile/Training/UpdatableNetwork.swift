import MartletBytes
package import MartletFeatures

/// A network that can be trained: the layers that training goes through, and those before them.
///
/// The rules are those of coremltools' `UpdatableNeuralNetworkValidator`.
package struct UpdatableNetwork: Sendable {
  /// The expected value for a sample.
  package enum Target: Sendable {
    /// The label of a class.
    case label(ClassLabels)
    /// The position of a class, as an array of one number.
    case position
    /// An array with as many elements as the blob that it is compared with.
    case values
  }

  package let network: CoreMLNetwork
  private let path: String
  package let loss: NetworkTraining.Loss
  package let training: NetworkTraining
  package let optimizer: NetworkTraining.Optimizer
  /// The layers that do not depend on weights that training changes, in order.
  package let fixedLayers: [NetworkLayer]
  /// The layers between the first weights that training changes and the loss, in order, without the softmax of a cross entropy.
  package let trainedLayers: [NetworkLayer]
  /// The blobs that `trainedLayers` read from other layers or inputs.
  package let inputs: [String]
  /// The blob that the loss is computed from: the operand of the softmax for a cross entropy.
  package let result: String
  /// The name of the feature with the expected value.
  package let targetName: String
  package let target: Target
  /// The features that training needs, except the target.
  package let features: [FeatureDescription]

  init(_ network: CoreMLNetwork, _ model: CoreMLModel) throws(FileError) {
    func error(_ field: String, _ reason: String) -> FileError { FileError(file: model.path, field: field, reason: reason) }
    path = model.path
    try Self.checkLayers(network, path)
    guard let training = network.training else { throw error("updateParams", "are missing") }
    guard training.losses.count == 1, let loss = training.losses.first else {
      throw error("updateParams.lossLayers", "there are \(training.losses.count) losses instead of one")
    }
    guard let optimizer = training.optimizer else { throw error("updateParams.optimizer", "is missing") }
    guard training.missingParameters.isEmpty else {
      throw error("updateParams", "the parameters \(training.missingParameters.joined(separator: ", ")) are missing")
    }
    for (name, parameter) in [("miniBatchSize", training.miniBatchSize), ("epochs", training.epochs)] {
      guard parameter.defaultValue > 0, parameter.lowest ?? 1 > 0 else { throw error("updateParams." + name, "is not positive") }
    }
    let names = network.layers.map(\.name) + [loss.name]
    if let name = Dictionary(grouping: names, by: { $0 }).first(where: { $0.value.count > 1 })?.key {
      throw error("updateParams", "there are several layers with the name '\(name)'")
    }
    let route = try Route(network, loss, path: model.path)
    (self.network, self.training, self.loss, self.optimizer) = (network, training, loss, optimizer)
    (fixedLayers, trainedLayers, inputs, result) = (route.fixed, route.trained, route.inputs, route.result)

    // The training inputs: those of a prediction, and the target.
    let function = model.description.defaultFunction
    let declared = model.description.trainingInputs
    guard declared.count > 1 else { throw error("description.trainingInput", "training needs an input and a target") }
    let features = declared.filter { feature in function.inputs.contains { $0.name == feature.name && $0.type == feature.type } }
    self.features = features
    let others = declared.filter { feature in !features.contains { $0.name == feature.name } }
    guard !features.isEmpty else { throw error("description.trainingInput", "no training input is an input of the model") }
    guard !others.isEmpty else { throw error("description.trainingInput", "there is no target") }
    let label = network.classifier == nil ? nil : others.first { $0.name == function.predictedFeatureName }
    guard let found = label ?? others.first(where: { $0.name == loss.target }) else {
      throw error("description.trainingInput", "the target '\(loss.target)' of the loss is missing")
    }
    if let label, let output = function.outputs.first(where: { $0.name == label.name }), output.type != label.type {
      throw error("description.trainingInput", "'\(label.name)' does not have the type of the classifier's label")
    }
    targetName = found.name
    switch loss.function {
    case .meanSquaredError: target = .values
    case .categoricalCrossEntropy:
      if let classifier = network.classifier, label != nil { target = .label(classifier.labels) } else { target = .position }
    }
  }

  /// Checks what the file says about updatable layers.
  private static func checkLayers(_ network: CoreMLNetwork, _ path: String) throws(FileError) {
    guard network.layers.contains(where: \.isUpdatable) else {
      throw FileError(file: path, field: "layers", reason: "no layer is updatable")
    }
    for (index, layer) in network.layers.enumerated() where layer.isUpdatable {
      func error(_ reason: String) -> FileError { FileError(file: path, field: "layers[\(index)] (\(layer.name))", reason: reason) }
      switch layer.operation {
      case .convolution(let convolution):
        guard convolution.kernel.count == 2 else { throw error("a convolution of three axes cannot be updated") }
        guard convolution.weights != nil else { throw error("weights that are an input cannot be updated") }
      case .innerProduct: break
      case .lstm(let lstm): guard lstm.backward == nil else { throw error("an LSTM of two directions cannot be updated") }
      default: throw error("a layer of the type \(layer.type) cannot be updated")
      }
      // The format states nothing about flags of an LSTM's weights.
      let isRecurrent = if case .lstm = layer.operation { true } else { false }
      for weights in layer.operation.weights where !isRecurrent {
        switch weights.encoding {
        case .float32, .float16: break
        case .quantized, .int8: throw error("quantised weights cannot be updated")
        }
        guard weights.isUpdatable else { throw error("has weights that are not marked as updatable") }
      }
    }
  }

  /// Checks what only this engine demands: the format allows more.
  func checkTrainable() throws(FileError) {
    for (index, layer) in network.layers.enumerated() where layer.isUpdatable {
      for weights in layer.operation.weights {
        guard case .float32 = weights.encoding else {
          throw FileError(
            file: path, field: "layers[\(index)] (\(layer.name))", reason: "weights that are not float32 cannot be updated")
        }
      }
    }
  }
}

extension TrainingParameter {
  fileprivate var lowest: Value? {
    switch choices {
    case .any: nil
    case .range(let range): range.lowerBound
    case .set(let values): values.min()
    }
  }
}

/// The layers between updatable weights and the loss.
private struct Route {
  let fixed: [NetworkLayer]
  let trained: [NetworkLayer]
  let inputs: [String]
  let result: String

  init(_ network: CoreMLNetwork, _ loss: NetworkTraining.Loss, path: String) throws(FileError) {
    func error(_ field: String, _ reason: String) -> FileError { FileError(file: path, field: field, reason: reason) }
    let layers = network.layers
    let field = "updateParams.lossLayers[0]"
    guard let last = layers.lastIndex(where: { $0.outputs.contains(loss.input) }) else {
      throw error(field, "no layer gives the blob '\(loss.input)'")
    }
    guard !layers.contains(where: { $0.outputs.contains(loss.target) }) else {
      throw error(field, "the target '\(loss.target)' is the result of a layer")
    }
    let isEntropy = loss.function == .categoricalCrossEntropy
    if isEntropy {
      guard case .softmax = layers[last].operation, let operand = layers[last].inputs.first else {
        throw error(field, "the input of a cross entropy is not the result of a softmax")
      }
      result = operand
    } else {
      result = loss.input
    }
    // From the loss backward: the layers that it depends on, and whether a derivative reaches them.
    var depends = Set<Int>()
    var pending = [(layer: last, obstacle: isEntropy || layers[last].hasDerivative ? nil : layers[last].name)]
    var obstacles: [Int: String] = [:]
    while let (index, obstacle) = pending.popLast() {
      guard depends.insert(index).inserted || (obstacle != nil && obstacles[index] == nil) else { continue }
      if let obstacle { obstacles[index] = obstacle }
      for name in layers[index].allInputs {
        guard let parent = layers[..<index].lastIndex(where: { $0.allOutputs.contains(name) }) else { continue }
        if layers[parent].isUpdatable, let obstacle {
          throw error("layers[\(parent)] (\(layers[parent].name))", "the layer '\(obstacle)' between it and the loss has no derivative")
        }
        pending.append((parent, obstacle ?? (layers[parent].hasDerivative ? nil : layers[parent].name)))
      }
    }
    guard depends.contains(where: { layers[$0].isUpdatable }) else {
      throw error(field, "the loss does not depend on an updatable layer")
    }
    // From the first layer on: those that depend on changing weights.
    var changing: Set<String> = []
    var (fixed, trained): ([NetworkLayer], [NetworkLayer]) = ([], [])
    for (index, layer) in layers.enumerated() {
      let isChanging = layer.isUpdatable || layer.allInputs.contains(where: changing.contains)
      if isChanging { changing.formUnion(layer.allOutputs) } else { changing.subtract(layer.allOutputs) }
      if !isChanging { fixed.append(layer) } else if depends.contains(index), !(isEntropy && index == last) { trained.append(layer) }
    }
    (self.fixed, self.trained) = (fixed, trained)
    var made: Set<String> = []
    var inputs: [String] = []
    for layer in trained {
      for name in layer.inputs where !made.contains(name) && !inputs.contains(name) { inputs.append(name) }
      made.formUnion(layer.outputs)
    }
    guard made.contains(result) else { throw error(field, "the loss does not depend on an updatable layer") }
    for name in inputs where layers.count(where: { $0.allOutputs.contains(name) }) > 1 {
      throw error("layers", "the blob '\(name)' is the result of several layers")
    }
    self.inputs = inputs
  }
}

extension NetworkLayer {
  /// The inputs, with those of layers within a branch or loop.
  fileprivate var allInputs: [String] { inputs + operation.nestedLayers.flatMap(\.allInputs) }
  fileprivate var allOutputs: [String] { outputs + operation.nestedLayers.flatMap(\.allOutputs) }

  /// True for the layers that derivatives can pass.
  fileprivate var hasDerivative: Bool {
    switch operation {
    case .convolution(let convolution): convolution.kernel.count == 2
    case .innerProduct, .flatten, .pool, .batchNorm: true
    case .lstm(let lstm): lstm.backward == nil
    case .activation(.relu), .activation(.sigmoid), .activation(.tanh): true
    default: false
    }
  }
}
