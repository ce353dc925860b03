import Foundation
import Martlet
import Testing

@Suite final class SystemMemoryTests {
  private let root = FileManager.default.temporaryDirectory.appendingPathComponent("martlet-memory-\(UUID().uuidString)")

  deinit { try? FileManager.default.removeItem(at: root) }

  private func write(_ files: [String: String]) throws {
    for (path, text) in files {
      let file = root.appendingPathComponent(path)
      try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
  }

  private var memory: SystemMemory {
    SystemMemory(processes: root.appendingPathComponent("proc").path, groups: root.appendingPathComponent("groups").path)
  }

  @Test func `The tightest control group or the machine decides`() throws {
    #expect(memory.available == nil)
    try write(["proc/meminfo": "MemTotal:  2000 kB\nMemAvailable:   1000 kB\n"])
    #expect(memory.available == 1000 * 1024)
    try write([
      "proc/self/cgroup": "0::/outer/inner\n", "groups/outer/inner/memory.current": "600000\n", "groups/outer/inner/memory.max": "max\n",
      "groups/outer/memory.current": "700000\n", "groups/outer/memory.max": "900000\n",
      "groups/outer/memory.stat": "anon 1\ninactive_file 50000\n",
    ])
    #expect(memory.available == 250_000)
    try write(["groups/outer/inner/memory.high": "610000\n"])
    #expect(memory.available == 10_000)
    try write(["groups/outer/inner/memory.high": "500000\n"])
    #expect(memory.available == 0)
  }

  @Test func `Groups of the first version`() throws {
    try write([
      "proc/meminfo": "MemAvailable: 1000 kB\n", "proc/self/cgroup": "3:cpu:/x\n2:memory:/app\n0::/\n",
      "groups/memory/app/memory.usage_in_bytes": "1000\n", "groups/memory/app/memory.limit_in_bytes": "5000\n",
      "groups/memory/app/memory.stat": "total_inactive_file 100\n",
      "groups/memory/memory.usage_in_bytes": "9000\n", "groups/memory/memory.limit_in_bytes": "9223372036854771712\n",
    ])
    #expect(memory.available == 4100)
  }

  @Test func `Nonsense counts as nothing`() throws {
    for text in ["", "-1", "x", "99999999999999999999999"] {
      try write([
        "proc/meminfo": "MemAvailable: \(text) kB\n", "proc/self/cgroup": "0::/a\n", "groups/a/memory.current": text,
        "groups/a/memory.max": text,
      ])
      #expect(memory.available.map { $0 == 0 } ?? true)
    }
  }

  @Test func `The default limit is less than what is available`() {
    #expect(SystemMemory.budget > 0)
    #expect(ModelOptions().effectiveMemoryLimit <= SystemMemory.budget)
    var options = ModelOptions()
    options.memoryLimit = 1234
    #expect(options.effectiveMemoryLimit == 1234)
  }
}
