import Foundation
import Martlet

/// A feature value that can cross concurrency domains: a number, a string or an array of them.
public struct MLSendableFeatureValue: Sendable, Hashable {
  private enum Content: Sendable, Hashable {
    case undefined(MLFeatureType)
    case integer(Int)
    case float16(Float16)
    case float(Float)
    case double(Double)
    case string(String)
    case strings([String])
    case byString([String: Double])
    case byInteger([Int: Double])
    case array(SendableArray)
  }

  private let content: Content

  public init(_ value: Int) { content = .integer(value) }
  public init(_ value: Int32) { content = .integer(Int(value)) }
  public init(_ value: Float16) { content = .float16(value) }
  public init(_ value: Float) { content = .float(value) }
  public init(_ value: Double) { content = .double(value) }
  public init(_ value: String) { content = .string(value) }
  public init(_ value: [String]) { content = .strings(value) }
  public init(_ value: [String: Int]) { content = .byString(value.mapValues { Double($0) }) }
  public init(_ value: [String: Double]) { content = .byString(value) }
  public init(_ value: [Int: Int]) { content = .byInteger(value.mapValues { Double($0) }) }
  public init(_ value: [Int: Double]) { content = .byInteger(value) }
  public init<Scalar: MLShapedArrayScalar>(_ value: MLShapedArray<Scalar>) { content = .array(SendableArray(value)) }
  /// An undefined value of a type.
  public init(undefined type: MLFeatureType) { content = .undefined(type) }

  /// Converts a feature value to a sendable one; nil for images and sequences of integers.
  public init?(_ value: MLFeatureValue) {
    switch value.content {
    case .undefined(let type): content = .undefined(type)
    case .int64(let number): content = .integer(Int(number))
    case .double(let number): content = .double(number)
    case .string(let text): content = .string(text)
    case .dictionary(let numbers):
      if let numbers = numbers as? [String: NSNumber] {
        content = .byString(numbers.mapValues(\.doubleValue))
      } else if let numbers = numbers as? [Int: NSNumber] {
        content = .byInteger(numbers.mapValues(\.doubleValue))
      } else {
        return nil
      }
    case .numbers(.byString(let numbers)): content = .byString(numbers)
    case .numbers(.byInteger(let numbers)): content = .byInteger(numbers)
    case .sequence(let sequence):
      guard sequence.type == .string else { return nil }
      content = .strings(sequence.stringValues)
    case .shapedArray(let shaped): content = .array(SendableArray(shaped))
    case .multiArray(let array):
      content =
        switch array.dataType {
        case .double: .array(SendableArray(MLShapedArray<Double>(array)))
        case .float32: .array(SendableArray(MLShapedArray<Float>(array)))
        case .float16: .array(SendableArray(MLShapedArray<Float16>(array)))
        case .int32: .array(SendableArray(MLShapedArray<Int32>(array)))
        case .int8: .array(SendableArray(MLShapedArray<Int8>(array)))
        }
    case .image: return nil
    }
  }

  public var type: MLFeatureType {
    switch content {
    case .undefined(let type): type
    case .integer: .int64
    case .float16, .float, .double: .double
    case .string: .string
    case .strings: .sequence
    case .byString, .byInteger: .dictionary
    case .array: .multiArray
    }
  }

  public var isUndefined: Bool { if case .undefined = content { true } else { false } }
  public var isShapedArray: Bool { if case .array = content { true } else { false } }
  /// Whether the value is a number or a string.
  public var isScalar: Bool {
    switch content {
    case .integer, .float16, .float, .double, .string: true
    default: false
    }
  }

  public var integerValue: Int? { if case .integer(let value) = content { value } else { nil } }
  /// The floating-point value in half precision; nil for other types.
  public var float16Value: Float16? { doubleValue.map { Float16($0) } }
  /// The floating-point value in single precision; nil for other types.
  public var floatValue: Float? { doubleValue.map { Float($0) } }
  /// The floating-point value; nil for other types.
  public var doubleValue: Double? {
    switch content {
    case .float16(let value): Double(value)
    case .float(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }
  public var stringValue: String? { if case .string(let value) = content { value } else { nil } }
  public var stringArrayValue: [String]? { if case .strings(let value) = content { value } else { nil } }
  public var stringDictionaryValue: [String: Double]? { if case .byString(let value) = content { value } else { nil } }
  public var integerDictionaryValue: [Int: Double]? { if case .byInteger(let value) = content { value } else { nil } }

  /// The array; nil for other types, or if its elements have another type.
  public func shapedArrayValue<Scalar: MLShapedArrayScalar>(of scalarType: Scalar.Type = Scalar.self) -> MLShapedArray<Scalar>? {
    if case .array(let array) = content { array.value as? MLShapedArray<Scalar> } else { nil }
  }

  fileprivate var featureContent: MLFeatureValue.Content {
    switch content {
    case .undefined(let type): .undefined(type)
    case .integer(let value): .int64(Int64(value))
    case .float16, .float, .double: .double(doubleValue ?? 0)
    case .string(let value): .string(value)
    case .strings(let values): .sequence(MLSequence(strings: values))
    case .byString(let values): .numbers(.byString(values))
    case .byInteger(let values): .dictionary(values.reduce(into: [:]) { $0[$1.key] = NSNumber(value: $1.value) })
    case .array(let array): .shapedArray(array.value)
    }
  }
}

extension MLSendableFeatureValue: CustomDebugStringConvertible {
  public var debugDescription: String { "MLSendableFeatureValue(\(MLFeatureValue(self).description))" }
}

extension MLFeatureValue {
  public convenience init(_ sendable: MLSendableFeatureValue) { self.init(content: sendable.featureContent) }
}

/// A type-erased shaped array, compared by type, shape and elements.
private struct SendableArray: Sendable, Hashable {
  let value: any AnyShapedArray

  init<Scalar: MLShapedArrayScalar>(_ array: MLShapedArray<Scalar>) { value = array }
  init(_ array: any AnyShapedArray) { value = array }

  static func == (first: SendableArray, second: SendableArray) -> Bool { AnyHashable(first.value) == AnyHashable(second.value) }
  func hash(into hasher: inout Hasher) { value.hash(into: &hasher) }
}
