import Foundation
import MartletBytes
import MartletCoreMLFile
import Testing

#if os(Linux)
  @Suite struct MemoryTests {
    /// A protobuf field with a length.
    private func field(_ number: Int, _ content: [UInt8]) -> [UInt8] { varint(number << 3 | 2) + varint(content.count) + content }

    private func varint(_ value: Int) -> [UInt8] {
      value < 128 ? [UInt8(value)] : [UInt8(value & 127) | 128] + varint(value >> 7)
    }

    /// The largest resident size so far, in bytes.
    private func peak() throws -> Int {
      let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
      let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
      return try #require(Int(line.split(separator: " ")[1])) * 1024
    }

    // In a process of its own: what other tests take at the same time would count.
    @Test func `Loading a network's weights takes less than 2.2 times the file`() async {
      await #expect(processExitsWith: .success) {
        let tests = MemoryTests()
        let weightByteCount = 64 << 20
        // NeuralNetwork.layers > innerProduct > weights > floatValue, and a description with one input.
        let weights = tests.field(1, [UInt8](repeating: 1, count: weightByteCount))
        let model = [8, 4] + tests.field(2, []) + tests.field(500, tests.field(1, tests.field(140, tests.field(20, weights))))
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("martlet-\(UUID().uuidString).mlmodel").path
        defer { try? FileManager.default.removeItem(atPath: path) }
        try Data(model).write(to: URL(fileURLWithPath: path))

        // Ends the counting of what building the file took.
        try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
        let before = try tests.peak()
        let loaded = try CoreMLModel(contentsOfPath: path)
        let growth = try tests.peak() - before
        #expect(loaded.kind == .neuralNetwork)
        #expect(growth > weightByteCount / 2)
        #expect(Double(growth) < 2.2 * Double(model.count))
      }
    }
  }
#endif
