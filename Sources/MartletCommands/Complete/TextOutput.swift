import MartletSystem
import MartletBytes

/// Text that goes to standard output as it comes, or is kept for a report.
final class TextOutput {
  private let isKept: Bool
  /// Texts of the tokens that end a text: they are no part of it.
  private let endings: Set<String>
  /// The text, if it is kept.
  private(set) var text = ""
  private var endsLine = true

  init(isKept: Bool, endings: [String]) {
    self.isKept = isKept
    self.endings = Set(endings)
  }

  func write(_ piece: String) throws {
    guard !piece.isEmpty, !endings.contains(piece) else { return }
    if isKept {
      text += piece
    } else {
      try put(piece)
    }
  }

  /// Ends the last line, if it is not.
  func endLine() throws {
    if !endsLine { try put("\n") }
  }

  private func put(_ piece: String) throws {
    endsLine = piece.last?.isNewline == true
    let error = OutputDescriptor.write(piece, to: STDOUT_FILENO)
    guard error == 0 else { throw CommandFailure("standard output cannot be written: \(systemMessage(error))") }
  }
}
