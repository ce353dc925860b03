package import MartletFeatures

/// A neural network: layers that pass named blobs on, in execution order. Specification versions 1 to 10, plain, classifier or regressor.
package struct CoreMLNetwork: Sendable {
  package let layers: [NetworkLayer]
  /// Preprocessing of image inputs, in the file's order.
  package let preprocessing: [NetworkPreprocessing]
  /// The meaning of array inputs.
  package let arrayMapping: ArrayMapping
  /// The meaning of image inputs.
  package let imageMapping: ImageMapping
  package let classifier: Classifier?
  /// Nil if the file says nothing about training.
  package let training: NetworkTraining?

  /// How the axes of an array input become those of a blob.
  package enum ArrayMapping: Sendable {
    /// Blobs have the axes Seq, Batch, C, H, W.
    case rank5
    /// Blobs have the rank and shape of the array.
    case exact
  }

  package enum ImageMapping: Sendable {
    /// Seq, Batch, C, H, W.
    case rank5
    /// Batch, C, H, W.
    case rank4
  }

  package struct Classifier: Sendable {
    package let labels: ClassLabels
    /// The blob with the probabilities; nil for the output of the last layer.
    package let probabilities: String?
  }
}

package struct NetworkLayer: Sendable {
  package let name: String
  /// The layer's type as named in the format, e.g. `innerProduct`.
  package let type: String
  package let inputs: [String]
  package let outputs: [String]
  /// Shapes of the inputs as noted by the converter, -1 for unknown extents; empty if there are no notes.
  package let inputShapes: [[Int]]
  package let outputShapes: [[Int]]
  /// True if training may change its weights.
  package let isUpdatable: Bool
  package let operation: NetworkOperation
}

/// Preprocessing of one image input.
package struct NetworkPreprocessing: Sendable {
  package enum Step: Sendable {
    /// `sample * scale + bias`, with a bias for each colour.
    case scale(Float, red: Float, green: Float, blue: Float, gray: Float)
    /// Subtracts an image of shape [C, H, W] of the input's size.
    case subtract(mean: [Float])
  }

  /// The input; empty for the only image input.
  package let feature: String
  package let step: Step
}
