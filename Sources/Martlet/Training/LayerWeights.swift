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
  /// - Parameter name: the layer's name, in a pipeline with the names of stages before it and dots between them. Without stages a pipeline's
  ///   last layer with this name is meant.
  init?(_ model: CoreMLModel, layer name: String) {
    switch model.content {
    case .pipeline(let stages):
      let scoped = stages.lazy.compactMap { stage in
        name.hasPrefix("\(stage.name).") ? LayerWeights(stage.model, layer: String(name.dropFirst(stage.name.count + 1))) : nil
      }
      guard let found = scoped.first ?? stages.reversed().lazy.compactMap({ LayerWeights($0.model, layer: name) }).first else { return nil }
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

  /// Where the model with the parameters of a scope is: its position in each pipeline around it, outermost first. Nil if there is none.
  /// - Parameter scope: the names of stages with dots between them; nil for the whole model. In a pipeline the last model is meant.
  package func parameterPath(_ scope: String?) -> [Int]? { model.parameterPath(scope) }

  /// The parameters of the model at a path of `parameterPath`.
  package func trainingParameters(at path: [Int]) -> [TrainingParameter] { model.trainingParameters(at: path[...]) }

  /// The model with another number of neighbours of the classifier at a path of `parameterPath`.
  package func withNeighborCount(_ count: Int, at path: [Int]) -> ModelAsset {
    ModelAsset(model.withNeighborCount(count, at: path[...]), url: url)
  }

  /// The weights of a layer of a network. In a pipeline the names of stages may stand before that of the layer, with dots between them.
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
  fileprivate func parameterPath(_ scope: String?) -> [Int]? {
    guard case .pipeline(let stages) = content, let last = stages.indices.last else { return scope == nil ? [] : nil }
    guard let scope else { return stages[last].model.parameterPath(nil).map { [last] + $0 } }
    for (position, stage) in stages.enumerated() {
      let rest = scope == stage.name ? nil : scope.dropFirst(stage.name.count + 1)
      guard rest == nil || scope.hasPrefix("\(stage.name).") else { continue }
      if let path = stage.model.parameterPath(rest.map(String.init)) { return [position] + path }
    }
    return nil
  }

  fileprivate func trainingParameters(at path: ArraySlice<Int>) -> [TrainingParameter] {
    guard case .pipeline(let stages) = content, let position = path.first else { return trainingParameters }
    return stages.indices.contains(position) ? stages[position].model.trainingParameters(at: path.dropFirst()) : []
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
