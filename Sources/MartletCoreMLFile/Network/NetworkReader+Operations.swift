import MartletBytes
import MartletTensor

// One case per layer of the format, in its order.
extension NetworkReader {
  func operation(
    _ parameters: SpecNeuralNetworkLayer.OneOf_Layer, of layer: SpecNeuralNetworkLayer, loopDepth: Int
  ) throws(FileError) -> NetworkOperation {
    switch parameters {
    case .convolution(let source): return .convolution(try convolution(source, inputCount: layer.input.count))
    case .convolution3D(let source): return .convolution(try convolution3D(source))
    case .pooling(let source): return .pool(try pool(source))
    case .pooling3D(let source): return .pool(try pool3D(source))
    case .globalPooling3D(let source): return .globalPool3D(try globalPool3D(source))
    case .activation(let source): return .activation(try activation(source, "activation"))
    case .innerProduct(let source): return .innerProduct(try innerProduct(source))
    case .batchedMatmul(let source): return .batchedProduct(try batchedProduct(source, inputCount: layer.input.count))
    case .embedding(let source):
      return .embedding(
        try embedding(source.inputDim, source.outputChannels, source.weights, source.hasBias_p ? source.bias : nil), keepsRank: true)
    case .embeddingNd(let source):
      return .embedding(
        try embedding(source.vocabSize, source.embeddingSize, source.weights, source.hasBias_p ? source.bias : nil), keepsRank: false)
    case .batchnorm(let source): return .batchNorm(try batchNorm(source))
    case .layerNormalization(let source): return try layerNorm(source)
    case .mvn(let source):
      return .meanVariance(
        acrossChannels: source.acrossChannels, normalizesVariance: source.normalizeVariance, epsilon: source.epsilon.or(1e-6))
    case .l2Normalize(let source): return .l2Normalize(epsilon: source.epsilon.or(1e-6))
    case .softmax: return .softmax
    case .softmaxNd(let source): return .softmaxAlong(axis: try int(source.axis, "axis"))
    case .lrn(let source):
      guard source.localSize > 0 else { throw error("localSize", "is 0") }
      return .localResponse(alpha: source.alpha, beta: source.beta, size: try extent(source.localSize, "localSize"), k: source.k.or(1))
    case .scale(let source):
      return .scale(
        try constant(source.shapeScale, source.scale, "scale"),
        bias: source.hasBias_p ? try constant(source.shapeBias, source.bias, "bias") : nil)
    case .bias(let source): return .bias(try constant(source.shape, source.bias, "bias"))
    case .loadConstant(let source):
      guard source.shape.count == 3 else { throw error("shape", "has \(source.shape.count) extents instead of 3") }
      return .constant(try constant(source.shape, source.data, "data"))
    case .loadConstantNd(let source):
      guard (1...5).contains(source.shape.count) else { throw error("shape", "has \(source.shape.count) extents instead of 1 to 5") }
      return .constant(try constant(source.shape, source.data, "data"))
    case .crop, .padding, .constantPad, .upsample, .resizeBilinear, .cropResize, .slidingWindows, .reorganizeData:
      return try window(parameters, inputCount: layer.input.count)
    case .simpleRecurrent(let source): return .recurrent(try recurrent(source))
    case .gru(let source): return .gru(try gru(source))
    case .uniDirectionalLstm(let source): return .lstm(try lstm(source))
    case .biDirectionalLstm(let source): return .lstm(try lstm(source))
    case .custom(let source): return .custom(try custom(source))
    case .branch(let source):
      guard !source.ifBranch.layers.isEmpty else { throw error("ifBranch", "has no layers") }
      return .branch(
        then: try nested("ifBranch", source.ifBranch, loopDepth), otherwise: try nested("elseBranch", source.elseBranch, loopDepth))
    case .loop(let source): return .loop(try loop(source, hasInput: !layer.input.isEmpty, loopDepth))
    case .loopBreak, .loopContinue:
      guard loopDepth > 0 else { throw error("layer", "is not inside a loop") }
      if case .loopBreak = parameters { return .loopBreak }
      return .loopContinue
    default:
      if let operation = try pointwise(parameters) { return operation }
      if let operation = try reduction(parameters) { return operation }
      if let operation = try shape(parameters) { return operation }
      if let operation = try movement(parameters) { return operation }
      throw error("layer", "is of a type that is not known")
    }
  }

  // MARK: Control flow

  private func nested(_ field: String, _ network: SpecNeuralNetwork, _ loopDepth: Int) throws(FileError) -> [NetworkLayer] {
    do throws(FileError) {
      return try layers(network.layers, loopDepth: loopDepth)
    } catch {
      throw error.nested(in: field)
    }
  }

  private func loop(_ source: SpecLoopLayerParams, hasInput: Bool, _ loopDepth: Int) throws(FileError) -> NetworkLoop {
    guard !source.bodyNetwork.layers.isEmpty else { throw error("bodyNetwork", "has no layers") }
    let condition = try nested("conditionNetwork", source.conditionNetwork, loopDepth)
    guard condition.isEmpty == source.conditionVar.isEmpty else {
      throw error("conditionVar", "must be named if and only if there is a condition network")
    }
    guard hasInput || !condition.isEmpty || source.maxLoopIterations > 0 else {
      throw error("maxLoopIterations", "is 0, and neither an input nor a condition ends the loop")
    }
    return NetworkLoop(
      iterationCount: source.maxLoopIterations == 0 ? nil : Int(clamping: source.maxLoopIterations), condition: source.conditionVar,
      conditionLayers: condition, body: try nested("bodyNetwork", source.bodyNetwork, loopDepth + 1))
  }

  private func custom(_ source: SpecCustomLayerParams) throws(FileError) -> NetworkCustomLayer {
    guard !source.className.isEmpty else { throw error("className", "is missing") }
    var parameters: [String: NetworkCustomLayer.Value] = [:]
    for (name, value) in source.parameters {
      switch value.value {
      case .doubleValue(let value)?: parameters[name] = .double(value)
      case .stringValue(let value)?: parameters[name] = .string(value)
      case .intValue(let value)?: parameters[name] = .int(Int(widening: value))
      case .longValue(let value)?: parameters[name] = .int(try int(value, "parameters[\(name)]"))
      case .boolValue(let value)?: parameters[name] = .bool(value)
      case nil: throw error("parameters[\(name)]", "has no value")
      }
    }
    var weights: [NetworkWeights] = []
    for (index, values) in source.weights.enumerated() {
      weights.append(try self.weights(values, "weights[\(index)]", count: nil))
    }
    return NetworkCustomLayer(className: source.className, parameters: parameters, weights: weights)
  }
}
