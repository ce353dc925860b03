public import CoreVideo
public import Foundation
import MartletFeatures
import Martlet

/// The value of a feature. The value is immutable; an array or a pixel buffer that it refers to is not.
open class MLFeatureValue: NSObject, NSCopying, NSSecureCoding {
  enum Content {
    case undefined(MLFeatureType)
    case int64(Int64)
    case double(Double)
    case string(String)
    case image(CVPixelBuffer)
    case multiArray(MLMultiArray)
    /// Converted to a multi-array on first use.
    case shapedArray(any AnyShapedArray)
    case dictionary([AnyHashable: NSNumber])
    /// Converted to a dictionary of objects on first use.
    case numbers(ModelDictionary)
    case sequence(MLSequence)
  }

  let content: Content
  /// The multi-array made from a shaped array. Nil for all other values, which need no lock.
  private let madeArray: Guarded<MLMultiArray?>?
  /// The dictionary made from a model's numbers. Nil for all other values.
  private let madeDictionary: Guarded<[AnyHashable: NSNumber]?>?

  init(content: Content) {
    self.content = content
    madeArray = if case .shapedArray = content { Guarded(nil) } else { nil }
    madeDictionary = if case .numbers = content { Guarded(nil) } else { nil }
    super.init()
  }

  public convenience init(int64 value: Int64) { self.init(content: .int64(value)) }
  public convenience init(double value: Double) { self.init(content: .double(value)) }
  public convenience init(string value: String) { self.init(content: .string(value)) }
  public convenience init(pixelBuffer value: CVPixelBuffer) { self.init(content: .image(value)) }
  public convenience init(multiArray value: MLMultiArray) { self.init(content: .multiArray(value)) }
  public convenience init(sequence value: MLSequence) { self.init(content: .sequence(value)) }
  /// An undefined value of a type.
  public convenience init(undefined type: MLFeatureType) { self.init(content: .undefined(type)) }

  /// A value that shares the array's memory.
  public convenience init<Scalar: MLShapedArrayScalar>(shapedArray value: MLShapedArray<Scalar>) {
    self.init(content: .shapedArray(value))
  }

  /// A dictionary of numbers with either string or integer keys.
  /// - Throws: `MLModelError.generic` if keys are of another type, or of both types.
  public convenience init(dictionary value: [AnyHashable: NSNumber]) throws {
    var keys: Set<Bool> = []
    for key in value.keys {
      guard let isString = FeatureDictionary.isString(key.base) else {
        throw MLModelError(.generic, "Keys of a dictionary feature are strings or integers, not \(key.base) (\(Swift.type(of: key.base)))")
      }
      keys.insert(isString)
    }
    guard keys.count <= 1 else { throw MLModelError(.generic, "Keys of a dictionary feature are strings or integers, not both") }
    self.init(content: .dictionary(value))
  }

  // MARK: Values

  public var type: MLFeatureType {
    switch content {
    case .undefined(let type): type
    case .int64: .int64
    case .double: .double
    case .string: .string
    case .image: .image
    case .multiArray, .shapedArray: .multiArray
    case .dictionary, .numbers: .dictionary
    case .sequence: .sequence
    }
  }

  public var isUndefined: Bool { if case .undefined = content { true } else { false } }

  /// The integer, or 0 for a value of another type.
  public var int64Value: Int64 { if case .int64(let value) = content { value } else { 0 } }
  /// The floating-point number, or 0 for a value of another type.
  public var doubleValue: Double { if case .double(let value) = content { value } else { 0 } }
  /// The floating-point number, or nil for a value of another type.
  final var number: Double? { if case .double(let value) = content { value } else { nil } }
  /// The string, or an empty string for a value of another type.
  public var stringValue: String { if case .string(let value) = content { value } else { "" } }
  /// The image, or nil for a value of another type.
  public var imageBufferValue: CVPixelBuffer? { if case .image(let value) = content { value } else { nil } }
  /// The dictionary, or an empty one for a value of another type.
  public var dictionaryValue: [AnyHashable: NSNumber] {
    switch content {
    case .dictionary(let value): return value
    case .numbers(let numbers): return madeDictionary?.made { numbers.objects } ?? [:]
    default: return [:]
    }
  }
  /// The sequence, or nil for a value of another type.
  public var sequenceValue: MLSequence? { if case .sequence(let value) = content { value } else { nil } }

  /// The array, or nil for a value of another type. Returns the same object each time.
  public var multiArrayValue: MLMultiArray? {
    switch content {
    case .multiArray(let array): return array
    case .shapedArray(let shaped): return madeArray?.made { shaped.multiArray }
    default: return nil
    }
  }

  /// The array, or nil for a value of another type or an array with elements of another type.
  public func shapedArrayValue<Scalar: MLShapedArrayScalar>(of scalarType: Scalar.Type = Scalar.self) -> MLShapedArray<Scalar>? {
    switch content {
    case .shapedArray(let shaped): return shaped as? MLShapedArray<Scalar>
    case .multiArray(let array): return array.dataType.dtype == Scalar.dtype ? MLShapedArray(array) : nil
    default: return nil
    }
  }

  /// The memory of an array, as a view; nil for other values.
  var arrayView: ArrayView? {
    switch content {
    case .multiArray(let array): array.view
    case .shapedArray(let shaped): shaped.view
    default: nil
    }
  }

  // MARK: Comparing, describing and archiving

  /// Returns true if both values have the same type and content. Images are equal only if they are the same buffer.
  public func isEqual(to value: MLFeatureValue) -> Bool {
    switch (content, value.content) {
    case (.undefined(let first), .undefined(let second)): first == second
    case (.int64(let first), .int64(let second)): first == second
    case (.double(let first), .double(let second)): first == second
    case (.string(let first), .string(let second)): first == second
    case (.image(let first), .image(let second)): first == second
    case (.dictionary, .dictionary), (.dictionary, .numbers), (.numbers, .dictionary), (.numbers, .numbers):
      dictionaryValue == value.dictionaryValue
    case (.sequence(let first), .sequence(let second)): first == second
    default: if let first = multiArrayValue, let second = value.multiArrayValue { first == second } else { false }
    }
  }

  open override func isEqual(_ object: Any?) -> Bool {
    (object as? MLFeatureValue).map { isEqual(to: $0) } ?? false
  }

  open override var hash: Int {
    var hasher = Hasher()
    hasher.combine(type)
    switch content {
    case .int64(let value): hasher.combine(value)
    case .double(let value): hasher.combine(value)
    case .string(let value): hasher.combine(value)
    case .image(let value): hasher.combine(value)
    case .dictionary, .numbers: hasher.combine(dictionaryValue)
    case .sequence(let value): hasher.combine(value)
    case .undefined, .multiArray, .shapedArray: break
    }
    return hasher.finalize()
  }

  open override var description: String {
    let value =
      switch content {
      case .undefined: "undefined"
      case .int64(let value): "\(value)"
      case .double(let value): "\(value)"
      case .string(let value): value
      case .image(let value): "\(CVPixelBufferGetWidth(value)) x \(CVPixelBufferGetHeight(value))"
      case .multiArray, .shapedArray: multiArrayValue?.description ?? ""
      case .dictionary, .numbers: "\(dictionaryValue)"
      case .sequence(let value): value.description
      }
    return "\(type.name) : \(value)"
  }

  open func copy(with zone: NSZone? = nil) -> Any { self }

  public static var supportsSecureCoding: Bool { true }

  /// Archives the pixels of an image, but not its attachments.
  open func encode(with coder: NSCoder) {
    coder.encode(type.rawValue, forKey: "type")
    coder.encode(isUndefined, forKey: "isUndefined")
    switch content {
    case .undefined: break
    case .int64(let value): coder.encode(NSNumber(value: value), forKey: "value")
    case .double(let value): coder.encode(NSNumber(value: value), forKey: "value")
    case .string(let value): coder.encode(value as NSString, forKey: "value")
    case .multiArray, .shapedArray: coder.encode(multiArrayValue, forKey: "value")
    case .sequence(let value): coder.encode(value, forKey: "value")
    case .dictionary, .numbers:
      let pairs = dictionaryValue.map { ($0.key.base, $0.value) }
      coder.encode(pairs.map { FeatureDictionary.object($0.0) } as NSArray, forKey: "keys")
      coder.encode(pairs.map(\.1) as NSArray, forKey: "value")
    case .image(let buffer):
      coder.encode(CVPixelBufferGetWidth(buffer), forKey: "width")
      coder.encode(CVPixelBufferGetHeight(buffer), forKey: "height")
      coder.encode(Int64(CVPixelBufferGetPixelFormatType(buffer)), forKey: "pixelFormatType")
      coder.encode(buffer.packedPixels as NSData?, forKey: "value")
    }
  }

  public required convenience init?(coder: NSCoder) {
    guard let type = MLFeatureType(rawValue: coder.decodeInteger(forKey: "type")) else { return nil }
    if coder.decodeBool(forKey: "isUndefined") {
      self.init(undefined: type)
      return
    }
    func value<Object: NSObject & NSCoding>(_ class: Object.Type) -> Object? { coder.decodeObject(of: `class`, forKey: "value") }
    switch type {
    case .int64:
      guard let number = value(NSNumber.self) else { return nil }
      self.init(int64: number.int64Value)
    case .double:
      guard let number = value(NSNumber.self) else { return nil }
      self.init(double: number.doubleValue)
    case .string:
      guard let string = value(NSString.self) else { return nil }
      self.init(string: string as String)
    case .multiArray:
      guard let array = value(MLMultiArray.self) else { return nil }
      self.init(multiArray: array)
    case .sequence:
      guard let sequence = value(MLSequence.self) else { return nil }
      self.init(sequence: sequence)
    case .dictionary:
      let objects: [AnyClass] = [NSArray.self, NSNumber.self, NSString.self]
      guard let keys = coder.decodeObject(of: objects, forKey: "keys") as? [Any],
        let numbers = coder.decodeObject(of: objects, forKey: "value") as? [NSNumber], keys.count == numbers.count
      else { return nil }
      let pairs = zip(keys.compactMap { FeatureDictionary.key($0) }, numbers)
      try? self.init(dictionary: Dictionary(pairs, uniquingKeysWith: { $1 }))
    case .image:
      guard let pixels = value(NSData.self), let format = OSType(exactly: coder.decodeInt64(forKey: "pixelFormatType")),
        let buffer = CVPixelBuffer.buffer(
          width: coder.decodeInteger(forKey: "width"), height: coder.decodeInteger(forKey: "height"), format: format,
          packedPixels: pixels as Data)
      else { return nil }
      self.init(pixelBuffer: buffer)
    case .invalid, .state: return nil
    }
  }
}

extension Guarded {
  /// The value, which `make` gives on the first call.
  fileprivate func made<Made>(by make: () -> Made) -> Made where Value == Made? {
    withLock { value in
      if let value { return value }
      let made = make()
      value = made
      return made
    }
  }
}
