extension CoreMLNetwork {
  /// Calls `body` with every layer, including those of branches and loops.
  package func visit(_ body: (NetworkLayer) -> Void) { Self.visit(layers, body) }

  private static func visit(_ layers: [NetworkLayer], _ body: (NetworkLayer) -> Void) {
    for layer in layers {
      body(layer)
      visit(layer.operation.nestedLayers, body)
    }
  }

  /// Number of layers, with those of branches and loops.
  package var layerCount: Int {
    var count = 0
    visit { _ in count += 1 }
    return count
  }
}

extension CoreMLNetwork {
  /// Why the first of the layers that are only described cannot run; nil if there are none.
  package var refusal: String? {
    for layer in layers {
      if case .unsupported(let reason) = layer.operation { return "layer '\(layer.name)': \(reason)" }
    }
    return nil
  }
}

extension NetworkOperation {
  /// The layers of a branch or a loop; empty for other operations.
  package var nestedLayers: [NetworkLayer] {
    switch self {
    case .branch(let then, let otherwise): then + otherwise
    case .loop(let loop): loop.conditionLayers + loop.body
    default: []
    }
  }

  /// The weights and constants of the operation, without those of nested layers.
  package var weights: [NetworkWeights] {
    let found: [NetworkWeights?]
    switch self {
    case .convolution(let convolution): found = [convolution.weights, convolution.bias]
    case .innerProduct(let product): found = [product.weights, product.bias]
    case .batchedProduct(let product): found = [product.weights, product.bias]
    case .embedding(let embedding, _): found = [embedding.weights, embedding.bias]
    case .activation(let activation): found = activation.weights
    case .scale(let factors, let bias): found = [factors.values, bias?.values]
    case .bias(let constant), .constant(let constant): found = [constant.values]
    case .batchNorm(let norm): found = [norm.gamma, norm.beta, norm.mean, norm.variance]
    case .layerNorm(_, _, let gamma, let beta): found = [gamma, beta]
    case .recurrent(let cell): found = cell.activation.weights + [cell.weights, cell.recursion, cell.bias]
    case .gru(let cell):
      found =
        cell.gateActivation.weights + cell.outputActivation.weights + cell.update.parts + cell.reset.parts + cell.output.parts
    case .lstm(let cell): found = cell.forward.parts + (cell.backward?.parts ?? [])
    case .custom(let custom): found = custom.weights
    default: found = []
    }
    return found.compactMap { $0 }
  }
}

extension NetworkActivation {
  fileprivate var weights: [NetworkWeights?] {
    switch self {
    case .parametricReLU(let alpha): [alpha]
    case .parametricSoftplus(let alpha, let beta): [alpha, beta]
    default: []
    }
  }
}

extension NetworkGate {
  fileprivate var parts: [NetworkWeights?] { [weights, recursion, bias, peephole] }
}

extension NetworkLSTM.Direction {
  fileprivate var parts: [NetworkWeights?] {
    gateActivation.weights + inputActivation.weights + outputActivation.weights + input.parts + forget.parts + cell.parts + output.parts
  }
}
