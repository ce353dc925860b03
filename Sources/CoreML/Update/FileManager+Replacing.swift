public import Foundation

extension FileManager {
  /// Replaces a file or a folder, such as a compiled model, with another one.
  ///
  /// Foundation's method of this name cannot replace a folder that has contents on Linux, and programs save updated models with it. Swift
  /// prefers this one where neither a name for a backup nor options are given.
  /// - Parameters:
  ///   - originalItemURL: What is replaced. It need not exist.
  ///   - newItemURL: What takes its place, and is not at this URL afterwards.
  /// - Returns: The URL of the item in its new place.
  /// - Throws: The file system's errors. The original item keeps its place unless only the removal of its copy failed.
  public func replaceItemAt(_ originalItemURL: URL, withItemAt newItemURL: URL) throws -> URL? {
    guard fileExists(atPath: originalItemURL.path) else {
      try moveItem(at: newItemURL, to: originalItemURL)
      return originalItemURL
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
