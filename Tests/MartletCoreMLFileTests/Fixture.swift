import Foundation
import MartletBytes
import MartletCoreMLFile
import Testing

/// The models that `Oracles/make_coreml_fixtures.py` writes.
enum Fixture {
  private static var folder: URL { Bundle.module.resourceURL!.appendingPathComponent("Fixtures") }

  /// Names of packages with a program, without their extension; each is there in compiled form too.
  static let programs = ["classifier", "control_flow", "flexible", "functions", "linear", "state", "types", "types_v1"]

  static func path(_ name: String) -> String { folder.appendingPathComponent(name).path }

  static func model(_ name: String) throws -> CoreMLModel { try CoreMLModel(contentsOfPath: path(name)) }

  static func program(_ name: String) throws -> MILProgram { try #require(model(name).program) }

  /// The files of a folder by their relative paths, to be damaged one by one.
  static func files(_ name: String) throws -> [String: [UInt8]] {
    let root = path(name)
    var files: [String: [UInt8]] = [:]
    for relative in try FileManager.default.subpathsOfDirectory(atPath: root) {
      if let file = try? MappedFile(contentsOfPath: root + "/" + relative) { files[relative] = file.bytes.array }
    }
    return files
  }

  /// Reads the model in `files`, and every byte that it hands on.
  static func read(_ files: [String: [UInt8]]) throws(FileError) -> CoreMLModel {
    let views = files.reduce(into: [:]) { $0[$1.key] = MappedFile(copying: $1.value, name: $1.key).bytes }
    let model = try CoreMLModel(CoreMLFolder(files: views, name: "test"))
    if let program = model.program { _ = ModelDump.text(program) }
    return model
  }

  /// The error of reading `files`; an issue when there is none.
  static func error(_ files: [String: [UInt8]], sourceLocation: SourceLocation = #_sourceLocation) -> FileError? {
    do throws(FileError) {
      _ = try read(files)
      Issue.record("the model was read", sourceLocation: sourceLocation)
      return nil
    } catch {
      return error
    }
  }
}

extension MILFunction {
  /// The value of the constant that the operation with the output `name` makes.
  func constant(_ name: String) throws -> MILTensor {
    let operation = try #require(block.operations.first { $0.outputs.first?.name == name })
    #expect(operation.type == "const")
    return try #require(operation.attributes["val"]?.tensor)
  }

  func operation(_ type: String) throws -> MILOperation {
    try #require(block.operations.first { $0.type == type })
  }
}
