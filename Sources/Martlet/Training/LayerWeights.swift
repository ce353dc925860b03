import MartletBytes
import MartletCoreMLFile
import MartletTensor

/// The weights of a layer of a network with their shapes.
struct LayerWeights {
  struct Part {
    let source: NetworkWeights
    let shape: [Int]

    /// The values in the file.
    func tensor() throws -> Tensor {
      let dtype: DType
      switch source.encoding {
      case .float32: dtype = .float32
      case .float16: dtype = .float16
      case .int8, .quantized: throw MartletError.unsupported("the weights are quantised")
      }
      guard let host = HostTensor(dtype: dtype, shape: shape, bytes: source.data.array) else {
        throw MartletError.invalidInput("the weights do not have the shape \(shape)")
      }
      return try Tensor(host).converted(to: .float32)
    }
  }

  var weights: Part?
  var biases: Part?

  /// Nil if there is no such layer, or it is neither a convolution nor an inner product.
  ///
  /// - Parameter name: the layer's name, in a pipeline that of one of its networks.
  init?(_ model: CoreMLModel, layer name: String) {
    switch model.content {
    case .pipeline(let stages):
      guard let found = stages.reversed().lazy.compactMap({ LayerWeights($0.model, layer: name) }).first else { return nil }
      self = found
    case .network(let network):
      guard let layer = network.layers.first(where: { $0.name == name }) else { return nil }
      func biases(_ bias: NetworkWeights?, _ count: Int) -> Part? { bias.map { Part(source: $0, shape: [count]) } }
      switch layer.operation {
      case .convolution(let convolution):
        let outputs = convolution.outputChannels
        let channels =
          convolution.isTransposed
          ? [convolution.kernelChannels, outputs / convolution.groups] : [outputs, convolution.kernelChannels]
        weights = convolution.weights.map { Part(source: $0, shape: channels + convolution.kernel) }
        self.biases = biases(convolution.bias, outputs)
      case .innerProduct(let product):
        weights = Part(source: product.weights, shape: [product.outputChannels, product.inputChannels])
        self.biases = biases(product.bias, product.outputChannels)
      default: return nil
      }
    case .program, .classic: return nil
    }
  }
}

extension ModelAsset {
  /// The parameters of the model's training, and the number of neighbours of a classifier by nearest neighbours.
  public var trainingParameters: [TrainingParameter] { model.trainingParameters }

  /// The names of the stages of pipelines that contain what training changes, outermost first.
  package var trainedStages: [String] { model.lastStages }

  /// The model with another number of neighbours of its classifier by nearest neighbours.
  package func withNeighborCount(_ count: Int) -> ModelAsset { ModelAsset(model.withNeighborCount(count), url: url) }

  /// The weights of a layer of a network.
  /// - Throws: `MartletError` of the kind `invalidInput` if there is no such layer or it has none; `.unsupported` if they are quantised.
  public func weights(ofLayer name: String) throws -> Tensor {
    guard let part = LayerWeights(model, layer: name)?.weights else {
      throw MartletError.invalidInput("the model has no layer '\(name)' with weights")
    }
    return try part.tensor()
  }

  /// The biases of a layer of a network.
  /// - Throws: as `weights(ofLayer:)`.
  public func biases(ofLayer name: String) throws -> Tensor {
    guard let part = LayerWeights(model, layer: name)?.biases else {
      throw MartletError.invalidInput("the model has no layer '\(name)' with biases")
    }
    return try part.tensor()
  }
}

extension CoreMLModel {
  /// The names of the last stages of pipelines, outermost first.
  fileprivate var lastStages: [String] {
    guard case .pipeline(let stages) = content, let last = stages.last else { return [] }
    return [last.name] + last.model.lastStages
  }

  fileprivate var trainingParameters: [TrainingParameter] {
    switch content {
    case .network(let network): isUpdatable ? network.training.map { TrainingParameter.all(of: $0) } ?? [] : []
    case .classic(.kNearestNeighborsClassifier(let neighbors)): [TrainingParameter(neighbors)]
    case .pipeline(let stages): stages.last?.model.trainingParameters ?? []
    case .program, .classic: []
    }
  }
}
