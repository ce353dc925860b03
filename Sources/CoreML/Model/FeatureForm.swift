package import Martlet
package import MartletFeatures

/// Properties of an input that are the same for every prediction, computed once.
final class InputForm: Sendable {
  let name: String
  /// The only tensor type that the program accepts; nil unless the model's description and the program agree on one.
  let tensor: TensorType?

  /// - Parameter type: the one type of tensors that the program takes; nil where it takes several or none.
  init(_ feature: FeatureDescription, _ description: MLFeatureDescription, _ type: TensorType?) {
    name = feature.name
    tensor = type?.shape == description.multiArrayConstraint?.fixedShape ? type : nil
  }

  /// The input for an array that the program can read in place. Returns nil for other arrays, which may still fit after conversion.
  func input(for array: MLMultiArray) -> BoundInput? {
    guard let tensor, fits(array) else { return nil }
    return BoundInput(tensor, in: array.storage)
  }

  /// Returns true if the program can read the array in place.
  func fits(_ array: MLMultiArray) -> Bool {
    guard let tensor else { return false }
    return array.dataType.dtype == tensor.dtype && array.form.isContiguous && array.form.extents == tensor.shape && array.isAligned
  }
}

/// Properties of an output that are the same for every prediction.
package final class OutputForm: Sendable {
  let name: String
  /// The element type of the array in the description.
  let dataType: MLMultiArrayDataType?
  /// The shape of the array in the description.
  let array: ArrayForm?
  let isArray: Bool

  package init(_ feature: FeatureDescription, _ description: MLFeatureDescription) {
    name = feature.name
    let constraint = description.multiArrayConstraint
    dataType = constraint?.dataType
    // The element count of a shape in a file may overflow.
    array =
      if let shape = constraint?.fixedShape, Shape.elementCount(shape) != nil { ArrayForm(rowMajor: shape) } else { nil }
    switch feature.type {
    case .multiArray, .state, .sequence: isArray = true
    case .int64, .double, .string, .image, .dictionary: isArray = false
    }
  }

  /// The form of the output array: that of the description if its element count matches, else the shape of the program's tensor.
  package func form(of type: TensorType) -> ArrayForm {
    if let array, array.count == type.elementCount { return array }
    return ArrayForm(rowMajor: type.shape)
  }

  /// The element type of the output array.
  func dataType(of type: TensorType) -> MLMultiArrayDataType { dataType ?? MLMultiArrayDataType(type.dtype) ?? .float32 }

  /// The output array for a tensor of the program: its memory, or a copy converted to the element type of the description.
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
