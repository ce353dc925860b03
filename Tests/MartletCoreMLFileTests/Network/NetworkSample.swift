import MartletCoreMLFile
import CoreMLMessages
import SwiftProtobuf

/// Networks with the layers of a test.
enum NetworkSample {
  /// A network of one layer with the input x and the output y, or with the inputs and outputs that `fill` gives the layer.
  static func model(_ fill: (inout SpecNeuralNetworkLayer) -> Void) -> SpecModel {
    let layer = layer(fill)
    let (inputs, outputs) = (layer.input.isEmpty ? ["x"] : layer.input, layer.output.isEmpty ? ["y"] : layer.output)
    return Sample.model(inputs.map { .array($0, 2) }, outputs.map { .array($0, 3) }) { $0.neuralNetwork.layers = [layer] }
  }

  /// The serialised model of version 4 with the input x, the output y and a network as the field `number`.
  static func serialized(_ network: [UInt8], as number: Int = 500) throws -> [UInt8] {
    let description: [UInt8] = try model { $0.copy = SpecCopyLayerParams() }.description_p.serializedBytes()
    return [8, 4] + serializedField(2, description) + serializedField(number, network)
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
