import MartletBytes

/// `Manifest.json` of a model package, which tells which item is the model.
struct PackageManifest {
  private struct Content: Decodable {
    struct Item: Decodable {
      var path: String
    }

    var itemInfoEntries: [String: Item]
    var rootModelIdentifier: String
  }

  /// Folder of the model relative to the package (empty for the package itself), and name of its file.
  let rootModel: (folder: String, name: String)

  init(_ package: CoreMLFolder) throws(FileError) {
    let bytes = try package.open("Manifest.json", part: "manifest")
    let content = try bytes.decodedJSON(as: Content.self, part: "manifest")
    guard let item = content.itemInfoEntries[content.rootModelIdentifier] else {
      throw bytes.error(field: "manifest.rootModelIdentifier", "there is no item '\(content.rootModelIdentifier)'")
    }
    let components = item.path.split(separator: "/")
    guard let name = components.last else { throw bytes.error(field: "manifest.itemInfoEntries", "the model's path is empty") }
    rootModel = ((["Data"] + components.dropLast()).joined(separator: "/"), String(name))
  }
}
