import MartletCoreMLFile
import MartletCoreMLSpecification

/// Networks with the layers of a test.
enum NetworkSample {
  /// A network of one layer with the input x and the output y.
  static func model(_ fill: (inout SpecNeuralNetworkLayer) -> Void) -> SpecModel {
    Sample.model([.array("x", 2)], [.array("y", 3)]) { $0.neuralNetwork.layers = [layer(fill)] }
  }

  static func layer(_ fill: (inout SpecNeuralNetworkLayer) -> Void) -> SpecNeuralNetworkLayer {
    var layer = SpecNeuralNetworkLayer()
    layer.name = "l"
    layer.input = ["x"]
    layer.output = ["y"]
    fill(&layer)
    return layer
  }

  static func network(_ model: SpecModel) throws -> CoreMLNetwork {
    guard case .network(let network) = try Sample.read(model).content else { throw Sample.OtherKind() }
    return network
  }

  /// The operation of the only layer.
  static func operation(_ fill: (inout SpecNeuralNetworkLayer) -> Void) throws -> NetworkOperation {
    try network(model(fill)).layers[0].operation
  }
}

extension SpecModel {
  /// The first layer of a network.
  var layer: SpecNeuralNetworkLayer {
    get { neuralNetwork.layers[0] }
    set { neuralNetwork.layers[0] = newValue }
  }

  /// The parameters of an inner product that is the first layer.
  var product: SpecInnerProductLayerParams {
    get { layer.innerProduct }
    set { layer.innerProduct = newValue }
  }
}
