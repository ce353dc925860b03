import Foundation
import MartletResources
import Testing

/// Look-ups in bundles, as clients write them.
@Suite(.serialized)
struct ResourceTests {
  /// The folder of the executable, which is the main bundle's.
  private static let place = Bundle.main.executableURL!.deletingLastPathComponent()
  private let name = "resource-\(UUID().uuidString)"

  /// Makes files in a folder beside the executable, which `body` may use.
  private func with(_ files: [String], in folder: String, _ body: () throws -> Void) throws {
    let folder = Self.place.appendingPathComponent(folder, isDirectory: true)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    for file in files { try Data().write(to: folder.appendingPathComponent(file)) }
    try body()
  }

  @Test func `the main bundle finds what lies in a resource folder beside the executable`() throws {
    #expect(Bundle.main.url(forResource: name, withExtension: "txt") == nil)
    for kind in ["resources", "bundle"] {
      try with(["\(name).txt"], in: "Some_Target\(name).\(kind)") {
        let url = try #require(Bundle.main.url(forResource: name, withExtension: "txt"))
        #expect(url.lastPathComponent == "\(name).txt" && url.path.contains("Some_Target\(name).\(kind)/"))
        #expect(Bundle.main.path(forResource: name, ofType: "txt") == url.path)
        #expect(Bundle.main.path(forResource: "\(name).txt", ofType: nil) == url.path)
        #expect(Bundle.main.url(forResource: name, withExtension: "jpg") == nil)
      }
    }
    #expect(Bundle.main.path(forResource: name, ofType: "txt") == nil)
  }

  @Test func `the bundle of a class is the main one`() throws {
    final class Client {}
    try with(["\(name).txt"], in: "Some_Class\(name).resources") {
      #expect(Bundle(for: Client.self).url(forResource: name, withExtension: "txt") != nil)
    }
  }

  @Test func `the executable's own target comes first, then the others by name`() throws {
    let executable = Bundle.main.executableURL!.deletingPathExtension().lastPathComponent
    let file = "\(name).txt"
    try with([file], in: "A_\(name).resources") {
      try with([file], in: "B_\(name).resources") {
        #expect(Bundle.main.url(forResource: name, withExtension: "txt")?.path.contains("/A_") == true)
        try with([file], in: "Z\(name)_\(executable).resources") {
          #expect(Bundle.main.url(forResource: name, withExtension: "txt")?.path.contains("/Z") == true)
        }
      }
    }
  }

  @Test func `a package or model file serves as the compiled model`() throws {
    try with(["\(name).mlmodel"], in: "A_\(name).resources") {
      #expect(Bundle.main.url(forResource: name, withExtension: "mlmodelc")?.lastPathComponent == "\(name).mlmodel")
      try with(["\(name).mlpackage"], in: "B_\(name).resources") {
        #expect(Bundle.main.url(forResource: name, withExtension: "mlmodelc")?.lastPathComponent == "\(name).mlpackage")
        try with(["\(name).mlmodelc"], in: "C_\(name).resources") {
          #expect(Bundle.main.url(forResource: name, withExtension: "mlmodelc")?.lastPathComponent == "\(name).mlmodelc")
        }
      }
      #expect(Bundle.main.url(forResource: name, withExtension: "mlpackage") == nil)
    }
  }

  @Test func `another bundle finds only its own resources`() throws {
    try with(["\(name).txt"], in: "A_\(name).resources") {
      try with(["\(name).mlmodel"], in: "other-\(name)") {
        let bundle = try #require(Bundle(url: Self.place.appendingPathComponent("other-\(name)")))
        #expect(bundle.url(forResource: name, withExtension: "txt") == nil)
        #expect(bundle.url(forResource: name, withExtension: "mlmodelc")?.lastPathComponent == "\(name).mlmodel")
      }
    }
  }

  // MARK: Resources on demand

  @Test func `all resources are there at once`() async throws {
    let request = NSBundleResourceRequest(tags: ["ml-model-v2"])
    #expect(request.tags == ["ml-model-v2"] && request.bundle === Bundle.main && request.loadingPriority == 0.5)
    #expect(!request.progress.isFinished)
    #expect(await request.conditionallyBeginAccessingResources())
    try await request.beginAccessingResources()
    #expect(request.progress.isFinished)
    request.loadingPriority = NSBundleResourceRequestLoadingPriorityUrgent
    #expect(request.loadingPriority > 1)
    request.endAccessingResources()
  }

  @Test func `completion handlers get no error`() async {
    let request = NSBundleResourceRequest(tags: ["a", "b"], bundle: .main)
    let error: (any Error)? = await withCheckedContinuation { continuation in
      request.beginAccessingResources { continuation.resume(returning: $0) }
    }
    #expect(error == nil)
    let isThere = await withCheckedContinuation { continuation in
      request.conditionallyBeginAccessingResources { continuation.resume(returning: $0) }
    }
    #expect(isThere)
  }
}
