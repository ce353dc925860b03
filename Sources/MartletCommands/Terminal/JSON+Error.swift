import Martlet
package import MartletBytes

extension JSONValue {
  /// The parts of an error of the engine that are known; of any other error only its text.
  package static func parts(of error: any Error) -> JSONValue {
    guard let error = error as? MartletError else { return .members(["message": .string("\(error)")]) }
    var members = [Member("kind", .string(error.kind.rawValue)), Member("message", .string(error.message))]
    func add(_ name: String, _ text: String?) {
      if let text { members.append(Member(name, .string(text))) }
    }
    add("file", error.file)
    if let byteOffset = error.byteOffset { members.append(Member("byteOffset", .integer(byteOffset))) }
    add("field", error.field)
    add("method", error.method)
    add("node", error.node)
    add("operator", error.operator)
    add("expected", error.expected)
    add("found", error.found)
    add("reason", error.reason)
    return .object(members)
  }
}
