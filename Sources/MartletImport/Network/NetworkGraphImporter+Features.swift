import MartletCoreMLFile
import MartletFeatures
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// Inputs and outputs of networks: features as blobs, and back.
extension NetworkGraphImporter {
  private var isExact: Bool { network.arrayMapping == .exact }

  // MARK: Inputs

  func addInput(_ feature: FeatureDescription) throws {
    switch feature.type {
    case .multiArray(let array): try addArray(feature.name, array)
    case .image(let image): try addImage(feature.name, image)
    case .int64, .double, .string, .dictionary, .sequence, .state:
      throw CallError("the input '\(feature.name)' is neither an array nor an image")
    }
  }

  private func addArray(_ name: String, _ array: ArrayFeature) throws {
    var dimensions = array.dimensions
    if isExact {
      // A blob has at least one axis.
      let input = builder.addInput(.tensor(TensorSignature(dtype: DType(array.dataType), dimensions: dimensions)), name: name)
      let value = dimensions.isEmpty ? try builder.reshaped(input, to: [1]) : input
      return names.define(name, try builder.converted(value, to: .float32))
    }
    let shape: [Dimension]
    switch dimensions.count {
    case 1: shape = dimensions + [.fixed(1), .fixed(1)]
    case 3: shape = dimensions
    case 5: shape = Array(dimensions.suffix(3))
    default:
      throw CallError("the input '\(name)' has \(dimensions.count) extents; without the exact mapping, 1, 3 or 5 are possible")
    }
    if case .any = sequences { dimensions = [.symbolic(bound: nil), .symbolic(bound: nil)] + shape }
    let input = builder.addInput(.tensor(TensorSignature(dtype: DType(array.dataType), dimensions: dimensions)), name: name)
    let value = try builder.converted(input, to: .float32)
    if dimensions.count == 5 { return names.define(name, value) }
    let extents = try builder.extents(of: value)
    let unit = GraphNumber(1)
    let image = extents.count == 1 ? try builder.reshaped(value, [unit, extents[0], unit, unit]) : try builder.unsqueezed(value, axis: 0)
    try define(name, image: image)
  }

  /// Assigns [N, C, H, W] to a blob of five axes, of which the first is 1.
  func define(_ name: String, image: ValueID) throws(CallError) {
    let blob = try builder.unsqueezed(image, axis: 0)
    note(image, asImageOf: blob)
    names.define(name, blob)
  }

  /// Pixels arrive as [1, C, H, W] in the order of the feature's colours, with values from 0 to 255.
  private func addImage(_ name: String, _ image: ImageFeature) throws {
    let input = builder.addInput(.tensor(TensorSignature(dtype: .float32, dimensions: image.dimensions)), name: name)
    var value = input
    for step in network.preprocessing where step.feature == name || step.feature.isEmpty {
      value = try preprocessed(value, step.step, image)
    }
    if network.imageMapping == .rank4 { names.define(name, value) } else { try define(name, image: value) }
  }

  private func preprocessed(_ x: ValueID, _ step: NetworkPreprocessing.Step, _ image: ImageFeature) throws -> ValueID {
    let signature = try builder.signature(of: x)
    switch step {
    case .scale(let scale, let red, let green, let blue, let gray):
      let biases: [Float] =
        switch image.colorSpace {
        case .grayscale, .grayscaleFloat16: [gray]
        case .rgb: [red, green, blue]
        case .bgr: [blue, green, red]
        }
      if scale == 1, biases.allSatisfy({ $0 == 0 }) { return x }
      let bias = builder.addConstant(Constant(biases, shape: [1, biases.count, 1, 1]))
      return try builder.pointwise("scale", values: [x, bias], in: .float32, signature) { build, x in
        build.binary(.add, build.binary(.mul, x[0], build.literal(Double(scale))), x[1])
      }
    case .subtract(let mean):
      guard case .fixed(let channels) = signature.dimensions[1] else { throw CallError("the mean image has no fixed number of channels") }
      let shape = [1, channels, image.size.height, image.size.width]
      guard Extent.product(shape).value == mean.count else {
        throw CallError("the mean image has \(mean.count) values, not those of an image of \(shape)")
      }
      let values = builder.addConstant(Constant(mean, shape: shape))
      return try builder.pointwise("mean", values: [x, values], in: .float32, signature) { build, x in
        build.binary(.sub, x[0], x[1])
      }
    }
  }

  // MARK: Outputs

  func output(_ feature: FeatureDescription) throws -> ValueID {
    do {
      if let classification = declared.classification {
        if feature.name == classification.label { return try label(of: classification) }
        if feature.name == classification.probabilities { return try probabilities(of: classification) }
      }
      let value = try blob(feature.name)
      switch feature.type {
      case .multiArray(let array): return try result(value, feature.name, array)
      case .image: return try pixels(of: value)
      case .double: return value
      case .int64: return value
      case .string, .dictionary, .sequence, .state: throw CallError("is neither an array, an image nor a number")
      }
    } catch let error as CallError {
      throw CallError("output '\(feature.name)': \(error.reason)", isOverLimit: error.isOverLimit)
    }
  }

  /// The probabilities of a classifier as a vector.
  private func probabilities(of classification: Classification) throws -> ValueID {
    let name = network.classifier?.probabilities ?? network.layers.last?.outputs.first
    let value = try blob(name ?? classification.probabilities ?? "")
    let vector = try builder.reshaped(value, [GraphNumber(-1)])
    if let shape = try builder.signature(of: value).fixedShape, Extent.product(shape).value != classification.labels.count {
      throw CallError("the probabilities \(shape) do not fit \(classification.labels.count) classes")
    }
    return vector
  }

  /// The position of the largest probability.
  private func label(of classification: Classification) throws -> ValueID {
    try builder.applied(ArgReduce(wantsMaximum: true, axis: nil, keepsAxes: false), [try probabilities(of: classification)])
  }

  private func pixels(of value: ValueID) throws -> ValueID {
    if let image = knownImage(of: value) { return image }
    let signature = try builder.signature(of: value)
    switch signature.rank {
    case 4: return value
    case 3: return try builder.unsqueezed(value, axis: 0)
    case 5...: return try builder.reshaped(value, [GraphNumber(-1)] + (try builder.extents(of: value).suffix(3)))
    default: throw CallError("the shape \(signature) is not an image")
    }
  }

  /// An array. Under the old mapping it has the declared shape where the numbers of elements agree, else [C, H, W], with Seq and Batch
  /// before it unless both are 1.
  private func result(_ value: ValueID, _ name: String, _ array: ArrayFeature) throws -> ValueID {
    let converted = try builder.converted(value, to: DType(array.dataType))
    let signature = try builder.signature(of: value)
    if !isExact, signature.rank == 5, case .single = sequences {
      if let shape = signature.fixedShape, !array.shape.isEmpty, Shape.haveEqualCounts(array.shape, shape) {
        return named(name, shape == array.shape ? converted : try builder.reshaped(converted, to: array.shape))
      }
      if signature.dimensions[0] == .fixed(1), signature.dimensions[1] == .fixed(1) {
        let extents = Array(try builder.extents(of: converted).suffix(3))
        // Open extents have no declared shape; a vector stays one.
        let isVector = array.shape.count == 1 && signature.dimensions[3] == .fixed(1) && signature.dimensions[4] == .fixed(1)
        return named(name, try builder.reshaped(converted, isVector ? [extents[0]] : extents))
      }
    }
    return named(name, converted)
  }

  private func named(_ name: String, _ value: ValueID) -> ValueID {
    if builder.name(of: value) == nil { builder.setName(name, of: value) }
    return value
  }
}
