package import MartletFeatures
import MartletGraph
import MartletTensor

/// The inputs of many calls as tensors with a row for each call.
package final class FeatureTable {
  private struct Column {
    let feature: FeatureDescription
    /// The type of one row.
    let type: TensorType
    let storage: TensorStorage
  }

  private let columns: [Column]
  private let count: Int

  /// - Parameters:
  ///   - step: the stage with the features.
  ///   - graph: its graph of rows.
  /// - Throws: `MartletError.executionFailed` if there is no memory for the rows.
  init(_ step: GraphStep, _ graph: Graph, count: Int) throws {
    self.count = count
    columns = try step.rowTypes(of: graph).map { feature, type in
      Column(feature: feature, type: type, storage: try TensorStorage(for: type.dtype, shape: [count] + type.shape))
    }
  }

  /// The tensors of all rows.
  var inputs: [ModelValue] {
    columns.map { .tensor(Tensor(HostTensor(dtype: $0.type.dtype, shape: [count] + $0.type.shape, storage: $0.storage))) }
  }

  /// Sets an input of a row.
  /// - Throws: as `Model.run` for a value that does not fit.
  package func set(_ value: ModelValue, row: Int, at position: Int) throws {
    let column = columns[position]
    // In range: a row of the memory.
    let target = unsafe column.storage.pointer + row * column.type.byteCount
    switch (column.type.dtype, value) {
    case (.float64, .double(let number)) where column.type.shape.isEmpty:
      unsafe target.storeBytes(of: number, as: Double.self)
    case (_, .tensor(let tensor)) where tensor.host.dtype == column.type.dtype && tensor.shape == column.type.shape:
      unsafe target.copyMemory(from: tensor.host.sharedStorage.pointer, byteCount: column.type.byteCount)
    default: try unsafe set(column, value, target)
    }
  }

  /// Sets an input of a row to a number.
  /// - Returns: false, without effect, for an input that is no number in double precision.
  package func set(_ number: Double, row: Int, at position: Int) -> Bool {
    let column = columns[position]
    guard column.type.dtype == .float64, column.type.shape.isEmpty else { return false }
    // In range: a row of the memory.
    unsafe column.storage.pointer.storeBytes(of: number, toByteOffset: row * 8, as: Double.self)
    return true
  }

  /// Sets an input of a row to the elements of an array.
  /// - Returns: false, without effect, for an array of another shape or type, or with gaps.
  package func set(_ array: ArrayView, row: Int, at position: Int) -> Bool {
    let column = columns[position]
    guard array.dtype == column.type.dtype, array.shape == column.type.shape, array.isContiguous else { return false }
    let byteCount = column.type.byteCount
    // In range: a row of the memory.
    unsafe (column.storage.pointer + row * byteCount).copyMemory(from: array.base, byteCount: byteCount)
    return true
  }

  /// Sets an input that needs a conversion.
  private func set(_ column: Column, _ value: ModelValue, _ target: UnsafeMutableRawPointer) throws {
    // A number is a tensor of one element where a single call takes it.
    let isNumber = column.type.shape.isEmpty
    let single = TensorSignature(TensorType(column.type.dtype, isNumber ? [1] : column.type.shape))
    let converted = try column.feature.graphValue(value, as: .tensor(single))
    guard let tensor = converted.tensor?.host, tensor.shape == single.fixedShape || isNumber && tensor.elementCount == 1 else {
      throw MartletError.invalidInput(
        "the input \(column.feature.name) does not fit", expected: "\(column.type)", found: value.kind)
    }
    let strides = Shape.contiguousStrides(tensor.shape)
    unsafe copyElements(
      shape: tensor.shape, from: tensor.sharedStorage.pointer, ElementPlacement(tensor.dtype, strides: strides), to: target,
      ElementPlacement(column.type.dtype, strides: strides))
  }

  /// The outputs of many calls.
  package struct Results: Sendable {
    private let columns: [(feature: FeatureDescription, tensor: HostTensor?)]

    init(_ outputs: [ModelValue], of step: GraphStep) {
      columns = zip(step.outputs, outputs).map { ($0, $1.tensor?.host) }
    }

    /// The features that the graph gave for a row.
    package func features(row: Int) throws -> [String: ModelValue] {
      var features: [String: ModelValue] = [:]
      features.reserveCapacity(columns.count)
      for (feature, tensor) in columns {
        guard let tensor, !tensor.shape.isEmpty, row < tensor.shape[0] else {
          throw MartletError.executionFailed("the output \(feature.name) has no row \(row)")
        }
        // A number stays a vector of one element.
        let shape = tensor.shape.count == 1 ? [1] : Array(tensor.shape.dropFirst())
        let type = TensorType(tensor.dtype, shape)
        // In range: a row of the tensor.
        let storage = TensorStorage(type.byteCount, of: tensor.sharedStorage, at: row * type.byteCount)
        features[feature.name] = try feature.value(
          of: .tensor(Tensor(HostTensor(dtype: type.dtype, shape: type.shape, storage: storage))))
      }
      return features
    }
  }
}

extension GraphStep {
  /// The inputs of a graph of rows, with the type of one row.
  func rowTypes(of graph: Graph) throws -> [(feature: FeatureDescription, type: TensorType)] {
    try zip(inputs, graph.inputs).map { feature, input in
      guard case .tensor(let signature) = graph[input].type else {
        throw MartletError.executionFailed("the input \(feature.name) is no tensor")
      }
      let shape = signature.dimensions.dropFirst().map { if case .fixed(let extent) = $0 { extent } else { 0 } }
      return (feature, TensorType(signature.dtype, shape))
    }
  }
}
