import Foundation

/// The files below a folder with their sizes, in the order of their names. `URL.resourceValues` takes 15 seconds for the sizes of a large corpus.
struct FolderListing {
  struct File {
    let path: String
    let byteCount: Int

    var name: Substring { path[path.index(path.lastIndex(of: "/") ?? path.startIndex, offsetBy: 1)...] }
    /// The extension of the name.
    var suffix: String { FolderListing.suffix(path) }
  }

  let path: String
  private(set) var files: [File] = []
  private(set) var folders: [FolderListing] = []

  var suffix: String { Self.suffix(path) }
  /// Those of inner folders, too.
  var allFiles: [File] { files + folders.flatMap(\.allFiles) }

  /// Folders that cannot be read are empty.
  init(_ path: String) {
    self.path = path
    for name in ((try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []).sorted() {
      let inner = path + "/" + name
      var status = stat()
      guard unsafe stat(inner, &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFDIR: folders.append(FolderListing(inner))
      case S_IFREG: files.append(File(path: inner, byteCount: Int(status.st_size)))
      default: continue
      }
    }
  }

  private static func suffix(_ path: String) -> String {
    guard let dot = path.utf8.lastIndex(of: UInt8(ascii: ".")), !path[dot...].utf8.contains(UInt8(ascii: "/")) else { return "" }
    return String(path[path.index(after: dot)...])
  }
}
