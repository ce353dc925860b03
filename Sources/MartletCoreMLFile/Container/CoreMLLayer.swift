import MartletCoreMLSpecification

/// What a layer of a neural network is and how it hangs together with others; its parameters stay in the model.
package struct CoreMLLayer: Sendable, Hashable {
  package let name: String
  /// The format's name of the kind, e.g. `convolution`; empty in a damaged file.
  package let type: String
  package let inputs: [String]
  package let outputs: [String]

  init(_ layer: SpecNeuralNetworkLayer) {
    name = layer.name
    // The name of the field that holds the parameters.
    type = layer.layer.flatMap { Mirror(reflecting: $0).children.first?.label } ?? ""
    inputs = layer.input
    outputs = layer.output
  }
}

extension CoreMLModel {
  /// The layers of a neural network, in the order in which they run; nil for models of other kinds.
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
