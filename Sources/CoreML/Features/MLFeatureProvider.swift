public import Foundation

/// Feature values by name: the input or output of a prediction.
public protocol MLFeatureProvider: AnyObject {
  var featureNames: Set<String> { get }
  /// The value of a feature; nil if there is no feature with this name.
  func featureValue(for featureName: String) -> MLFeatureValue?
}

/// A feature provider backed by a dictionary.
open class MLDictionaryFeatureProvider: NSObject, MLFeatureProvider, NSSecureCoding {
  public let dictionary: [String: MLFeatureValue]

  init(values: [String: MLFeatureValue]) {
    dictionary = values
    super.init()
  }

  public override convenience init() { self.init(values: [:]) }

  /// Creates a provider from feature values or values that convert to them: arrays, pixel buffers, strings, numbers, dictionaries with
  /// numeric values, sequences.
  /// - Throws: `MLModelError.featureType` naming a feature whose value cannot be converted.
  public convenience init(dictionary: [String: Any]) throws {
    var values: [String: MLFeatureValue] = [:]
    for (name, value) in dictionary { values[name] = try FeatureDictionary.featureValue(value, name: name) }
    self.init(values: values)
  }

  open var featureNames: Set<String> { Set(dictionary.keys) }
  open func featureValue(for featureName: String) -> MLFeatureValue? { dictionary[featureName] }
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
    let entries = Array(dictionary)
    coder.encode(entries.map(\.key) as NSArray, forKey: "names")
    coder.encode(entries.map(\.value) as NSArray, forKey: "values")
  }

  public required convenience init?(coder: NSCoder) {
    guard let names = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "names") as? [String],
      let values = coder.decodeObject(of: [NSArray.self, MLFeatureValue.self], forKey: "values") as? [MLFeatureValue],
      names.count == values.count
    else { return nil }
    self.init(values: Dictionary(zip(names, values), uniquingKeysWith: { $1 }))
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
