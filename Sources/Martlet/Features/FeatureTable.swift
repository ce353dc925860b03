import MartletFeatures
import MartletGraph
package import MartletTensor

/// The inputs of many calls as tensors with a row for each call.
@safe
package final class FeatureTable {
  /// An object, because copying a structure of this size for each value takes longer than storing the value.
  private final class Column {
    let feature: FeatureDescription
    /// The type of one row.
    let type: TensorType
    let storage: TensorStorage
    /// True for a number in double precision. An integer is none, although a graph may compute it as such.
    var isDouble: Bool { type.dtype == .float64 && type.shape.isEmpty && feature.type == .double }

    init(_ input: TableMethod.Input, count: Int) throws(AllocationError) {
      (feature, type) = (input.feature, input.type)
      storage = try TensorStorage(for: type.dtype, shape: [count] + type.shape)
    }
  }

  private let columns: [Column]
  /// The memory of the columns with a number in double precision for each row; nil for others.
  private let numbers: [UnsafeMutablePointer<Double>?]
  private let count: Int

  /// - Throws: `AllocationError` if there is no memory for the rows.
  init(_ method: TableMethod, count: Int) throws {
    self.count = count
    columns = try method.inputs.map { try Column($0, count: count) }
    unsafe numbers = columns.map { column in
      guard column.isDouble else { return nil }
      return unsafe column.storage.pointer.assumingMemoryBound(to: Double.self)
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
    case (.float64, .double(let number)) where column.isDouble:
      unsafe target.storeBytes(of: number, as: Double.self)
    case (_, .tensor(let tensor)) where tensor.host.dtype == column.type.dtype && tensor.shape == column.type.shape:
      unsafe target.copyMemory(from: tensor.host.sharedStorage.pointer, byteCount: column.type.byteCount)
    default: try unsafe set(column, value, target)
    }
  }

  /// Sets an input of a row to a number.
  /// - Returns: false, without effect, for an input that is no number in double precision.
  package func set(_ number: Double, row: Int, at position: Int) -> Bool {
    guard let numbers = unsafe numbers[position] else { return false }
    precondition(row >= 0 && row < count)
    unsafe numbers[row] = number
    return true
  }

  /// Sets an input of a row to the elements of an array, which are row-major without gaps.
  /// - Returns: false, without effect, for an array of another shape or type.
  package func set(_ source: UnsafeRawPointer, _ dtype: DType, _ shape: [Int], row: Int, at position: Int) -> Bool {
    let column = columns[position]
    guard dtype == column.type.dtype, shape == column.type.shape else { return false }
    precondition(row >= 0 && row < count)
    let byteCount = column.type.byteCount
    // In range: a row of the memory.
    unsafe (column.storage.pointer + row * byteCount).copyMemory(from: source, byteCount: byteCount)
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
    /// The outputs in order, if each is one number in double precision and no function changes it.
    private let numbers: [TensorStorage]?

    init(_ outputs: [ModelValue], of method: TableMethod) {
      columns = zip(method.outputs, outputs).map { ($0, $1.tensor?.host) }
      let numbers = columns.compactMap { feature, tensor -> TensorStorage? in
        guard case .double = feature.type, let tensor, tensor.dtype == .float64, tensor.shape.dropFirst().allSatisfy({ $0 == 1 }) else {
          return nil
        }
        return tensor.sharedStorage
      }
      self.numbers = numbers.count == columns.count && method.functions.isEmpty ? numbers : nil
    }

    /// The outputs of a row, in order, if each is a number that is its final value; else nil.
    package func numbers(row: Int) -> [Double]? {
      numbers?.map { storage in
        precondition(row >= 0 && row < storage.byteCount / 8)
        // In range: a row of the memory.
        return unsafe storage.pointer.load(fromByteOffset: row * 8, as: Double.self)
      }
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
