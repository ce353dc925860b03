import MartletCoreMLFile

/// A number that controls training, with its default and the values that the model's author allows.
public struct TrainingParameter: Sendable, Hashable {
  public enum Name: String, Sendable, Hashable, CaseIterable {
    /// Factor of the change of weights.
    case learningRate
    /// Of stochastic gradient descent: the part of the last change that is kept.
    case momentum
    /// Samples in a step.
    case miniBatchSize
    /// Of Adam: the parts of the moments that are kept.
    case beta1, beta2
    /// Of Adam: added to the denominator.
    case epsilon = "eps"
    /// Passes over the samples.
    case epochs
    /// True if each pass takes the samples in another order.
    case shuffle
    /// Determines the orders.
    case seed
    /// Of a classifier by nearest neighbours.
    case numberOfNeighbors
  }

  public enum Value: Sendable, Hashable {
    case int(Int)
    case double(Double)
    case bool(Bool)

    /// The value as a number: 1 for true, 0 for false.
    public var number: Double {
      switch self {
      case .int(let value): Double(value)
      case .double(let value): value
      case .bool(let value): value ? 1 : 0
      }
    }
  }

  public enum Allowed: Sendable, Hashable {
    case any
    case range(ClosedRange<Double>)
    case set([Double])
  }

  public let name: Name
  public let defaultValue: Value
  public let allowed: Allowed

  /// The value as one of this parameter.
  /// - Throws: `MartletError.invalidInput` if it is of another kind or not allowed.
  package func checked(_ value: Value) throws -> Value {
    func refusal(_ expected: String) -> MartletError {
      .invalidInput("the parameter \(name.rawValue) cannot be \(value)", expected: expected, found: "\(value)")
    }
    let result: Value
    switch (defaultValue, value) {
    case (.bool, .bool), (.int, .int), (.double, .double): result = value
    case (.double, .int(let number)): result = .double(Double(number))
    case (.int, .double(let number)):
      guard let integer = Int(exactly: number) else { throw refusal("an integer") }
      result = .int(integer)
    case (.bool, .int(let number)) where number == 0 || number == 1: result = .bool(number == 1)
    case (.bool, _): throw refusal("a truth value")
    case (.int, .bool), (.double, .bool): throw refusal("a number")
    }
    guard result.number.isFinite else { throw refusal("a number") }
    switch allowed {
    case .any: break
    case .range(let range): guard range.contains(result.number) else { throw refusal("\(range.lowerBound) to \(range.upperBound)") }
    case .set(let values): guard values.contains(result.number) else { throw refusal("one of \(values)") }
    }
    if [.miniBatchSize, .epochs, .numberOfNeighbors].contains(name), result.number < 1 { throw refusal("a positive number") }
    return result
  }
}

extension TrainingParameter.Value: ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByBooleanLiteral {
  public init(integerLiteral value: Int) { self = .int(value) }
  public init(floatLiteral value: Double) { self = .double(value) }
  public init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension TrainingParameter.Value: CustomStringConvertible {
  public var description: String {
    switch self {
    case .int(let value): "\(value)"
    case .double(let value): "\(value)"
    case .bool(let value): "\(value)"
    }
  }
}

extension TrainingParameter {
  /// The parameters of a network's training.
  static func all(of training: NetworkTraining) -> [TrainingParameter] {
    var result = [
      TrainingParameter(.learningRate, training.learningRate), TrainingParameter(.miniBatchSize, training.miniBatchSize),
      TrainingParameter(.epochs, training.epochs),
      TrainingParameter(name: .shuffle, defaultValue: .bool(training.shuffles), allowed: .any),
      TrainingParameter(name: .seed, defaultValue: .int(Int(clamping: training.seed ?? 0)), allowed: .any),
    ]
    switch training.optimizer {
    case .stochasticGradientDescent(let momentum)?: result.append(TrainingParameter(.momentum, momentum))
    case .adam(let beta1, let beta2, let epsilon)?:
      result += [TrainingParameter(.beta1, beta1), TrainingParameter(.beta2, beta2), TrainingParameter(.epsilon, epsilon)]
    case nil: break
    }
    return result
  }

  /// The number of neighbours of a classifier.
  init(_ neighbors: NearestNeighborsClassifier) {
    name = .numberOfNeighbors
    defaultValue = .int(neighbors.neighborCount)
    allowed = Allowed(neighbors.allowedCounts) { Double($0) }
  }

  private init(_ name: Name, _ source: MartletCoreMLFile.TrainingParameter<Double>) {
    self.name = name
    defaultValue = .double(source.defaultValue)
    allowed = Allowed(source.choices) { $0 }
  }

  private init(_ name: Name, _ source: MartletCoreMLFile.TrainingParameter<Int>) {
    self.name = name
    defaultValue = .int(source.defaultValue)
    allowed = Allowed(source.choices) { Double($0) }
  }
}

extension TrainingParameter.Allowed {
  fileprivate init<Value>(_ choices: MartletCoreMLFile.TrainingParameter<Value>.Choices, _ number: (Value) -> Double) {
    self =
      switch choices {
      case .any: .any
      case .range(let range): .range(number(range.lowerBound)...number(range.upperBound))
      case .set(let values): .set(values.map(number))
      }
  }
}
