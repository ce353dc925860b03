import Foundation
import MartletBytes
import MartletCoreMLFile
import Testing

/// Reads a whole folder of models, named by `MARTLET_COREML_MODELS`. Where `X.mlpackage` has a sibling `X.mlmodelc`, both must hold
/// the same program.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["MARTLET_COREML_MODELS"] != nil))
struct RecordedModelTests {
  private func models() throws -> [String] {
    let root = ProcessInfo.processInfo.environment["MARTLET_COREML_MODELS"] ?? ""
    return try FileManager.default.contentsOfDirectory(atPath: root).sorted().flatMap { name in
      let folder = root + "/" + name
      let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
      return files.filter { $0.contains(".mlmodel") || $0.hasSuffix(".mlpackage") }.map { folder + "/" + $0 }
    }
  }

  @Test func `Every recorded model is read`() throws {
    let paths = try models()
    #expect(!paths.isEmpty)
    for path in paths {
      do {
        let model = try CoreMLModel(contentsOfPath: path)
        for function in model.program?.functions ?? [] { #expect(function.opsetVersion != nil) }
        let compiled = path.replacingOccurrences(of: ".mlpackage", with: ".mlmodelc")
        if compiled != path, FileManager.default.fileExists(atPath: compiled), let program = model.program {
          let other = try CoreMLModel(contentsOfPath: compiled)
          let isSame = try ModelDump.text(program) == ModelDump.text(#require(other.program))
          #expect(isSame, "\(path)")
          #expect(other.description == model.description)
        }
      } catch {
        Issue.record("\(error)")
      }
    }
  }
}
