import CoreVideo
import Foundation
import Martlet
import MartletFeatures

/// Conversion of a feature between its value in the engine and that of Core ML's names.
struct FeatureConversion {
  let feature: FeatureDescription
  let declared: MLFeatureDescription

  init(_ feature: FeatureDescription, _ declared: MLFeatureDescription) {
    self.feature = feature
    self.declared = declared
  }

  /// The engine's value, which owns its memory. The declaration allows the value.
  func modelValue(_ value: MLFeatureValue) throws -> ModelValue {
    switch value.content {
    case .int64(let number): return .int(Int(number))
    case .double(let number): return .double(number)
    case .string(let text): return .string(text)
    case .multiArray, .shapedArray:
      guard let view = value.arrayView else { return .none }
      // As for a single graph, elements of other types are converted.
      let dtype = if case .multiArray(let array) = feature.type { DType(array.dataType) } else { view.dtype }
      let tensor = HostTensor(zeros: dtype, shape: view.shape)
      unsafe copyElements(
        shape: view.shape, from: view.base, view.placement, to: tensor.sharedStorage.pointer,
        ElementPlacement(dtype, strides: Shape.contiguousStrides(view.shape)))
      return .tensor(Tensor(tensor))
    case .dictionary(let numbers): return .dictionary(ModelDictionary(numbers))
    case .numbers(let numbers): return .dictionary(numbers)
    case .sequence(let sequence):
      return .sequence(sequence.type == .string ? .strings(sequence.stringValues) : .integers(sequence.int64Values.map(\.intValue)))
    case .image(let buffer):
      guard case .image(let type) = feature.type else { return .none }
      return try ImageConversion.withPixels(of: buffer, for: type, name: feature.name) { pixels in
        .tensor(Tensor(try type.tensor(of: pixels, as: .float32)))
      }
    case .undefined: return .none
    }
  }

  /// The value for callers.
  /// - Parameter backings: arrays and pixel buffers of the caller by name of the output.
  func featureValue(_ value: ModelValue, _ backings: [String: Any] = [:]) throws -> MLFeatureValue {
    switch (feature.type, value) {
    case (.image(let type), .tensor(let tensor)): return try picture(tensor.host, type, backings)
    case (.image(let type), .image(let picture)):
      return try self.picture(type.tensor(of: picture.image, as: .float32), type, backings)
    case (_, .tensor(let tensor)):
      let type = TensorType(tensor.host.dtype, tensor.host.shape)
      return MLFeatureValue(multiArray: try OutputForm(feature, declared).array(tensor.host.sharedStorage, type, backings))
    case (_, .image): return MLFeatureValue(undefined: declared.type)
    default: return MLFeatureValue(value, type: declared.type)
    }
  }

  private func picture(_ tensor: HostTensor, _ type: ImageFeature, _ backings: [String: Any]) throws -> MLFeatureValue {
    let backing = try ImageConversion.backing(of: feature.name, in: backings)
    let buffer = try unsafe ImageConversion.image(
      tensor.sharedStorage.pointer, TensorType(tensor.dtype, tensor.shape), type, into: backing, name: feature.name)
    return MLFeatureValue(pixelBuffer: buffer)
  }
}

extension OutputForm {
  /// The output array for a tensor of the program: the caller's backing, the tensor's memory, or a copy with the declared element type.
  /// - Throws: `MLModelError.featureType` for a backing that does not fit.
  func array(_ memory: TensorStorage, _ type: TensorType, _ backings: [String: Any]) throws -> MLMultiArray {
    let form = form(of: type)
    guard let backing = backings[name] else { return array(memory, type, form) }
    guard let array = backing as? MLMultiArray else {
      throw MLModelError(.featureType, "The backing of the output '\(name)' is \(Swift.type(of: backing)), not an MLMultiArray")
    }
    let dataType = dataType(of: type)
    guard array.extents == form.extents, array.dataType == dataType else {
      throw MLModelError(
        .featureType,
        "The output '\(name)' is MultiArray (\(dataType.name), \(shapeText(form.extents))), and its backing MultiArray "
          + "(\(array.dataType.name), \(shapeText(array.extents)))")
    }
    if array.storage !== memory {
      unsafe copyElements(
        shape: form.extents, from: memory.pointer, ElementPlacement(type.dtype, strides: form.steps), to: array.storage.pointer,
        array.placement)
    }
    return array
  }
}

extension ImageConversion {
  /// The caller's pixel buffer for an output; nil if there is none.
  static func backing(of name: String, in backings: [String: Any]) throws -> CVPixelBuffer? {
    guard let backing = backings[name] else { return nil }
    guard let buffer = backing as? CVPixelBuffer else {
      throw MLModelError(.featureType, "The backing of the output '\(name)' is \(Swift.type(of: backing)), not a CVPixelBuffer")
    }
    return buffer
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
