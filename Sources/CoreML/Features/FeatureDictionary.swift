import CoreVideo
import Foundation

/// Keys of dictionary features, and conversion of untyped Swift values to feature values.
enum FeatureDictionary {
  /// True for a string key, false for an integer key, nil for any other key.
  static func isString(_ key: Any) -> Bool? {
    if key is String || key is NSString { return true }
    if key is any BinaryInteger { return false }
    // Other Swift numbers also bridge to `NSNumber`.
    return key is any BinaryFloatingPoint || !(key is NSNumber) ? nil : false
  }

  /// A key as an archivable object.
  static func object(_ key: Any) -> Any {
    if let string = key as? String { return string as NSString }
    if let integer = key as? any BinaryInteger { return NSNumber(value: Int64(integer)) }
    return key
  }

  /// The key that an archived object represents.
  static func key(_ object: Any) -> AnyHashable? {
    if let string = object as? String { return string }
    return (object as? NSNumber).map { AnyHashable($0.int64Value) }
  }

  /// Converts `value` to a feature value.
  ///
  /// Integers become 64-bit integers, other numbers become doubles, arrays of strings or integers become sequences.
  /// - Throws: `MLModelError.featureType` if the value cannot be converted.
  static func featureValue(_ value: Any, name: String) throws -> MLFeatureValue {
    switch value {
    case let value as MLFeatureValue: return value
    case let array as MLMultiArray: return MLFeatureValue(multiArray: array)
    case let buffer as CVPixelBuffer: return MLFeatureValue(pixelBuffer: buffer)
    case let sequence as MLSequence: return MLFeatureValue(sequence: sequence)
    case let shaped as any AnyShapedArray: return MLFeatureValue(content: .shapedArray(shaped))
    case let text as String: return MLFeatureValue(string: text)
    case let number as any BinaryFloatingPoint: return MLFeatureValue(double: Double(number))
    case let number as NSNumber:
      let encoding = unsafe UInt8(bitPattern: number.objCType.pointee)
      let isReal = encoding == UInt8(ascii: "f") || encoding == UInt8(ascii: "d")
      return isReal ? MLFeatureValue(double: number.doubleValue) : MLFeatureValue(int64: number.int64Value)
    case let strings as [String]: return MLFeatureValue(sequence: MLSequence(strings: strings))
    case let integers as [Int]: return MLFeatureValue(sequence: MLSequence(int64s: integers.map { NSNumber(value: $0) }))
    case let numbers as [NSNumber]: return MLFeatureValue(sequence: MLSequence(int64s: numbers))
    case let numbers as [AnyHashable: NSNumber]: return try MLFeatureValue(dictionary: numbers)
    default:
      throw MLModelError(.featureType, "The feature '\(name)' has a value of type \(type(of: value)) that is not a feature value")
    }
  }
}
