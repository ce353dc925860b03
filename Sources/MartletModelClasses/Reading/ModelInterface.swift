/// The features of a model's default function, as its file declares them: all that a class for the model depends on.
package struct ModelInterface: Sendable, Hashable {
  /// 1: iOS 11, 2: 11.2, 3: 12, 4: 13, 5: 14, 6: 15, 7: 16, 8: 17, 9: 18, 10: 26. 0 if the file does not say.
  package var specificationVersion: Int
  package var inputs: [InterfaceFeature]
  package var outputs: [InterfaceFeature]
  /// Names of the states.
  package var states: [String]

  package init(specificationVersion: Int, inputs: [InterfaceFeature], outputs: [InterfaceFeature], states: [String] = []) {
    self.specificationVersion = specificationVersion
    self.inputs = inputs
    self.outputs = outputs
    self.states = states
  }
}

/// An input or output of a model.
package struct InterfaceFeature: Sendable, Hashable {
  package enum Kind: Sendable, Hashable {
    case int64, double, string
    case image(ImageInterface)
    case array(ArrayInterface)
    case dictionary(key: Element)
    case sequence(of: Element)
  }

  /// The type of keys in dictionaries and of elements in sequences.
  package enum Element: Sendable, Hashable {
    case int64, string
  }

  package var name: String
  /// The author's description; may be empty.
  package var shortDescription: String
  package var kind: Kind
  package var isOptional: Bool

  package init(_ name: String, _ kind: Kind, shortDescription: String = "", isOptional: Bool = false) {
    self.name = name
    self.shortDescription = shortDescription
    self.kind = kind
    self.isOptional = isOptional
  }
}

package struct ImageInterface: Sendable, Hashable {
  package enum Format: Sendable, Hashable {
    case color, grayscale, grayscaleFloat16
  }

  package var format: Format
  /// As declared, in pixels. 0 if the model declares flexible sizes only.
  package var width, height: Int
  /// The size that images from elsewhere are given, in pixels: the declared one, else the first or smallest of the flexible ones.
  package var usedWidth, usedHeight: Int

  package init(_ format: Format, width: Int, height: Int) {
    self.format = format
    (self.width, self.height) = (width, height)
    (usedWidth, usedHeight) = (width, height)
  }
}

package struct ArrayInterface: Sendable, Hashable {
  package enum Scalar: Sendable, Hashable {
    case float16, float32, float64, int8, int32
  }

  package var scalar: Scalar
  /// The default shape; empty if there is none.
  package var shape: [Int]

  package init(_ scalar: Scalar, _ shape: [Int]) {
    self.scalar = scalar
    self.shape = shape
  }
}
