import CoreML
import Testing

/// Errors as clients catch and read them.
struct ErrorTests {
  @Test func `codes have Apple's numbers and errors the domain and message`() {
    let codes: [MLModelError.Code] = [
      .generic, .featureType, .io, .customLayer, .customModel, .update, .parameters, .modelDecryptionKeyFetch, .modelDecryption,
      .modelCollection, .predictionCancelled,
    ]
    #expect(codes.map(\.rawValue) == [0, 1, 3, 4, 5, 6, 7, 8, 9, 10, 11])
    let error = MLModelError(.io, userInfo: [NSLocalizedDescriptionKey: "what happened"])
    #expect(error.code == .io && error.localizedDescription == "what happened" && error.userInfo.count == 1)
    #expect((error as any Error).localizedDescription == "what happened")
    let bridged = error as NSError
    #expect(bridged.domain == "com.apple.CoreML" && bridged.code == 3 && bridged.localizedDescription == "what happened")
    #expect(MLModelErrorDomain == "com.apple.CoreML" && MLModelError.errorDomain == MLModelErrorDomain)
  }

  @Test func `errors are caught by code and by type`() {
    func caught(_ thrown: any Error) -> String {
      do {
        throw thrown
      } catch MLModelError.io {
        return "io"
      } catch let error as MLModelError {
        return "\(error.code)"
      } catch {
        return "another"
      }
    }
    #expect(caught(MLModelError(.io)) == "io" && caught(MLModelError(.featureType)) == "featureType")
    #expect(caught(CancellationError()) == "another")
  }

  @Test func `a missing model is an error that names it`() {
    let url = URL(fileURLWithPath: "/nowhere/missing.mlmodelc")
    #expect {
      try MLModel(contentsOf: url)
    } throws: { error in
      (error as? MLModelError)?.code == .io && error.localizedDescription.contains("/nowhere/missing.mlmodelc")
    }
  }
}
