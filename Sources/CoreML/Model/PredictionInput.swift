import CoreVideo
import Foundation
import Martlet
import MartletFeatures

extension ModelFunction {
  /// Sets the inputs of one prediction. Ignores features that are not inputs.
  /// - Throws: `MLModelError.generic` with the name of a missing feature; `.featureType` with the name of a feature that does not fit,
  ///   what was expected and what was found.
  func takeInputs(from provider: any MLFeatureProvider, into frame: PredictionFrame) throws {
    for position in frame.inputForms.indices {
      frame.invocation.setInput(position, to: try boundInput(from: provider, frame.inputForms[position], at: position))
    }
  }

  /// The inputs of one prediction in program order, for a frame that makes the prediction later.
  /// - Throws: the errors of `takeInputs`.
  func boundInputs(from provider: any MLFeatureProvider) throws -> [BoundInput] {
    let frame = takeFrame()
    defer { release(frame) }
    return try frame.inputForms.enumerated().map { position, form in try boundInput(from: provider, form, at: position) }
  }

  private func boundInput(from provider: any MLFeatureProvider, _ form: InputForm, at position: Int) throws -> BoundInput {
    let value = provider.featureValue(for: form.name)
    if case .multiArray(let array)? = value?.content, let input = form.input(for: array) { return input }
    return try input(value, form, at: position)
  }

  /// Adds the addresses of one prediction's inputs to the frame. The inputs are tensors of the types in `inputForms`.
  /// - Throws: the errors of `takeInputs`.
  func takeAddresses(from provider: any MLFeatureProvider, into frame: PredictionFrame) throws {
    for position in frame.inputForms.indices {
      let form = frame.inputForms[position]
      let value = provider.featureValue(for: form.name)
      if case .multiArray(let array)? = value?.content, form.fits(array) {
        unsafe frame.addresses.append(UInt(bitPattern: array.storage.pointer))
        frame.owners.append(array.storage)
        continue
      }
      let input = try input(value, form, at: position)
      guard let (type, address) = input.tensor, type == form.tensor, let storage = input.storage else {
        throw MLModelError(.featureType, "The feature '\(form.name)' does not match the tensor type of the model's program")
      }
      frame.addresses.append(address)
      frame.owners.append(storage)
    }
  }

  private func input(_ value: MLFeatureValue?, _ form: InputForm, at position: Int) throws -> BoundInput {
    let declared = inputDescriptions[position]
    guard let value, !(value.isUndefined && declared.isOptional) else {
      if declared.isOptional, let input = try bind(.missing, form, at: position) { return input }
      throw missing(value, declared)
    }
    try check(value, declared)
    guard let input = try input(value, form, at: position) else {
      throw MLModelError(.featureType, "The feature '\(form.name)' is \(value.type.name), which the model's program does not accept")
    }
    return input
  }

  /// The error for an input that is absent, or undefined and not optional.
  func missing(_ value: MLFeatureValue?, _ declared: MLFeatureDescription) -> MLModelError {
    if value == nil { return MLModelError(.generic, "Feature '\(declared.name)' not provided.") }
    return MLModelError(.featureType, "The feature '\(declared.name)' is undefined, but the model expects \(declared.expectation)")
  }

  /// - Throws: `MLModelError.featureType` for a value that the declaration does not allow.
  func check(_ value: MLFeatureValue, _ declared: MLFeatureDescription) throws {
    guard let found = declared.objection(to: value), !isSequence(value, declared) else { return }
    throw MLModelError(.featureType, "The feature '\(declared.name)' is \(found), but the model expects \(declared.expectation)")
  }

  /// True for an array that has the declared shape after Seq and Batch: [Seq, Batch, C] for [C], or [Seq, Batch, C, H, W].
  private func isSequence(_ value: MLFeatureValue, _ declared: MLFeatureDescription) -> Bool {
    guard method.takesSequences, let constraint = declared.multiArrayConstraint, let array = value.multiArrayValue else { return false }
    let shape = array.shape.map(\.intValue)
    switch (constraint.shape.count, shape.count) {
    case (1, 3): return constraint.allows(shape: [shape[2]])
    case (1, 5): return shape[3] == 1 && shape[4] == 1 && constraint.allows(shape: [shape[2]])
    case (3, 5): return constraint.allows(shape: Array(shape.suffix(3)))
    default: return false
    }
  }

  /// - Returns: nil for a kind of value that the program does not take.
  private func input(_ value: MLFeatureValue, _ form: InputForm, at position: Int) throws -> BoundInput? {
    switch value.content {
    case .multiArray, .shapedArray: return try value.arrayView.flatMap { try bind(.array($0), form, at: position) }
    case .int64(let number): return try bind(.int(number), form, at: position)
    case .double(let number): return try bind(.double(number), form, at: position)
    case .image(let buffer):
      guard case .image(let type) = method.inputs[position].type else { return nil }
      return try ImageConversion.withPixels(of: buffer, for: type, name: form.name) { try bind(.pixels($0), form, at: position) }
    case .undefined, .string, .dictionary, .numbers, .sequence: return nil
    }
  }

  private func bind(_ input: FeatureInput, _ form: InputForm, at position: Int) throws -> BoundInput? {
    do {
      return try method.bind(input, at: position)
    } catch {
      throw MLModelError(.featureType, "The feature '\(form.name)' does not fit: \(error)")
    }
  }
}
