public import Foundation

/// A sequence of strings or of integers.
open class MLSequence: NSObject, NSSecureCoding {
  public let type: MLFeatureType
  /// The strings; empty in a sequence of integers.
  public let stringValues: [String]
  /// The integers; empty in a sequence of strings.
  public let int64Values: [NSNumber]

  private init(type: MLFeatureType, strings: [String], integers: [NSNumber]) {
    self.type = type
    stringValues = strings
    int64Values = integers
    super.init()
  }

  public convenience init(strings: [String]) { self.init(type: .string, strings: strings, integers: []) }
  public convenience init(int64s: [NSNumber]) { self.init(type: .int64, strings: [], integers: int64s) }
  /// Creates an empty sequence.
  public convenience init(empty type: MLFeatureType) { self.init(type: type, strings: [], integers: []) }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? MLSequence else { return false }
    return type == other.type && stringValues == other.stringValues && int64Values == other.int64Values
  }

  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(type)
    hasher.combine(stringValues)
    hasher.combine(int64Values)
    return hasher.finalize()
  }

  open override var description: String {
    let elements = type == .string ? stringValues.map { "\"\($0)\"" } : int64Values.map { "\($0)" }
    return "\(type.name) sequence [\(elements.joined(separator: ", "))]"
  }

  public static var supportsSecureCoding: Bool { true }

  open func encode(with coder: NSCoder) {
    coder.encode(type.rawValue, forKey: "type")
    coder.encode(stringValues as NSArray, forKey: "strings")
    coder.encode(int64Values as NSArray, forKey: "integers")
  }

  public required convenience init?(coder: NSCoder) {
    guard let type = MLFeatureType(rawValue: coder.decodeInteger(forKey: "type")),
      let strings = coder.decodeObject(of: [NSArray.self, NSString.self], forKey: "strings") as? [String],
      let integers = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "integers") as? [NSNumber]
    else { return nil }
    self.init(type: type, strings: strings, integers: integers)
  }
}
