public import Foundation
import MartletVision

/// A result of a request. Observations with the same identifier and content are equal.
public protocol VisionObservation: CustomStringConvertible, Codable, Hashable, Sendable {
  /// A new one for each observation.
  var uuid: UUID { get }
  /// As the model gives it: not necessarily from 0 to 1.
  var confidence: Float { get }
  /// Nil for observations in a picture that has no time.
  var timeRange: CMTimeRange? { get }
  /// Nil for observations that a caller made.
  var originatingRequestDescriptor: RequestDescriptor? { get }
}

extension VisionObservation {
  public func hash(into hasher: inout Hasher) { hasher.combine(uuid) }
}

/// Something with a place in a picture.
public protocol BoundingBoxProviding {
  /// In the upright picture, or its region of interest. It may exceed them.
  var boundingBox: NormalizedRect { get }
}

extension VNObservation {
  /// The range of time, if there is one.
  var validTimeRange: CMTimeRange? { timeRange.isValid ? timeRange : nil }

  /// The request in the new interface that finds such observations.
  var descriptor: RequestDescriptor? { requestRevision == VNCoreMLRequestRevision1 ? .coreMLRequest(.revision1) : nil }
}

/// A class of a picture.
public struct ClassificationObservation: VisionObservation {
  public let uuid: UUID
  public let confidence: Float
  public let timeRange: CMTimeRange?
  public let originatingRequestDescriptor: RequestDescriptor?
  /// The class's label; a number's digits for a model that numbers its classes.
  public let identifier: String

  public init(_ observation: VNClassificationObservation) {
    uuid = observation.uuid
    confidence = observation.confidence
    timeRange = observation.validTimeRange
    originatingRequestDescriptor = observation.descriptor
    identifier = observation.identifier
  }

  init(_ found: RankedClass, from descriptor: RequestDescriptor) {
    uuid = UUID()
    confidence = found.confidence
    timeRange = nil
    originatingRequestDescriptor = descriptor
    identifier = found.identifier
  }

  /// True if the model has curves of precision and recall: those of Apple's own, which are not here, do.
  public var hasPrecisionRecallCurve: Bool { false }
  /// False without curves.
  public func hasMinimumRecall(_ minimumRecall: Float, forPrecision precision: Float) -> Bool { false }
  /// False without curves.
  public func hasMinimumPrecision(_ minimumPrecision: Float, forRecall recall: Float) -> Bool { false }

  public var description: String { "ClassificationObservation(\"\(identifier)\", confidence: \(confidence))" }
}

/// An object with its classes.
public struct RecognizedObjectObservation: VisionObservation, BoundingBoxProviding {
  public let uuid: UUID
  /// That of the first label.
  public let confidence: Float
  public let timeRange: CMTimeRange?
  public let originatingRequestDescriptor: RequestDescriptor?
  public let boundingBox: NormalizedRect
  /// All classes of the model, the most confident one first.
  public let labels: [ClassificationObservation]

  public init(_ observation: VNRecognizedObjectObservation) {
    uuid = observation.uuid
    confidence = observation.confidence
    timeRange = observation.validTimeRange
    originatingRequestDescriptor = observation.descriptor
    boundingBox = NormalizedRect(normalizedRect: observation.boundingBox)
    labels = observation.labels.map { ClassificationObservation($0) }
  }

  init(_ object: RecognizedObject, from descriptor: RequestDescriptor) {
    uuid = UUID()
    confidence = object.confidence
    timeRange = nil
    originatingRequestDescriptor = descriptor
    boundingBox = NormalizedRect(normalizedRect: object.box.rect)
    labels = object.classes.map { ClassificationObservation($0, from: descriptor) }
  }

  public var description: String {
    "RecognizedObjectObservation(\"\(labels.first?.identifier ?? "")\", confidence: \(confidence), \(boundingBox))"
  }
}

/// The place of an object.
public struct DetectedObjectObservation: VisionObservation, BoundingBoxProviding {
  public let uuid: UUID
  public let confidence: Float
  public let timeRange: CMTimeRange?
  public let originatingRequestDescriptor: RequestDescriptor?
  public let boundingBox: NormalizedRect

  /// An observation of a caller, with the confidence 1.
  public init(boundingBox: NormalizedRect) {
    uuid = UUID()
    confidence = 1
    timeRange = nil
    originatingRequestDescriptor = nil
    self.boundingBox = boundingBox
  }

  public init(_ observation: VNDetectedObjectObservation) {
    uuid = observation.uuid
    confidence = observation.confidence
    timeRange = observation.validTimeRange
    originatingRequestDescriptor = observation.descriptor
    boundingBox = NormalizedRect(normalizedRect: observation.boundingBox)
  }

  public var description: String { "DetectedObjectObservation(confidence: \(confidence), \(boundingBox))" }
}
