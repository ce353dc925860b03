public import Foundation
import CoreVideo
package import MartletFeatures
import Martlet

/// Constrains the keys of a dictionary feature.
public final class MLDictionaryConstraint: NSObject, ComparedByContent, NSSecureCoding {
  /// The type of the keys: `.string` or `.int64`.
  public let keyType: MLFeatureType

  init(keyType: MLFeatureType) {
    self.keyType = keyType
    super.init()
  }

  var content: [AnyHashable] { [keyType] }
  public override func isEqual(_ object: Any?) -> Bool { hasContent(of: object) }
  public override var hash: Int { content.hashValue }

  public override var description: String { "Dictionary (\(keyType.name) → Double)" }
  public static var supportsSecureCoding: Bool { true }
  public func encode(with coder: NSCoder) { coder.encode(keyType.rawValue, forKey: "keyType") }

  public convenience init?(coder: NSCoder) {
    guard let type = MLFeatureType(rawValue: coder.decodeInteger(forKey: "keyType")) else { return nil }
    self.init(keyType: type)
  }
}

/// Constrains the elements and the length of a sequence feature.
public final class MLSequenceConstraint: NSObject, ComparedByContent, NSSecureCoding {
  /// Describes every element.
  public let valueDescription: MLFeatureDescription
  /// The allowed numbers of elements. The end of the range is excluded.
  public let countRange: NSRange

  init(valueDescription: MLFeatureDescription, countRange: NSRange) {
    self.valueDescription = valueDescription
    self.countRange = countRange
    super.init()
  }

  var content: [AnyHashable] { [valueDescription, countRange] }
  public override func isEqual(_ object: Any?) -> Bool { hasContent(of: object) }
  public override var hash: Int { content.hashValue }

  public override var description: String { "Sequence (\(valueDescription.type.name))" }
  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(valueDescription, forKey: "valueDescription")
    coder.encode(countRange.location, forKey: "location")
    coder.encode(countRange.length, forKey: "length")
  }

  public convenience init?(coder: NSCoder) {
    guard let description = coder.decodeObject(of: MLFeatureDescription.self, forKey: "valueDescription") else { return nil }
    self.init(
      valueDescription: description,
      countRange: NSRange(location: coder.decodeInteger(forKey: "location"), length: coder.decodeInteger(forKey: "length")))
  }
}

/// The name, type and constraints of a feature.
open class MLFeatureDescription: NSObject, ComparedByContent, NSCopying, NSSecureCoding {
  enum Constraint {
    case none
    case image(MLImageConstraint)
    case multiArray(MLMultiArrayConstraint)
    case dictionary(MLDictionaryConstraint)
    case sequence(MLSequenceConstraint)
    case state(MLStateConstraint)

    var object: NSObject? {
      switch self {
      case .none: nil
      case .image(let constraint): constraint
      case .multiArray(let constraint): constraint
      case .dictionary(let constraint): constraint
      case .sequence(let constraint): constraint
      case .state(let constraint): constraint
      }
    }
  }

  private struct Content {
    let name: String
    let type: MLFeatureType
    let isOptional: Bool
  }

  private let stored: Content
  private let constraint: Constraint

  init(name: String, type: MLFeatureType, isOptional: Bool, constraint: Constraint = .none) {
    stored = Content(name: name, type: type, isOptional: isOptional)
    self.constraint = constraint
    super.init()
  }

  /// A feature without a type, for subclasses that override the properties.
  public override convenience init() { self.init(name: "", type: .invalid, isOptional: false) }

  open var name: String { stored.name }
  open var type: MLFeatureType { stored.type }
  /// True if a prediction may omit the feature.
  open var isOptional: Bool { stored.isOptional }

  package convenience init(_ feature: FeatureDescription) {
    func element(_ key: FeatureKeyType) -> MLFeatureType { key == .string ? .string : .int64 }
    let type: MLFeatureType
    let constraint: Constraint
    switch feature.type {
    case .int64: (type, constraint) = (.int64, .none)
    case .double: (type, constraint) = (.double, .none)
    case .string: (type, constraint) = (.string, .none)
    case .image(let image): (type, constraint) = (.image, .image(MLImageConstraint(image)))
    case .multiArray(let array): (type, constraint) = (.multiArray, .multiArray(MLMultiArrayConstraint(array)))
    case .dictionary(let key): (type, constraint) = (.dictionary, .dictionary(MLDictionaryConstraint(keyType: element(key))))
    case .sequence(let sequence):
      let value = MLFeatureDescription(name: "", type: element(sequence.element), isOptional: false)
      (type, constraint) = (.sequence, .sequence(MLSequenceConstraint(valueDescription: value, countRange: sequence.count.range)))
    case .state(let array):
      let state = MLStateConstraint(bufferShape: array.shape, dataType: MLMultiArrayDataType(array.dataType))
      (type, constraint) = (.state, .state(state))
    }
    self.init(name: feature.name, type: type, isOptional: feature.isOptional, constraint: constraint)
  }

  /// The constraint of a multi-array feature; nil for features of other types. The same holds for the constraints below.
  open var multiArrayConstraint: MLMultiArrayConstraint? {
    if case .multiArray(let constraint) = constraint { constraint } else { nil }
  }
  open var imageConstraint: MLImageConstraint? { if case .image(let constraint) = constraint { constraint } else { nil } }
  open var dictionaryConstraint: MLDictionaryConstraint? { if case .dictionary(let constraint) = constraint { constraint } else { nil } }
  open var sequenceConstraint: MLSequenceConstraint? { if case .sequence(let constraint) = constraint { constraint } else { nil } }
  open var stateConstraint: MLStateConstraint? { if case .state(let constraint) = constraint { constraint } else { nil } }

  /// Returns true if a prediction accepts the value for this feature.
  open func isAllowedValue(_ value: MLFeatureValue) -> Bool { objection(to: value) == nil }

  /// The values that the feature accepts, for messages.
  var expectation: String {
    switch constraint {
    case .none: type.name
    case .image(let constraint): constraint.expectation
    case .multiArray(let constraint): constraint.expectation
    case .dictionary(let constraint): constraint.description
    case .sequence(let constraint): constraint.description
    case .state(let constraint): constraint.description
    }
  }

  /// Describes, for a message, a value that the feature does not accept. Returns nil if the feature accepts the value.
  func objection(to value: MLFeatureValue) -> String? {
    if value.isUndefined { return isOptional ? nil : "an undefined value" }
    switch (constraint, value.content) {
    case (.none, _) where value.type == type: return nil
    // Scalars widen: integers to floating point, and an array of one element to a scalar.
    case (.none, .int64) where type == .double: return nil
    case (.none, .multiArray), (.none, .shapedArray):
      guard let view = value.arrayView, view.shape.allSatisfy({ $0 == 1 }), type == .double || type == .int64 && view.dtype.isInteger else {
        return value.valueText
      }
      return nil
    case (.multiArray(let constraint), .multiArray), (.multiArray(let constraint), .shapedArray):
      guard let view = value.arrayView else { return "nothing" }
      // Elements of other types are converted.
      return constraint.allows(shape: view.shape) ? nil : value.valueText
    case (.image(let constraint), .image(let buffer)):
      let (width, height) = (CVPixelBufferGetWidth(buffer), CVPixelBufferGetHeight(buffer))
      return constraint.allows(width: width, height: height) ? nil : "Image (\(width) × \(height))"
    case (.dictionary(let constraint), .dictionary(let numbers)):
      let isString = constraint.keyType == .string
      guard let other = numbers.keys.first(where: { FeatureDictionary.isString($0.base) != isString }) else { return nil }
      return "Dictionary with the key \(other)"
    case (.dictionary(let constraint), .numbers(.byString(let numbers))):
      return constraint.keyType == .string ? nil : numbers.keys.first.map { "Dictionary with the key \($0)" }
    case (.dictionary(let constraint), .numbers(.byInteger(let numbers))):
      return constraint.keyType != .string ? nil : numbers.keys.first.map { "Dictionary with the key \($0)" }
    case (.sequence(let constraint), .sequence(let sequence)):
      let count = sequence.type == .string ? sequence.stringValues.count : sequence.int64Values.count
      let range = constraint.countRange
      guard sequence.type == constraint.valueDescription.type else { return "Sequence (\(sequence.type.name))" }
      return count >= range.location && (range.isUnbounded || range.contains(count)) ? nil : "Sequence of \(count) elements"
    default: return value.valueText
    }
  }

  var content: [AnyHashable] { [name, type, isOptional, constraint.object] }
  open override func isEqual(_ object: Any?) -> Bool { hasContent(of: object) }
  open override var hash: Int { content.hashValue }

  open override var description: String { "\(name) : \(expectation)\(isOptional ? "?" : "")" }
  open func copy(with zone: NSZone? = nil) -> Any { self }
  public static var supportsSecureCoding: Bool { true }

  open func encode(with coder: NSCoder) {
    coder.encode(name as NSString, forKey: "name")
    coder.encode(type.rawValue, forKey: "type")
    coder.encode(isOptional, forKey: "isOptional")
    if let object = constraint.object { coder.encode(object, forKey: "constraint") }
  }

  public required convenience init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "name") as String?,
      let type = MLFeatureType(rawValue: coder.decodeInteger(forKey: "type"))
    else { return nil }
    func decoded<Object: NSObject & NSCoding>(_ class: Object.Type) -> Object? { coder.decodeObject(of: `class`, forKey: "constraint") }
    let constraint: Constraint? =
      switch type {
      case .image: decoded(MLImageConstraint.self).map { .image($0) }
      case .multiArray: decoded(MLMultiArrayConstraint.self).map { .multiArray($0) }
      case .dictionary: decoded(MLDictionaryConstraint.self).map { .dictionary($0) }
      case .sequence: decoded(MLSequenceConstraint.self).map { .sequence($0) }
      case .state: decoded(MLStateConstraint.self).map { .state($0) }
      case .int64, .double, .string, .invalid: Constraint.none
      }
    guard let constraint else { return nil }
    self.init(name: name, type: type, isOptional: coder.decodeBool(forKey: "isOptional"), constraint: constraint)
  }
}

extension MLFeatureValue {
  /// The value as messages name it: arrays with element type and shape, other values with their type.
  fileprivate var valueText: String {
    guard let view = arrayView else { return type.name }
    return "MultiArray (\(MLMultiArrayDataType(view.dtype)?.name ?? view.dtype.name), \(shapeText(view.shape)))"
  }
}
