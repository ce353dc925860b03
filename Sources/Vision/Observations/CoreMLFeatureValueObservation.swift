public import CoreML
import Foundation

/// An output of a model that is neither a classifier nor gives pictures. Its confidence is 1.
public struct CoreMLFeatureValueObservation: VisionObservation {
  public let uuid: UUID
  public let timeRange: CMTimeRange?
  public let originatingRequestDescriptor: RequestDescriptor?
  /// The name of the output.
  public let featureName: String
  /// In the frame of the model's input. Coordinates in it are the model's.
  public let featureValue: MLSendableFeatureValue

  public var confidence: Float { 1 }

  /// - Returns: nil for a value that cannot be sent to another task, such as an image.
  public init?(_ observation: VNCoreMLFeatureValueObservation) {
    guard let value = MLSendableFeatureValue(observation.featureValue) else { return nil }
    uuid = observation.uuid
    timeRange = observation.validTimeRange
    originatingRequestDescriptor = observation.descriptor
    featureName = observation.featureName
    featureValue = value
  }

  init?(_ name: String, _ value: MLFeatureValue, from descriptor: RequestDescriptor) {
    guard let value = MLSendableFeatureValue(value) else { return nil }
    uuid = UUID()
    timeRange = nil
    originatingRequestDescriptor = descriptor
    featureName = name
    featureValue = value
  }

  public var description: String { "CoreMLFeatureValueObservation(\(featureName), \(MLFeatureValue(featureValue)))" }

  // MARK: Codable

  private enum Key: String, CodingKey {
    case uuid, timeRange, originatingRequestDescriptor, featureName, featureValue
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    uuid = try values.decode(UUID.self, forKey: .uuid)
    timeRange = try values.decodeIfPresent(CMTimeRange.self, forKey: .timeRange)
    originatingRequestDescriptor = try values.decodeIfPresent(RequestDescriptor.self, forKey: .originatingRequestDescriptor)
    featureName = try values.decode(String.self, forKey: .featureName)
    let archive = try values.decode(Data.self, forKey: .featureValue)
    guard let value = try? NSKeyedUnarchiver.unarchivedObject(ofClass: MLFeatureValue.self, from: archive),
      let sendable = MLSendableFeatureValue(value)
    else { throw DecodingError.dataCorruptedError(forKey: .featureValue, in: values, debugDescription: "not an archived feature value") }
    featureValue = sendable
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(uuid, forKey: .uuid)
    try values.encodeIfPresent(timeRange, forKey: .timeRange)
    try values.encodeIfPresent(originatingRequestDescriptor, forKey: .originatingRequestDescriptor)
    try values.encode(featureName, forKey: .featureName)
    let archive = try NSKeyedArchiver.archivedData(withRootObject: MLFeatureValue(featureValue), requiringSecureCoding: true)
    try values.encode(archive, forKey: .featureValue)
  }
}
