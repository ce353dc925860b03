/// Why a command cannot do what it was asked, in a sentence that tells the user what to change.
struct CommandFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
