import Foundation
import MartletBytes
import MartletCoreMLFile
import Testing

/// Damaged models give an error that names the part, or a result, and never stop the process or read out of bounds.
@Suite struct DamagedModelTests {
  private static let specification = "Data/com.apple.CoreML/model.mlmodel"
  private static let weights = "Data/com.apple.CoreML/weights/weight.bin"

  @Test(arguments: Fixture.programs)
  func `Every part of a package is needed, and its absence is an error with its name`(name: String) throws {
    let files = try Fixture.files(name + ".mlpackage")
    for part in files.keys {
      var rest = files
      rest[part] = nil
      let error = try #require(Fixture.error(rest))
      #expect(error.description.contains((part as NSString).lastPathComponent), "\(error)")
    }
  }

  @Test(arguments: ["linear_old.mlmodelc", "types_new.mlmodelc"])
  func `A compiled model needs its description, its program and its weights`(name: String) throws {
    let files = try Fixture.files(name)
    for part in ["coremldata.bin", "model.mil", "weights/weight.bin"] {
      var rest = files
      rest[part] = nil
      #expect(try #require(Fixture.error(rest)).description.contains(part))
    }
    var rest = files
    rest["metadata.json"] = nil
    #expect(try Fixture.read(rest).specificationVersion == Fixture.read(files).specificationVersion)
  }

  @Test(arguments: ["state.mlpackage", "classifier.mlpackage", "control_flow_new.mlmodelc", "functions_old.mlmodelc"])
  func `Files cut off or with any byte changed are read safely`(name: String) throws {
    let files = try Fixture.files(name)
    for (part, bytes) in files {
      for count in 0..<bytes.count {
        var damaged = files
        damaged[part] = Array(bytes.prefix(count))
        _ = try? Fixture.read(damaged)
      }
      for index in bytes.indices {
        var damaged = files
        damaged[part]?[index] ^= UInt8(truncatingIfNeeded: 1 << (index % 8))
        _ = try? Fixture.read(damaged)
      }
    }
  }

  @Test func `A model file cut off at any byte is refused`() throws {
    let files = try Fixture.files("linear.mlpackage")
    let bytes = try #require(files[Self.specification])
    for count in stride(from: 0, to: bytes.count, by: 3) {
      var damaged = files
      damaged[Self.specification] = Array(bytes.prefix(count))
      #expect(try #require(Fixture.error(damaged)).file.hasSuffix("model.mlmodel") || count == 0)
    }
  }

  @Test func `Weight files with a damaged header or record are refused with the field's name`() throws {
    let files = try Fixture.files("types.mlpackage")
    func error(at offset: Int, _ bytes: [UInt8]) throws -> String {
      var damaged = files
      damaged[Self.weights]?.replaceSubrange(offset..<offset + bytes.count, with: bytes)
      return try #require(Fixture.error(damaged)).description
    }
    #expect(try error(at: 4, [3]).contains("header.version: version 3 is not known"))
    #expect(try error(at: 64, [0]).contains("record.sentinel: there is no record here"))
    #expect(try error(at: 68, [99]).contains("record.dtype: 99 is not a known element type"))
    #expect(try error(at: 68, [5]).contains("the type is tensor<fp16, [11]> but 'weights/weight.bin' has bf16 at byte 64"))
    #expect(try error(at: 72, [21]).contains("has 21 bytes at byte 64"))
    #expect(try error(at: 72, [UInt8](repeating: 255, count: 8)).contains("record.offset"))
    #expect(try error(at: 80, [UInt8](repeating: 255, count: 8)).contains("record.offset"))
    #expect(try error(at: 80, [0, 0, 255]).contains("record.offset"))
    var short = files
    short[Self.weights] = Array(repeating: 0, count: 63)
    #expect(try #require(Fixture.error(short)).description.contains("header: 63 bytes are too few"))
  }

  @Test func `Manifests that do not lead to a model in the package are refused`() throws {
    let files = try Fixture.files("linear.mlpackage")
    func error(_ manifest: String) throws -> String {
      var damaged = files
      damaged["Manifest.json"] = Array(manifest.utf8)
      return try #require(Fixture.error(damaged)).description
    }
    func manifest(path: String) -> String { #"{"itemInfoEntries": {"a": {"path": "\#(path)"}}, "rootModelIdentifier": "a"}"# }
    #expect(try error("{}").contains("manifest: 'itemInfoEntries' is missing"))
    #expect(try error("[").contains("manifest: is not JSON"))
    #expect(try error(String(repeating: "[", count: 100_000)).contains("manifest"))
    #expect(try error(#"{"itemInfoEntries": {}, "rootModelIdentifier": "a"}"#).contains("there is no item 'a'"))
    #expect(try error(#"{"itemInfoEntries": 1, "rootModelIdentifier": "a"}"#).contains("'itemInfoEntries' has the wrong type"))
    #expect(try error(manifest(path: "elsewhere")).contains("elsewhere, model: is missing"))
    #expect(try error(manifest(path: "../../model.mlmodel")).contains("is not a path within the model"))
    #expect(try error(manifest(path: "")).contains("the model's path is empty"))
  }

  /// Inputs that once stopped the process, from `Fuzz/FailCases/FuzzCoreMLFile`.
  @Test func `Inputs that fuzzing found are read safely in every part they could be`() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../Fuzz/FailCases/FuzzCoreMLFile")
    let package = try Fixture.files("linear.mlpackage")
    let compiled = try Fixture.files("linear_new.mlmodelc")
    for name in try FileManager.default.contentsOfDirectory(atPath: root.path) where !name.hasPrefix(".") {
      let bytes = [UInt8](try Data(contentsOf: root.appendingPathComponent(name)))
      for files in [package, compiled] {
        for part in files.keys {
          var damaged = files
          damaged[part] = bytes
          _ = try? Fixture.read(damaged)
        }
      }
    }
  }

  @Test func `What is no model at all is refused`() throws {
    #expect(throws: FileError.self) { try CoreMLModel(contentsOfPath: "/nonexistent.mlmodel") }
    #expect(throws: FileError.self) { try CoreMLModel(contentsOfPath: FileManager.default.temporaryDirectory.path) }
    let noise = MappedFile(copying: (0..<500).map { UInt8(truncatingIfNeeded: $0 &* 37) }).bytes
    #expect(throws: FileError.self) { try CoreMLModel(specification: noise, weights: nil) }
    let empty = MappedFile(copying: [8, 6]).bytes
    do throws(FileError) {
      _ = try CoreMLModel(specification: empty, weights: nil)
      Issue.record("was read")
    } catch {
      #expect(error.reason == "the file contains no model")
    }
  }
}
