public import FoundationEssentials
import MartletSystem
import MartletBytes
import MartletCompiler
import MartletCoreMLFile
import MartletFeatures
import MartletGraph
import MartletImport
import MartletOps
import MartletRuntime
import MartletTensor

extension Model {
  /// Compiles a Core ML model (`.mlpackage`, `.mlmodel`, `.mlmodelc`) into a folder that loads several times faster.
  ///
  /// The folder holds the original model, its programs in a form that needs no parsing, its networks with aligned weights, and the
  /// weights packed for this machine's kernels.
  /// It can be moved. Another version of the engine loads the original from it; another processor packs the weights again.
  /// The file `martlet/source.json` in it names the files that it was made from, with their digests.
  ///
  /// The folder is complete or absent, whenever the process ends: it is made beside its place, flushed to disk and renamed.
  /// - Parameters:
  ///   - folder: the folder to create, named `NAME.mlmodelc`.
  ///   - replacesExisting: true to replace a folder that exists, which stays in use until the new one is complete.
  ///   - options: limits for importing and planning the model.
  /// - Throws: `CancellationError` if the task is cancelled; `MartletError` of the kind `invalidFile` if the model cannot be read, if the
  ///   folder exists and is not to be replaced, or if it cannot be written; the errors of `load(method:)` if a function cannot be loaded
  ///   within the limits. Nothing is left behind.
  public static func compile(
    _ url: URL, to folder: URL, replacesExisting: Bool = false, options: ModelOptions = ModelOptions()
  ) throws {
    guard isCoreML(url) else {
      throw MartletError.logged(.invalidFile("\(url.path): only .mlpackage, .mlmodel and .mlmodelc can be compiled"))
    }
    do {
      if !replacesExisting, FileManager.default.fileExists(atPath: folder.path) {
        throw FileError(file: folder.path, reason: "already exists")
      }
      // Fails on a damaged model before anything is written.
      _ = try CoreMLModel(contentsOfPath: url.path, access: options.access)
      let staging = try StagingFolder(for: folder)
      do {
        try ModelCompiler(options: options).compile(url, into: staging.url)
      } catch var error as MartletError {
        // The copy that the error names goes with the staging folder.
        if error.file?.hasPrefix(staging.url.path) == true { error.file = url.path }
        throw error
      }
      try Cancellation.current?.check()
      try staging.commit(replacing: replacesExisting)
    } catch {
      // Also for an error that the cancellation caused.
      try Cancellation.current?.check()
      if error is MartletError { throw error }
      throw MartletError.logged(MartletError(error, file: url.path))
    }
  }
}

/// Creates the content of compiled model folders.
struct ModelCompiler {
  let options: ModelOptions
  /// Another content for a file of the model, by its path in the model's folder.
  var changed: (path: String, content: [UInt8])?
  private var manager: FileManager { .default }

  /// Writes the compiled model of `url` into an empty folder and flushes it to disk.
  /// - Throws: `FileError`, or `MartletError` as for loading the model.
  func compile(_ url: URL, into folder: URL) throws {
    let listing = try FileListing(url.path)
    let files = listing.files.filter { !$0.path.hasPrefix(CompiledForm.folderName + "/") }
    let digests = try copyOriginal(files, of: listing, to: folder)
    let added = folder.appendingPathComponent(CompiledForm.folderName)
    try manager.createDirectory(at: added, withIntermediateDirectories: false)
    let source = CompiledSource(files, digests)
    try writeFile(Array(try JSONEncoder().encode(source)), to: folder.appendingPathComponent(CompiledSource.path).path)
    try addCompiledForm(to: folder)
    guard try FileListing(url.path) == listing else { throw FileError(file: url.path, reason: "changed while it was being compiled") }
    try synchronizeFolders(in: folder)
  }

  private func synchronizeFolders(in folder: URL) throws {
    for name in (try? manager.subpathsOfDirectory(atPath: folder.path)) ?? [] {
      let path = folder.appendingPathComponent(name).path
      if CoreMLFolder.isFolder(path) { try synchronize(path) }
    }
    try synchronize(folder.path)
  }

  // MARK: The original

  /// Writes the model of `url` as a package into an empty folder and flushes it to disk.
  /// - Throws: `FileError`.
  func copy(_ url: URL, into folder: URL) throws {
    let listing = try FileListing(url.path)
    _ = try copyOriginal(listing.files.filter { !$0.path.hasPrefix(CompiledForm.folderName + "/") }, of: listing, to: folder)
    try synchronizeFolders(in: folder)
  }

  /// Copies the files of the model, with links resolved; a single file becomes a package.
  /// - Returns: the digests of the files' contents.
  private func copyOriginal(_ files: [FileListing.File], of listing: FileListing, to folder: URL) throws -> [SHA256.Digest] {
    let data = listing.isFolder ? folder : folder.appendingPathComponent("Data/com.apple.CoreML", isDirectory: true)
    var digests: [SHA256.Digest] = []
    for file in files {
      let target = data.appendingPathComponent(file.path.isEmpty ? "model.mlmodel" : file.path)
      try manager.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      if let changed, changed.path == file.path {
        try writeFile(changed.content, to: target.path)
        var hash = SHA256()
        hash.update(changed.content)
        digests.append(hash.digest())
        continue
      }
      digests.append(try listing.read(file) { bytes throws(FileError) in try writeFile(bytes, to: target.path) })
    }
    if !listing.isFolder {
      let identifier = UUID().uuidString
      let manifest = Manifest(itemInfoEntries: [identifier: Manifest.Item()], rootModelIdentifier: identifier)
      try writeFile(Array(try JSONEncoder().encode(manifest)), to: folder.appendingPathComponent("Manifest.json").path)
    }
    return digests
  }

  private struct Manifest: Encodable {
    struct Item: Encodable {
      var author = "com.apple.CoreML"
      var description = "CoreML Model Specification"
      var name = "model.mlmodel"
      var path = "com.apple.CoreML/model.mlmodel"
    }

    var fileFormatVersion = "1.0.0"
    var itemInfoEntries: [String: Item]
    var rootModelIdentifier: String
  }

  // MARK: The compiled form

  /// Adds the compiled form and the packed weights.
  /// - Throws: the error of loading the model, also for kinds of models that the engine does not run.
  private func addCompiledForm(to folder: URL) throws {
    let original = try CoreMLModel(contentsOfPath: folder.path, access: options.access)
    let content = try original.compiledForm(identifier: .random(), in: CoreMLFolder(path: folder.path)) { try $0.packed() }
    if let content {
      try writeFile(content, to: folder.appendingPathComponent(CompiledForm.modelPath).path)
    }
    let compiled = try CoreMLModel(contentsOfPath: folder.path, access: options.access)
    let weights = try packedWeights(of: compiled, in: folder)
    if let form = compiled.compiledForm, let packed = PackedWeightFile.content(weights, of: form) {
      try writeFile(packed, to: folder.appendingPathComponent(CompiledForm.packedWeightsPath).path)
    }
  }

  /// The weights packed while planning all functions.
  private func packedWeights(of model: CoreMLModel, in folder: URL) throws -> [PackedStore.PackedWeight] {
    var options = options
    options.ignoresOutsideModels = true
    let model = try Model(model, url: folder, options: options)
    for method in model.methods.map(\.name) {
      try model.load(method: method, precision: nil)
      for step in model.source.chain(of: method)?.graphs ?? [] {
        let graph = try model.compiled(step.method)
        if let inputs = Model.exampleInputs(of: graph.graph, features: step.inputs) { try model.prepare(graph, for: inputs) }
        for name in [step.table, step.sequences].compactMap({ $0 }) { prepareOpen(name, of: model) }
      }
    }
    return model.packed.lastingWeights
  }

  /// Extent of open axes: rows of a table, steps and sequences.
  private static let openExtent = 64

  /// Packs the weights of a graph with open extents that the calls of another kind use. A graph that cannot be planned is none of the
  /// model's that fails now: loading never asks for it.
  private func prepareOpen(_ name: String, of model: Model) {
    guard let graph = try? model.compiled(name) else { return }
    let inputs = graph.graph.inputs.map { id -> InputBinding in
      switch graph.graph[id].type {
      case .tensor(let signature):
        let shape = signature.dimensions.map { if case .fixed(let extent) = $0 { extent } else { Self.openExtent } }
        return .tensor(TensorType(signature.dtype, shape))
      case .scalar(let kind): return .scalar(kind)
      default: return .none
      }
    }
    try? model.prepare(graph, for: inputs)
  }
}

/// The sources of a compiled folder: the content of `martlet/source.json`.
struct CompiledSource: Encodable {
  static let path = CompiledForm.folderName + "/source.json"

  struct File: Encodable {
    /// Relative to the model's folder; empty for a model that is a single file.
    var path: String
    var byteCount: Int
    /// SHA-256 of the content, in hexadecimal.
    var digest: String
  }

  /// SHA-256 over the paths, sizes and digests of all files, in hexadecimal.
  var digest: String
  var files: [File]

  init(_ files: [FileListing.File], _ digests: [SHA256.Digest]) {
    digest = FileListing.contentDigest(files, digests).text
    self.files = zip(files, digests).map { File(path: $0.path, byteCount: $0.byteCount, digest: $1.text) }
  }
}

extension Model {
  /// Inputs with the default shapes of the model description; nil if it leaves a shape open.
  fileprivate static func exampleInputs(of graph: Graph, features: [FeatureDescription]) -> [InputBinding]? {
    var inputs: [InputBinding] = []
    for id in graph.inputs {
      switch graph[id].type {
      case .tensor(let signature):
        guard let shape = signature.fixedShape ?? features.first(where: { $0.name == graph[id].name })?.usualShape(rank: signature.rank)
        else { return nil }
        inputs.append(.tensor(TensorType(signature.dtype, shape)))
      case .scalar(let kind): inputs.append(.scalar(kind))
      default: inputs.append(.none)
      }
    }
    return inputs
  }
}

extension FeatureDescription {
  fileprivate func usualShape(rank: Int) -> [Int]? {
    let shape: [Int]? =
      switch type {
      case .multiArray(let array): array.shape
      case .image(let image): [1, image.colorSpace == .rgb || image.colorSpace == .bgr ? 3 : 1, image.size.height, image.size.width]
      default: nil
      }
    return shape?.count == rank ? shape : nil
  }
}
