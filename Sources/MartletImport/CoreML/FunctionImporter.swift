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
