package import ArgumentParser

/// A command that prints JSON if asked to, also for an error.
package protocol CommandWithJSON: ParsableCommand {
  var json: Bool { get }
}
