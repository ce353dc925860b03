package import Martlet
package import MartletFeatures

/// What is the same for every prediction about an input, so that none works it out again.
final class InputForm: Sendable {
  let name: String
  /// The one type of tensors that the program takes, where the model's description and the program name it.
  let tensor: TensorType?

  /// - Parameter type: the one type of tensors that the program takes; nil where it takes several or none.
  init(_ feature: FeatureDescription, _ description: MLFeatureDescription, _ type: TensorType?) {
    name = feature.name
    tensor = type?.shape == description.multiArrayConstraint?.fixedShape ? type : nil
  }

  /// The input for an array that lies as the program reads it; nil for all others, which may fit as well.
  func input(for array: MLMultiArray) -> BoundInput? {
    guard let tensor, fits(array) else { return nil }
    return BoundInput(tensor, in: array.storage)
  }

  /// Whether an array lies as the program reads it.
  func fits(_ array: MLMultiArray) -> Bool {
    guard let tensor else { return false }
    return array.dataType.dtype == tensor.dtype && array.form.isContiguous && array.form.extents == tensor.shape && array.isAligned
  }
}

/// What is the same for every prediction about an output.
package final class OutputForm: Sendable {
  let name: String
  /// The type of the array's elements that the description names.
  let dataType: MLMultiArrayDataType?
  /// The array's form that the description names.
  let array: ArrayForm?
  let isArray: Bool

  package init(_ feature: FeatureDescription, _ description: MLFeatureDescription) {
    name = feature.name
    let constraint = description.multiArrayConstraint
    dataType = constraint?.dataType
    // A file may declare more elements than can be counted.
    array =
      if let shape = constraint?.fixedShape, Shape.elementCount(shape) != nil { ArrayForm(rowMajor: shape) } else { nil }
    switch feature.type {
    case .multiArray, .state, .sequence: isArray = true
    case .int64, .double, .string, .image, .dictionary: isArray = false
    }
  }

  /// How a program's tensor is seen: in its own shape, if the description names none for as many elements.
  package func form(of type: TensorType) -> ArrayForm {
    if let array, array.count == type.elementCount { return array }
    return ArrayForm(rowMajor: type.shape)
  }

  /// The type of the elements that clients see.
  func dataType(of type: TensorType) -> MLMultiArrayDataType { dataType ?? MLMultiArrayDataType(type.dtype) ?? .float32 }

  /// What clients see of a program's tensor: its memory, or a copy with elements of the type that the description names.
  func array(_ memory: TensorStorage, _ type: TensorType, _ form: ArrayForm) -> MLMultiArray {
    let dataType = dataType(of: type)
    if dataType.dtype == type.dtype { return MLMultiArray(storage: memory, form: form, dataType: dataType) }
    let converted = TensorStorage(byteCount: type.elementCount * dataType.dtype.byteCount)
    unsafe copyElements(
      shape: form.extents, from: memory.pointer, ElementPlacement(type.dtype, strides: form.steps), to: converted.pointer,
      ElementPlacement(dataType.dtype, strides: form.steps))
    return MLMultiArray(storage: converted, form: form, dataType: dataType)
  }
}
