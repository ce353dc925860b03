public import CoreGraphics
public import Foundation

// Filters with typed inputs. Apple declares them in the submodule `CIFilterBuiltins`, which clients import.

/// Requirements that the protocols of all filters share.
public protocol CIFilterProtocol: NSObjectProtocol {
  /// The result; nil where an input is missing.
  var outputImage: CIImage? { get }
}

extension CIFilter {
  fileprivate func image(_ key: String) -> CIImage? { value(forKey: key) as? CIImage }
  fileprivate func float(_ key: String) -> Float {
    definition.map { _ in (value(forKey: key) as? NSNumber)?.floatValue ?? (value(forKey: key) as? Float) ?? 0 } ?? 0
  }
  fileprivate func vector(_ key: String) -> CIVector { value(forKey: key) as? CIVector ?? CIVector(x: 0) }
  fileprivate func point(_ key: String) -> CGPoint { vector(key).cgPointValue }
}

/// A blur by a normal distribution.
public protocol CIGaussianBlur: CIFilterProtocol {
  var inputImage: CIImage? { get set }
  /// The standard deviation in pixels.
  var radius: Float { get set }
}

/// A mixture of two images by a third one.
public protocol CIBlendWithMask: CIFilterProtocol {
  var inputImage: CIImage? { get set }
  var backgroundImage: CIImage? { get set }
  var maskImage: CIImage? { get set }
}

/// A change of size by a windowed sinc.
public protocol CILanczosScaleTransform: CIFilterProtocol {
  var inputImage: CIImage? { get set }
  /// The factor of the height.
  var scale: Float { get set }
  /// The factor of the width beside `scale`.
  var aspectRatio: Float { get set }
}

/// Sums of the components of a colour, which is not multiplied by alpha.
public protocol CIColorMatrix: CIFilterProtocol {
  var inputImage: CIImage? { get set }
  /// Factors of red, green, blue and alpha in red.
  var rVector: CIVector { get set }
  var gVector: CIVector { get set }
  var bVector: CIVector { get set }
  var aVector: CIVector { get set }
  /// Added to the result.
  var biasVector: CIVector { get set }
}

/// Components of colours as 0 or 1.
public protocol CIColorThreshold: CIFilterProtocol {
  var inputImage: CIImage? { get set }
  /// Components above this number become 1, others 0.
  var threshold: Float { get set }
}

/// A quadrilateral as a rectangle.
public protocol CIPerspectiveCorrection: CIFilterProtocol {
  var inputImage: CIImage? { get set }
  var topLeft: CGPoint { get set }
  var topRight: CGPoint { get set }
  var bottomRight: CGPoint { get set }
  var bottomLeft: CGPoint { get set }
}

/// One image with another one.
public protocol CICompositeOperation: CIFilterProtocol {
  var inputImage: CIImage? { get set }
  var backgroundImage: CIImage? { get set }
}

/// An image with its edges continued without end, under an affine map.
public protocol CIAffineClamp: CIFilterProtocol {
  var inputImage: CIImage? { get set }
  var transform: CGAffineTransform { get set }
}

/// A filter with an input image.
private class ImageFilter: CIFilter {
  var inputImage: CIImage? {
    get { image("inputImage") }
    set { setValue(newValue, forKey: "inputImage") }
  }
}

private final class GaussianBlurFilter: ImageFilter, CIGaussianBlur {
  var radius: Float {
    get { float("inputRadius") }
    set { setValue(NSNumber(value: newValue), forKey: "inputRadius") }
  }
  override class func instance(_ definition: FilterDefinition) -> CIFilter? { GaussianBlurFilter(definition) }
}

private final class BlendWithMaskFilter: ImageFilter, CIBlendWithMask {
  var backgroundImage: CIImage? {
    get { image("inputBackgroundImage") }
    set { setValue(newValue, forKey: "inputBackgroundImage") }
  }
  var maskImage: CIImage? {
    get { image("inputMaskImage") }
    set { setValue(newValue, forKey: "inputMaskImage") }
  }
  override class func instance(_ definition: FilterDefinition) -> CIFilter? { BlendWithMaskFilter(definition) }
}

private final class LanczosScaleTransformFilter: ImageFilter, CILanczosScaleTransform {
  var scale: Float {
    get { float("inputScale") }
    set { setValue(NSNumber(value: newValue), forKey: "inputScale") }
  }
  var aspectRatio: Float {
    get { float("inputAspectRatio") }
    set { setValue(NSNumber(value: newValue), forKey: "inputAspectRatio") }
  }
  override class func instance(_ definition: FilterDefinition) -> CIFilter? { LanczosScaleTransformFilter(definition) }
}

private final class ColorMatrixFilter: ImageFilter, CIColorMatrix {
  var rVector: CIVector {
    get { vector("inputRVector") }
    set { setValue(newValue, forKey: "inputRVector") }
  }
  var gVector: CIVector {
    get { vector("inputGVector") }
    set { setValue(newValue, forKey: "inputGVector") }
  }
  var bVector: CIVector {
    get { vector("inputBVector") }
    set { setValue(newValue, forKey: "inputBVector") }
  }
  var aVector: CIVector {
    get { vector("inputAVector") }
    set { setValue(newValue, forKey: "inputAVector") }
  }
  var biasVector: CIVector {
    get { vector("inputBiasVector") }
    set { setValue(newValue, forKey: "inputBiasVector") }
  }
  override class func instance(_ definition: FilterDefinition) -> CIFilter? { ColorMatrixFilter(definition) }
}

private final class ColorThresholdFilter: ImageFilter, CIColorThreshold {
  var threshold: Float {
    get { float("inputThreshold") }
    set { setValue(NSNumber(value: newValue), forKey: "inputThreshold") }
  }
  override class func instance(_ definition: FilterDefinition) -> CIFilter? { ColorThresholdFilter(definition) }
}

private final class PerspectiveCorrectionFilter: ImageFilter, CIPerspectiveCorrection {
  var topLeft: CGPoint {
    get { point("inputTopLeft") }
    set { setValue(CIVector(cgPoint: newValue), forKey: "inputTopLeft") }
  }
  var topRight: CGPoint {
    get { point("inputTopRight") }
    set { setValue(CIVector(cgPoint: newValue), forKey: "inputTopRight") }
  }
  var bottomRight: CGPoint {
    get { point("inputBottomRight") }
    set { setValue(CIVector(cgPoint: newValue), forKey: "inputBottomRight") }
  }
  var bottomLeft: CGPoint {
    get { point("inputBottomLeft") }
    set { setValue(CIVector(cgPoint: newValue), forKey: "inputBottomLeft") }
  }
  override class func instance(_ definition: FilterDefinition) -> CIFilter? { PerspectiveCorrectionFilter(definition) }
}

private final class CompositeOperationFilter: ImageFilter, CICompositeOperation {
  var backgroundImage: CIImage? {
    get { image("inputBackgroundImage") }
    set { setValue(newValue, forKey: "inputBackgroundImage") }
  }
  override class func instance(_ definition: FilterDefinition) -> CIFilter? { CompositeOperationFilter(definition) }
}

private final class AffineClampFilter: ImageFilter, CIAffineClamp {
  var transform: CGAffineTransform {
    get { value(forKey: "inputTransform") as? CGAffineTransform ?? .identity }
    set { setValue(newValue, forKey: "inputTransform") }
  }
  override class func instance(_ definition: FilterDefinition) -> CIFilter? { AffineClampFilter(definition) }
}

extension CIFilter {
  private static func definition(_ name: String) -> FilterDefinition {
    guard let definition = FilterDefinition.all[name] else { preconditionFailure("\(name) is in the list of filters") }
    return definition
  }

  public class func gaussianBlur() -> any CIFilter & CIGaussianBlur {
    GaussianBlurFilter(definition("CIGaussianBlur"))
  }
  /// The mask counts by its luminance.
  public class func blendWithMask() -> any CIFilter & CIBlendWithMask {
    BlendWithMaskFilter(definition("CIBlendWithMask"))
  }
  /// The mask counts by its alpha.
  public class func blendWithAlphaMask() -> any CIFilter & CIBlendWithMask {
    BlendWithMaskFilter(definition("CIBlendWithAlphaMask"))
  }
  /// The mask counts by its red.
  public class func blendWithRedMask() -> any CIFilter & CIBlendWithMask {
    BlendWithMaskFilter(definition("CIBlendWithRedMask"))
  }
  /// The mask counts by its blue.
  public class func blendWithBlueMask() -> any CIFilter & CIBlendWithMask {
    BlendWithMaskFilter(definition("CIBlendWithBlueMask"))
  }
  public class func lanczosScaleTransform() -> any CIFilter & CILanczosScaleTransform {
    LanczosScaleTransformFilter(definition("CILanczosScaleTransform"))
  }
  public class func colorMatrix() -> any CIFilter & CIColorMatrix {
    ColorMatrixFilter(definition("CIColorMatrix"))
  }
  public class func colorThreshold() -> any CIFilter & CIColorThreshold {
    ColorThresholdFilter(definition("CIColorThreshold"))
  }
  public class func perspectiveCorrection() -> any CIFilter & CIPerspectiveCorrection {
    PerspectiveCorrectionFilter(definition("CIPerspectiveCorrection"))
  }
  public class func sourceOverCompositing() -> any CIFilter & CICompositeOperation {
    CompositeOperationFilter(definition("CISourceOverCompositing"))
  }
  public class func affineClamp() -> any CIFilter & CIAffineClamp {
    AffineClampFilter(definition("CIAffineClamp"))
  }
}
