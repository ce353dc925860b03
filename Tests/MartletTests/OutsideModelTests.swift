import Foundation
import Martlet
import Testing

/// Models that the program computes and models in other files. `Oracles/make_outside_models.py` makes them.
struct OutsideModelTests {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures/outside")

  /// A folder of a test, with the models that it needs.
  private final class Folder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("martlet-links-\(UUID().uuidString)", isDirectory: true)

    init(_ names: String...) throws {
      try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
      for name in names { try copy(name) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    func copy(_ name: String, to path: String? = nil) throws {
      let target = url.appendingPathComponent(path ?? "\(name).mlmodel")
      try FileManager.default.createDirectory(at: target.deletingLastPathComponent(), withIntermediateDirectories: true)
      try FileManager.default.copyItem(at: fixtures.appendingPathComponent("\(name).mlmodel"), to: target)
    }

    func model(_ name: String) -> URL { url.appendingPathComponent("\(name).mlmodel") }
  }

  private static func x(_ numbers: [Double] = [1, 2, 3]) throws -> [String: ModelValue] {
    ["x": .tensor(try Tensor(numbers, shape: [3]))]
  }

  /// The number that a linked model gives for [1, 2, 3]: 14.25 for `target`, 10 for `other`.
  private static func y(_ url: URL, _ linked: [String: LinkedModelLocation] = [:]) throws -> Double? {
    var options = ModelOptions()
    options.linkedModels = linked
    guard case .double(let number)? = try Model(contentsOf: url, options: options).run(x())["y"] else { return nil }
    return number
  }

  /// Expects that a model cannot be loaded because of its file.
  private static func expectRefusal(
    _ url: URL, _ message: String, _ linked: [String: LinkedModelLocation] = [:], sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(sourceLocation: sourceLocation) {
      var options = ModelOptions()
      options.linkedModels = linked
      try Model(contentsOf: url, options: options).load()
    } throws: { error in
      let isTyped = (error as? MartletError)?.kind == .invalidFile && "\(error)".contains(message)
      if !isTyped { Issue.record("\(error)", sourceLocation: sourceLocation) }
      return isTyped
    }
  }

  // MARK: Custom models

  @Test func `a function of the program computes a custom model`() throws {
    let url = Self.fixtures.appendingPathComponent("custom_pipeline.mlmodel")
    let inputs = try Self.x([0, 1, 2]).merging(["text": .string("abc")]) { $1 }
    #expect {
      try Model(contentsOf: url).load()
    } throws: { error in
      (error as? MartletError)?.kind == .customModel && "\(error)".contains("ModelOptions.customModels[\"Doubler\"]")
    }
    var options = ModelOptions()
    options.customModels["Doubler"] = { request in
      #expect(request.parameters["count"] as? Int32 == -3 && request.parameters["big"] as? Int64 == 1 << 40)
      #expect(request.parameters["on"] as? Bool == true && request.parameters["data"] as? Data == Data([1, 2, 255]))
      #expect(request.signature.inputs.map(\.name) == ["scaled", "text"] && request.text == "Made by the tests")
      let factor = request.parameters["factor"] as? Double ?? 0
      return CustomModel { features in
        guard case .tensor(let x)? = features["scaled"], case .string(let text)? = features["text"], features.count == 2 else { return [:] }
        return ["y": .tensor(try Tensor(x.scalars(as: Double.self).map { $0 * factor }, shape: [3])), "size": .int(text.count)]
      }
    }
    let model = try Model(contentsOf: url, options: options)
    let result = try model.run(inputs)
    guard case .double(let value)? = result["value"], case .int(let size)? = result["size"] else { throw OtherKind() }
    #expect(value == 2.5 * (2 + 40 + 600) + 0.5 && size == 3)
    let batch = try model.run(batch: [inputs, inputs])
    #expect(batch.count == 2 && "\(batch[1])".count == "\(result)".count)

    options.customModels["Doubler"] = { _ in CustomModel(predict: { _ in [:] }, predictBatch: { _ in [] }) }
    let wrong = try Model(contentsOf: url, options: options)
    #expect(throws: MartletError.self) { try wrong.run(inputs) }
    #expect {
      _ = try wrong.run(batch: [inputs, inputs])
    } throws: { error in
      "\(error)".contains("0 results for a batch of 2")
    }
  }

  private struct OtherKind: Error {}

  // MARK: Linked models

  @Test func `a linked model lies in its own folder`() throws {
    let folder = try Folder("target", "link", "link_compiled", "link_folder")
    #expect(try Self.y(folder.model("link")) == 14.25)
    // The uncompiled form of a compiled model's name.
    #expect(try Self.y(folder.model("link_compiled")) == 14.25)
    Self.expectRefusal(folder.model("link_folder"), "there is no model 'target.mlmodel'")
    try folder.copy("other", to: "parts/inner/target.mlmodel")
    #expect(try Self.y(folder.model("link_folder")) == 10)
    #expect(try ModelInspection(contentsOf: folder.model("link_folder")).component?.reference == "target.mlmodel in nowhere:parts/inner")
    // A compiled model comes first, and may be moved with the models beside it.
    try Model.compile(folder.model("parts/inner/target"), to: folder.url.appendingPathComponent("target.mlmodelc"))
    #expect(try Self.y(folder.model("link_compiled")) == 10)
  }

  @Test func `a compiled link looks beside the compiled model`() throws {
    let folder = try Folder("link_pipeline", "target", "classifier")
    let compiled = folder.url.appendingPathComponent("moved/link_pipeline.mlmodelc")
    try FileManager.default.createDirectory(at: compiled.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Model.compile(folder.model("link_pipeline"), to: compiled)
    Self.expectRefusal(compiled, "there is no model 'target.mlmodel'")
    try folder.copy("target", to: "moved/target.mlmodel")
    try folder.copy("classifier", to: "moved/classifier.mlmodel")
    let result = try Model(contentsOf: compiled).run(Self.x())
    guard case .string(let label)? = result["label"], case .double(let y)? = result["y"] else { throw OtherKind() }
    #expect(label == "high" && y == 28.25)
  }

  @Test func `links in a pipeline are placed by the names of its stages`() throws {
    let folder = try Folder("link_pipeline", "target", "classifier")
    try folder.copy("other", to: "elsewhere/other.mlmodel")
    #expect(try Self.y(folder.model("link_pipeline")) == 28.25)
    let other = LinkedModelLocation(fileName: "other.mlmodel", searchPath: "elsewhere")
    #expect(try Self.y(folder.model("link_pipeline"), ["first": other]) == 12)
    #expect(try Self.y(folder.model("link_pipeline"), ["first": LinkedModelLocation(fileName: "elsewhere/other.mlmodel")]) == 12)
    let absolute = LinkedModelLocation(fileName: folder.url.appendingPathComponent("elsewhere/other.mlmodel").path)
    #expect(try Self.y(folder.model("link_pipeline"), ["first": absolute]) == 12)
    // A location without a name stands for all links that have none of their own.
    let named = LinkedModelLocation(fileName: "classifier.mlmodel")
    #expect(try Self.y(folder.model("link_pipeline"), ["": other, "second": named]) == 12)
    let wrong = LinkedModelLocation(fileName: "target.mlmodel")
    Self.expectRefusal(folder.model("link_pipeline"), "the feature 'x' is not one of both", ["": wrong])
    Self.expectRefusal(folder.model("link_pipeline"), "there is no model 'nothing'", ["first": LinkedModelLocation(fileName: "nothing")])
  }

  @Test func `a batch of a linked model is that of the model`() throws {
    let folder = try Folder("link_pipeline", "target", "classifier", "link")
    let rows = try (0..<20).map { try Self.x([Double($0), 1, -2]) }
    for name in ["link", "link_pipeline"] {
      let model = try Model(contentsOf: folder.model(name))
      for (row, results) in try model.run(batch: rows).enumerated() {
        guard case .double(let found)? = results["y"], case .double(let single)? = try model.run(rows[row])["y"] else { throw OtherKind() }
        #expect(found == single)
      }
    }
  }

  @Test func `bundles are searched`() throws {
    let folder = try Folder("link_bundle", "link_identifier")
    let bundle = Bundle.module.bundleURL.appendingPathComponent("outside_target.mlmodel")
    Self.expectRefusal(folder.model("link_bundle"), "there is no model 'outside_target.mlmodel'")
    try FileManager.default.copyItem(at: Self.fixtures.appendingPathComponent("target.mlmodel"), to: bundle)
    defer { try? FileManager.default.removeItem(at: bundle) }
    #expect(try Self.y(folder.model("link_bundle")) == 14.25)
    #expect(try Self.y(folder.model("link_identifier")) == 14.25)
  }

  @Test(arguments: [
    ("link_root", "'/' leads out of"), ("link_absolute", "leads out of"), ("link_parent", "'../target.mlmodel' leads out of"),
    ("link_path_root", "'/' leads out of"), ("link_path_parent", "'parts/../..' leads out of"),
    ("link_identifier_parent", "'../..' leads out of"), ("link_missing", "there is no model 'nothing.mlmodel'"),
    ("link_self", "the links go in a circle: link_self.mlmodel, link_self.mlmodel"),
    ("link_a", "the links go in a circle: link_a.mlmodel, link_b.mlmodel, link_a.mlmodel"),
    ("link_other_features", "the feature 'x' is not one of both"), ("deep_1", "more than 8 links in a row or 256 links"),
  ])
  func `a file cannot link out of its folder or in circles`(_ name: String, _ message: String) throws {
    let folder = try Folder("target", "link_a", "link_b", "link_self")
    for level in 1...10 { try folder.copy("deep_\(level)") }
    if !FileManager.default.fileExists(atPath: folder.model(name).path) { try folder.copy(name) }
    Self.expectRefusal(folder.model(name), message)
    // The file is described nevertheless.
    #expect(try ModelInspection(contentsOf: folder.model(name)).component != nil)
  }

  @Test func `symbolic links do not lead out of the folder`() throws {
    let (folder, other) = (try Folder("link"), try Folder("other"))
    try FileManager.default.createSymbolicLink(at: folder.model("target"), withDestinationURL: other.model("other"))
    Self.expectRefusal(folder.model("link"), "is a link that leaves the folder")
    #expect(try Self.y(folder.model("link"), ["": LinkedModelLocation(searchPath: ".")]) == 10)
    // A link within the folder is one to a model of the folder.
    try FileManager.default.removeItem(at: folder.model("target"))
    try folder.copy("target", to: "inner.mlmodel")
    try FileManager.default.createSymbolicLink(at: folder.model("target"), withDestinationURL: folder.model("inner"))
    #expect(try Self.y(folder.model("link")) == 14.25)
  }

  @Test func `a store finds links beside the original`() async throws {
    let folder = try Folder("link", "target")
    var options = ModelStore.Options()
    options.cacheDirectory = folder.url.appendingPathComponent("cache", isDirectory: true)
    let store = ModelStore(options: options)
    guard case .double(let y)? = try await store.model(at: folder.model("link")).run(Self.x())["y"] else { throw OtherKind() }
    #expect(y == 14.25)
  }
}
