import Foundation
import MartletBytes
import MartletCoreMLFile
import Testing

#if os(Linux)
  @Suite struct MemoryTests {
    /// The largest resident size so far, in bytes.
    private func peak() throws -> Int {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
      return try #require(Int(line.split(separator: " ")[1])) * 1024
    }

    /// A network of one inner product. Path to the values: NeuralNetwork.layers > innerProduct > weights > floatValue.
    private func model(weightByteCount: Int) throws -> [UInt8] {
      let weights = serializedField(1, [UInt8](repeating: 1, count: weightByteCount))
      let sizes = [8, 1, 16] + serializedNumber(weightByteCount / 4)
      let layer = serializedField(2, [120]) + serializedField(3, [121]) + serializedField(140, sizes + serializedField(20, weights))
      return try NetworkSample.serialized(serializedField(1, layer))
    }

    // In a process of its own: what other tests take at the same time would count.
    @Test func `A network's weights stay in the file`() async {
      await #expect(processExitsWith: .success) {
        let tests = MemoryTests()
        let weightByteCount = 64 << 20
        let model = try tests.model(weightByteCount: weightByteCount)
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("martlet-\(UUID().uuidString).mlmodel").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        // The code that reads a model takes memory when it first runs.
        try Data(tests.model(weightByteCount: 64)).write(to: URL(fileURLWithPath: path))
        _ = try CoreMLModel(contentsOfPath: path)
        try Data(model).write(to: URL(fileURLWithPath: path))

        // Ends the counting of what building the file took.
        try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        let before = try tests.peak()
        let loaded = try CoreMLModel(contentsOfPath: path)
        let growth = try tests.peak() - before
        #expect(loaded.kind == .neuralNetwork)
        #expect(growth < weightByteCount / 8)
      }
    }
  }
#endif
