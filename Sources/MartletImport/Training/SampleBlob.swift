package import MartletCoreMLFile
import MartletTensor

/// How the blobs of samples are joined to that of a mini-batch.
package struct SampleBlob: Sendable, Hashable {
  /// The shape of one sample's blob.
  package let shape: [Int]
  /// The axis along which samples are joined.
  package let axis: Int
  /// True if the axis is added; otherwise it has the extent 1 in a sample.
  package let isNew: Bool

  /// - Parameters:
  ///   - layers: the layers that read the blob, directly or after others.
  /// - Throws: `CallError` if a sample already has a batch.
  package init(shape: [Int], of layers: [NetworkLayer]) throws(CallError) {
    self.shape = shape
    let isSequence = layers.contains { if case .lstm = $0.operation { true } else { false } }
    let isImage = layers.contains { layer in
      switch layer.operation {
      case .convolution, .pool, .batchNorm, .flatten: true
      default: false
      }
    }
    switch shape.count {
    case 1: (axis, isNew) = (0, true)
    case 2, 4: (axis, isNew) = (0, false)
    case 3 where isSequence: (axis, isNew) = (1, false)
    case 3 where isImage: (axis, isNew) = (0, true)
    case 3: (axis, isNew) = (shape[0] == 1 ? 0 : 1, false)
    case 5: (axis, isNew) = (1, false)
    default: throw CallError("a blob of rank \(shape.count) cannot be trained with")
    }
    guard isNew || shape[axis] == 1 else { throw CallError("a sample with the shape \(shape) is a batch of \(shape[axis]) samples") }
  }

  /// The shape of the blob of `count` samples.
  package func batched(_ count: Int) -> [Int] {
    var result = shape
    if isNew { result.insert(count, at: axis) } else { result[axis] = count }
    return result
  }

  /// Number of parts that a sample has between those of other samples: 1 if samples follow each other in memory.
  package var partCount: Int { Extent.product(shape[..<axis]).clamped }
}
