import Foundation
import Martlet

/// Classes of the program that models name.
enum ProgramClass {
  /// The class that a model names: by its module and name, by its name in the main module, or by the name that the program has registered.
  /// - Parameter user: what names the class, for the message.
  /// - Throws: `MLModelError` with `code` if there is no such class.
  static func named(_ name: String, of user: String, _ code: MLModelError.Code) throws -> AnyClass {
    let found: AnyClass? =
      (name.contains(".") ? NSClassFromString(name) : nil) ?? NSClassFromString("\(mainModule).\(name)") ?? ClassNames.type(named: name)
    guard let found else {
      throw MLModelError(
        code, "The class \(name) of the \(user) does not exist. Register it: ClassNames.register(\(name).self, as: \"\(name)\")")
    }
    return found
  }

  /// The name of the program's module, which Swift packages derive from that of the executable.
  private static let mainModule = ProcessInfo.processInfo.processName.replacingOccurrences(of: "-", with: "_")
}
