/// An input, output or state of a model.
package struct FeatureDescription: Sendable, Hashable {
  package var name: String
  package var shortDescription: String
  package var type: FeatureType
  package var isOptional: Bool
  /// The elements of a number or array that a call leaves out, for models that have a meaning for missing values; nil for others.
  package var missingValue: Double?

  package init(name: String, shortDescription: String, type: FeatureType, isOptional: Bool) {
    self.name = name
    self.shortDescription = shortDescription
    self.type = type
    self.isOptional = isOptional
  }
}

package enum FeatureType: Sendable, Hashable {
  case int64
  case double
  case string
  case image(ImageFeature)
  case multiArray(ArrayFeature)
  case dictionary(key: FeatureKeyType)
  case sequence(SequenceFeature)
  /// An array that persists between predictions.
  case state(ArrayFeature)
}

/// The type of keys in dictionaries and of elements in sequences.
package enum FeatureKeyType: Sendable, Hashable {
  case int64, string
}

/// A range of sizes from `lowerBound` through `upperBound`.
package struct SizeRange: Sendable, Hashable {
  package var lowerBound: Int
  /// `nil` if unbounded.
  package var upperBound: Int?

  package init(lowerBound: Int, upperBound: Int? = nil) {
    self.lowerBound = lowerBound
    self.upperBound = upperBound
  }

  package func contains(_ size: Int) -> Bool {
    size >= lowerBound && size <= upperBound ?? .max
  }
}

package struct ArrayFeature: Sendable, Hashable {
  package enum DataType: Sendable, Hashable {
    case float16, float32, float64, int8, int32
  }

  /// The accepted shapes in addition to the default one.
  package enum Flexibility: Sendable, Hashable {
    /// Only the default shape; any shape if the default shape is empty.
    case fixed
    case enumerated([[Int]])
    /// One range for each axis.
    case ranges([SizeRange])
  }

  /// Default value of an optional input: an array filled with it.
  package enum DefaultValue: Sendable, Hashable {
    case int(Int32)
    case float(Float)
    case double(Double)
  }

  package var dataType: DataType
  /// The default shape. Neural networks declare 1 ([C]) or 3 ([C, H, W]) extents unless their shape mapping is exact; outputs may have
  /// none.
  package var shape: [Int]
  package var flexibility: Flexibility
  package var defaultValue: DefaultValue?

  package init(dataType: DataType, shape: [Int], flexibility: Flexibility, defaultValue: DefaultValue? = nil) {
    self.dataType = dataType
    self.shape = shape
    self.flexibility = flexibility
    self.defaultValue = defaultValue
  }
}

package struct ImageFeature: Sendable, Hashable {
  package enum ColorSpace: Sendable, Hashable {
    case grayscale, grayscaleFloat16, rgb, bgr
  }

  package struct Size: Sendable, Hashable {
    package var width: Int
    package var height: Int

    package init(width: Int, height: Int) {
      self.width = width
      self.height = height
    }
  }

  package enum Flexibility: Sendable, Hashable {
    case fixed
    case enumerated([Size])
    case ranges(width: SizeRange, height: SizeRange)
  }

  package var size: Size
  package var colorSpace: ColorSpace
  package var flexibility: Flexibility

  package init(size: Size, colorSpace: ColorSpace, flexibility: Flexibility) {
    self.size = size
    self.colorSpace = colorSpace
    self.flexibility = flexibility
  }
}

package struct SequenceFeature: Sendable, Hashable {
  package var element: FeatureKeyType
  package var count: SizeRange

  package init(element: FeatureKeyType, count: SizeRange) {
    self.element = element
    self.count = count
  }
}
