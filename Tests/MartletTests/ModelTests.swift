import Foundation
import Martlet
import Testing

@Suite("Models")
struct ModelTests {
  private static let file = Bundle.module.url(forResource: "custom_operators", withExtension: "pte", subdirectory: "Fixtures")!

  @Test("A method that the model does not have is an error that names those it has, in every form of a run")
  func unknownMethod() async throws {
    let model = try Model(contentsOf: Self.file)
    func expectRefusal(_ run: () async throws -> Void) async {
      do {
        try await run()
        Issue.record("no error")
      } catch let error as MartletError where error.kind == .invalidInput {
        for part in ["custom_operators.pte", "no method backward", "forward", "extremes"] { #expect(error.message.contains(part)) }
      } catch {
        Issue.record("\(error)")
      }
    }
    /// The form that does not wait for another thread.
    func runByName() throws { _ = try model.run([:] as [String: ModelValue], method: "backward") }
    func run() throws { _ = try model.run([], method: "backward") }
    await expectRefusal { try runByName() }
    await expectRefusal { try run() }
    await expectRefusal { _ = try await model.run([:] as [String: ModelValue], method: "backward") }
    await expectRefusal { _ = try await model.run([] as [ModelValue], method: "backward") }
    await expectRefusal { try model.load(method: "backward") }
  }

  @Test("A model is named after its file, however the file's URL is written")
  func name() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for name in ["plain.pte", "with space.pte", "100%.pte", "größe.pte", "a:b.pte"] {
      let file = folder.appendingPathComponent(name)
      try FileManager.default.copyItem(at: Self.file, to: file)
      #expect(try Model(contentsOf: file).name == name)
      let detour = URL(fileURLWithPath: "\(folder.path)/../\(folder.lastPathComponent)/\(name)")
      #expect(try Model(contentsOf: detour).name == name)
      let relative = URL(fileURLWithPath: name, relativeTo: folder)
      #expect(try Model(contentsOf: relative).name == name)
    }
  }
}
