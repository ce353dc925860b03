import FoundationEssentials
import MartletSystem
import MartletBytes
import MartletCoreMLFile

/// Finds and reads the models that linked models stand for.
///
/// What a file says is not trusted: its name and search path must lead to a model in the file's own folder or in a bundle of the program, also
/// through symbolic links. What the program says may lead anywhere.
struct LinkedModelFinder {
  private let locations: [String: LinkedModelLocation]
  private let access: FileAccess
  /// The files that are being linked, from the first one to the current one.
  private var chain: [String]
  private var count = 0
  /// The places of all links that were met, and of those without a model.
  private var places: Set<String> = []
  private var brokenPlaces: Set<String> = []
  /// The models that have been read, by path.
  private(set) var models: [String: CoreMLModel] = [:]

  /// Maximum number of files that link to each other in a row.
  private static let maximumDepth = 8
  /// Maximum number of links that a model follows, each time that it comes to one.
  private static let maximumCount = 256

  private static let nameField = "linkedModel.linkedModelFile.linkedModelFileName"
  private static let pathField = "linkedModel.linkedModelFile.linkedModelSearchPath"

  /// - Parameter path: the model that is loaded.
  init(_ path: String, locations: [String: LinkedModelLocation], access: FileAccess) {
    self.locations = locations
    self.access = access
    chain = [Self.realPath(path) ?? path]
  }

  /// The place of a link, by which `ModelOptions.linkedModels` names it.
  struct Place {
    /// The names of the stages that lead to it, with dots between them; empty for the model that is loaded.
    let scope: String
    /// True in the file that is loaded, false in those that it links to.
    let isInLoadedFile: Bool

    static let whole = Place(scope: "", isInLoadedFile: true)

    /// The place of a stage.
    func stage(_ name: String) -> Place { Place(scope: scope.isEmpty ? name : "\(scope).\(name)", isInLoadedFile: isInLoadedFile) }

    /// The place of the model that the link here stands for. Its stages have the link's scope. If it is a link itself, its name is that of a
    /// pipeline's only stage.
    func linked(_ model: CoreMLModel) -> Place {
      let place = Place(scope: scope, isInLoadedFile: false)
      if case .classic(.linkedModel) = model.content { return place.stage("model0") }
      return place
    }
  }

  /// The keys of the locations that stand for no link, sorted. Keys below a broken link are left out: its stages are not known.
  var unusedLocations: [String] {
    locations.keys.filter { key in
      guard !key.isEmpty else { return places.isEmpty }
      return !places.contains(key) && !brokenPlaces.contains { $0.isEmpty || key.hasPrefix("\($0).") }
    }.sorted()
  }

  /// Reads the model that a linked model stands for. `leave` ends what is done with it.
  /// - Parameters:
  ///   - path: the file with the link.
  ///   - place: the link's place, by which the program may say where the model lies.
  /// - Throws: `FileError` if there is no such model, it may not be linked to, or the links go in a circle.
  mutating func enter(_ link: LinkedModel, of path: String, at place: Place) throws(FileError) -> CoreMLModel {
    places.insert(place.scope)
    do {
      return try enter(link, of: path, locations[place.scope] ?? (place.isInLoadedFile ? locations[""] : nil))
    } catch {
      brokenPlaces.insert(place.scope)
      throw error
    }
  }

  private mutating func enter(_ link: LinkedModel, of path: String, _ location: LinkedModelLocation?) throws(FileError) -> CoreMLModel {
    let found = try find(link, of: path, location)
    guard !chain.contains(found) else {
      let names = (chain.drop { $0 != found } + [found]).map { URL(fileURLWithPath: $0).lastPathComponent }
      throw FileError(file: path, field: Self.nameField, reason: "the links go in a circle: \(names.joined(separator: ", "))")
    }
    guard chain.count <= Self.maximumDepth, count < Self.maximumCount else {
      throw FileError(
        file: path, field: Self.nameField,
        reason: "there are more than \(Self.maximumDepth) links in a row or \(Self.maximumCount) links")
    }
    count += 1
    let model: CoreMLModel
    if let known = models[found] { model = known } else { model = try CoreMLModel(contentsOfPath: found, access: access) }
    models[found] = model
    chain.append(found)
    return model
  }

  /// Ends what is done with the model of the last `enter`.
  mutating func leave() { chain.removeLast() }

  // MARK: Search

  /// A folder to search.
  private struct Folder {
    let path: String
    /// The folder that what is found lies in; nil for a folder that the program named.
    let confinement: String?
  }

  /// The real path of the model that a link stands for.
  private func find(_ link: LinkedModel, of path: String, _ location: LinkedModelLocation?) throws(FileError) -> String {
    let name = location?.fileName ?? link.fileName
    if location?.fileName == nil { try Self.check(name, path, Self.nameField) }
    var folders = [Folder(path: "", confinement: nil)]
    if !name.hasPrefix("/") {
      folders = try Self.folders(location?.searchPath ?? link.searchPath, of: path, isTrusted: location?.searchPath != nil)
    }
    for folder in folders {
      for name in Self.forms(of: name) {
        guard let found = Self.realPath(folder.path + "/" + name) else { continue }
        // A name that the program gives may leave the folder that the file gives.
        guard let confinement = folder.confinement, location?.fileName == nil else { return found }
        guard let root = Self.realPath(confinement), found.hasPrefix(root == "/" ? root : root + "/") else {
          throw FileError(file: path, field: Self.nameField, reason: "'\(name)' is a link that leaves the folder \(confinement)")
        }
        return found
      }
    }
    let places = folders.map { $0.path.isEmpty ? "/" : $0.path }.joined(separator: ", ")
    throw FileError(
      file: path, field: Self.nameField, reason: "there is no model '\(name)' in \(places.isEmpty ? "any folder" : places)")
  }

  /// The names of a model, compiled and not.
  private static func forms(of name: String) -> [String] {
    let compiled = ".mlmodelc"
    guard name.hasSuffix(compiled) else { return [name] }
    let stem = name.dropLast(compiled.count)
    return [name, stem + ".mlpackage", stem + ".mlmodel"]
  }

  private static func folders(_ searchPath: String, of path: String, isTrusted: Bool) throws(FileError) -> [Folder] {
    var folders: [Folder] = []
    for entry in searchPath.split(separator: ":", omittingEmptySubsequences: false).map(String.init) {
      if entry == "$BUNDLE_MAIN" {
        folders += mainBundle.map { Folder(path: $0, confinement: $0) }
      } else if entry.hasPrefix("$BUNDLE_IDENTIFIER("), entry.hasSuffix(")") {
        let identifier = String(entry.dropFirst("$BUNDLE_IDENTIFIER(".count).dropLast())
        try check(identifier, path, pathField)
        folders += bundle(identifier).map { Folder(path: $0, confinement: $0) }
      } else if isTrusted {
        let own = ownFolders(of: path).map { Folder(path: entry.isEmpty ? $0 : $0 + "/" + entry, confinement: nil) }
        folders += entry.hasPrefix("/") ? [Folder(path: entry, confinement: nil)] : own
      } else {
        let isOwn = entry.isEmpty || entry == "."
        if !isOwn { try check(entry, path, pathField) }
        folders += ownFolders(of: path).map { Folder(path: isOwn ? $0 : $0 + "/" + entry, confinement: $0) }
      }
    }
    return folders
  }

  /// The folder that a model lies in, and the model itself if it is a folder. None for a model in memory.
  private static func ownFolders(of path: String) -> [String] {
    guard realPath(path) != nil else { return [] }
    let parent = CoreMLFolder.parent(of: path)
    return CoreMLFolder.isFolder(path) ? [parent, path] : [parent]
  }

  /// Checks that what a file names is a path within a folder.
  private static func check(_ name: String, _ path: String, _ field: String) throws(FileError) {
    let components = name.split(separator: "/").filter { $0 != "." }
    guard !name.hasPrefix("/"), !components.isEmpty, !components.contains(".."), !name.utf8.contains(0) else {
      throw FileError(
        file: path, field: field,
        reason: "'\(name)' leads out of the model's folder, which only the program may: ModelOptions.linkedModels or "
          + "MLParameterKey.linkedModelFileName and linkedModelSearchPath")
    }
  }

  /// The path without symbolic links; nil if there is nothing.
  private static func realPath(_ path: String) -> String? {
    guard let resolved = unsafe realpath(path, nil) else { return nil }
    defer { unsafe free(resolved) }
    return unsafe String(validatingCString: resolved)
  }

  // MARK: Bundles

  /// The folders of the program's bundle: its own, and the resource bundles that SwiftPM puts beside the program.
  private static var mainBundle: [String] {
    let folder = ExecutableFolder.path
    let others = ((try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []).filter { $0.hasSuffix(bundleSuffix) }
    return [folder] + others.sorted().map { folder + "/" + $0 }
  }

  /// The folder of another bundle: a resource bundle of SwiftPM (`PACKAGE_TARGET`).
  private static func bundle(_ identifier: String) -> [String] { [ExecutableFolder.path + "/" + identifier + bundleSuffix] }

  private static let bundleSuffix = ".resources"
}
