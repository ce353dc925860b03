public import Foundation

/// A result of a request. Observations are immutable; those with the same identifier are equal.
open class VNObservation: NSObject, NSCopying, NSSecureCoding, VNRequestRevisionProviding {
  /// A new one for each observation.
  public let uuid: UUID
  /// As the model gives it: not necessarily from 0 to 1.
  public let confidence: VNConfidence
  public let requestRevision: Int
  /// Not valid for observations in a picture that has no time.
  public var timeRange: CMTimeRange { .invalid }

  init(confidence: VNConfidence, requestRevision: Int) {
    uuid = UUID()
    self.confidence = confidence
    self.requestRevision = requestRevision
    super.init()
  }

  open func copy(with zone: NSZone? = nil) -> Any { self }

  open override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? VNObservation else { return false }
    return other.uuid == uuid && type(of: other) == type(of: self)
  }

  open override var hash: Int { uuid.hashValue }

  open override var description: String {
    ["\(type(of: self)) \(uuid) confidence=\(confidence)", details].compactMap(\.self).joined(separator: " ")
  }

  /// Content beside the confidence, for comparison.
  var details: String? { nil }

  // MARK: Archiving

  open class var supportsSecureCoding: Bool { true }

  open func encode(with coder: NSCoder) {
    coder.encode(uuid.uuidString as NSString, forKey: "uuid")
    coder.encode(confidence, forKey: "confidence")
    coder.encode(requestRevision, forKey: "requestRevision")
  }

  public required init?(coder: NSCoder) {
    guard let text = coder.decodeObject(of: NSString.self, forKey: "uuid") as String?, let uuid = UUID(uuidString: text) else { return nil }
    self.uuid = uuid
    confidence = coder.decodeFloat(forKey: "confidence")
    requestRevision = coder.decodeInteger(forKey: "requestRevision")
    super.init()
  }
}
