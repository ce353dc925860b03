public import Foundation
import MartletBytes
import MartletCompiler
import MartletCoreMLFile
import MartletFeatures
import MartletGraph
import MartletOps
import MartletRuntime
import MartletTensor

extension Model {
  /// Compiles a Core ML model (`.mlpackage`, `.mlmodel`, `.mlmodelc`) into a folder that loads several times faster.
  ///
  /// The folder holds the original model, the program in a form that needs no parsing, and the weights packed for this machine's kernels.
  /// It can be moved. Another version of the engine loads the original from it; another processor packs the weights again.
  /// - Parameters:
  ///   - folder: the folder to create, named `NAME.mlmodelc`. It must not exist yet.
  ///   - options: limits for importing and planning the model.
  /// - Throws: `MartletError` of the kind `invalidFile` if the model cannot be read or the folder cannot be written. Nothing is left behind.
  public static func compile(_ url: URL, to folder: URL, options: ModelOptions = ModelOptions()) throws {
    guard isCoreML(url) else {
      throw MartletError.logged(.invalidFile("\(url.path): only .mlpackage, .mlmodel and .mlmodelc can be compiled"))
    }
    do {
      try ModelCompiler(folder, options: options).compile(url)
    } catch let error as FileError {
      throw MartletError.logged(MartletError(error))
    } catch let error as MartletError {
      throw error
    } catch {
      throw MartletError.logged(.invalidFile("\(url.path) cannot be compiled into \(folder.path): \(error.localizedDescription)"))
    }
  }
}

/// Creates compiled model folders.
struct ModelCompiler {
  /// The folder to create.
  private let folder: URL
  private let options: ModelOptions
  private var manager: FileManager { .default }

  init(_ folder: URL, options: ModelOptions) {
    self.folder = folder
    self.options = options
  }

  func compile(_ url: URL) throws {
    // Fails on a damaged model before anything is written.
    _ = try CoreMLModel(contentsOfPath: url.path)
    if manager.fileExists(atPath: folder.path) { throw FileError(file: folder.path, reason: "already exists") }
    try manager.createDirectory(at: folder.deletingLastPathComponent(), withIntermediateDirectories: true)
    do {
      try copyOriginal(url)
      try addCompiledForm()
    } catch {
      try? manager.removeItem(at: folder)
      throw error
    }
  }

  // MARK: The original

  private func copyOriginal(_ url: URL) throws {
    var isFolder: ObjCBool = false
    _ = unsafe manager.fileExists(atPath: url.path, isDirectory: &isFolder)
    guard isFolder.boolValue else { return try makePackage(of: url) }
    try manager.copyItem(at: url.resolvingSymlinksInPath(), to: folder)
    // Drop the compiled form of an earlier compilation.
    let added = folder.appendingPathComponent(CompiledForm.folderName)
    if manager.fileExists(atPath: added.path) { try manager.removeItem(at: added) }
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

  /// Turns a single file into a package, together with the weights beside it.
  private func makePackage(of file: URL) throws {
    let data = folder.appendingPathComponent("Data/com.apple.CoreML", isDirectory: true)
    try manager.createDirectory(at: data, withIntermediateDirectories: true)
    try manager.copyItem(at: file.resolvingSymlinksInPath(), to: data.appendingPathComponent("model.mlmodel"))
    let weights = file.deletingLastPathComponent().appendingPathComponent("weights", isDirectory: true)
    if manager.fileExists(atPath: weights.appendingPathComponent("weight.bin").path) {
      try manager.copyItem(at: weights, to: data.appendingPathComponent("weights", isDirectory: true))
    }
    let identifier = UUID().uuidString
    let manifest = Manifest(itemInfoEntries: [identifier: Manifest.Item()], rootModelIdentifier: identifier)
    try JSONEncoder().encode(manifest).write(to: folder.appendingPathComponent("Manifest.json"))
  }

  // MARK: The compiled form

  /// Adds the folder `martlet`, unless this kind of model has no compiled form.
  private func addCompiledForm() throws {
    let original = try CoreMLModel(contentsOfPath: folder.path)
    guard let content = try original.compiledForm(identifier: .random(), in: CoreMLFolder(path: folder.path)) else { return }
    try manager.createDirectory(at: folder.appendingPathComponent(CompiledForm.folderName), withIntermediateDirectories: false)
    try Data(content).write(to: folder.appendingPathComponent(CompiledForm.modelPath))
    let compiled = try CoreMLModel(contentsOfPath: folder.path)
    guard let form = compiled.compiledForm, let packed = PackedWeightFile.content(try packedWeights(of: compiled), of: form) else { return }
    try Data(packed).write(to: folder.appendingPathComponent(CompiledForm.packedWeightsPath))
  }

  /// The weights packed while planning all functions. Functions that cannot be planned here contribute none.
  private func packedWeights(of model: CoreMLModel) throws -> [PackedStore.PackedWeight] {
    guard case .program = model.content else { return [] }
    let model = try Model(model, url: folder, options: options)
    for function in model.methods.map(\.name) {
      guard let method = try? model.compiled(function) else { continue }
      if let inputs = model.exampleInputs(of: method.graph, function: function) { try? method.prepare(for: inputs) }
    }
    return model.packed.lastingWeights
  }
}

extension Model {
  /// Inputs with the default shapes of the model description; nil if it leaves a shape open.
  fileprivate func exampleInputs(of graph: Graph, function: String) -> [InputBinding]? {
    let features = (source as? CoreMLSource)?.function(function)?.inputs ?? []
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
