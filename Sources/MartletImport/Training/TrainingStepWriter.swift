import MartletCoreMLFile
import MartletGraph
import MartletOps
import MartletTensor
import MartletVocabulary

/// The numbers that a step's graph takes after blobs and expected values, in order.
package enum OptimizerNumbers {
  /// Of stochastic gradient descent: `w -= rate * m`, where `m = momentum * m + gradient`.
  package static let gradientDescent = ["rate", "momentum"]
  /// Of Adam in step `t` with rate `r`, `m = beta1 * m + (1 - beta1) * gradient` and `v = beta2 * v + (1 - beta2) * gradient²`:
  /// `w -= r / (1 - beta1^t) * m / (sqrt(v) / sqrt(1 - beta2^t) + epsilon)`. `rate` is the first factor, `scale` is `sqrt(1 - beta2^t)`.
  package static let adam = ["rate", "beta1", "rest1", "beta2", "rest2", "scale", "epsilon"]
}

/// Completes the graph of a network's layers to a step of training.
///
/// Losses are means over the mini-batch, and the optimisers are those of PyTorch.
struct TrainingStepWriter {
  private let writer: GraphDifferentiation
  private let weights: [ChangingWeights.Entry]

  /// - Parameter graph: the layers.
  init(_ graph: Graph, _ weights: [ChangingWeights.Entry]) {
    writer = GraphDifferentiation(graph)
    self.weights = weights
  }

  /// - Parameters:
  ///   - result: the value that the loss is computed from.
  ///   - count: number of samples.
  func step(
    loss: NetworkTraining.Loss.Function, optimizer: NetworkTraining.Optimizer, result: ValueID, count: Int
  ) throws -> TrainingStep {
    let (value, gradient) =
      switch loss {
      case .meanSquaredError: try meanSquaredError(result)
      case .categoricalCrossEntropy: try crossEntropy(result, count: count)
      }
    let numbers =
      switch optimizer {
      case .stochasticGradientDescent: OptimizerNumbers.gradientDescent
      case .adam: OptimizerNumbers.adam
      }
    let inputs = numbers.map { writer.addInput(.scalar(.double), name: $0) }
    let gradients = try writer.gradients(of: [(result, gradient)], withRespectTo: weights.map(\.value))
    // After all derivatives: states change in place.
    var news: [(state: Int, value: ValueID)] = []
    for (entry, gradient) in zip(weights, gradients) {
      guard let gradient else { continue }
      switch optimizer {
      case .stochasticGradientDescent: news += try descend(entry, gradient, inputs)
      case .adam: news += try adapt(entry, gradient, inputs)
      }
    }
    for (state, value) in news { writer.append(writing: value, to: state, source: "update") }
    writer.setOutputs([value])
    let classCount = loss == .categoricalCrossEntropy ? try self.classCount(of: result) : nil
    return TrainingStep(graph: writer.graph, weights: weights.map(\.weights), classCount: classCount)
  }

  // MARK: Losses

  /// The mean over all elements, with expected values of the result's shape.
  private func meanSquaredError(_ result: ValueID) throws(OperatorError) -> (ValueID, gradient: ValueID) {
    let type = try writer.type(of: result)
    let target = writer.addInput(.tensor(TensorSignature(type)), name: "target")
    let squares = try writer.pointwise("squared_error", [result, target]) { build, x in
      let difference = build.append(.binary(.sub, x[0], x[1]))
      build.append(.unary(.square, difference))
    }
    let factor = 2 / Double(max(type.elementCount, 1))
    let gradient = try writer.pointwise("error", [result, target]) { build, x in
      let difference = build.append(.binary(.sub, x[0], x[1]))
      let scale = build.append(.literal(.double(factor), as: .float32))
      build.append(.binary(.mul, difference, scale))
    }
    return (try writer.apply(Reduce(.mean, axes: nil, keepsAxes: false, dtype: .float32), [squares]), gradient)
  }

  /// The mean over the samples, with the position of each sample's class as [count, 1].
  private func crossEntropy(_ result: ValueID, count: Int) throws -> (ValueID, gradient: ValueID) {
    let shape = try writer.shape(of: result)
    let classes = try classCount(of: result)
    guard Extent.product(shape) == Extent(count) * classes else {
      throw CallError("a cross entropy needs one vector for each sample, not \(shape)")
    }
    let scores = try writer.reshaped(result, [count, classes])
    let target = writer.addInput(.tensor(TensorSignature(TensorType(.float32, [count, 1]))), name: "target")
    let places = writer.addConstant(Constant((0..<classes).map { Float($0) }, shape: [1, classes]))
    func reduced(_ function: Reduce.Function, _ x: ValueID) throws(OperatorError) -> ValueID {
      try writer.apply(Reduce(function, axes: [1], keepsAxes: true, dtype: .float32), [x])
    }
    let largest = try reduced(.max, scores)
    let powers = try writer.pointwise("exp", [scores, largest]) { build, x in
      let difference = build.append(.binary(.sub, x[0], x[1]))
      build.append(.unary(.exp, difference))
    }
    let sum = try reduced(.sum, powers)
    let own = try writer.pointwise("own_score", [scores, places, target]) { build, x in
      let isOwn = build.append(.binary(.eq, x[1], x[2]))
      let zero = build.append(.literal(.double(0), as: .float32))
      build.append(.ternary(.select, isOwn, x[0], zero))
    }
    let losses = try writer.pointwise("cross_entropy", [sum, largest, try reduced(.sum, own)]) { build, x in
      let logarithm = build.append(.unary(.log, x[0]))
      let whole = build.append(.binary(.add, logarithm, x[1]))
      build.append(.binary(.sub, whole, x[2]))
    }
    let gradient = try writer.pointwise("cross_entropy_gradient", [powers, sum, places, target]) { build, x in
      let probability = build.append(.binary(.div, x[0], x[1]))
      let isOwn = build.append(.binary(.eq, x[2], x[3]))
      let one = build.append(.literal(.double(1), as: .float32))
      let zero = build.append(.literal(.double(0), as: .float32))
      let expected = build.append(.ternary(.select, isOwn, one, zero))
      let difference = build.append(.binary(.sub, probability, expected))
      let samples = build.append(.literal(.double(Double(count)), as: .float32))
      build.append(.binary(.div, difference, samples))
    }
    let mean = try writer.apply(Reduce(.mean, axes: nil, keepsAxes: false, dtype: .float32), [losses])
    return (mean, try writer.reshaped(gradient, shape))
  }

  /// The extent of the axis that a softmax layer normalises.
  private func classCount(of result: ValueID) throws(OperatorError) -> Int {
    let shape = try writer.shape(of: result)
    return shape.count >= 3 ? shape[shape.count - 3] : shape.last ?? 1
  }

  // MARK: Optimisers

  private func state(_ name: String, of entry: ChangingWeights.Entry) -> (position: Int, value: ValueID) {
    writer.addState("\(name) \(entry.weights)", TensorType(.float32, entry.shape))
  }

  private func descend(
    _ entry: ChangingWeights.Entry, _ gradient: ValueID, _ numbers: [ValueID]
  ) throws(OperatorError) -> [(state: Int, value: ValueID)] {
    let moment = state("momentum", of: entry)
    let new = try writer.pointwise("momentum", [moment.value, gradient, numbers[1]]) { build, x in
      let kept = build.append(.binary(.mul, x[0], x[2]))
      build.append(.binary(.add, kept, x[1]))
    }
    let weights = try writer.pointwise("descend", [entry.value, new, numbers[0]]) { build, x in
      let change = build.append(.binary(.mul, x[1], x[2]))
      build.append(.binary(.sub, x[0], change))
    }
    return [(moment.position, new), (entry.state, weights)]
  }

  private func adapt(
    _ entry: ChangingWeights.Entry, _ gradient: ValueID, _ numbers: [ValueID]
  ) throws(OperatorError) -> [(state: Int, value: ValueID)] {
    let (first, second) = (state("mean", of: entry), state("variance", of: entry))
    let mean = try writer.pointwise("adam_mean", [first.value, gradient, numbers[1], numbers[2]]) { build, x in
      let kept = build.append(.binary(.mul, x[0], x[2]))
      let gained = build.append(.binary(.mul, x[1], x[3]))
      build.append(.binary(.add, kept, gained))
    }
    let variance = try writer.pointwise("adam_variance", [second.value, gradient, numbers[3], numbers[4]]) { build, x in
      let kept = build.append(.binary(.mul, x[0], x[2]))
      let square = build.append(.unary(.square, x[1]))
      let gained = build.append(.binary(.mul, square, x[3]))
      build.append(.binary(.add, kept, gained))
    }
    let weights = try writer.pointwise("adam", [entry.value, mean, variance, numbers[0], numbers[5], numbers[6]]) { build, x in
      let root = build.append(.unary(.sqrt, x[2]))
      let deviation = build.append(.binary(.div, root, x[4]))
      let denominator = build.append(.binary(.add, deviation, x[5]))
      let quotient = build.append(.binary(.div, x[1], denominator))
      let change = build.append(.binary(.mul, quotient, x[3]))
      build.append(.binary(.sub, x[0], change))
    }
    return [(first.position, mean), (second.position, variance), (entry.state, weights)]
  }
}
