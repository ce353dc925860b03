/// Where the model lies that a linked model stands for, in place of what its file says.
///
/// A file may name a model in its own folder or in the program's bundles only. A location may name one anywhere.
public struct LinkedModelLocation: Sendable, Hashable {
  /// The name of the file or folder, or its path; nil for the name in the file.
  public var fileName: String?
  /// Folders, separated by colons: absolute paths, or paths relative to the folder with the linked model's file. `$BUNDLE_MAIN` is the program's
  /// bundle and `$BUNDLE_IDENTIFIER(NAME)` another one. Nil for the search path in the file.
  public var searchPath: String?

  public init(fileName: String? = nil, searchPath: String? = nil) {
    self.fileName = fileName
    self.searchPath = searchPath
  }
}
