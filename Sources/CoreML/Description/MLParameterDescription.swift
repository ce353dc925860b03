public import Foundation
import Martlet

/// The values that a numeric parameter may have.
public final class MLNumericConstraint: NSObject, ComparedByContent, NSSecureCoding {
  public let minNumber: NSNumber
  public let maxNumber: NSNumber
  /// The allowed values, if they are enumerated.
  public let enumeratedNumbers: Set<NSNumber>?

  init(minNumber: NSNumber, maxNumber: NSNumber, enumeratedNumbers: Set<NSNumber>?) {
    self.minNumber = minNumber
    self.maxNumber = maxNumber
    self.enumeratedNumbers = enumeratedNumbers
    super.init()
  }

  var content: [AnyHashable] { [minNumber, maxNumber, enumeratedNumbers] }
  public override func isEqual(_ object: Any?) -> Bool { hasContent(of: object) }
  public override var hash: Int { content.hashValue }

  public override var description: String {
    guard let enumeratedNumbers else { return "\(Self.text(minNumber.doubleValue))...\(Self.text(maxNumber.doubleValue))" }
    return "one of " + enumeratedNumbers.map(\.doubleValue).sorted().map(Self.text).joined(separator: ", ")
  }

  private static func text(_ number: Double) -> String { Int(exactly: number).map { "\($0)" } ?? "\(number)" }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(minNumber, forKey: "minNumber")
    coder.encode(maxNumber, forKey: "maxNumber")
    coder.encode(enumeratedNumbers.map { Array($0) as NSArray }, forKey: "enumeratedNumbers")
  }

  public convenience init?(coder: NSCoder) {
    guard let least = coder.decodeObject(of: NSNumber.self, forKey: "minNumber"),
      let most = coder.decodeObject(of: NSNumber.self, forKey: "maxNumber")
    else { return nil }
    let list = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "enumeratedNumbers") as? [NSNumber]
    self.init(minNumber: least, maxNumber: most, enumeratedNumbers: list.map { Set($0) })
  }
}

/// A parameter of a model.
public final class MLParameterDescription: NSObject, ComparedByContent, NSSecureCoding {
  public let key: MLParameterKey
  /// An `Int`, a `Double` or a `Bool`.
  public let defaultValue: Any
  public let numericConstraint: MLNumericConstraint?

  init(key: MLParameterKey, defaultValue: Any, numericConstraint: MLNumericConstraint?) {
    self.key = key
    self.defaultValue = defaultValue
    self.numericConstraint = numericConstraint
    super.init()
  }

  var content: [AnyHashable] { [key, TrainingParameter.Value(defaultValue), numericConstraint] }
  public override func isEqual(_ object: Any?) -> Bool { hasContent(of: object) }
  public override var hash: Int { content.hashValue }
  public override var description: String { "\(key): \(defaultValue)" + (numericConstraint.map { ", \($0)" } ?? "") }
  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(key, forKey: "key")
    coder.encode(numericConstraint, forKey: "numericConstraint")
    switch TrainingParameter.Value(defaultValue) {
    case .int(let value): coder.encode(Int64(value), forKey: "int")
    case .double(let value): coder.encode(value, forKey: "double")
    case .bool(let value): coder.encode(value, forKey: "bool")
    case nil: break
    }
  }

  public convenience init?(coder: NSCoder) {
    guard let key = coder.decodeObject(of: MLParameterKey.self, forKey: "key") else { return nil }
    let value: TrainingParameter.Value
    if coder.containsValue(forKey: "int") {
      value = .int(Int(clamping: coder.decodeInt64(forKey: "int")))
    } else if coder.containsValue(forKey: "double") {
      value = .double(coder.decodeDouble(forKey: "double"))
    } else if coder.containsValue(forKey: "bool") {
      value = .bool(coder.decodeBool(forKey: "bool"))
    } else {
      return nil
    }
    self.init(
      key: key, defaultValue: value.object,
      numericConstraint: coder.decodeObject(of: MLNumericConstraint.self, forKey: "numericConstraint"))
  }
}
