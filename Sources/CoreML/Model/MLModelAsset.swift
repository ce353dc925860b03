public import Foundation
import Martlet
import MartletFeatures

/// A model in files or in memory that has not been loaded yet.
public final class MLModelAsset: NSObject, Sendable {
  let model: ModelAsset

  /// A compiled model, or a model package or file.
  /// - Throws: `MLModelError.io` if it cannot be read.
  public init(url: URL) throws {
    model = try ModelAsset.read(url)
  }

  /// A model without weight files.
  /// - Parameter specification: the contents of an `.mlmodel` file.
  /// - Throws: `MLModelError.io` if it is malformed or has weight files.
  public convenience init(specification: Data) throws {
    try self.init(specification: specification, blobMapping: [:])
  }

  /// A model with weight files.
  /// - Parameters:
  ///   - specification: the contents of an `.mlmodel` file.
  ///   - blobMapping: the contents of the weight files, by the names used in the model, such as "weights/weight.bin" or
  ///     "@model_path/weights/weight.bin".
  /// - Throws: `MLModelError.io` if the model is malformed or a weight file is missing.
  public init(specification: Data, blobMapping: [URL: Data]) throws {
    var files: [String: Data] = [:]
    for (url, data) in blobMapping {
      var path = url.relativePath
      for prefix in ["/", "@model_path/"] where path.hasPrefix(prefix) { path.removeFirst(prefix.count) }
      files[path] = data
    }
    do {
      model = try ModelAsset(specification: specification, weightFiles: files)
    } catch {
      throw MLModelError(error)
    }
  }

  // MARK: Functions and descriptions

  /// The function names of a multifunction model; empty for other models.
  public var functionNames: [String] { get async throws { names } }

  public func functionNames(completionHandler handler: @escaping ([String]?, (any Error)?) -> Void) {
    inBackground({ self.names }) { handler($0.value, nil) }
  }

  /// The description of the default function.
  public var modelDescription: MLModelDescription { get async throws { try description(of: nil) } }

  public func modelDescription(completionHandler handler: @escaping (MLModelDescription?, (any Error)?) -> Void) {
    give(nil, to: handler)
  }

  /// - Throws: `MLModelError.parameters` if there is no such function.
  public func modelDescription(ofFunctionNamed functionName: String) async throws -> MLModelDescription {
    try description(of: functionName)
  }

  public func modelDescription(
    ofFunctionNamed functionName: String, completionHandler handler: @escaping (MLModelDescription?, (any Error)?) -> Void
  ) {
    give(functionName, to: handler)
  }

  private var names: [String] { model.features.functions.map(\.name).filter { !$0.isEmpty } }

  private func description(of name: String?) throws -> MLModelDescription {
    guard let function = name.map({ model.features.function(named: $0) }) ?? model.features.defaultFunction else {
      throw MLModelError(.parameters, "The model has no function '\(name ?? "")'")
    }
    return MLModelDescription(model, function: function)
  }

  private func give(_ name: String?, to handler: @escaping (MLModelDescription?, (any Error)?) -> Void) {
    inBackground({ try self.description(of: name) }) { handler($0.value, $0.failure) }
  }
}
