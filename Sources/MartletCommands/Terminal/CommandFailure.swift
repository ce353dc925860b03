/// The reason why a command failed, as a sentence that tells the user what to change.
package struct CommandFailure: Error, CustomStringConvertible {
  package let description: String

  package init(_ description: String) { self.description = description }
}
