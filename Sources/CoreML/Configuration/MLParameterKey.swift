public import Foundation

/// The name of a parameter or property of a model within a scope, such as a layer.
open class MLKey: NSObject, NSCopying, NSSecureCoding {
  public let name: String
  public let scope: String?

  init(name: String, scope: String? = nil) {
    self.name = name
    self.scope = scope
    super.init()
  }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLKey else { return false }
    return type(of: self) == type(of: other) && name == other.name && scope == other.scope
  }

  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(name)
    hasher.combine(scope)
    return hasher.finalize()
  }

  open override var description: String { scope.map { "\($0).\(name)" } ?? name }
  open func copy(with zone: NSZone? = nil) -> Any { self }
  public static var supportsSecureCoding: Bool { true }

  open func encode(with coder: NSCoder) {
    coder.encode(name as NSString, forKey: "name")
    coder.encode(scope as NSString?, forKey: "scope")
  }

  public required init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "name") else { return nil }
    self.name = name as String
    scope = coder.decodeObject(of: NSString.self, forKey: "scope") as String?
    super.init()
  }
}

/// The key of a model parameter.
public final class MLParameterKey: MLKey, @unchecked Sendable {
  public static let learningRate = MLParameterKey(name: "learningRate")
  public static let momentum = MLParameterKey(name: "momentum")
  public static let miniBatchSize = MLParameterKey(name: "miniBatchSize")
  public static let beta1 = MLParameterKey(name: "beta1")
  public static let beta2 = MLParameterKey(name: "beta2")
  public static let eps = MLParameterKey(name: "eps")
  public static let epochs = MLParameterKey(name: "epochs")
  public static let shuffle = MLParameterKey(name: "shuffle")
  public static let seed = MLParameterKey(name: "seed")
  public static let numberOfNeighbors = MLParameterKey(name: "numberOfNeighbors")
  public static let weights = MLParameterKey(name: "weights")
  public static let biases = MLParameterKey(name: "biases")
  public static let linkedModelFileName = MLParameterKey(name: "linkedModelFileName")
  public static let linkedModelSearchPath = MLParameterKey(name: "linkedModelSearchPath")

  /// The parameter of the same name in a scope within this key's: a layer, or a model of a pipeline. Without names in the file the models of a
  /// pipeline are `model0`, `model1` and so on.
  public func scoped(to scope: String) -> MLParameterKey {
    MLParameterKey(name: name, scope: self.scope.map { "\($0).\(scope)" } ?? scope)
  }
}
