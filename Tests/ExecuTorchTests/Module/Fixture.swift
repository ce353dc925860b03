import ExecuTorch
import Foundation
import Testing

/// The programs of the tests, made by Oracles/make_face_fixtures.py.
enum Fixture {
  static func path(_ file: String) -> String {
    Bundle.module.bundleURL.appendingPathComponent("Fixtures").appendingPathComponent(file).path
  }

  static func module(_ file: String) -> Module { Module(filePath: path(file)) }

  /// A copy of a fixture under a name of its own, readable by everybody. The caller removes it.
  static func copy(of file: String) throws -> String {
    let target = FileManager.default.temporaryDirectory.appendingPathComponent("martlet-\(UUID().uuidString).pte").path
    try FileManager.default.copyItem(atPath: path(file), toPath: target)
    try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target)
    return target
  }
}

/// The error that `body` throws, which must be one of ours.
func thrown<Result>(
  by body: () throws -> Result, sourceLocation: SourceLocation = #_sourceLocation
) throws -> (code: ErrorCode.Code, description: String) {
  do {
    _ = try body()
  } catch {
    let code = try #require(error as? ErrorCode, "\(error) is no ErrorCode", sourceLocation: sourceLocation)
    return (code.code, code.localizedDescription)
  }
  Issue.record("nothing was thrown", sourceLocation: sourceLocation)
  throw CancellationError()
}
