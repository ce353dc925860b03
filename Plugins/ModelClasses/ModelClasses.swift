import Foundation
import PackagePlugin

/// Writes a class for each Core ML model in a target's folder, as Xcode does, and puts the model among the target's resources.
///
/// Models are `.mlpackage` and `.mlmodelc` folders and `.mlmodel` files, also those that the target excludes. A file `ModelClasses.json` in
/// the folder changes the classes: `{"access": "public", "classNames": {"model-v2": "Model"}}`.
@main
struct ModelClasses: BuildToolPlugin {
  func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
    // Xcode writes the classes on Apple's systems.
    #if os(macOS)
      return []
    #else
      guard let module = target as? any SourceModuleTarget else { return [] }
      let settings = try Settings(in: module.directoryURL)
      let models = try Model.all(in: module.directoryURL)
      let resources = module.sourceFiles.filter { $0.type == .resource }.map(\.url)
      reportFlattened(models, resources, of: module)

      var names: [String: Model] = [:]
      for model in models {
        if let other = names.updateValue(model, forKey: model.name) {
          throw Failure(
            "\(other.relativePath) and \(model.relativePath) are two models with the name \(model.name): rename one of them, or move it out "
              + "of the folder of the target \(target.name)")
        }
      }
      let tool = try context.tool(named: "MartletModelClassesTool").url
      let output = context.pluginWorkDirectoryURL
      return models.map { model in
        let classFile = output.appending(path: model.name + ".swift")
        let compiled = output.appending(path: model.name + ".mlmodelc", directoryHint: .notDirectory)
        var arguments = [model.url.path, "--class-file", classFile.path]
        var outputs = [classFile]
        if let name = settings.classNames?[model.name] { arguments += ["--class-name", name] }
        if settings.access == "public" { arguments.append("--public") }
        // A compiled model that is a resource itself must not be there twice.
        if !resources.contains(where: { $0.lastPathComponent == compiled.lastPathComponent }) {
          arguments += ["--compiled-model", compiled.path]
          outputs.append(compiled)
        }
        return .buildCommand(
          displayName: "Writing the class of \(model.relativePath)", executable: tool, arguments: arguments,
          inputFiles: model.files + settings.files, outputFiles: outputs)
      }
    #endif
  }

  /// Warns of packages whose files a `.process` rule would copy side by side, under names that several packages have.
  private func reportFlattened(_ models: [Model], _ resources: [URL], of target: any SourceModuleTarget) {
    for model in models where model.isFolder {
      let inner = model.url.standardizedFileURL.path + "/"
      guard resources.contains(where: { $0.standardizedFileURL.path.hasPrefix(inner) }) else { continue }
      Diagnostics.warning(
        """
        .process would copy the files of \(model.relativePath) into the bundle one by one, without the package around them. \
        Add this to the target \(target.name) in Package.swift: exclude: ["\(model.relativePath)"]. \
        The plugin ModelClasses copies the package.
        """)
    }
  }
}

/// A model in a target's folder.
struct Model {
  let url: URL
  /// From the target's folder.
  let relativePath: String
  let isFolder: Bool
  /// All files of the model.
  let files: [URL]

  /// The file's name without its extension.
  var name: String { url.deletingPathExtension().lastPathComponent }

  /// The models in `folder` and the folders in it, by their paths. Files in a package or in a compiled model are none.
  static func all(in folder: URL) throws -> [Model] {
    try models(in: folder, relativePath: "").sorted { $0.relativePath < $1.relativePath }
  }

  private static func models(in folder: URL, relativePath: String) throws -> [Model] {
    var models: [Model] = []
    for url in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: [], options: [.skipsHiddenFiles]) {
      let path = relativePath + url.lastPathComponent
      let isFolder = Self.isFolder(url)
      switch (url.pathExtension, isFolder) {
      case ("mlpackage", true), ("mlmodelc", true):
        models.append(Model(url: url, relativePath: path, isFolder: true, files: try files(in: url)))
      case ("mlmodel", false): models.append(Model(url: url, relativePath: path, isFolder: false, files: [url]))
      case (_, true): models += try Self.models(in: url, relativePath: path + "/")
      default: break
      }
    }
    return models
  }

  private static func files(in folder: URL) throws -> [URL] {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).sorted().map { folder.appending(path: $0) }.filter { !isFolder($0) }
  }

  private static func isFolder(_ url: URL) -> Bool {
    var isFolder: ObjCBool = false
    return FileManager.default.fileExists(atPath: url.path, isDirectory: &isFolder) && isFolder.boolValue
  }
}

/// The content of `ModelClasses.json`.
struct Settings {
  var access: String?
  var classNames: [String: String]?
  /// The file, if there is one.
  var files: [URL] = []

  private struct Content: Decodable {
    var access: String?
    var classNames: [String: String]?
  }

  init(in folder: URL) throws {
    let file = folder.appending(path: "ModelClasses.json")
    guard let data = try? Data(contentsOf: file) else { return }
    guard let content = try? JSONDecoder().decode(Content.self, from: data) else {
      throw Failure("\(file.path) is not of the form {\"access\": \"public\", \"classNames\": {\"MODEL\": \"CLASS\"}}")
    }
    guard [nil, "internal", "public"].contains(content.access) else {
      throw Failure("\(file.path): the access is \"internal\" or \"public\", not \"\(content.access ?? "")\"")
    }
    (access, classNames, files) = (content.access, content.classNames, [file])
  }
}

struct Failure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
