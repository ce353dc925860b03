import Foundation
import Martlet
import MartletFuzzing
import MartletModelFuzzing
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

  /// The same files and those that the fuzzers kept, from disk, through everything that reads a model.
  ///
  /// In a process of its own, which the system gives no more memory than that.
  @Test func `The files are inspected, dumped, planned, compiled and run within 2 GiB`() async {
    let result = await #expect(processExitsWith: .success, observing: [\.standardErrorContent]) {
      var limit = rlimit(rlim_cur: 2 << 30, rlim_max: 2 << 30)
      // Memory that the process may write to; in contrast to the address space, mapped files and reserved addresses do not count.
      guard unsafe setrlimit(__rlimit_resource_t(2), &limit) == 0 else { exit(3) }
      let folder = FileManager.default.temporaryDirectory.appendingPathComponent("martlet-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(at: folder) }
      var probe = EngineProbe()
      probe.options.memoryLimit = 1 << 30
      probe.options.callLimits = ModelOptions().callLimits
      var count = 0
      for file in try HostileFileTests.keptFiles() {
        // The last line names the file that ends the process.
        FileHandle.standardError.write(Data("\(file.lastPathComponent)\n".utf8))
        _ = try probe.run(contentsOf: file, seed: 0, compilingInto: folder)
        // Files of fuzzers have no name that tells their kind.
        _ = try probe.run([UInt8](try Data(contentsOf: file)), seed: 1)
        count += 1
      }
      guard count > 40 else { exit(4) }
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      guard let line = status.split(separator: "\n").first(where: { $0.hasPrefix("VmHWM:") }), let peak = Int(line.split(separator: " ")[1])
      else { exit(5) }
      guard peak <= 2 << 20 else { exit(6) }
    }
    if let text = result.map({ String(decoding: $0.standardErrorContent, as: UTF8.self) }), result?.exitStatus != .exitCode(0) {
      Issue.record("the process ended at \(text.split(separator: "\n").last ?? "the start")")
    }
  }

  /// Models in the folder of hostile files, and all files that the fuzzers kept.
  private static func keptFiles() throws -> [URL] {
    var files = try FileManager.default.contentsOfDirectory(
      at: fixtures.appendingPathComponent("hostile"), includingPropertiesForKeys: nil)
    let kept = fixtures.deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("Fuzz/FailCases")
    for folder in try FileManager.default.contentsOfDirectory(at: kept, includingPropertiesForKeys: nil) {
      files += try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    }
    return files.filter { !$0.lastPathComponent.hasPrefix(".") }.sorted { $0.path < $1.path }
  }

  /// Each file has the fault of one of ExecuTorch's security advisories of 2025; see `Oracles/make_hostile_files.py`.
  @Test(arguments: [
    // CVE-2025-30402
    ("tensor_byte_count_overflows.pte", "execution_plan[0].values[0].val.sizes: the element count of [2147483647, 2147483647,"),
    // CVE-2025-30404
    ("planned_memory_beyond_addresses.pte", "execution_plan[0].non_const_buffer_sizes: 9223372036854775807 bytes of planned memory"),
    // CVE-2025-30405
    ("planned_offset_overflows.pte", "values[0].val.allocation_info.memory_offset_low: 60 bytes from byte 18446744073709551600 exceed"),
    // CVE-2025-54949
    ("row_larger_than_its_target.pte", "et_copy_index.tensor #0): float32[4096] is not a slice of float32[3, 5]"),
    ("row_beyond_its_target.pte", "et_copy_index.tensor #0): the integer 4611686018427387904 is too large"),
    // CVE-2025-54950
    ("kernel_arguments_missing.pte", "aten::add.out (instruction 0 of chain 0): has 2 arguments, argument 'alpha' is missing"),
    ("primitive_arguments_missing.pte", "executorch_prim::add.Scalar (instruction 1 of chain 0): has 1 arguments, argument 'b' is missing"),
    // CVE-2025-54951
    ("rank_too_large.pte", "method forward, inputs and outputs: a tensor has 200 axes, more than 16"),
    // CVE-2025-54952
    ("list_longer_than_memory.pte", "instructions[0].instr_args.args: a vector of 4294967295 elements of 4 bytes exceeds"),
  ])
  func `The faults of ExecuTorch's advisories are errors that name file and field`(_ name: String, _ message: String) throws {
    let error = try #require(throws: MartletError.self) {
      let model = try Model(contentsOf: Self.fixtures.appendingPathComponent("hostile/\(name)"))
      for method in model.methods {
        let inputs = try method.inputs.map { input in
          guard case .tensor(let type, let shape, _) = input.kind else { throw MartletError.invalidFile("an input is no tensor") }
          return ModelValue.tensor(try Tensor(zeros: type, shape: shape))
        }
        _ = try model.run(inputs, method: method.name)
      }
    }
    #expect(error.message.contains(name) && error.message.contains(message), "\(error)")
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
      for (seed, damaged) in DamagedFiles([UInt8](data), count: 4, mutation: ModelFileMutator.mutation).enumerated() {
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

  @Test(
    arguments: [
      (.network, "network"), (.tree, "classic"), (.vector, "classic"), (.pipeline, "classic"), (.link, "outside"), (.espresso, "espresso"),
      (.compiled, "classic"), (.compiled, "network"), (.mps, "mps/payloads"),
    ] as [(ModelCorpus.Kind, String)])
  func `Changed models of other kinds are run or refused`(_ kind: ModelCorpus.Kind, _ folder: String) throws {
    let corpus = try ModelCorpus([Self.fixtures.appendingPathComponent(folder).path], kinds: [kind])
    var probe = EngineProbe()
    probe.hasCustomCode = true
    var outcomes: [EngineProbe.Outcome: Int] = [:]
    for number in 0..<200 as Range<UInt64> {
      let mutant = corpus.mutant(number)
      let outcome =
        mutant.files.isEmpty ? try probe.run(mutant.bytes, seed: number) : try probe.run(files: mutant.files, seed: number)
      outcomes[outcome, default: 0] += 1
    }
    #expect(outcomes[.refusedByReader, default: 0] > 10)
    #expect(outcomes[.refusedByCompiler, default: 0] > 0)
    // What links lead to does not lie in memory.
    #expect(outcomes[.ran, default: 0] > 10 || kind == .link)
  }
}
