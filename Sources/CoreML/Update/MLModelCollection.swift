public import Foundation

/// Models that Apple's servers deploy to the devices of an app's users. There are none outside Apple's systems.
open class MLModelCollection: NSObject, @unchecked Sendable {
  /// A model of a collection.
  open class Entry: NSObject, @unchecked Sendable {
    public let modelIdentifier: String
    public let modelURL: URL

    init(modelIdentifier: String, modelURL: URL) {
      self.modelIdentifier = modelIdentifier
      self.modelURL = modelURL
      super.init()
    }
  }

  public let identifier: String
  public let deploymentID: String
  public let entries: [String: Entry]

  /// Posted when a collection has changed: never.
  public static let didChangeNotification = NSNotification.Name("MLModelCollectionDidChangeNotification")

  init(identifier: String, deploymentID: String, entries: [String: Entry]) {
    self.identifier = identifier
    self.deploymentID = deploymentID
    self.entries = entries
    super.init()
  }

  private static func failure(_ identifier: String) -> MLModelError {
    MLModelError(.modelCollection, "The model collection '\(identifier)' is not available: collections exist only on Apple's systems")
  }

  /// Passes `MLModelError.modelCollection` to the handler.
  @discardableResult
  open class func beginAccessing(
    identifier: String, completionHandler handler: @escaping (Result<MLModelCollection, any Error>) -> Void
  ) -> Progress {
    let progress = Progress(totalUnitCount: 1)
    inBackground({ () throws -> MLModelCollection in throw failure(identifier) }) { result in
      progress.completedUnitCount = 1
      handler(result)
    }
    return progress
  }

  /// - Throws: `MLModelError.modelCollection`.
  open class func endAccessing(identifier: String) async throws -> Bool { throw failure(identifier) }

  /// Passes `MLModelError.modelCollection` to the handler.
  open class func endAccessing(identifier: String, completionHandler handler: @escaping (Bool, (any Error)?) -> Void) {
    inBackground({ () throws -> Bool in throw failure(identifier) }) { result in handler(false, result.failure) }
  }

  /// Passes `MLModelError.modelCollection` to the handler.
  open class func endAccessing(identifier: String, completionHandler handler: @escaping (Result<Void, any Error>) -> Void) {
    inBackground({ () throws -> Void in throw failure(identifier) }, then: handler)
  }
}
