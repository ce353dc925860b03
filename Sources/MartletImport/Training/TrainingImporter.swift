package import MartletCoreMLFile
package import MartletFeatures
package import MartletGraph
import MartletOps
package import MartletTensor
import MartletVocabulary

/// One step of training as a graph: the layers for a mini-batch, the loss, the derivatives and the new weights.
package struct TrainingStep: Sendable {
  /// Inputs: the blobs of the mini-batch, the expected values and the optimiser's numbers (`OptimizerNumbers`). Output: the loss.
  /// States: the weights, then what the optimiser keeps.
  package let graph: Graph
  /// For each of the first states the weights that it holds, as `NetworkWeights.position`.
  package let weights: [Int]
  /// Number of classes of a cross entropy; nil for other losses.
  package let classCount: Int?
}

/// Imports what training a network needs: the layers that stay as they are, and the steps.
package final class TrainingImporter {
  private let network: UpdatableNetwork
  private let function: FunctionDescription
  private let file: String
  private let customLayers: CustomLayerProvider?
  private let constants = ConstantPool()

  /// - Parameters:
  ///   - function: the features of the network.
  ///   - file: the model's path, for errors.
  package init(_ network: UpdatableNetwork, function: FunctionDescription, file: String, customLayers: CustomLayerProvider?) {
    self.network = network
    self.function = function
    self.file = file
    self.customLayers = customLayers
  }

  private func importer(
    _ declared: FunctionDescription, _ sequences: NetworkImporter.Sequences, _ limits: ResourceLimits
  ) -> NetworkGraphImporter {
    NetworkGraphImporter(
      network.network, declared: declared, sequences: sequences, customLayers: customLayers, file: file, constants: constants,
      limits: GraphBuilder.Limits(limits))
  }

  /// Turns errors without a place into `ImportError`.
  private func located<Result>(_ method: String, _ location: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let error as CallError {
      throw ImportError(error, file: file, method: method, location: location, op: nil)
    } catch let error as GraphDifferentiation.Failure {
      throw ImportError(file: file, method: method, location: error.node.source, op: error.node.op, reason: error.reason)
    } catch let error as OperatorError {
      throw ImportError(file: file, method: method, location: location, op: nil, reason: error.reason)
    }
  }

  // MARK: Layers that stay

  /// The graph from a sample to the blobs that training starts with, in the order of `UpdatableNetwork.inputs`.
  package func features(_ sequences: NetworkImporter.Sequences, limits: ResourceLimits) throws -> Graph {
    let graph = try located("features", "inputs and outputs") {
      try importer(function, sequences, limits).importBlobs(network.fixedLayers, network.inputs)
    }
    try graph.verify()
    return graph
  }

  // MARK: Steps

  /// The graph of a step.
  /// - Parameters:
  ///   - blobs: the blobs of a sample, in the order of `UpdatableNetwork.inputs`.
  ///   - count: number of samples.
  package func step(_ blobs: [SampleBlob], count: Int, limits: ResourceLimits) throws -> TrainingStep {
    let name = "step \(count)"
    return try located(name, "loss") {
      var declared = function
      declared.name = name
      let importer = importer(declared, .any, limits)
      importer.changingWeights = ChangingWeights(
        Set(network.trainedLayers.filter(\.isUpdatable).flatMap { $0.operation.weights.compactMap(\.position) }))
      for (name, blob) in zip(network.inputs, blobs) { try addBlob(name, blob.batched(count), importer) }
      try importer.importLayers(network.trainedLayers)
      let result = try importer.blob(network.result)
      let step = try TrainingStepWriter(try importer.builder.graph(outputs: [result]), importer.changingWeights?.entries ?? [])
        .step(loss: network.loss.function, optimizer: network.optimizer, result: result, count: count)
      try step.graph.verify()
      return step
    }
  }

  /// The blob of a mini-batch as an input.
  private func addBlob(_ name: String, _ shape: [Int], _ importer: NetworkGraphImporter) throws {
    let builder = importer.builder
    let value = builder.addInput(.tensor(TensorSignature(TensorType(.float32, shape))), name: name)
    guard shape.count == 5, shape[0] == 1 else { return importer.names.define(name, value) }
    try importer.define(name, image: try builder.applied(Squeeze(axes: [0]), [value]))
  }
}
