public import FoundationEssentials
import MartletSystem
import MartletBytes
import MartletCoreMLFile
package import MartletFeatures

/// A Core ML model that has been read and checked, but not loaded: its functions, metadata and structure.
///
/// ```swift
/// let asset = try ModelAsset(contentsOf: URL(fileURLWithPath: "classifier.mlpackage"))
/// print(asset.author, asset.methods.map(\.name))
/// let model = try Model(asset)
/// ```
///
/// Weight files stay mapped. The cost of reading depends on the size of the program, not on that of the weights.
public struct ModelAsset: Sendable {
  /// Identifies the model in messages.
  public let url: URL
  let model: CoreMLModel

  init(_ model: CoreMLModel, url: URL) {
    self.model = model
    self.url = url
  }

  /// Reads a package, a single file or a compiled model (`.mlpackage`, `.mlmodel`, `.mlmodelc`).
  /// - Parameter options: how files are read, and within which limit.
  /// - Throws: `MartletError` of the kind `invalidFile`.
  public init(contentsOf url: URL, options: ModelOptions = ModelOptions()) throws {
    self.init(
      try Self.reading { () throws(FileError) in try CoreMLModel(contentsOfPath: url.path, access: options.access) }, url: url)
  }

  /// Reads a model in memory.
  /// - Parameters:
  ///   - specification: the content of an `.mlmodel` file.
  ///   - weightFiles: the content of weight files by path relative to the model's folder, such as `weights/weight.bin`.
  /// - Throws: `MartletError` of the kind `invalidFile` if the model is malformed or a weight file is missing.
  public init(specification: FoundationEssentials.Data, weightFiles: [String: FoundationEssentials.Data] = [:]) throws {
    let name = "<specification>"
    let files = weightFiles.map { path, data in (path, MappedFile(copying: data, name: path).bytes) }
    let model = try Self.reading { () throws(FileError) in
      try CoreMLModel(
        specification: MappedFile(copying: specification, name: name).bytes,
        weights: CoreMLFolder(files: Dictionary(uniqueKeysWithValues: files)))
    }
    self.init(model, url: URL(fileURLWithPath: name))
  }

  private static func reading(_ read: () throws(FileError) -> CoreMLModel) throws -> CoreMLModel {
    do {
      return try read()
    } catch {
      throw MartletError.logged(MartletError(error))
    }
  }

  /// The model's functions, in the file's order.
  public var methods: [MethodSignature] { features.functions.map { MethodSignature($0, of: model) } }

  /// The features of the model's functions.
  package var features: ModelDescription { model.description }

  /// True if the model can be trained on the device where it is used.
  public var isUpdatable: Bool { model.isUpdatable }

  public var shortDescription: String { features.metadata.shortDescription }
  public var version: String { features.metadata.version }
  public var author: String { features.metadata.author }
  public var license: String { features.metadata.license }
  /// Entries that the author added, such as `com.github.apple.coremltools.version`.
  public var userDefinedMetadata: [String: String] { features.metadata.userDefined }

  /// The operations or layers of the model.
  public var structure: ModelStructure { ModelStructure(self) }
}

extension Model {
  /// Opens a Core ML model that has been read.
  /// - Throws: `MartletError` of the kind `invalidInput` for a custom operator that cannot be registered.
  public convenience init(_ asset: ModelAsset, options: ModelOptions = ModelOptions()) throws {
    try self.init(asset.model, url: asset.url, options: options)
  }
}
