public import Foundation

extension FileManager {
  /// Replaces a file or a folder, such as a compiled model, with another one.
  ///
  /// Programs save an updated model so: they write it elsewhere and put it in the place of the old one. Foundation's method of the name cannot
  /// replace a folder on Linux. Swift prefers this one to it, where neither the name of a backup nor options are given.
  /// - Parameters:
  ///   - originalItemURL: What is replaced. It need not exist.
  ///   - newItemURL: What takes its place, and is not at this URL afterwards.
  /// - Returns: The URL of the item in its new place.
  /// - Throws: The file system's errors. The original item is in its place then.
  public func replaceItemAt(_ originalItemURL: URL, withItemAt newItemURL: URL) throws -> URL? {
    var isFolder = ObjCBool(false)
    guard fileExists(atPath: originalItemURL.path, isDirectory: &isFolder), isFolder.boolValue else {
      guard fileExists(atPath: originalItemURL.path) else {
        try moveItem(at: newItemURL, to: originalItemURL)
        return originalItemURL
      }
      return try replaceItemAt(originalItemURL, withItemAt: newItemURL, backupItemName: nil, options: [])
    }
    let backup = originalItemURL.deletingLastPathComponent().appendingPathComponent(".\(UUID().uuidString)")
    try moveItem(at: originalItemURL, to: backup)
    do {
      try moveItem(at: newItemURL, to: originalItemURL)
    } catch {
      try? moveItem(at: backup, to: originalItemURL)
      throw error
    }
    try removeItem(at: backup)
    return originalItemURL
  }
}
