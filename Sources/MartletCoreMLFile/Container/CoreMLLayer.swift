import MartletCoreMLSpecification

/// The kind and the connections of a neural network layer. Its parameters stay in the model.
package struct CoreMLLayer: Sendable, Hashable {
  package let name: String
  /// The kind as named in the format, e.g. `convolution`; empty in a damaged file.
  package let type: String
  package let inputs: [String]
  package let outputs: [String]

  init(_ layer: SpecNeuralNetworkLayer) {
    name = layer.name
    // The name of the field with the parameters.
    type = layer.layer.flatMap { Mirror(reflecting: $0).children.first?.label } ?? ""
    inputs = layer.input
    outputs = layer.output
  }
}

extension CoreMLModel {
  /// The layers of a neural network in execution order; nil for other kinds of model.
  package var layers: [CoreMLLayer]? {
    guard case .other(let other) = content else { return nil }
    switch other.type {
    case .neuralNetwork(let network): return network.layers.map { CoreMLLayer($0) }
    case .neuralNetworkClassifier(let network): return network.layers.map { CoreMLLayer($0) }
    case .neuralNetworkRegressor(let network): return network.layers.map { CoreMLLayer($0) }
    default: return nil
    }
  }
}
