public import Foundation
import MartletVision

/// The place of an object.
open class VNDetectedObjectObservation: VNObservation {
  /// Normalised, with the origin at the lower left of the upright picture, or of its region of interest. It may exceed them.
  public let boundingBox: CGRect
  /// The object's shape; nil, as Core ML models give none.
  public var globalSegmentationMask: VNPixelBufferObservation? { nil }

  /// An observation of a caller, with the confidence 1.
  public convenience init(boundingBox: CGRect) { self.init(requestRevision: VNRequestRevisionUnspecified, boundingBox: boundingBox) }

  public convenience init(requestRevision: Int, boundingBox: CGRect) {
    self.init(boundingBox, confidence: 1, requestRevision: requestRevision)
  }

  init(_ boundingBox: CGRect, confidence: VNConfidence, requestRevision: Int) {
    self.boundingBox = boundingBox
    super.init(confidence: confidence, requestRevision: requestRevision)
  }

  override var details: String? { "boundingBox=\(boundingBox)" }

  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(Double(boundingBox.origin.x), forKey: "x")
    coder.encode(Double(boundingBox.origin.y), forKey: "y")
    coder.encode(Double(boundingBox.size.width), forKey: "width")
    coder.encode(Double(boundingBox.size.height), forKey: "height")
  }

  public required init?(coder: NSCoder) {
    boundingBox = CGRect(
      x: coder.decodeDouble(forKey: "x"), y: coder.decodeDouble(forKey: "y"), width: coder.decodeDouble(forKey: "width"),
      height: coder.decodeDouble(forKey: "height"))
    super.init(coder: coder)
  }
}

/// An object with its classes.
open class VNRecognizedObjectObservation: VNDetectedObjectObservation {
  /// All classes of the model, the most confident one first. The object's own confidence is that of the first one.
  public let labels: [VNClassificationObservation]

  init(_ object: RecognizedObject, requestRevision: Int) {
    labels = object.classes.map { VNClassificationObservation($0, requestRevision: requestRevision) }
    super.init(object.box.rect, confidence: object.confidence, requestRevision: requestRevision)
  }

  override var details: String? {
    [super.details, labels.first.map { "\"\($0.identifier)\"" }].compactMap(\.self).joined(separator: " ")
  }

  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(labels as NSArray, forKey: "labels")
  }

  public required init?(coder: NSCoder) {
    let classes = [NSArray.self, VNClassificationObservation.self]
    guard let labels = coder.decodeObject(of: classes, forKey: "labels") as? [VNClassificationObservation] else { return nil }
    self.labels = labels
    super.init(coder: coder)
  }
}
