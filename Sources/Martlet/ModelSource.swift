package import MartletBytes
package import MartletGraph
package import MartletOps
package import MartletTensor

/// A model file behind a `Model`: its declarations, and its methods as graphs.
package protocol ModelSource: Sendable {
  /// In the file's order.
  var methods: [MethodSignature] { get }
  /// The method that runs when none is named.
  var defaultMethod: String { get }
  /// One-line summary of the file for the log.
  var summary: String { get }

  func hasMethod(_ name: String) -> Bool

  /// Returns true for the name of a graph: that of a stage of a method, or of a method that is a graph itself.
  func hasGraph(_ name: String) -> Bool

  /// Imports an existing graph. Calls are serialised by the caller.
  ///
  /// - Parameter limits: limits on the resources that the graph can request.
  /// - Throws: `ImportError`.
  func graph(of name: String, limits: ResourceLimits) throws -> Graph

  /// Weights that are already packed; nil if there are none.
  var packedWeights: (any PackedWeightSource)? { get }

  /// The axis order in which the file stores each output of a method; nil or a missing entry means row-major.
  func outputOrders(of method: String) -> [[Int]?]

  /// Default shape of an input whose type leaves extents open; nil if the file gives none.
  func usualShape(ofInput position: Int, of method: String) -> [Int]?

  /// The stages that a method consists of; nil in formats without features, whose methods are graphs.
  func chain(of method: String) -> ModelChain?

  /// The mapped files whose bytes methods read when they are loaded and run.
  var mappedFiles: [MappedFile] { get }

  /// Called when a method has been loaded and its weights are packed: pages of the file no longer need to stay in memory.
  func release()
}

extension ModelSource {
  package func hasMethod(_ name: String) -> Bool { methods.contains { $0.name == name } }
  package func hasGraph(_ name: String) -> Bool { hasMethod(name) }
  package var packedWeights: (any PackedWeightSource)? { nil }
  package func outputOrders(of method: String) -> [[Int]?] { [] }
  package func usualShape(ofInput position: Int, of method: String) -> [Int]? { nil }
  package func chain(of method: String) -> ModelChain? { nil }
  package var mappedFiles: [MappedFile] { [] }
  package func release() {}
}
