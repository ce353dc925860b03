public import Foundation
import MartletVision

/// A class of a picture.
open class VNClassificationObservation: VNObservation {
  /// The class's label; a number's digits for a model that numbers its classes.
  public let identifier: String

  init(_ found: RankedClass, requestRevision: Int) {
    identifier = found.identifier
    super.init(confidence: found.confidence, requestRevision: requestRevision)
  }

  /// True if the model has curves of precision and recall: those of Apple's own, which are not here, do.
  public var hasPrecisionRecallCurve: Bool { false }
  /// False without curves.
  open func hasMinimumRecall(_ minimumRecall: Float, forPrecision precision: Float) -> Bool { false }
  /// False without curves.
  open func hasMinimumPrecision(_ minimumPrecision: Float, forRecall recall: Float) -> Bool { false }

  override var details: String? { "\"\(identifier)\"" }

  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encode(identifier as NSString, forKey: "identifier")
  }

  public required init?(coder: NSCoder) {
    guard let identifier = coder.decodeObject(of: NSString.self, forKey: "identifier") as String? else { return nil }
    self.identifier = identifier
    super.init(coder: coder)
  }
}
