public import CoreML
public import CoreVideo
public import Foundation

/// A picture that a model gives.
open class VNPixelBufferObservation: VNObservation {
  /// In the size that the model gives.
  public let pixelBuffer: CVPixelBuffer
  /// The name of the model's output.
  public let featureName: String?

  init(_ pixelBuffer: CVPixelBuffer, featureName: String?, requestRevision: Int) {
    self.pixelBuffer = pixelBuffer
    self.featureName = featureName
    super.init(confidence: 1, requestRevision: requestRevision)
  }

  override var details: String? { featureName }

  /// Archives the pixels, but not their attachments.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    if let featureName { coder.encode(featureName as NSString, forKey: "featureName") }
    coder.encode(MLFeatureValue(pixelBuffer: pixelBuffer), forKey: "pixelBuffer")
  }

  public required init?(coder: NSCoder) {
    guard let buffer = coder.decodeObject(of: MLFeatureValue.self, forKey: "pixelBuffer")?.imageBufferValue else { return nil }
    pixelBuffer = buffer
    featureName = coder.containsValue(forKey: "featureName") ? coder.decodeObject(of: NSString.self, forKey: "featureName") as String? : nil
    super.init(coder: coder)
  }
}

/// An output of a model that is neither a classifier nor gives pictures.
open class VNCoreMLFeatureValueObservation: VNObservation {
  /// The name of the output.
  public let featureName: String
  /// In the frame of the model's input. Coordinates in it are the model's.
  public let featureValue: MLFeatureValue

  init(_ featureName: String, _ featureValue: MLFeatureValue, requestRevision: Int) {
    self.featureName = featureName
    self.featureValue = featureValue
    super.init(confidence: 1, requestRevision: requestRevision)
  }

  override var details: String? { "\(featureName) - \"\(featureValue)\"" }

  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(featureName as NSString, forKey: "featureName")
    coder.encode(featureValue, forKey: "featureValue")
  }

  public required init?(coder: NSCoder) {
    guard let name = coder.decodeObject(of: NSString.self, forKey: "featureName") as String?,
      let value = coder.decodeObject(of: MLFeatureValue.self, forKey: "featureValue")
    else { return nil }
    featureName = name
    featureValue = value
    super.init(coder: coder)
  }
}
