import FoundationEssentials
import MartletSystem
import MartletTokenizers

/// Tokenizers that commands read.
enum TokenizerFile {
  /// - Throws: for a path at which nothing lies, a folder without a tokenizer, and a file that is none.
  static func open(_ path: String) throws -> Tokenizer {
    let isFolder = try isExistingFolder(path)
    do throws(TokenizerError) {
      return try Tokenizer(contentsOf: URL(fileURLWithPath: path))
    } catch {
      guard isFolder, error.file == path else { throw error }
      throw CommandFailure("the folder \(path) has no tokenizer: \(error.reason)")
    }
  }
}
