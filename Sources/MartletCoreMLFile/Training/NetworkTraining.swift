import MartletBytes
import MartletTensor

/// How a network is trained.
package struct NetworkTraining: Sendable {
  package struct Loss: Sendable {
    package enum Function: String, Sendable {
      case categoricalCrossEntropy, meanSquaredError
    }

    package let name: String
    package let function: Function
    /// The blob that is compared.
    package let input: String
    /// The feature with the expected values.
    package let target: String
  }

  package enum Optimizer: Sendable {
    case stochasticGradientDescent(momentum: TrainingParameter<Double>)
    case adam(beta1: TrainingParameter<Double>, beta2: TrainingParameter<Double>, epsilon: TrainingParameter<Double>)
  }

  package let losses: [Loss]
  /// Nil if the file names none.
  package let optimizer: Optimizer?
  package let learningRate: TrainingParameter<Double>
  /// Samples per step; 0 if the file gives no number.
  package let miniBatchSize: TrainingParameter<Int>
  /// 0 if the file gives no number.
  package let epochs: TrainingParameter<Int>
  package let shuffles: Bool
  package let seed: Int64?
  /// Names of the parameters that the file must give and does not.
  package let missingParameters: [String]
}

/// A parameter with its default and the values that a program may choose.
package struct TrainingParameter<Value: Sendable & Comparable>: Sendable {
  package enum Choices: Sendable {
    case any
    case range(ClosedRange<Value>)
    case set([Value])
  }

  package let defaultValue: Value
  package let choices: Choices
}

extension TrainingParameter.Choices: Equatable where Value: Hashable {}
extension TrainingParameter.Choices: Hashable where Value: Hashable {}

extension NetworkReader {
  /// - Throws: `FileError` if a loss or an optimiser has no kind, or a parameter a value that is not allowed.
  func training(_ source: SpecNetworkUpdateParameters) throws(FileError) -> NetworkTraining {
    var losses: [NetworkTraining.Loss] = []
    for (index, loss) in source.lossLayers.enumerated() {
      switch loss.lossLayerType {
      case .categoricalCrossEntropyLossLayer(let layer)?:
        losses.append(
          NetworkTraining.Loss(name: loss.name, function: .categoricalCrossEntropy, input: layer.input, target: layer.target))
      case .meanSquaredErrorLossLayer(let layer)?:
        losses.append(NetworkTraining.Loss(name: loss.name, function: .meanSquaredError, input: layer.input, target: layer.target))
      case nil: throw error("updateParams.lossLayers[\(index)]", "has no function")
      }
    }
    let field = "updateParams.optimizer"
    var missing: [String] = []
    func require(_ isPresent: Bool, _ name: String) { if !isPresent { missing.append(name) } }
    let optimizer: NetworkTraining.Optimizer?
    var (rate, batch) = (SpecDoubleParameter(.empty), SpecInt64Parameter(.empty))
    switch source.optimizer.optimizerType {
    case .sgdOptimizer(let descent)?:
      (rate, batch) = (descent.learningRate, descent.miniBatchSize)
      require(descent.hasLearningRate, "learningRate")
      require(descent.hasMiniBatchSize, "miniBatchSize")
      optimizer = .stochasticGradientDescent(momentum: try parameter(descent.momentum, field + ".momentum"))
    case .adamOptimizer(let adam)?:
      (rate, batch) = (adam.learningRate, adam.miniBatchSize)
      require(adam.hasLearningRate, "learningRate")
      require(adam.hasMiniBatchSize, "miniBatchSize")
      require(adam.hasBeta1, "beta1")
      require(adam.hasBeta2, "beta2")
      require(adam.hasEps, "eps")
      optimizer = .adam(
        beta1: try parameter(adam.beta1, field + ".beta1"), beta2: try parameter(adam.beta2, field + ".beta2"),
        epsilon: try parameter(adam.eps, field + ".eps"))
    case nil:
      guard !source.hasOptimizer else { throw error(field, "is of no known kind") }
      optimizer = nil
    }
    require(source.hasEpochs, "epochs")
    return NetworkTraining(
      losses: losses, optimizer: optimizer, learningRate: try parameter(rate, field + ".learningRate"),
      miniBatchSize: try parameter(batch, field + ".miniBatchSize"), epochs: try parameter(source.epochs, "updateParams.epochs"),
      shuffles: source.shuffle.defaultValue, seed: source.hasSeed ? source.seed.defaultValue : nil,
      missingParameters: missing)
  }

  private func parameter(_ source: SpecDoubleParameter, _ field: String) throws(FileError) -> TrainingParameter<Double> {
    guard source.defaultValue.isFinite else { throw error(field, "\(source.defaultValue) is not a number") }
    guard case .range(let range)? = source.allowedValues else {
      return TrainingParameter(defaultValue: source.defaultValue, choices: .any)
    }
    // Also false for bounds that are not numbers.
    guard range.minValue <= source.defaultValue, source.defaultValue <= range.maxValue else {
      throw error(field, "\(source.defaultValue) is not between \(range.minValue) and \(range.maxValue)")
    }
    return TrainingParameter(defaultValue: source.defaultValue, choices: .range(range.minValue...range.maxValue))
  }

  /// A number of samples or of passes.
  private func parameter(_ source: SpecInt64Parameter, _ field: String) throws(FileError) -> TrainingParameter<Int> {
    func count(_ value: Int64) throws(FileError) -> Int {
      guard value >= 0 else { throw error(field, "\(value) is negative") }
      return try int(value, field)
    }
    let value = try count(source.defaultValue)
    switch source.allowedValues {
    case nil: return TrainingParameter(defaultValue: value, choices: .any)
    case .range(let range)?:
      let (least, most) = (try count(range.minValue), try count(range.maxValue))
      guard least <= value, value <= most else { throw error(field, "\(value) is not between \(least) and \(most)") }
      return TrainingParameter(defaultValue: value, choices: .range(least...most))
    case .set(let set)?:
      var values: [Int] = []
      for item in set.values { values.append(try count(item)) }
      guard values.contains(value) else { throw error(field, "\(value) is not one of the allowed values") }
      return TrainingParameter(defaultValue: value, choices: .set(values))
    }
  }
}
