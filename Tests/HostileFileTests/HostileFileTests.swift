import Foundation
import Martlet
import MartletFuzzing
import Testing

/// Files with content that no exporter writes give a result or a typed error.
@Suite struct HostileFileTests {
  private static let fixtures = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Fixtures")

  /// Files that once stopped the process, took its memory or ran for ever.
  @Test func `The files that fuzzing found are run or refused`() throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: Self.fixtures.appendingPathComponent("hostile"), includingPropertiesForKeys: nil)
    #expect(!files.isEmpty)
    for file in files.sorted(by: { $0.path < $1.path }) {
      let bytes = [UInt8](try Data(contentsOf: file))
      for seed in 0..<8 as Range<UInt64> { _ = try EngineProbe().run(bytes, seed: seed) }
    }
  }

  /// The same files from disk, through inspection and plans as well.
  @Test func `The files are inspected, planned and run within 2 GiB`() throws {
    let files = try FileManager.default.contentsOfDirectory(
      at: Self.fixtures.appendingPathComponent("hostile"), includingPropertiesForKeys: nil)
    var probe = EngineProbe()
    probe.options.memoryLimit = 2 << 30
    probe.options.callLimits = ModelOptions().callLimits
    for file in files where ["pte", "mlmodel"].contains(file.pathExtension) { _ = try probe.run(contentsOf: file, seed: 0) }
  }

  @Test(arguments: ["inf_const.pte", "inf_mm.pte"])
  func `A loop whose condition no iteration changes is refused`(_ name: String) throws {
    let model = try Model(contentsOf: Self.fixtures.appendingPathComponent("hostile/\(name)"))
    let input = try Tensor(zeros: .float32, shape: name == "inf_mm.pte" ? [1024, 1024] : [4])
    let error = try #require(throws: MartletError.self) { try model.run([.tensor(input)]) }
    #expect(error.message.contains("the loop never ends"), "\(error)")
  }

  @Test func `Damaged programs are run or refused`() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.fixtures.appendingPathComponent("ops").path).sorted()
    var outcomes: [EngineProbe.Outcome: Int] = [:]
    for name in names {
      let path = Self.fixtures.appendingPathComponent("ops/\(name)/model.pte")
      guard let data = try? Data(contentsOf: path) else { continue }
      for (seed, damaged) in DamagedFiles([UInt8](data), count: 4).enumerated() {
        outcomes[try EngineProbe().run(damaged, seed: UInt64(seed)), default: 0] += 1
      }
    }
    // Damage of every depth: files that cannot be read, programs that cannot be planned, and runs.
    #expect(outcomes[.refusedByReader, default: 0] > 100)
    #expect(outcomes[.refusedByCompiler, default: 0] > 100)
    #expect(outcomes[.ran, default: 0] > 100)
  }

  @Test func `Changed ML Programs are run or refused`() throws {
    let folder = Self.fixtures.appendingPathComponent("mil")
    var outcomes: [EngineProbe.Outcome: Int] = [:]
    for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
      let model = folder.appendingPathComponent("\(name)/model.mlpackage/Data/com.apple.CoreML/model.mlmodel")
      let weights = model.deletingLastPathComponent().appendingPathComponent("weights/weight.bin")
      // Those that are whole without files beside them.
      guard !FileManager.default.fileExists(atPath: weights.path), let data = try? Data(contentsOf: model) else { continue }
      for seed in 0..<16 as Range<UInt64> {
        outcomes[try EngineProbe().run(CoreMLMutator.mutate([UInt8](data), seed: seed), seed: seed), default: 0] += 1
      }
    }
    #expect(outcomes[.refusedByReader, default: 0] > 20)
    #expect(outcomes[.refusedByCompiler, default: 0] > 10)
    #expect(outcomes[.ran, default: 0] > 30)
  }
}
