import Foundation
import MartletBytes
import MartletExecuTorchFile
import Testing

/// Reads a whole folder of models, named by `MARTLET_MODELS`; folders named `error_*` hold files that may be refused.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["MARTLET_MODELS"] != nil))
struct RecordedModelTests {
  private func files() -> [String] {
    let root = ProcessInfo.processInfo.environment["MARTLET_MODELS"] ?? ""
    let paths = FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []
    return paths.filter { $0.hasSuffix(".pte") || $0.hasSuffix(".ptd") || $0.hasSuffix(".bpte") }.map { root + "/" + $0 }
  }

  @Test func `Every recorded file is read`() throws {
    let paths = files()
    #expect(!paths.isEmpty)
    for path in paths where !path.contains("/error_") {
      do {
        let file = try MappedFile(contentsOfPath: path).bytes
        switch ExecuTorchFileKind(of: file) {
        case .program: _ = try ExecuTorchProgram(file)
        case .flatTensor: _ = try FlatTensorFile(file)
        case .bundledProgram: _ = try ExecuTorchProgram(BundledProgram(file).program)
        case nil: Issue.record("\(path) is of no known kind")
        }
      } catch {
        Issue.record("\(error)")
      }
    }
    print("\(paths.count) files")
  }
}
