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

  @Test func `Every recorded file is read, with the payloads of its XNNPACK delegates`() throws {
    let paths = files()
    #expect(!paths.isEmpty)
    for path in paths where !path.contains("/error_") {
      do {
        let file = try MappedFile(contentsOfPath: path).bytes
        switch ExecuTorchFileKind(of: file) {
        case .program: try readProgram(ExecuTorchProgram(file), folder: (path as NSString).deletingLastPathComponent)
        case .flatTensor: _ = try FlatTensorFile(file)
        case .bundledProgram: _ = try ExecuTorchProgram(BundledProgram(file).program)
        case nil: Issue.record("\(path) is of no known kind")
        }
      } catch {
        Issue.record("\(error)")
      }
    }
  }

  private func readProgram(_ program: ExecuTorchProgram, folder: String) throws {
    let dataFiles = try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".ptd") }
    let external = try ExternalData(program: program, files: dataFiles.map { try FlatTensorFile(contentsOfPath: folder + "/" + $0) })
    for plan in program.plans {
      for case .tensor(let tensor) in plan.values {
        guard case .external(let name, _) = tensor.data else { continue }
        let data = try external.tensorData(named: name, layout: tensor.layout, program: program)
        #expect(data.count == tensor.layout.byteCount)
      }
      for delegate in plan.delegates where delegate.id == "XnnpackBackend" {
        let graph = try XNNPACKGraph(delegate.payload, namedData: external.data(named:))
        #expect(!graph.nodes.isEmpty)
        #expect(!graph.outputs.isEmpty)
      }
    }
  }
}
