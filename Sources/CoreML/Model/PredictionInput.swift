import CoreVideo
import Foundation
import Martlet
import MartletCoreMLFile
import MartletGraph
import MartletImport
import MartletRuntime
import MartletTensor

/// A value that a program takes, in memory that kernels read: row-major, aligned, of the program's type.
@safe
struct PredictionInput: @unchecked Sendable {
  let argument: Argument
  /// The memory, which must live as long; nil for numbers.
  let storage: TensorStorage?
}

extension ModelFunction {
  /// Takes the inputs of one prediction in the program's order; features that it does not ask for are ignored.
  /// - Throws: `MLModelError.generic` naming the feature that is missing; `.featureType` naming the one that does not fit, what was
  ///   expected and what was found.
  func takeInputs(from provider: any MLFeatureProvider, into frame: PredictionFrame) throws {
    for position in frame.inputForms.indices {
      let form = frame.inputForms[position]
      let value = provider.featureValue(for: form.name)
      if case .multiArray(let array)? = value?.content, let input = form.input(for: array) {
        frame.inputs.append(input)
      } else {
        frame.inputs.append(try input(value, form, at: position))
      }
    }
  }

  /// Takes the memory of one prediction's inputs, which are tensors of the types that `inputForms` name.
  /// - Throws: as `takeInputs`.
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
      guard case .tensor(let type, let address, nil) = input.argument, type == form.tensor, let storage = input.storage else {
        throw MLModelError(.featureType, "The feature '\(form.name)' is not what the model's program takes")
      }
      frame.addresses.append(UInt(bitPattern: address))
      frame.owners.append(storage)
    }
  }

  private func input(_ value: MLFeatureValue?, _ form: InputForm, at position: Int) throws -> PredictionInput {
    let feature = description.inputs[position]
    let declared = inputDescriptions[position]
    guard let value, !(value.isUndefined && declared.isOptional) else {
      if declared.isOptional, let input = try defaultInput(position) { return input }
      if value == nil { throw MLModelError(.generic, "Feature '\(feature.name)' not provided.") }
      throw MLModelError(.featureType, "The feature '\(feature.name)' is undefined, but the model expects \(declared.expectation)")
    }
    if let found = declared.objection(to: value) {
      throw MLModelError(.featureType, "The feature '\(feature.name)' is \(found), but the model expects \(declared.expectation)")
    }
    return try input(value, feature, form, at: position)
  }

  private func input(_ value: MLFeatureValue, _ feature: CoreMLFeature, _ form: InputForm, at position: Int) throws -> PredictionInput {
    switch (form.type, value.content) {
    case (.tensor(let signature), .multiArray), (.tensor(let signature), .shapedArray):
      guard var view = value.arrayView else { break }
      // One element that stands for a number.
      if view.shape.count != signature.rank, feature.type == .double || feature.type == .int64 {
        view = view.element(rank: signature.rank)
      }
      return try input(view, as: signature.dtype, at: position)
    case (.tensor(let signature), .image(let buffer)):
      guard case .image(let type) = feature.type else { break }
      let tensor = try ImageConversion.tensor(buffer, type, dtype: signature.dtype, name: feature.name)
      let shape = [1, type.channelCount, CVPixelBufferGetHeight(buffer), CVPixelBufferGetWidth(buffer)]
      return try unsafe accepted(.tensor(TensorType(signature.dtype, shape), tensor.pointer), tensor, at: position)
    case (.tensor(let signature), .int64), (.tensor(let signature), .double):
      var shape: [Int] = []
      if signature.rank > 0 { shape = Array(repeating: 1, count: signature.rank) }
      let number: MartletTensor.Scalar = value.type == .int64 ? .int(value.int64Value) : .double(value.doubleValue)
      guard let tensor = HostTensor(repeating: number, dtype: signature.dtype, shape: shape) else { break }
      return try accepted(tensor, at: position)
    case (.scalar, .int64(let number)): return try accepted(.scalar(.int(number)), nil, at: position)
    case (.scalar, .double(let number)): return try accepted(.scalar(.double(number)), nil, at: position)
    default: break
    }
    throw MLModelError(.featureType, "The feature '\(feature.name)' is \(value.type.name), which the model's program does not take")
  }

  /// The elements where they lie, or a copy that kernels can read.
  private func input(_ view: ArrayView, as dtype: DType, at position: Int) throws -> PredictionInput {
    let argument = unsafe Argument.tensor(TensorType(dtype, view.shape), view.base)
    if view.dtype == dtype, view.isContiguous, view.isAligned { return try accepted(argument, view.storage, at: position) }
    let copy = TensorStorage(byteCount: view.shape.reduce(1, *) * dtype.byteCount)
    unsafe copyElements(
      shape: view.shape, from: view.base, view.placement, to: copy.pointer,
      ElementPlacement(dtype, strides: Shape.contiguousStrides(view.shape)))
    return try unsafe accepted(.tensor(TensorType(dtype, view.shape), copy.pointer), copy, at: position)
  }

  /// What stands for an optional input; nil if nothing does.
  private func defaultInput(_ position: Int) throws -> PredictionInput? {
    guard let value = model.source.defaultInput(description.inputs[position].name, of: description.programName)?.tensor else { return nil }
    return try accepted(value.host, at: position)
  }

  private func accepted(_ tensor: HostTensor, at position: Int) throws -> PredictionInput {
    let storage = tensor.sharedStorage
    return try unsafe accepted(.tensor(TensorType(tensor.dtype, tensor.shape), storage.pointer), storage, at: position)
  }

  private func accepted(_ argument: Argument, _ storage: TensorStorage?, at position: Int) throws -> PredictionInput {
    do {
      return PredictionInput(argument: try graph.accept(argument, at: position), storage: storage)
    } catch {
      throw MLModelError(.featureType, "The feature '\(description.inputs[position].name)' does not fit: \(error)")
    }
  }
}
