public import Foundation
import Martlet

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
    uuid = ObservationIdentifiers.next()
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

/// Identifiers of observations. A classifier makes a thousand for each picture, so that they do not ask the system for random bits each time.
private enum ObservationIdentifiers {
  /// Random bits of the process, and how many identifiers it has.
  private static let state = Guarded((UInt64.random(in: .min ... .max), UInt64.random(in: .min ... .max), UInt64(0)))

  /// A bijection, so that no two numbers of a process give the same.
  private static func mixed(_ number: UInt64) -> UInt64 {
    var bits = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }

  /// A random identifier: version 4.
  static func next() -> UUID {
    let (first, second) = state.withLock { state in
      state.2 &+= 0x9E37_79B9_7F4A_7C15
      return (mixed(state.0 &+ state.2), mixed(state.1 ^ state.2))
    }
    func byte(_ bits: UInt64, _ index: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: bits >> (8 * index)) }
    return UUID(
      uuid: (
        byte(first, 0), byte(first, 1), byte(first, 2), byte(first, 3), byte(first, 4), byte(first, 5), byte(first, 6) & 0x0F | 0x40,
        byte(first, 7), byte(second, 0) & 0x3F | 0x80, byte(second, 1), byte(second, 2), byte(second, 3), byte(second, 4), byte(second, 5),
        byte(second, 6), byte(second, 7)
      ))
  }
}
