package import MartletBytes
package import MartletCoreMLFile
package import MartletOps
import MartletTensor

/// A layer of a network that the file leaves to the program.
package struct CustomLayerRequest: Sendable {
  package let layer: String
  /// The class that the file names.
  package let className: String
  package let parameters: [String: NetworkCustomLayer.Value]
  /// In the file's order, as they lie in the file.
  package let weights: [ByteView]
}

/// A layer that the program implements. Blobs are float32 and row-major.
package struct CustomLayerImplementation: Sendable {
  /// The shapes of the outputs for shapes of the inputs.
  package let outputShapes: @Sendable (_ inputs: [[Int]]) throws -> [[Int]]
  package let evaluate: @Sendable (CustomCall) throws -> Void

  package init(
    outputShapes: @escaping @Sendable ([[Int]]) throws -> [[Int]], evaluate: @escaping @Sendable (CustomCall) throws -> Void
  ) {
    self.outputShapes = outputShapes
    self.evaluate = evaluate
  }
}

/// Finds the implementation of a layer.
package typealias CustomLayerProvider = @Sendable (CustomLayerRequest) throws -> CustomLayerImplementation

/// An error that a custom layer threw in a run.
package struct CustomLayerError: Error, Sendable, CustomStringConvertible {
  package let layer: String
  package let className: String
  package let reason: String

  package var description: String { "the layer '\(layer)' of class \(className): \(reason)" }
}
