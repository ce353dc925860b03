package import MartletFeatures
import MartletGraph
import MartletTensor

/// A graph as a stage of a method, with the features of its inputs and outputs, in graph order.
package struct GraphStep: Sendable {
  package let method: String
  package let inputs: [FeatureDescription]
  package let outputs: [FeatureDescription]
  /// The graph that computes many calls at once: its inputs and outputs have a first axis with an index for each. Nil if there is none.
  package let table: String?
  /// The graph for arrays with Seq and Batch: its inputs are blobs [Seq, Batch, C, H, W] of a neural network's old mapping, as are its outputs.
  /// Nil if there is none.
  package let sequences: String?

  package init(
    method: String, table: String? = nil, sequences: String? = nil, inputs: [FeatureDescription], outputs: [FeatureDescription]
  ) {
    self.method = method
    self.table = table
    self.sequences = sequences
    self.inputs = inputs
    self.outputs = outputs
  }

  /// True if the graph's inputs and outputs are those of the method: arrays, none of them optional.
  package var isPlain: Bool {
    inputs.allSatisfy { $0.type.isArray && !$0.isOptional } && outputs.allSatisfy { $0.type.isArray }
  }
}

extension FeatureType {
  /// True for features that are tensors outside of the graph, too.
  package var isArray: Bool {
    switch self {
    case .multiArray, .state: true
    case .int64, .double, .string, .image, .dictionary, .sequence: false
    }
  }
}

extension FeatureDescription {
  // MARK: Inputs

  /// Converts a feature value to the graph's input.
  /// - Parameter type: the type that the graph declares.
  /// - Throws: `MartletError.invalidInput` with the name of the feature, its type and the value passed.
  func graphValue(_ value: ModelValue, as type: ValueType) throws -> ModelValue {
    func mismatch(_ expected: String) -> MartletError {
      .invalidInput("the input \(name) is \(expected), not \(value.kind)")
    }
    switch (self.type, value) {
    case (_, .none):
      guard isOptional || missingValue != nil else { throw MartletError.invalidInput("the input \(name) is missing") }
      guard case .tensor(let signature) = type else { return .none }
      guard let tensor = defaultTensor(as: signature.dtype) else {
        throw MartletError.invalidInput("the input \(name) is missing, and the model names no default for it")
      }
      return .tensor(Tensor(tensor))
    case (.image(let image), .image(let picture)):
      guard case .tensor(let signature) = type else { throw mismatch("\(type)") }
      guard image.allows(width: picture.width, height: picture.height) else { throw mismatch(expected(image)) }
      return .tensor(Tensor(try image.tensor(of: picture.image, as: signature.dtype)))
    // A tensor may also represent an image or a scalar. The graph checks its type and shape.
    case (_, .tensor): return value
    case (.double, .double), (.double, .int), (.double, .bool): return try number(value, as: type) ?? { throw mismatch("a number") }()
    case (.int64, .int), (.int64, .bool): return try number(value, as: type) ?? { throw mismatch("an integer") }()
    case (.multiArray, .double), (.multiArray, .int), (.multiArray, .bool):
      return try number(value, as: type) ?? { throw mismatch("\(type)") }()
    case (.image(let image), _): throw mismatch(expected(image))
    case (.multiArray, _), (.state, _): throw mismatch("\(type)")
    case (.double, _): throw mismatch("a number")
    case (.int64, _): throw mismatch("an integer")
    case (.string, _), (.dictionary, _), (.sequence, _): throw mismatch("of a kind that the program does not take")
    }
  }

  /// The accepted images, for messages.
  private func expected(_ image: ImageFeature) -> String {
    "\(ImageSignature(image))" + (FlexibleShapes(type).map { " (\($0))" } ?? "")
  }

  /// A number as the graph's input: a scalar or a tensor of one element. Nil if the graph expects more elements.
  private func number(_ value: ModelValue, as type: ValueType) throws -> ModelValue? {
    guard case .tensor(let signature) = type else { return value }
    let scalar: Scalar
    switch value {
    case .int(let number): scalar = .int(Int64(widening: number))
    case .double(let number): scalar = .double(number)
    case .bool(let truth): scalar = .bool(truth)
    default: return nil
    }
    guard let shape = signature.fixedShape, shape.allSatisfy({ $0 == 1 }) else { return nil }
    return signature.tensor(of: scalar).map { .tensor(Tensor($0)) }
  }

  // MARK: Outputs

  /// Converts an output of the graph to a feature value. Labels and dictionaries of a classifier remain class indices and tensors.
  func value(of result: ModelValue) throws -> ModelValue {
    guard case .tensor(let tensor) = result else { return result }
    switch type {
    case .image(let image):
      guard let picture = try image.image(of: tensor.host) else {
        throw MartletError.executionFailed("the output \(name) has the shape \(tensor.shape), which is not an image")
      }
      return .image(Picture(picture))
    case .double: return .double(try first(of: tensor))
    case .int64, .string: return .int(Int(exactly: try first(of: tensor).rounded(.towardZero)) ?? -1)
    case .multiArray, .state, .dictionary, .sequence: return result
    }
  }

  private func first(of tensor: Tensor) throws -> Double {
    guard let number = tensor.host.numbers.first else { throw MartletError.executionFailed("the output \(name) is empty") }
    return number
  }
}
