public import Foundation

/// An error of the runtime: the value that `catch let error as ErrorCode` binds for an `NSError` of `ErrorDomain`.
///
/// The static members are the codes: `ErrorCode.invalidArgument.rawValue` equals `NSError.code`, and
/// `catch ErrorCode.invalidArgument` matches errors with that code.
public struct ErrorCode: CustomNSError, Hashable, @unchecked Sendable {
  /// The code of an error. The raw values are those of the ExecuTorch runtime.
  public enum Code: Int, Sendable, Hashable {
    // System errors.
    case ok = 0
    case `internal` = 1
    case invalidState = 2
    case endOfMethod = 3
    // Logical errors.
    case notSupported = 16
    case notImplemented = 17
    case invalidArgument = 18
    case invalidType = 19
    case operatorMissing = 20
    // Kernel registration errors.
    case registrationExceedingMaxKernels = 21
    case registrationAlreadyRegistered = 22
    // Resource errors.
    case notFound = 32
    case memoryAllocationFailed = 33
    case accessFailed = 34
    case invalidProgram = 35
    case invalidExternalData = 36
    case outOfResources = 37
    // Delegate errors.
    case delegateInvalidCompatibility = 48
    case delegateMemoryAllocationFailed = 49
    case delegateInvalidHandle = 50

    /// Returns true if `error` is an error of the runtime with this code. Makes codes patterns of `catch` clauses.
    public static func ~= (code: Code, error: any Swift.Error) -> Bool {
      (error as? ErrorCode)?.code == code
    }
  }

  /// The error as an object. It is immutable, which makes the structure sendable.
  private let error: NSError

  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    error = NSError(domain: ErrorDomain, code: code.rawValue, userInfo: userInfo)
  }

  /// Returns nil if the error has another domain or an unknown code.
  private init?(_ error: NSError) {
    guard error.domain == ErrorDomain, Code(rawValue: error.code) != nil else { return nil }
    self.error = error
  }

  public var code: Code { Code(rawValue: error.code) ?? .internal }
  public static var errorDomain: String { ErrorDomain }
  public var errorCode: Int { error.code }
  public var errorUserInfo: [String: Any] { error.userInfo }
  public var userInfo: [String: Any] { error.userInfo }
  public var localizedDescription: String { error.localizedDescription }
}

extension ErrorCode {
  public static var ok: Code { .ok }
  public static var `internal`: Code { .internal }
  public static var invalidState: Code { .invalidState }
  public static var endOfMethod: Code { .endOfMethod }
  public static var notSupported: Code { .notSupported }
  public static var notImplemented: Code { .notImplemented }
  public static var invalidArgument: Code { .invalidArgument }
  public static var invalidType: Code { .invalidType }
  public static var operatorMissing: Code { .operatorMissing }
  public static var registrationExceedingMaxKernels: Code { .registrationExceedingMaxKernels }
  public static var registrationAlreadyRegistered: Code { .registrationAlreadyRegistered }
  public static var notFound: Code { .notFound }
  public static var memoryAllocationFailed: Code { .memoryAllocationFailed }
  public static var accessFailed: Code { .accessFailed }
  public static var invalidProgram: Code { .invalidProgram }
  public static var invalidExternalData: Code { .invalidExternalData }
  public static var outOfResources: Code { .outOfResources }
  public static var delegateInvalidCompatibility: Code { .delegateInvalidCompatibility }
  public static var delegateMemoryAllocationFailed: Code { .delegateMemoryAllocationFailed }
  public static var delegateInvalidHandle: Code { .delegateInvalidHandle }
}

/// Bridges `NSError` and `ErrorCode` in both directions, as on Apple's platforms.
extension ErrorCode: _ObjectiveCBridgeable {
  public func _bridgeToObjectiveC() -> NSError { error }

  public static func _forceBridgeFromObjectiveC(_ source: NSError, result: inout ErrorCode?) {
    result = _unconditionallyBridgeFromObjectiveC(source)
  }

  public static func _conditionallyBridgeFromObjectiveC(_ source: NSError, result: inout ErrorCode?) -> Bool {
    result = ErrorCode(source)
    return result != nil
  }

  public static func _unconditionallyBridgeFromObjectiveC(_ source: NSError?) -> ErrorCode {
    guard let error = source.flatMap(ErrorCode.init) else { fatalError("Not an error of the domain \(ErrorDomain)") }
    return error
  }
}
