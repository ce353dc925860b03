public import Foundation

/// The domain of Core ML errors.
public let MLModelErrorDomain: String = "com.apple.CoreML"

/// An error in loading, compiling or running a model. The message is `localizedDescription`.
public struct MLModelError: CustomNSError, LocalizedError, Hashable, @unchecked Sendable {
  public enum Code: Int, Sendable, Hashable {
    /// Any other error.
    case generic = 0
    /// A feature is missing or of the wrong type or shape.
    case featureType = 1
    /// A file or folder cannot be read or written.
    case io = 3
    case customLayer = 4
    case customModel = 5
    case update = 6
    /// A configuration parameter does not match the model.
    case parameters = 7
    case modelDecryptionKeyFetch = 8
    case modelDecryption = 9
    case modelCollection = 10
    /// The task that made the prediction was cancelled.
    case predictionCancelled = 11
  }

  public let code: Code
  private let information: NSDictionary

  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    self.code = code
    information = userInfo as NSDictionary
  }

  init(_ code: Code, _ message: String) {
    self.init(code, userInfo: [NSLocalizedDescriptionKey: message])
  }

  public static var errorDomain: String { MLModelErrorDomain }
  public var errorCode: Int { code.rawValue }
  public var errorUserInfo: [String: Any] { userInfo }
  public var userInfo: [String: Any] { information as? [String: Any] ?? [:] }
  public var errorDescription: String? { userInfo[NSLocalizedDescriptionKey] as? String }
  public var localizedDescription: String { errorDescription ?? "The Core ML operation failed: \(code)." }

  public static var generic: Code { .generic }
  public static var featureType: Code { .featureType }
  public static var io: Code { .io }
  public static var customLayer: Code { .customLayer }
  public static var customModel: Code { .customModel }
  public static var update: Code { .update }
  public static var parameters: Code { .parameters }
  public static var modelDecryptionKeyFetch: Code { .modelDecryptionKeyFetch }
  public static var modelDecryption: Code { .modelDecryption }
  public static var modelCollection: Code { .modelCollection }
  public static var predictionCancelled: Code { .predictionCancelled }
}

extension MLModelError: CustomStringConvertible {
  public var description: String { "MLModelError.\(code): \(localizedDescription)" }
}

/// Matches errors by code, as in `catch MLModelError.io`.
public func ~= (code: MLModelError.Code, error: any Error) -> Bool {
  (error as? MLModelError)?.code == code
}
