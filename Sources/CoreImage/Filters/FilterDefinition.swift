import CoreGraphics
import Foundation
import MartletVocabulary

/// Name, inputs and recipe of a filter.
struct FilterDefinition: Sendable {
  struct Input: Sendable {
    enum Kind: String, Sendable {
      case image = "CIImage"
      case number = "NSNumber"
      case vector = "CIVector"
      case color = "CIColor"
      case transform = "NSAffineTransform"
    }

    let key: String
    let kind: Kind
    /// For numbers and vectors; a transform's is the identity.
    var numbers: [CGFloat]?

    var defaultValue: Any? {
      switch kind {
      case .image: nil
      case .number: numbers.map { NSNumber(value: Double($0[0])) }
      case .vector: numbers.map { unsafe CIVector(values: $0, count: $0.count) }
      case .color: numbers.map { CIColor(red: $0[0], green: $0[1], blue: $0[2], alpha: $0[3]) }
      case .transform: CGAffineTransform.identity
      }
    }
  }

  let name: String
  let displayName: String
  let category: String
  let inputs: [Input]
  /// The recipe of the output; nil where an input is missing.
  let output: @Sendable (FilterValues) -> (any Recipe)?

  private static func image(_ key: String = kCIInputImageKey) -> Input { Input(key: key, kind: .image) }
  private static func number(_ key: String, _ value: CGFloat) -> Input { Input(key: key, kind: .number, numbers: [value]) }
  private static func vector(_ key: String, _ values: CGFloat...) -> Input { Input(key: key, kind: .vector, numbers: values) }

  private static func blend(_ name: String, _ displayName: String, _ weight: BlendRecipe.Weight) -> FilterDefinition {
    FilterDefinition(
      name: name, displayName: displayName, category: kCICategoryStylize,
      inputs: [image(), image(kCIInputBackgroundImageKey), image(kCIInputMaskImageKey)]
    ) { values in
      guard let input = values.recipe(kCIInputImageKey) else { return nil }
      let background = values.recipe(kCIInputBackgroundImageKey) ?? EmptyRecipe()
      return BlendRecipe(
        input: input, background: background, mask: values.recipe(kCIInputMaskImageKey) ?? EmptyRecipe(), weight: weight)
    }
  }

  /// All filters by their names.
  static let all: [String: FilterDefinition] = Dictionary(
    uniqueKeysWithValues: [
      FilterDefinition(
        name: "CIGaussianBlur", displayName: "Gaussian Blur", category: kCICategoryBlur, inputs: [image(), number(kCIInputRadiusKey, 10)]
      ) { values in values.recipe(kCIInputImageKey).map { BlurRecipe.make($0, sigma: values.number(kCIInputRadiusKey)) } },
      blend("CIBlendWithMask", "Blend With Mask", .luma),
      blend("CIBlendWithAlphaMask", "Blend With Alpha Mask", .alpha),
      blend("CIBlendWithRedMask", "Blend With Red Mask", .red),
      blend("CIBlendWithBlueMask", "Blend With Blue Mask", .blue),
      FilterDefinition(
        name: "CILanczosScaleTransform", displayName: "Lanczos Scale Transform", category: kCICategoryGeometryAdjustment,
        inputs: [image(), number(kCIInputScaleKey, 1), number(kCIInputAspectRatioKey, 1)]
      ) { values in
        let scale = values.number(kCIInputScaleKey)
        let map = CGAffineTransform(scaleX: scale * values.number(kCIInputAspectRatioKey), y: scale)
        return values.recipe(kCIInputImageKey).map { TransformRecipe.make($0, map, filter: .lanczos, isAntialiased: true) }
      },
      FilterDefinition(
        name: "CIColorMatrix", displayName: "Color Matrix", category: kCICategoryColorAdjustment,
        inputs: [
          image(), vector("inputRVector", 1, 0, 0, 0), vector("inputGVector", 0, 1, 0, 0), vector("inputBVector", 0, 0, 1, 0),
          vector("inputAVector", 0, 0, 0, 1), vector("inputBiasVector", 0, 0, 0, 0),
        ]
      ) { values in
        values.recipe(kCIInputImageKey).map { input in
          PointRecipe(
            input,
            .matrix(
              values.vector("inputRVector").simd, values.vector("inputGVector").simd, values.vector("inputBVector").simd,
              values.vector("inputAVector").simd, bias: values.vector("inputBiasVector").simd))
        }
      },
      FilterDefinition(
        name: "CIColorThreshold", displayName: "Color Threshold", category: kCICategoryColorAdjustment,
        inputs: [image(), number("inputThreshold", 0.5)]
      ) { values in
        values.recipe(kCIInputImageKey).map { PointRecipe($0, .threshold(Float(values.number("inputThreshold")))) }
      },
      FilterDefinition(
        name: "CIPerspectiveCorrection", displayName: "Perspective Correction", category: kCICategoryGeometryAdjustment,
        inputs: [
          image(), vector("inputTopLeft", 118, 484), vector("inputTopRight", 646, 507), vector("inputBottomRight", 548, 140),
          vector("inputBottomLeft", 155, 153),
        ]
      ) { values in
        values.recipe(kCIInputImageKey).flatMap { input in
          PerspectiveRecipe(
            input, topLeft: values.vector("inputTopLeft").cgPointValue, topRight: values.vector("inputTopRight").cgPointValue,
            bottomLeft: values.vector("inputBottomLeft").cgPointValue, bottomRight: values.vector("inputBottomRight").cgPointValue)
        }
      },
      FilterDefinition(
        name: "CISourceOverCompositing", displayName: "Source Over", category: kCICategoryCompositeOperation,
        inputs: [image(), image(kCIInputBackgroundImageKey)]
      ) { values in
        guard let background = values.recipe(kCIInputBackgroundImageKey) else { return values.recipe(kCIInputImageKey) }
        return values.recipe(kCIInputImageKey).map { CompositeRecipe(input: $0, background: background) }
      },
      FilterDefinition(
        name: "CIAffineTransform", displayName: "Affine Transform", category: kCICategoryGeometryAdjustment,
        inputs: [image(), Input(key: kCIInputTransformKey, kind: .transform)]
      ) { values in
        values.recipe(kCIInputImageKey).map { TransformRecipe.make($0, values.transform(kCIInputTransformKey)) }
      },
      FilterDefinition(
        name: "CIAffineClamp", displayName: "Affine Clamp", category: kCICategoryTileEffect,
        inputs: [image(), Input(key: kCIInputTransformKey, kind: .transform)]
      ) { values in
        values.recipe(kCIInputImageKey).map { input in
          TransformRecipe.make(
            input.extent == .infinite ? input : ClampRecipe(input: input, inner: input.extent), values.transform(kCIInputTransformKey))
        }
      },
      FilterDefinition(
        name: "CICrop", displayName: "Crop", category: kCICategoryGeometryAdjustment,
        inputs: [image(), vector("inputRectangle", 0, 0, 0, 0)]
      ) { values in
        values.recipe(kCIInputImageKey).map { input in
          // Without a rectangle all is left.
          values.isSet("inputRectangle") ? CropRecipe(input, PixelRegion(values.vector("inputRectangle").cgRectValue)) : input
        }
      },
      FilterDefinition(
        name: "CIConstantColorGenerator", displayName: "Constant Color", category: kCICategoryGenerator,
        inputs: [Input(key: kCIInputColorKey, kind: .color, numbers: [1, 0, 0, 1])]
      ) { values in ColorRecipe(color: values.color(kCIInputColorKey)) },
    ].map { ($0.name, $0) })
}

/// The inputs that a filter has been given; those of the definition for others.
struct FilterValues {
  let definition: FilterDefinition
  let given: [String: Any]

  private func value(_ key: String) -> Any? {
    given[key] ?? definition.inputs.first { $0.key == key }?.defaultValue
  }

  func isSet(_ key: String) -> Bool { given[key] != nil }

  func recipe(_ key: String) -> (any Recipe)? { (value(key) as? CIImage)?.recipe }

  /// 0 for a value that is no number.
  func number(_ key: String) -> Double {
    switch value(key) {
    case let number as NSNumber: number.doubleValue
    case let number as CGFloat: Double(number)
    case let number as Double: number
    case let number as Float: Double(number)
    case let number as Int: Double(number)
    default: 0
    }
  }

  func vector(_ key: String) -> CIVector {
    switch value(key) {
    case let vector as CIVector: vector
    case let point as CGPoint: CIVector(cgPoint: point)
    case let rect as CGRect: CIVector(cgRect: rect)
    default: CIVector(x: 0)
    }
  }

  func color(_ key: String) -> CIColor { value(key) as? CIColor ?? .black }

  func transform(_ key: String) -> CGAffineTransform {
    switch value(key) {
    case let map as CGAffineTransform: map
    case let vector as CIVector: vector.cgAffineTransformValue
    case let map as AffineTransform:
      CGAffineTransform(a: map.m11, b: map.m12, c: map.m21, d: map.m22, tx: map.tX, ty: map.tY)
    default: .identity
    }
  }
}
