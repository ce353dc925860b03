import FoundationEssentials
import MartletFeatures
import MartletLock

/// A model that the program computes. It is made when the method is loaded, and serves one call at a time.
final class CustomModelFunction: FeatureFunction {
  private let request: CustomModel.Request
  private let function: FunctionDescription
  private let make: @Sendable (CustomModel.Request) throws -> CustomModel
  private let model = Guarded<CustomModel?>(nil)

  /// - Parameter make: finds the model that the request names.
  init(_ request: CustomModel.Request, make: @escaping @Sendable (CustomModel.Request) throws -> CustomModel) {
    self.request = request
    self.make = make
    function = request.description.defaultFunction
  }

  var takesBatches: Bool { true }

  func prepare() throws { try call { _ in } }

  func apply(to features: inout [String: ModelValue]) throws {
    let inputs = try inputs(features)
    let outputs = try call { try $0.predict(inputs) }
    try add(outputs, to: &features)
  }

  func apply(toAll features: inout [[String: ModelValue]]) throws {
    let inputs = try features.map { try self.inputs($0) }
    let outputs = try call { model in try model.predictBatch?(inputs) ?? inputs.map(model.predict) }
    guard outputs.count == inputs.count else {
      throw failure("it gave \(outputs.count) results for a batch of \(inputs.count)")
    }
    for index in features.indices { try add(outputs[index], to: &features[index]) }
  }

  /// Calls the model, which is made on first use.
  /// - Throws: `CancellationError`, or `MartletError.customModel` for all other errors of the model.
  private func call<R>(_ body: (CustomModel) throws -> R) throws -> R {
    try model.withLock { model in
      do {
        let made = try model ?? make(request)
        model = made
        return try body(made)
      } catch let error as CancellationError {
        throw error
      } catch {
        throw failure((error as? MartletError)?.message ?? (error as? any LocalizedError)?.errorDescription ?? "\(error)")
      }
    }
  }

  private func failure(_ reason: String) -> MartletError { MartletError(.customModel, "the custom model \(request.className): \(reason)") }

  // MARK: Features

  /// The model's inputs among the features of a pipeline.
  private func inputs(_ features: [String: ModelValue]) throws -> [String: ModelValue] {
    var inputs: [String: ModelValue] = [:]
    for feature in function.inputs {
      let value = features[feature.name] ?? .none
      if case .none = value, feature.isOptional { continue }
      guard let fitting = try feature.fitting(value) else { throw MartletError.mismatch(feature.name, "\(feature.type)", value) }
      inputs[feature.name] = fitting
    }
    return inputs
  }

  private func add(_ outputs: [String: ModelValue], to features: inout [String: ModelValue]) throws {
    for feature in function.outputs {
      guard let value = outputs[feature.name] else { throw failure("it gave no feature '\(feature.name)'") }
      guard let fitting = try feature.fitting(value) else {
        throw failure("it gave \(value.kind) for the feature '\(feature.name)', which the model declares otherwise")
      }
      features[feature.name] = fitting
    }
  }
}

extension FeatureDescription {
  /// A value as one of this feature: numbers and pictures that a graph gives as tensors, and integers for other numbers. Nil for a value that
  /// does not fit.
  fileprivate func fitting(_ value: ModelValue) throws -> ModelValue? {
    switch (type, value) {
    case (.multiArray(let array), .tensor(let tensor)), (.state(let array), .tensor(let tensor)):
      return array.allows(tensor.shape) ? value : nil
    case (.image(let image), .image(let picture)): return image.allows(width: picture.width, height: picture.height) ? value : nil
    case (.double, .int(let number)): return .double(Double(number))
    case (.image, .tensor), (.double, .tensor), (.int64, .tensor): return try self.value(of: value)
    case (.double, .double), (.int64, .int), (.string, .string): return value
    case (.dictionary(.string), .dictionary(.byString)), (.dictionary(.int64), .dictionary(.byInteger)): return value
    case (.dictionary(.string), .dictionary(.byInteger([:]))): return .dictionary(.byString([:]))
    case (.dictionary(.int64), .dictionary(.byString([:]))): return .dictionary(.byInteger([:]))
    case (.sequence(let sequence), .sequence(.strings)): return sequence.element == .string ? value : nil
    case (.sequence(let sequence), .sequence(.integers)): return sequence.element == .int64 ? value : nil
    default: return nil
    }
  }
}

extension ArrayFeature {
  /// Returns true for a shape that the declaration allows.
  fileprivate func allows(_ found: [Int]) -> Bool {
    switch flexibility {
    case .fixed: shape.isEmpty || shape == found
    case .enumerated(let shapes): shape == found || shapes.contains(found)
    case .ranges(let ranges): ranges.count == found.count && zip(ranges, found).allSatisfy { $0.contains($1) }
    }
  }
}
