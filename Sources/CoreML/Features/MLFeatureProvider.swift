public import Foundation
import Martlet

/// Feature values by name: the input or output of a prediction.
public protocol MLFeatureProvider: AnyObject {
  var featureNames: Set<String> { get }
  /// The value of a feature; nil if there is no feature with this name.
  func featureValue(for featureName: String) -> MLFeatureValue?
}

/// A feature provider backed by a dictionary.
open class MLDictionaryFeatureProvider: NSObject, MLFeatureProvider, NSSecureCoding {
  /// The names of the features. Providers with the same features share them.
  private(set) var names: FeatureNames
  /// A value for each name.
  private(set) var values: [MLFeatureValue]
  /// Made on first use, under the lock.
  private var madeDictionary: [String: MLFeatureValue]?
  private static let dictionaryLock = Guarded(())

  // All designated initialisers are public, so that subclasses of clients inherit them.

  public override init() {
    (names, values) = (.none, [])
    super.init()
  }

  /// Creates a provider from feature values or values that convert to them: arrays, pixel buffers, strings, numbers, dictionaries with
  /// numeric values, sequences.
  /// - Throws: `MLModelError.featureType` naming a feature whose value cannot be converted.
  public init(dictionary: [String: Any]) throws {
    let (names, values) = FeatureNames.shared(by: dictionary)
    self.names = names
    self.values = try zip(names, values).map { try FeatureDictionary.featureValue($1, name: $0) }
    super.init()
  }

  /// A provider with a value for each name.
  convenience init(_ names: FeatureNames, _ values: [MLFeatureValue]) {
    precondition(names.count == values.count)
    self.init()
    (self.names, self.values) = (names, values)
  }

  /// The value at a position of the names if it is a number in double precision, else nil.
  ///
  /// Avoids retaining the value: in a batch of numbers, updating the reference counts dominates the time.
  final func number(at position: Int) -> Double? {
    unsafe values.withUnsafeBufferPointer { values in
      precondition(values.indices.contains(position))
      return unsafe values.withMemoryRebound(to: Unmanaged<MLFeatureValue>.self) { values in
        unsafe values[position]._withUnsafeGuaranteedRef { $0.number }
      }
    }
  }

  convenience init(values: [String: MLFeatureValue]) {
    self.init()
    (names, self.values) = FeatureNames.shared(by: values)
    madeDictionary = values
  }

  public var dictionary: [String: MLFeatureValue] {
    Self.dictionaryLock.withLock { _ in
      if let madeDictionary { return madeDictionary }
      let made = Dictionary(zip(names, values), uniquingKeysWith: { first, _ in first })
      madeDictionary = made
      return made
    }
  }

  open var featureNames: Set<String> { Set(names) }
  open func featureValue(for featureName: String) -> MLFeatureValue? { names.position(of: featureName).map { values[$0] } }
  public subscript(featureName: String) -> MLFeatureValue? { featureValue(for: featureName) }

  open override func isEqual(_ object: Any?) -> Bool {
    (object as? MLDictionaryFeatureProvider)?.dictionary == dictionary
  }

  open override var hash: Int { dictionary.hashValue }

  open override var description: String {
    "{\n" + dictionary.sorted { $0.key < $1.key }.map { "    \($0.key) = \"\($0.value)\";\n" }.joined() + "}"
  }

  public static var supportsSecureCoding: Bool { true }

  open func encode(with coder: NSCoder) {
    coder.encode(Array(names) as NSArray, forKey: "names")
    coder.encode(values as NSArray, forKey: "values")
  }

  public required init?(coder: NSCoder) {
    guard let names = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "names") as? [String],
      let values = coder.decodeObject(of: [NSArray.self, MLFeatureValue.self], forKey: "values") as? [MLFeatureValue],
      names.count == values.count
    else { return nil }
    (self.names, self.values) = (FeatureNames(names), values)
    super.init()
  }
}

/// Inputs or outputs of a batch of predictions.
public protocol MLBatchProvider: AnyObject {
  var count: Int { get }
  func features(at index: Int) -> any MLFeatureProvider
}

/// A batch provider backed by an array.
open class MLArrayBatchProvider: NSObject, MLBatchProvider {
  public var array: [any MLFeatureProvider] { elements }
  private let elements: [any MLFeatureProvider]

  public init(array: [any MLFeatureProvider]) {
    elements = array
    super.init()
  }

  /// Creates a batch from the values of each feature in all predictions.
  /// - Throws: `MLModelError.featureType` if the features have different numbers of values or a value cannot be converted.
  public convenience init(dictionary: [String: [Any]]) throws {
    let counts = Set(dictionary.values.map(\.count))
    guard counts.count <= 1 else {
      throw MLModelError(
        .featureType,
        "The features of a batch have different numbers of values: "
          + dictionary.sorted { $0.key < $1.key }.map { "'\($0.key)' \($0.value.count)" }.joined(separator: ", "))
    }
    self.init(
      array: try (0..<(counts.first ?? 0)).map { index in
        try MLDictionaryFeatureProvider(dictionary: dictionary.mapValues { $0[index] })
      })
  }

  public var count: Int { elements.count }
  open func features(at index: Int) -> any MLFeatureProvider { elements[index] }
}
