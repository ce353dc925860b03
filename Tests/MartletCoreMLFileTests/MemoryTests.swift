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

    @Test func `Loading a network's weights takes less than 2.2 times the file`() throws {
      let weightByteCount = 64 << 20
      // NeuralNetwork.layers > innerProduct > weights > floatValue, and a description with one input.
      let weights = field(1, [UInt8](repeating: 1, count: weightByteCount))
      let model = [8, 4] + field(2, []) + field(500, field(1, field(140, field(20, weights))))
      let path = FileManager.default.temporaryDirectory.appendingPathComponent("martlet-\(UUID().uuidString).mlmodel").path
      defer { try? FileManager.default.removeItem(atPath: path) }
      try Data(model).write(to: URL(fileURLWithPath: path))

      // Ends the counting of what building the file took.
      try? "5".write(toFile: "/proc/self/clear_refs", atomically: false, encoding: .utf8)
      let before = try peak()
      let loaded = try CoreMLModel(contentsOfPath: path)
      let growth = try peak() - before
      #expect(loaded.kind == .neuralNetwork)
      #expect(growth > weightByteCount / 2)
      #expect(Double(growth) < 2.2 * Double(model.count))
    }
  }
#endif
