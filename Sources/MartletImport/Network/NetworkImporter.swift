package import MartletCoreMLFile
package import MartletFeatures
package import MartletGraph
package import MartletTensor

/// Imports neural networks. Constants are shared between the graphs.
package final class NetworkImporter {
  /// The extents of Seq and Batch, which exist only in the old mapping.
  package enum Sequences: Sendable {
    /// Inputs have the declared shapes; Seq and Batch are 1.
    case single
    /// Inputs have the shapes [Seq, Batch, C, H, W] of blobs, with any Seq and Batch.
    case any
  }

  private let network: CoreMLNetwork
  private let file: String
  private let constants = ConstantPool()

  private let sequences: Sequences
  private let customLayers: CustomLayerProvider?

  /// - Parameters:
  ///   - file: the model's path, for errors.
  ///   - customLayers: implements the layers that the file leaves to the program.
  package init(
    _ network: CoreMLNetwork, file: String, sequences: Sequences = .single, customLayers: CustomLayerProvider? = nil
  ) {
    self.network = network
    self.sequences = sequences
    self.customLayers = customLayers
    self.file = file
  }

  /// The graph of the network. Its inputs and outputs are those of the description, in the same order.
  ///
  /// - Throws: `ImportError` with the layer and its type; `GraphError` only for a fault of the importer.
  package func graph(of declared: FunctionDescription, limits: ResourceLimits) throws -> Graph {
    let graph: Graph
    do {
      graph = try NetworkGraphImporter(
        network, declared: declared, sequences: sequences, customLayers: customLayers, file: file, constants: constants,
        limits: GraphBuilder.Limits(limits)
      ).importNetwork()
    } catch let error as CallError {
      throw ImportError(error, file: file, method: declared.programName, location: "inputs and outputs", op: nil)
    }
    try graph.verify()
    return graph
  }
}
