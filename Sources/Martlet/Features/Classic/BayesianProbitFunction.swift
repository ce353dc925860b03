import MartletSystem
import MartletCoreMLFile
import MartletFeatures

/// The probability Φ(m / √(1 + v)) of an event with discrete features, whose weights have normal distributions: `m` is the sum of their means,
/// `v` that of their variances. Values without a weight add nothing. The format's hyper-parameter β is not in files and taken as 1.
struct BayesianProbitFunction: FeatureFunction {
  private let model: BayesianProbitRegressor
  /// The output with the probability; nil if there is none.
  private let output: String?

  init(_ model: BayesianProbitRegressor, _ function: FunctionDescription) {
    self.model = model
    let names = model.names
    let others = [names.meanOutput, names.varianceOutput, names.pessimisticProbabilityOutput, names.sampledProbabilityOutput]
    output = function.predictedFeatureName ?? function.outputs.map(\.name).first { !others.contains($0) }
  }

  func apply(to features: inout [String: ModelValue]) throws {
    let names = model.names
    var mean = model.bias?.mean ?? 0
    var variance = model.bias.map { 1 / $0.precision } ?? 0
    for (feature, value) in try values(features) {
      guard let weight = weight(feature: feature, value: value) else { continue }
      mean += weight.mean
      variance += 1 / weight.precision
    }
    let deviation = variance.squareRoot()
    let scale = (1 + variance).squareRoot()
    if let output { features[output] = .double(Self.distribution(mean / scale)) }
    if let name = names.meanOutput { features[name] = .double(mean) }
    if let name = names.varianceOutput { features[name] = .double(variance) }
    if let name = names.pessimisticProbabilityOutput {
      let optimism = try features.number(names.optimismInput) ?? 0
      // In range: numbers in double precision.
      features[name] = .double(Self.distribution((mean + optimism * deviation) / scale))
    }
    if let name = names.sampledProbabilityOutput {
      let factor = try features.number(names.samplingScaleInput) ?? 1
      let limit = try features.number(names.samplingTruncationInput) ?? .infinity
      // In range: numbers in double precision.
      features[name] = .double(Self.distribution(mean + factor * deviation * Self.normal(within: limit)))
    }
  }

  /// Pairs of feature and value: those of a matrix of two columns, or the values of all features.
  private func values(_ features: [String: ModelValue]) throws -> [(feature: Int, value: Int)] {
    let name = model.names.regressionInput
    guard case .tensor(let tensor)? = features[name] else { throw MartletError.mismatch(name, "an array", features[name]) }
    let numbers = try tensor.host.numbers.map { number -> Int in
      guard let integer = Int(exactly: number) else {
        throw MartletError.invalidInput("the feature \(name) has the element \(number), which is no integer")
      }
      return integer
    }
    let shape = tensor.shape
    if shape.count == 1 { return numbers.enumerated().map { ($0.offset, $0.element) } }
    guard shape.count == 2, shape[1] == 2 else {
      throw MartletError.invalidInput(
        "the feature \(name) is neither a vector of values nor a matrix of features and values", found: "\(shape)")
    }
    return (0..<shape[0]).map { (numbers[2 * $0], numbers[2 * $0 + 1]) }
  }

  private func weight(feature: Int, value: Int) -> BayesianProbitRegressor.Gaussian? {
    guard let value = UInt32(exactly: value), let place = Self.position(of: feature, in: model.featureIDs[...]) else { return nil }
    let range = model.starts[place]..<model.starts[place + 1]
    return Self.position(of: value, in: model.values[range]).map { model.weights[$0] }
  }

  /// The position of an element in an ascending list.
  private static func position<Element: Comparable>(of element: Element, in list: ArraySlice<Element>) -> Int? {
    var (low, high) = (list.startIndex, list.endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if list[middle] < element { low = middle + 1 } else { high = middle }
    }
    return low < list.endIndex && list[low] == element ? low : nil
  }

  /// The distribution function of the normal distribution.
  private static func distribution(_ x: Double) -> Double { 0.5 * erfc(-x * 0.5.squareRoot()) }

  /// A random number with a normal distribution, no farther than `limit` from 0.
  private static func normal(within limit: Double) -> Double {
    guard limit > 0 else { return 0 }
    // A narrow range is drawn from by rejection of uniform numbers, so that few are rejected.
    while true {
      if limit < 1 {
        let x = Double.random(in: -limit...limit)
        if Double.random(in: 0..<1) < exp(-x * x / 2) { return x }
      } else {
        let x = (-2 * log(1 - Double.random(in: 0..<1))).squareRoot() * cos(2 * .pi * Double.random(in: 0..<1))
        if abs(x) <= limit { return x }
      }
    }
  }
}
