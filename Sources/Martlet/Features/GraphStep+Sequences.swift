import MartletFeatures
import MartletGraph
import MartletTensor

/// Arrays with Seq and Batch, the leading axes of blobs in the old mapping of neural networks. They are not part of a feature's declared
/// shape: an array feature [C] also takes [Seq, Batch, C], and any array feature takes [Seq, Batch, C, H, W].
extension GraphStep {
  /// The graph for these values: that for sequences if an array has Seq and Batch, otherwise the ordinary one.
  func graph(for values: [ModelValue]) -> String {
    guard let sequences else { return method }
    return zip(inputs, values).contains { feature, value in feature.hasSequence(value) } ? sequences : method
  }

  /// Runs the graph for sequences.
  /// - Parameter run: runs a graph with a value for each of its inputs.
  func results(
    ofSequences graph: String, _ values: [ModelValue], run: (_ graph: String, _ inputs: [ModelValue]) throws -> [ModelValue]
  ) throws -> [ModelValue] {
    // Of the first array with a batch.
    let shapes: [[Int]] = values.compactMap { $0.tensor?.shape }
    let batch = shapes.first { $0.count == 5 || $0.count == 3 }?[1] ?? 1
    let blobs: [ModelValue] = try zip(inputs, values).map { feature, value in
      guard case .multiArray(let array) = feature.type else { return value }
      guard case .tensor(let tensor) = value else { return try feature.missingBlob(array, batch: batch) }
      guard let shape = array.blobShape(of: tensor.shape) else {
        throw MartletError.invalidInput("the input \(feature.name) is \(value.kind), which has no sequence and batch")
      }
      return .tensor(tensor.reshaped(shape))
    }
    return zip(outputs, try run(graph, blobs)).map { feature, value in
      guard case .multiArray(let array) = feature.type, case .tensor(let tensor) = value else { return value }
      return .tensor(tensor.reshaped(array.shape(ofBlob: tensor.shape)))
    }
  }
}

extension FeatureDescription {
  /// True if an array has axes before those that the feature declares.
  fileprivate func hasSequence(_ value: ModelValue) -> Bool {
    guard case .multiArray(let array) = type, case .tensor(let tensor) = value else { return false }
    return tensor.shape.count != array.shape.count
  }
}

extension FeatureDescription {
  /// The blob for an input that the caller omits, such as an initial state.
  fileprivate func missingBlob(_ array: ArrayFeature, batch: Int) throws -> ModelValue {
    guard isOptional, let missingValue, let shape = array.blobShape(of: array.shape),
      let tensor = HostTensor(repeating: .double(missingValue), dtype: DType(array.dataType), shape: [1, batch] + shape.dropFirst(2))
    else { throw MartletError.invalidInput("the input \(name) is missing") }
    return .tensor(Tensor(tensor))
  }
}

extension Tensor {
  /// The same elements with a shape of as many.
  fileprivate func reshaped(_ shape: [Int]) -> Tensor {
    Tensor(HostTensor(dtype: host.dtype, shape: shape, storage: host.sharedStorage))
  }
}

extension ArrayFeature {
  /// The shape of an array as a blob; nil if the array has neither the declared rank nor Seq and Batch.
  fileprivate func blobShape(of shape: [Int]) -> [Int]? {
    switch (self.shape.count, shape.count) {
    case (_, 5): shape
    case (1, 3): shape + [1, 1]
    case (1, 1): [1, 1] + shape + [1, 1]
    case (3, 3): [1, 1] + shape
    default: nil
    }
  }

  /// The shape of a blob as an array: the declared one where the numbers of elements agree, otherwise [C, H, W], with Seq and Batch before
  /// it unless both are 1.
  fileprivate func shape(ofBlob blob: [Int]) -> [Int] {
    guard blob.count == 5 else { return blob }
    if !shape.isEmpty, Shape.haveEqualCounts(shape, blob) { return shape }
    return blob[0] == 1 && blob[1] == 1 ? Array(blob.suffix(3)) : blob
  }
}
