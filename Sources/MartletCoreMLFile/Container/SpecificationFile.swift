package import MartletBytes

/// The file of a model with its description and, for networks and classic models, its content.
package struct SpecificationFile: Sendable {
  package let bytes: ByteView
  /// Relative to the model's folder; empty for a model that is a single file.
  package let relativePath: String
  /// The model's path.
  private let path: String
  private let access: FileAccess

  /// - Throws: `FileError` if the file cannot be opened, or if the model was compiled by another tool and has no such file.
  package init(ofModelAt path: String, access: FileAccess = .map) throws(FileError) {
    (self.path, self.access) = (path, access)
    guard CoreMLFolder.isFolder(path) else {
      bytes = try MappedFile(contentsOfPath: path, access: access).bytes
      relativePath = ""
      return
    }
    let folder = CoreMLFolder(path: path, access: access)
    guard folder.hasFile("Manifest.json") else {
      throw FileError(file: path, reason: "was compiled by another tool, which does not keep the model's file")
    }
    let root = try PackageManifest(folder).rootModel
    relativePath = root.folder.isEmpty ? root.name : root.folder + "/" + root.name
    bytes = try folder.open(relativePath, part: "model")
  }

  /// The model with another content of this file.
  package func model(with content: [UInt8]) throws(FileError) -> CoreMLModel {
    let weights: CoreMLFolder
    if relativePath.isEmpty {
      weights = CoreMLFolder(around: CoreMLFolder.parent(of: path), access: access)
    } else {
      let folder = CoreMLFolder(path: path, access: access)
      let slash = relativePath.lastIndex(of: "/")
      weights = try slash.map { slash throws(FileError) in try folder.subfolder(String(relativePath[..<slash])) } ?? folder
    }
    return try CoreMLModel(specification: MappedFile(copying: content, name: path).bytes, weights: weights)
  }
}
