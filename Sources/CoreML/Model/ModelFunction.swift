import CoreVideo
import Foundation
import Martlet
import MartletFeatures

/// A loaded function of a model. Any number of threads may make predictions with it.
final class ModelFunction: @unchecked Sendable {
  let model: Model
  let description: FunctionDescription
  let method: FeatureMethod
  let inputDescriptions: [MLFeatureDescription]
  let outputDescriptions: [MLFeatureDescription]
  /// The types of the outputs by name.
  private let outputTypes: [String: MLFeatureType]
  let batchPace = Guarded(BatchPace())
  private let frames = Guarded<[PredictionFrame]>([])

  /// - Throws: `MLModelError` if there is no such function, or it uses an unsupported operator.
  init(_ model: Model, of asset: ModelAsset, named name: String?) throws {
    self.model = model
    if let name {
      guard let function = asset.features.function(named: name) else {
        let names = asset.features.functions.filter { !$0.name.isEmpty }.map { "'\($0.name)'" }.joined(separator: ", ")
        throw MLModelError(
          .parameters, "The model has no function '\(name)'" + (names.isEmpty ? "; it has no named functions" : ", only \(names)"))
      }
      description = function
    } else {
      description = asset.features.defaultFunction
    }
    inputDescriptions = description.inputs.map { MLFeatureDescription($0) }
    outputDescriptions = description.outputs.map { MLFeatureDescription($0) }
    outputTypes = Dictionary(outputDescriptions.map { ($0.name, $0.type) }, uniquingKeysWith: { first, _ in first })
    do {
      method = try FeatureMethod(model, method: description.programName)
    } catch {
      throw MLModelError(error, model: model.name)
    }
  }

  /// Plans the function for the default shapes of all inputs. If exactly one input has enumerated shapes, also plans each of these.
  func prepareDeclaredShapes() throws {
    guard method.isGraph else { return }
    let defaults = description.inputs.map { feature -> [Int] in
      switch feature.type {
      case .multiArray(let array): array.shape
      case .image(let image): image.tensorShape(width: image.size.width, height: image.size.height)
      default: []
      }
    }
    try model.prepare(method: description.programName, shapes: defaults)
    let enumerated = description.inputs.indices.compactMap { position -> (position: Int, shapes: [[Int]])? in
      guard case .multiArray(let array) = description.inputs[position].type, case .enumerated(let shapes) = array.flexibility else {
        return nil
      }
      return (position, shapes)
    }
    guard let (position, shapes) = enumerated.first, enumerated.count == 1 else { return }
    for shape in shapes {
      var all = defaults
      all[position] = shape
      try model.prepare(method: description.programName, shapes: all)
    }
  }

  func makeState() -> MLState {
    guard let storages = try? method.makeStates() else {
      preconditionFailure("Not enough memory for the states of the model")
    }
    return MLState(
      zip(method.states, storages).map { declaration, storage in
        MLState.Buffer(name: declaration.name, type: declaration.type, storage: storage)
      })
  }

  // MARK: Predictions

  /// Takes a frame that an earlier prediction has returned, or makes a new one.
  func takeFrame() -> PredictionFrame { frames.withLock { $0.popLast() } ?? makeFrame() }

  private func makeFrame() -> PredictionFrame {
    let inputForms = description.inputs.enumerated().map { position, feature in
      InputForm(feature, inputDescriptions[position], method.fixedType(ofInput: position))
    }
    let outputForms = zip(description.outputs, outputDescriptions).map { OutputForm($0, $1) }
    return PredictionFrame(method.makeInvocation(), inputForms, outputForms)
  }

  func release(_ frame: PredictionFrame) {
    frame.reset()
    frame.reserve(byteCount: 0)
    frames.withLock { $0.append(frame) }
  }

  /// Makes one prediction.
  ///
  /// - Parameter state: nil for a function without states.
  func predict(
    _ provider: any MLFeatureProvider, state: MLState? = nil, backings: [String: Any] = [:], cancellation: CallCancellation? = nil
  ) throws -> MLDictionaryFeatureProvider {
    guard method.isGraph, !hasSequences(provider) else {
      return try predictValues(provider, backings: backings, cancellation: cancellation)
    }
    let frame = takeFrame()
    defer { release(frame) }
    try takeInputs(from: provider, into: frame)
    return try predict(in: frame, state: state, backings: backings, cancellation: cancellation)
  }

  /// Whether an array has Seq and Batch before its declared axes.
  func hasSequences(_ provider: any MLFeatureProvider) -> Bool {
    guard method.takesSequences else { return false }
    return method.inputs.contains { feature in
      guard case .multiArray(let array) = feature.type,
        let given = provider.featureValue(for: feature.name)?.multiArrayValue
      else { return false }
      return given.shape.count != array.shape.count
    }
  }

  /// Makes one prediction from the inputs of the frame.
  func predict(
    in frame: PredictionFrame, state: MLState? = nil, backings: [String: Any] = [:], cancellation: CallCancellation? = nil
  ) throws -> MLDictionaryFeatureProvider {
    guard let state else {
      if let declaration = method.states.first {
        throw MLModelError(.generic, "The input feature for \(declaration.name) must be an MLState, but it was not.")
      }
      return try run(frame, backings, cancellation)
    }
    guard state.buffers.count == method.states.count,
      zip(state.buffers, method.states).allSatisfy({ $0.name == $1.name && $0.type == $1.type })
    else {
      throw MLModelError(
        .featureType,
        "The state was made by another model: it has \(state.buffers.map { "\($0.name) \($0.type)" }), the model expects "
          + "\(method.states.map { "\($0.name) \($0.type)" })")
    }
    frame.invocation.states = state.buffers.map(\.storage)
    return try state.predicting { try run(frame, backings, cancellation) }
  }

  private func run(
    _ frame: PredictionFrame, _ backings: [String: Any], _ cancellation: CallCancellation?
  ) throws -> MLDictionaryFeatureProvider {
    let invocation = frame.invocation
    do {
      try invocation.run(cancellation: cancellation) { position, type in try memory(forOutput: position, type, backings, frame) }
    } catch {
      throw MLModelError(error, model: model.name)
    }
    var values: [MLFeatureValue] = []
    values.reserveCapacity(frame.outputForms.count)
    // Other results, which the functions after the graph may still change.
    var others: [String: ModelValue] = [:]
    for position in 0..<invocation.resultCount {
      let form = frame.outputForms[position]
      let result = invocation.result(position)
      let memory = invocation.storage(ofOutput: position)
      if case .tensor(let type) = result, let memory, form.isArray {
        values.append(MLFeatureValue(multiArray: try form.array(memory, type, backings)))
      } else if case .tensor(let type) = result, let memory, case .image(let image) = description.outputs[position].type {
        let backing = try ImageConversion.backing(of: form.name, in: backings)
        values.append(
          MLFeatureValue(pixelBuffer: try unsafe ImageConversion.image(memory.pointer, type, image, into: backing, name: form.name)))
      } else {
        others[form.name] = try value(of: result, memory, at: position)
      }
    }
    return others.isEmpty ? MLDictionaryFeatureProvider(frame.outputNames, values) : try finish(others, values, frame)
  }

  private func value(of result: Invocation.Result, _ memory: TensorStorage?, at position: Int) throws -> ModelValue {
    do {
      return try method.value(of: result, in: memory, at: position)
    } catch {
      throw MLModelError(error, model: model.name)
    }
  }

  /// Runs the functions after the graph on the results that are neither arrays nor images.
  private func finish(
    _ others: [String: ModelValue], _ arrays: [MLFeatureValue], _ frame: PredictionFrame
  ) throws -> MLDictionaryFeatureProvider {
    let names = frame.outputNames.lazy.filter { others[$0] == nil }
    var values = Dictionary(zip(names, arrays), uniquingKeysWith: { first, _ in first })
    var others = others
    do {
      for function in method.functions { try function.apply(to: &others) }
    } catch {
      throw MLModelError(error, model: model.name)
    }
    for (name, value) in others { values[name] = MLFeatureValue(value, type: outputTypes[name] ?? .invalid) }
    return MLDictionaryFeatureProvider(values: values)
  }

  /// The memory that the program writes an output to: the caller's array if it has the program's layout and is not an input, or else new
  /// memory.
  private func memory(
    forOutput position: Int, _ type: TensorType, _ backings: [String: Any], _ frame: PredictionFrame
  ) throws -> TensorStorage {
    if !backings.isEmpty, let array = backings[frame.outputForms[position].name] as? MLMultiArray {
      guard array.count == type.elementCount else {
        throw MLModelError(
          .featureType,
          "The output '\(frame.outputForms[position].name)' is \(shapeText(type.shape)), and its backing \(shapeText(array.extents))")
      }
      if writes(type, into: array), !frame.invocation.reads(array.storage) { return array.storage }
    }
    do {
      return try frame.memory(byteCount: type.byteCount)
    } catch {
      throw MLModelError(.generic, "Not enough memory for the output '\(frame.outputForms[position].name)'")
    }
  }

  private func writes(_ type: TensorType, into array: MLMultiArray) -> Bool {
    array.dataType.dtype == type.dtype && array.form.isContiguous && array.isAligned
  }
}
