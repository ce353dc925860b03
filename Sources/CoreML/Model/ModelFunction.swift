import CoreVideo
import Foundation
import Martlet
import MartletCoreMLFile
import MartletGraph
import MartletImport
import MartletLock
import MartletRuntime
import MartletTensor

/// A function of a model, ready for predictions from any number of threads.
final class ModelFunction: @unchecked Sendable {
  let model: Model
  let description: CoreMLFunctionDescription
  let labels: ClassLabels?
  let method: CompiledMethod
  let inputDescriptions: [MLFeatureDescription]
  let outputDescriptions: [MLFeatureDescription]
  let batchPace = Guarded(BatchPace())
  /// Bytes of all outputs of a prediction, where the program has one size for each.
  let outputByteCount: Int?
  let hasStates: Bool
  private let frames = Guarded<[PredictionFrame]>([])

  var graph: Graph { method.graph }

  /// - Throws: `MLModelError` if there is no such function, or the engine does not have an operator.
  init(_ model: Model, of file: CoreMLModel, named name: String?) throws {
    self.model = model
    if let name {
      guard let function = file.description.function(named: name) else {
        let names = file.description.functions.filter { !$0.name.isEmpty }.map { "'\($0.name)'" }.joined(separator: ", ")
        throw MLModelError(
          .parameters, "The model has no function '\(name)'" + (names.isEmpty ? "; it has no named functions" : ", only \(names)"))
      }
      description = function
    } else {
      description = file.description.defaultFunction
    }
    labels = file.program(for: description)?.classLabels
    inputDescriptions = description.inputs.map { MLFeatureDescription($0) }
    outputDescriptions = description.outputs.map { MLFeatureDescription($0) }
    do {
      try model.load(method: description.programName)
      method = try model.compiled(description.programName)
    } catch {
      throw MLModelError(error, model: model.name)
    }
    let graph = method.graph
    hasStates = !graph.states.isEmpty
    outputByteCount = graph.outputs.reduce(0) { sum, output in
      guard let sum else { return nil }
      guard case .tensor(let signature) = graph[output].type else { return sum }
      guard let shape = signature.fixedShape, let byteCount = HostTensor.byteCount(dtype: signature.dtype, shape: shape) else { return nil }
      let (total, overflow) = sum.addingReportingOverflow(TensorStorage.alignedByteCount(byteCount))
      return overflow ? nil : total
    }
  }

  /// Makes the plans for the default shapes of all inputs and, where one input has enumerated shapes, for each of these.
  func prepareDeclaredShapes() throws {
    let defaults = description.inputs.map { feature -> [Int] in
      switch feature.type {
      case .multiArray(let array): array.shape
      case .image(let image): [1, image.channelCount, image.size.height, image.size.width]
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
      preconditionFailure("There is not enough memory for the model's states")
    }
    return MLState(
      zip(graph.states, storages).map { declaration, storage in
        MLState.Buffer(name: declaration.name, type: declaration.type, storage: storage)
      })
  }

  // MARK: Predictions

  /// What a thread needs for predictions, from those that earlier ones gave back.
  func takeFrame() -> PredictionFrame { frames.withLock { $0.popLast() } ?? makeFrame() }

  private func makeFrame() -> PredictionFrame {
    let graph = method.graph
    let inputForms = description.inputs.enumerated().map { position, feature in
      InputForm(feature, inputDescriptions[position], graph[graph.inputs[position]].type)
    }
    let outputForms = zip(description.outputs, outputDescriptions).map { OutputForm($0, $1) }
    return PredictionFrame(method.takeCall(), inputForms, outputForms)
  }

  func giveBack(_ frame: PredictionFrame) {
    frame.reset()
    frame.reserve(byteCount: 0)
    frames.withLock { $0.append(frame) }
  }

  /// One prediction.
  ///
  /// - Parameter state: nil for a function without states.
  func predict(
    _ provider: any MLFeatureProvider, state: MLState? = nil, backings: [String: Any] = [:], cancellation: Cancellation? = nil
  ) throws -> MLDictionaryFeatureProvider {
    let frame = takeFrame()
    defer { giveBack(frame) }
    try takeInputs(from: provider, into: frame)
    return try predict(in: frame, state: state, backings: backings, cancellation: cancellation)
  }

  /// One prediction from the frame's inputs.
  func predict(
    in frame: PredictionFrame, state: MLState? = nil, backings: [String: Any] = [:], cancellation: Cancellation? = nil
  ) throws -> MLDictionaryFeatureProvider {
    guard let state else {
      if hasStates, let declaration = graph.states.first {
        throw MLModelError(.generic, "The input feature for \(declaration.name) must be an MLState, but it was not.")
      }
      return try run(frame, backings, cancellation)
    }
    guard state.buffers.count == graph.states.count,
      zip(state.buffers, graph.states).allSatisfy({ $0.name == $1.name && $0.type == $1.type })
    else {
      throw MLModelError(
        .featureType,
        "The state was made by another model: it has \(state.buffers.map { "\($0.name) \($0.type)" }), the model expects "
          + "\(graph.states.map { "\($0.name) \($0.type)" })")
    }
    frame.call.states = state.buffers.map(\.storage)
    return try state.predicting { try run(frame, backings, cancellation) }
  }

  private func run(
    _ frame: PredictionFrame, _ backings: [String: Any], _ cancellation: Cancellation?
  ) throws -> MLDictionaryFeatureProvider {
    let call = frame.call
    for input in frame.inputs { call.arguments.append(input.argument) }
    for _ in frame.outputForms { frame.memories.append(nil) }
    do {
      try unsafe method.run(call, cancellation: cancellation) { position, type in
        let memory = try memory(forOutput: position, type, backings, frame)
        frame.memories[position] = memory
        return unsafe memory.pointer
      }
    } catch {
      throw MLModelError(error, model: model.name)
    }
    var values: [String: MLFeatureValue] = [:]
    values.reserveCapacity(frame.outputForms.count)
    for position in call.results.indices {
      let form = frame.outputForms[position]
      values[form.name] = try output(call.results[position], frame.memories[position], form, at: position, backings)
    }
    return MLDictionaryFeatureProvider(values: values)
  }

  /// Where the program writes an output: into the caller's array, if its elements lie as the program writes them and are no input.
  private func memory(
    forOutput position: Int, _ type: TensorType, _ backings: [String: Any], _ frame: PredictionFrame
  ) throws -> TensorStorage {
    if !backings.isEmpty, let array = backings[frame.outputForms[position].name] as? MLMultiArray {
      guard array.count == type.elementCount else {
        throw MLModelError(
          .featureType,
          "The output '\(frame.outputForms[position].name)' is \(shapeText(type.shape)), and its backing \(shapeText(array.extents))")
      }
      if writes(type, into: array), !frame.inputs.contains(where: { $0.storage === array.storage }) { return array.storage }
    }
    do {
      return try frame.memory(byteCount: type.byteCount)
    } catch {
      throw MLModelError(.generic, "There is not enough memory for the output '\(frame.outputForms[position].name)'")
    }
  }

  private func writes(_ type: TensorType, into array: MLMultiArray) -> Bool {
    array.dataType.dtype == type.dtype && array.form.isContiguous && array.isAligned
  }

  // MARK: Outputs

  private func output(
    _ result: CallOutput, _ memory: TensorStorage?, _ form: OutputForm, at position: Int, _ backings: [String: Any]
  ) throws -> MLFeatureValue {
    if case .tensor(let type) = result, let memory, form.isArray {
      return MLFeatureValue(multiArray: try array(memory, type, form, backings))
    }
    let feature = description.outputs[position]
    switch result {
    case .scalar(let number):
      if case .double = feature.type { return MLFeatureValue(double: number.doubleValue) }
      return try label(number.intValue.map { Int($0) } ?? Int(number.doubleValue), feature)
    case .string(let text): return MLFeatureValue(string: text)
    case .none: return MLFeatureValue(undefined: outputDescriptions[position].type)
    case .tensor(let type):
      guard let memory else { throw MLModelError(.generic, "The output '\(feature.name)' is missing") }
      switch feature.type {
      case .image(let image):
        let backing = try backings[feature.name].map { try Self.pixelBuffer($0, name: feature.name) }
        return MLFeatureValue(
          pixelBuffer: try unsafe ImageConversion.image(memory.pointer, type, image, into: backing, name: feature.name))
      case .string, .int64:
        guard let number = numbers(memory, type).first else { throw MLModelError(.generic, "The output '\(feature.name)' is empty") }
        return try label(Int(exactly: number.rounded(.towardZero)) ?? -1, feature)
      case .double: return MLFeatureValue(double: numbers(memory, type).first ?? .nan)
      case .dictionary: return try probabilities(numbers(memory, type), feature)
      case .multiArray, .state, .sequence: return MLFeatureValue(multiArray: try array(memory, type, form, backings))
      }
    }
  }

  /// The elements of a small tensor.
  private func numbers(_ memory: TensorStorage, _ type: TensorType) -> [Double] {
    let strides = Shape.contiguousStrides(type.shape)
    guard type.dtype.isConvertible else {
      // Positions and integer numbers.
      return (0..<type.elementCount).map { unsafe Double(memory.pointer.assumingMemoryBound(to: Int64.self)[$0]) }
    }
    return unsafe Array(unsafeUninitializedCapacity: type.elementCount) { numbers, count in
      count = type.elementCount
      guard let target = numbers.baseAddress else { return }
      unsafe copyElements(
        shape: type.shape, from: memory.pointer, ElementPlacement(type.dtype, strides: strides), to: target,
        ElementPlacement(.float64, strides: strides))
    }
  }

  /// The class at a position among the classifier's; of other models the number.
  private func label(_ position: Int, _ feature: CoreMLFeature) throws -> MLFeatureValue {
    switch labels {
    case .strings(let labels)? where labels.indices.contains(position): return MLFeatureValue(string: labels[position])
    case .integers(let labels)? where labels.indices.contains(position): return MLFeatureValue(int64: labels[position])
    default:
      if case .string = feature.type { throw MLModelError(.generic, "The output '\(feature.name)' names no class") }
      return MLFeatureValue(int64: Int64(position))
    }
  }

  private func probabilities(_ numbers: [Double], _ feature: CoreMLFeature) throws -> MLFeatureValue {
    let pairs: [(AnyHashable, NSNumber)]
    switch labels {
    case .strings(let labels)? where labels.count == numbers.count:
      pairs = zip(labels, numbers).map { (AnyHashable($0), NSNumber(value: $1)) }
    case .integers(let labels)? where labels.count == numbers.count:
      pairs = zip(labels, numbers).map { (AnyHashable($0), NSNumber(value: $1)) }
    default:
      throw MLModelError(.generic, "The output '\(feature.name)' has \(numbers.count) elements for \(labels?.count ?? 0) classes")
    }
    return MLFeatureValue(content: .dictionary(Dictionary(pairs, uniquingKeysWith: { $1 })))
  }

  private func array(
    _ memory: TensorStorage, _ type: TensorType, _ output: OutputForm, _ backings: [String: Any]
  ) throws -> MLMultiArray {
    let form = output.form(of: type)
    guard let backing = backings[output.name] else { return output.array(memory, type, form) }
    guard let array = backing as? MLMultiArray else {
      throw MLModelError(.featureType, "The backing of the output '\(output.name)' is \(Swift.type(of: backing)), not an MLMultiArray")
    }
    let dataType = output.dataType(of: type)
    guard array.extents == form.extents, array.dataType == dataType else {
      throw MLModelError(
        .featureType,
        "The output '\(output.name)' is MultiArray (\(dataType.name), \(shapeText(form.extents))), and its backing MultiArray "
          + "(\(array.dataType.name), \(shapeText(array.extents)))")
    }
    if array.storage !== memory {
      unsafe copyElements(
        shape: form.extents, from: memory.pointer, ElementPlacement(type.dtype, strides: form.steps), to: array.storage.pointer,
        array.placement)
    }
    return array
  }

  private static func pixelBuffer(_ backing: Any, name: String) throws -> CVPixelBuffer {
    guard let buffer = backing as? CVPixelBuffer else {
      throw MLModelError(.featureType, "The backing of the output '\(name)' is \(Swift.type(of: backing)), not a CVPixelBuffer")
    }
    return buffer
  }
}

extension MLModelError {
  /// The error of a model for an error of the engine.
  /// - Parameter model: the model's name, for errors that do not name a file themselves.
  init(_ error: any Error, model: String? = nil) {
    switch error {
    case let error as MLModelError: self = error
    case is CancellationError: self.init(.predictionCancelled, "The prediction was cancelled")
    case MartletError.invalidFile(let reason): self.init(.io, reason)
    case MartletError.invalidInput(let reason): self.init(.featureType, reason)
    case let error as MartletError: self.init(.generic, "\(error)")
    default: self.init(.generic, "\(MartletError(error, file: model))")
    }
  }
}
