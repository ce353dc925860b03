public import Foundation

/// An error of the runtime, as its domain and code say: what `catch let error as ErrorCode` gives for an `NSError` of `ErrorDomain`.
///
/// The static members are the codes themselves, so that `ErrorCode.invalidArgument.rawValue` is the number in
/// `NSError.code` and `catch ErrorCode.invalidArgument` selects by it.
public struct ErrorCode: CustomNSError, Hashable, @unchecked Sendable {
  /// The number of an error; the numbers are those of the ExecuTorch runtime.
  public enum Code: Int, Sendable, Hashable {
    // Of the system.
    case ok = 0
    case `internal` = 1
    case invalidState = 2
    case endOfMethod = 3
    // Of a call.
    case notSupported = 16
    case notImplemented = 17
    case invalidArgument = 18
    case invalidType = 19
    case operatorMissing = 20
    // Of the registration of kernels.
    case registrationExceedingMaxKernels = 21
    case registrationAlreadyRegistered = 22
    // Of files and memory.
    case notFound = 32
    case memoryAllocationFailed = 33
    case accessFailed = 34
    case invalidProgram = 35
    case invalidExternalData = 36
    case outOfResources = 37
    // Of delegates.
    case delegateInvalidCompatibility = 48
    case delegateMemoryAllocationFailed = 49
    case delegateInvalidHandle = 50

    /// Whether `error` is of the runtime's domain and has this code; makes codes patterns of `catch`.
    public static func ~= (code: Code, error: any Swift.Error) -> Bool {
      (error as? ErrorCode)?.code == code
    }
  }

  /// The same error as an object; immutable, which is why the structure may be sent.
  private let error: NSError

  public init(_ code: Code, userInfo: [String: Any] = [:]) {
    error = NSError(domain: ErrorDomain, code: code.rawValue, userInfo: userInfo)
  }

  /// Nil when the error is of another domain or its number is none of the codes.
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

/// Casts between `NSError` and `ErrorCode`, in both directions, as on Apple's platforms.
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
