/// The reason why a command failed, as a sentence that tells the user what to change.
struct CommandFailure: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
