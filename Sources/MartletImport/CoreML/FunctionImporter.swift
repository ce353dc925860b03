package import MartletCoreMLFile
package import MartletFeatures
package import MartletGraph
package import MartletTensor

/// Imports functions of a Core ML model, whatever its kind.
package protocol FunctionImporter {
  /// The graph of a function. Its inputs, outputs and states are those of the description, in the same order.
  ///
  /// - Parameter limits: limits on the resources that the function can request.
  /// - Throws: `ImportError`.
  func graph(of declared: FunctionDescription, limits: ResourceLimits) throws -> Graph
}

extension MILProgramImporter: FunctionImporter {}
extension ClassicImporter: FunctionImporter {}

extension NetworkImporter: FunctionImporter {}

extension CoreMLModel {
  /// The importer of the model's functions; nil for models that are not graphs: pipelines, functions on text and dictionaries, and kinds
  /// that the engine does not run.
  /// - Parameter customLayers: implements layers of networks that the file leaves to the program.
  package func functionImporter(customLayers: CustomLayerProvider? = nil) -> (any FunctionImporter)? {
    switch content {
    case .program(let program): MILProgramImporter(program, file: path)
    case .classic: ClassicMember(self).map { ClassicImporter([$0], file: path) }
    case .network(let network): NetworkImporter(network, file: path, customLayers: customLayers)
    case .pipeline: nil
    }
  }
}
