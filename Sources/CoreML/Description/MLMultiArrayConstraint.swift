public import Foundation
import MartletFeatures

extension NSRange {
  /// The range itself. On Apple's systems an `NSValue` holds it.
  public var rangeValue: NSRange { self }
}

extension SizeRange {
  /// The same sizes as a half-open range. Without an upper bound it extends to `Int.max`.
  var range: NSRange {
    NSRange(location: lowerBound, length: upperBound.map { $0 - lowerBound + 1 } ?? Int.max - lowerBound)
  }
}

/// How a constraint limits the shape of a multi-array.
public enum MLMultiArrayShapeConstraintType: Int, Sendable, Hashable {
  /// Any shape is accepted.
  case unspecified = 1
  /// Only the listed shapes are accepted. A feature of fixed shape lists one.
  case enumerated = 2
  /// Each axis has a range of extents.
  case range = 3
}

/// The shapes that a multi-array feature accepts.
public final class MLMultiArrayShapeConstraint: NSObject, ComparedByContent, NSSecureCoding {
  public let type: MLMultiArrayShapeConstraintType
  /// The allowed shapes of an enumerated constraint.
  public let enumeratedShapes: [[NSNumber]]
  /// The allowed extents of each axis. The end of each range is excluded.
  public let sizeRangeForDimension: [NSRange]

  init(type: MLMultiArrayShapeConstraintType, enumeratedShapes: [[NSNumber]], sizeRangeForDimension: [NSRange]) {
    self.type = type
    self.enumeratedShapes = enumeratedShapes
    self.sizeRangeForDimension = sizeRangeForDimension
    super.init()
  }

  /// Allows the listed shapes. Ranges of extents are set only if all shapes have the same rank.
  private convenience init(shapes: [[Int]]) {
    let rank = shapes.first?.count ?? 0
    let isOneRank = shapes.allSatisfy { $0.count == rank }
    self.init(
      type: .enumerated, enumeratedShapes: shapes.map { $0.map { NSNumber(value: $0) } },
      sizeRangeForDimension: isOneRank ? (0..<rank).map { axis in NSRange(spanning: shapes.map { $0[axis] }) } : [])
  }

  convenience init(_ array: ArrayFeature) {
    switch array.flexibility {
    case .fixed where array.shape.isEmpty: self.init(type: .unspecified, enumeratedShapes: [], sizeRangeForDimension: [])
    case .fixed: self.init(shapes: [array.shape])
    case .enumerated(let shapes): self.init(shapes: shapes)
    case .ranges(let ranges): self.init(type: .range, enumeratedShapes: [], sizeRangeForDimension: ranges.map(\.range))
    }
  }

  var content: [AnyHashable] { [type, enumeratedShapes, sizeRangeForDimension] }
  public override func isEqual(_ object: Any?) -> Bool { hasContent(of: object) }
  public override var hash: Int { content.hashValue }

  public override var description: String {
    switch type {
    case .unspecified: "any shape"
    case .enumerated:
      (enumeratedShapes.count == 1 ? "" : "one of ") + enumeratedShapes.map { shapeText($0.map(\.intValue)) }.joined(separator: ", ")
    case .range:
      sizeRangeForDimension.map { range in
        range.length == 1 ? "\(range.location)" : "\(range.location)..." + (range.isUnbounded ? "" : "\(range.upperBound - 1)")
      }.joined(separator: " × ")
    }
  }

  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(type.rawValue, forKey: "type")
    coder.encode(enumeratedShapes.map { $0 as NSArray } as NSArray, forKey: "enumeratedShapes")
    coder.encode(sizeRangeForDimension.flatMap { [NSNumber(value: $0.location), NSNumber(value: $0.length)] } as NSArray, forKey: "ranges")
  }

  public convenience init?(coder: NSCoder) {
    guard let type = MLMultiArrayShapeConstraintType(rawValue: coder.decodeInteger(forKey: "type")),
      let shapes = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "enumeratedShapes") as? [[NSNumber]],
      let bounds = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "ranges") as? [NSNumber]
    else { return nil }
    let numbers = bounds.map(\.intValue)
    self.init(
      type: type, enumeratedShapes: shapes,
      sizeRangeForDimension: stride(from: 0, to: numbers.count - 1, by: 2).map { NSRange(location: numbers[$0], length: numbers[$0 + 1]) })
  }
}

extension NSRange {
  var isUnbounded: Bool { length >= Int.max - location }

  /// The range from the least to the greatest extent.
  init(spanning extents: [Int]) {
    let least = extents.min() ?? 0
    self.init(location: least, length: (extents.max() ?? 0) - least + 1)
  }
}

/// A shape as messages name it.
func shapeText(_ shape: [Int]) -> String { shape.isEmpty ? "scalar" : shape.map(String.init).joined(separator: " × ") }

/// Constrains the shape and the element type of a multi-array feature.
public final class MLMultiArrayConstraint: NSObject, ComparedByContent, NSSecureCoding {
  /// The default shape.
  public let shape: [NSNumber]
  public let dataType: MLMultiArrayDataType
  public let shapeConstraint: MLMultiArrayShapeConstraint
  /// The default shape.
  let extents: [Int]

  init(shape: [NSNumber], dataType: MLMultiArrayDataType, shapeConstraint: MLMultiArrayShapeConstraint) {
    self.shape = shape
    extents = shape.map(\.intValue)
    self.dataType = dataType
    self.shapeConstraint = shapeConstraint
    super.init()
  }

  convenience init(_ array: ArrayFeature) {
    self.init(
      shape: array.shape.map { NSNumber(value: $0) }, dataType: MLMultiArrayDataType(array.dataType),
      shapeConstraint: MLMultiArrayShapeConstraint(array))
  }

  /// The only allowed shape; nil if several are allowed.
  var fixedShape: [Int]? {
    shapeConstraint.type == .enumerated && shapeConstraint.enumeratedShapes == [shape] ? extents : nil
  }

  /// Returns true if the constraint allows an array of this shape. A constraint without a declared shape allows every shape.
  func allows(shape: [Int]) -> Bool {
    switch shapeConstraint.type {
    case .unspecified: return true
    case .enumerated: return shape == extents || shapeConstraint.enumeratedShapes.contains { $0.map(\.intValue) == shape }
    case .range:
      let ranges = shapeConstraint.sizeRangeForDimension
      return shape.count == ranges.count && zip(shape, ranges).allSatisfy { $1.isUnbounded ? $0 >= $1.location : $1.contains($0) }
    }
  }

  /// The allowed arrays, for messages.
  var expectation: String {
    if shapeConstraint.type == .unspecified { return "MultiArray (\(dataType.name))" }
    return "MultiArray (\(dataType.name), \(shapeConstraint.description))"
  }

  var content: [AnyHashable] { [shape, dataType, shapeConstraint] }
  public override func isEqual(_ object: Any?) -> Bool { hasContent(of: object) }
  public override var hash: Int { content.hashValue }

  public override var description: String { expectation }
  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(shape as NSArray, forKey: "shape")
    coder.encode(dataType.rawValue, forKey: "dataType")
    coder.encode(shapeConstraint, forKey: "shapeConstraint")
  }

  public convenience init?(coder: NSCoder) {
    guard let shape = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "shape") as? [NSNumber],
      let dataType = MLMultiArrayDataType(rawValue: coder.decodeInteger(forKey: "dataType")),
      let constraint = coder.decodeObject(of: MLMultiArrayShapeConstraint.self, forKey: "shapeConstraint")
    else { return nil }
    self.init(shape: shape, dataType: dataType, shapeConstraint: constraint)
  }
}

extension MLMultiArrayDataType {
  init(_ type: ArrayFeature.DataType) {
    self =
      switch type {
      case .float16: .float16
      case .float32: .float32
      case .float64: .double
      case .int8: .int8
      case .int32: .int32
      }
  }
}

/// The shape and element type of a state.
public final class MLStateConstraint: NSObject, ComparedByContent, NSSecureCoding {
  public let bufferShape: [Int]
  public let dataType: MLMultiArrayDataType

  init(bufferShape: [Int], dataType: MLMultiArrayDataType) {
    self.bufferShape = bufferShape
    self.dataType = dataType
    super.init()
  }

  var content: [AnyHashable] { [bufferShape, dataType] }
  public override func isEqual(_ object: Any?) -> Bool { hasContent(of: object) }
  public override var hash: Int { content.hashValue }

  public override var description: String { "State (\(dataType.name), \(shapeText(bufferShape)))" }
  public static var supportsSecureCoding: Bool { true }

  public func encode(with coder: NSCoder) {
    coder.encode(bufferShape.map { NSNumber(value: $0) } as NSArray, forKey: "bufferShape")
    coder.encode(dataType.rawValue, forKey: "dataType")
  }

  public convenience init?(coder: NSCoder) {
    guard let shape = coder.decodeObject(of: [NSArray.self, NSNumber.self], forKey: "bufferShape") as? [NSNumber],
      let dataType = MLMultiArrayDataType(rawValue: coder.decodeInteger(forKey: "dataType"))
    else { return nil }
    self.init(bufferShape: shape.map(\.intValue), dataType: dataType)
  }
}
