import Foundation
import Martlet
import MartletFeatures

/// Predictions of functions that are not one graph: pipelines and models of text and dictionaries.
extension ModelFunction {
  /// Makes one prediction.
  func predictValues(
    _ provider: any MLFeatureProvider, backings: [String: Any], cancellation: CallCancellation?
  ) throws -> MLDictionaryFeatureProvider {
    let inputs = try description.inputs.indices.map { try modelValue(from: provider, at: $0) }
    let results: [ModelValue]
    do {
      results = try method.run(inputs, cancellation: cancellation)
    } catch {
      throw MLModelError(error, model: model.name)
    }
    var values: [String: MLFeatureValue] = [:]
    values.reserveCapacity(results.count)
    for (position, result) in results.enumerated() {
      values[description.outputs[position].name] = try featureValue(result, at: position, backings)
    }
    return MLDictionaryFeatureProvider(values: values)
  }

  /// The value of an input.
  /// - Throws: as `takeInputs`.
  func modelValue(from provider: any MLFeatureProvider, at position: Int) throws -> ModelValue {
    let declared = inputDescriptions[position]
    let name = declared.name
    let value = provider.featureValue(for: name)
    guard let value, !(value.isUndefined && declared.isOptional) else {
      if declared.isOptional { return .none }
      throw missing(value, declared)
    }
    try check(value, declared)
    switch value.content {
    case .int64(let number): return .int(Int(number))
    case .double(let number): return .double(number)
    case .string(let text): return .string(text)
    case .multiArray, .shapedArray:
      guard let view = value.arrayView else { return .none }
      let tensor = HostTensor(zeros: view.dtype, shape: view.shape)
      unsafe copyElements(
        shape: view.shape, from: view.base, view.placement, to: tensor.sharedStorage.pointer,
        ElementPlacement(view.dtype, strides: Shape.contiguousStrides(view.shape)))
      return .tensor(Tensor(tensor))
    case .dictionary(let numbers): return .dictionary(ModelDictionary(numbers))
    case .sequence(let sequence):
      return .sequence(sequence.type == .string ? .strings(sequence.stringValues) : .integers(sequence.int64Values.map(\.intValue)))
    case .image(let buffer):
      guard case .image(let type) = description.inputs[position].type else { return .none }
      return try ImageConversion.withPixels(of: buffer, for: type, name: name) { pixels in
        .tensor(Tensor(try type.tensor(of: pixels, as: .float32)))
      }
    case .undefined: return .none
    }
  }

  func featureValue(_ value: ModelValue, at position: Int, _ backings: [String: Any]) throws -> MLFeatureValue {
    let feature = description.outputs[position]
    let declared = outputDescriptions[position]
    switch value {
    case .tensor(let tensor):
      let type = TensorType(tensor.host.dtype, tensor.host.shape)
      let form = OutputForm(feature, declared)
      return MLFeatureValue(multiArray: try array(tensor.host.sharedStorage, type, form, backings))
    case .image(let picture):
      guard case .image(let type) = feature.type else { return MLFeatureValue(undefined: declared.type) }
      let tensor = try type.tensor(of: picture.image, as: .float32)
      let backing = try backings[feature.name].map { try Self.pixelBuffer($0, name: feature.name) }
      return MLFeatureValue(
        pixelBuffer: try unsafe ImageConversion.image(
          tensor.sharedStorage.pointer, TensorType(tensor.dtype, tensor.shape), type, into: backing, name: feature.name))
    default: return MLFeatureValue(value, type: declared.type)
    }
  }
}

extension ModelDictionary {
  fileprivate init(_ numbers: [AnyHashable: NSNumber]) {
    let strings = numbers.compactMap { key, number in (key.base as? String).map { ($0, number.doubleValue) } }
    guard strings.isEmpty else {
      self = .byString(Dictionary(strings, uniquingKeysWith: { first, _ in first }))
      return
    }
    let integers = numbers.compactMap { key, number in
      (key.base as? any BinaryInteger).flatMap { Int(exactly: $0) }.map { ($0, number.doubleValue) }
    }
    self = .byInteger(Dictionary(integers, uniquingKeysWith: { first, _ in first }))
  }
}
