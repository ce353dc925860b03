package import MartletGraph
package import MartletOps

/// A model file behind a `Model`: what it declares, and its methods as graphs.
package protocol ModelSource: Sendable {
  /// In the file's order.
  var methods: [MethodSignature] { get }
  /// The method that runs when none is named.
  var defaultMethod: String { get }
  /// What the file holds, for the log.
  var summary: String { get }

  func hasMethod(_ name: String) -> Bool

  /// Imports a method, which exists. Only one thread at a time asks.
  ///
  /// - Throws: `ImportError`.
  func graph(of method: String) throws -> Graph

  /// Weights that need not be packed; nil for most.
  var packedWeights: (any PackedWeightSource)? { get }

  /// The order in which the file lays out the axes of each output of a method; row-major where nil or missing.
  func outputOrders(of method: String) -> [[Int]?]

  /// The shape that an input usually has, where the file tells and its type leaves extents open.
  func usualShape(ofInput position: Int, of method: String) -> [Int]?

  /// What stands for an input that a call by name leaves out; nil where it must be given.
  func defaultInput(_ name: String, of method: String) -> ModelValue?

  /// To be called when a method has been loaded and weights are packed: pages of the file need not stay in memory.
  func letGo()
}

extension ModelSource {
  package func hasMethod(_ name: String) -> Bool { methods.contains { $0.name == name } }
  package var packedWeights: (any PackedWeightSource)? { nil }
  package func outputOrders(of method: String) -> [[Int]?] { [] }
  package func usualShape(ofInput position: Int, of method: String) -> [Int]? { nil }
  package func defaultInput(_ name: String, of method: String) -> ModelValue? { nil }
  package func letGo() {}
}
