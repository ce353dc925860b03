import ExecuTorch
import Testing

/// Errors as clients make and catch them.
struct ErrorTests {
  private static let codes: [ErrorCode.Code: Int] = [
    .ok: 0, .internal: 1, .invalidState: 2, .endOfMethod: 3, .notSupported: 16, .notImplemented: 17, .invalidArgument: 18,
    .invalidType: 19, .operatorMissing: 20, .registrationExceedingMaxKernels: 21, .registrationAlreadyRegistered: 22,
    .notFound: 32, .memoryAllocationFailed: 33, .accessFailed: 34, .invalidProgram: 35, .invalidExternalData: 36,
    .outOfResources: 37, .delegateInvalidCompatibility: 48, .delegateMemoryAllocationFailed: 49, .delegateInvalidHandle: 50,
  ]

  @Test func `codes have the numbers of the runtime`() {
    for (code, number) in ErrorTests.codes {
      #expect(code.rawValue == number)
      #expect(ErrorCode.Code(rawValue: number) == code)
    }
    #expect(ErrorCode.invalidArgument.rawValue == 18)
    #expect(ErrorCode.delegateInvalidHandle.rawValue == 50)
    #expect(ErrorCode.internal.rawValue == 1)
  }

  @Test func `descriptions are upstream's`() {
    let descriptions: [ErrorCode.Code: String] = [
      .ok: "", .internal: "Internal error", .invalidState: "Invalid executor state", .endOfMethod: "No more execution steps",
      .notSupported: "Operation not supported", .notImplemented: "Operation not implemented", .invalidArgument: "Invalid argument",
      .invalidType: "Invalid type", .operatorMissing: "Operator missing",
      .registrationExceedingMaxKernels: "Exceeded maximum number of kernels",
      .registrationAlreadyRegistered: "Kernel is already registered", .notFound: "Resource not found",
      .memoryAllocationFailed: "Memory allocation failed", .accessFailed: "Access failed", .invalidProgram: "Invalid program contents",
      .invalidExternalData: "Invalid external data", .outOfResources: "Out of resources",
      .delegateInvalidCompatibility: "Delegate version incompatible",
      .delegateMemoryAllocationFailed: "Delegate memory allocation failed", .delegateInvalidHandle: "Delegate handle invalid",
    ]
    #expect(Set(descriptions.keys) == Set(ErrorTests.codes.keys))
    for (code, description) in descriptions { #expect(ErrorDescription(code) == description) }
    #expect(ExecuTorch.Error(code: .notFound, description: "x.pte").localizedDescription == "Resource not found: x.pte")
  }

  @Test func `an error is an object with domain, code and description`() {
    let error = ExecuTorch.Error(code: .notFound)
    #expect(error.domain == ErrorDomain)
    #expect(ErrorDomain == "org.pytorch.executorch.error")
    #expect(error.code == 32)
    #expect(error.localizedDescription == ErrorDescription(.notFound))
    #expect(error.userInfo[NSLocalizedDescriptionKey] as? String == ErrorDescription(.notFound))
  }

  @Test func `details follow the description of the code`() {
    #expect(ExecuTorch.Error(code: .notFound, description: "x.pte").localizedDescription == ErrorDescription(.notFound) + ": x.pte")
    #expect(ExecuTorch.Error(code: .notFound, description: "").localizedDescription == ErrorDescription(.notFound))
    #expect(ExecuTorch.Error(code: .notFound, description: nil).localizedDescription == ErrorDescription(.notFound))
  }

  /// Which clause of a client's `catch` takes the error.
  private func caught(_ error: any Swift.Error) -> String {
    do {
      throw error
    } catch ErrorCode.invalidArgument {
      return "argument"
    } catch let error as ErrorCode {
      return "other code \(error.code.rawValue)"
    } catch {
      return "other domain"
    }
  }

  @Test func `errors can be caught by code and by domain`() {
    #expect(caught(ExecuTorch.Error(code: .invalidArgument)) == "argument")
    #expect(caught(ExecuTorch.Error(code: .notFound)) == "other code 32")
    #expect(caught(ErrorCode(.invalidArgument)) == "argument")
    #expect(caught(NSError(domain: "other", code: 18)) == "other domain")
    #expect(caught(NSError(domain: ErrorDomain, code: 999)) == "other domain")
    #expect(caught(CocoaError(.fileNoSuchFile)) == "other domain")
  }

  @Test func `an error structure becomes an object and back`() throws {
    let error: any Swift.Error = ErrorCode(.accessFailed, userInfo: [NSLocalizedDescriptionKey: "locked"])
    let object = error as NSError
    #expect(object.domain == ErrorDomain && object.code == 34)
    #expect(error.localizedDescription == "locked")
    let back = try #require(object as? ErrorCode)
    #expect(back.code == .accessFailed && back.localizedDescription == "locked")
    #expect(back.errorUserInfo[NSLocalizedDescriptionKey] as? String == "locked")
  }

  @Test func `a pool is a block`() {
    var steps: [Int] = []
    autoreleasepool { steps.append(1) }
    let result = autoreleasepool { steps.count + 1 }
    #expect(result == 2)
    #expect(throws: ErrorCode.self) { try autoreleasepool { throw ErrorCode(.internal) } }
  }
}
