import Foundation
import MartletKernels
import Testing

struct CacheTests {
  @Test func `the sizes of caches are plausible and grow from level to level`() {
    let profile = MachineProfile.current
    let sizes = profile.cacheByteCounts
    #expect(sizes.count == 3)
    #expect((profile.cacheSource == nil) == (sizes[1] == nil))
    for (level, size) in sizes.enumerated() {
      if let size { #expect(MachineProfile.plausibleCache(level: level + 1, byteCount: size) == size) }
    }
    if let first = sizes[0], let second = sizes[1] { #expect(first <= second) }
  }

  /// What a virtual machine may report instead of a cache.
  @Test(arguments: [(2, 0), (2, -1), (2, 4096), (2, 1 << 40), (1, 64 << 20), (3, 1), (0, 1 << 20), (4, 1 << 20), (2, Int.max)])
  func `nonsense is not a size`(level: Int, byteCount: Int) {
    #expect(MachineProfile.plausibleCache(level: level, byteCount: byteCount) == nil)
  }

  #if os(Linux)
    /// The system's own reading of the same registers.
    @Test func `the system knows the same second level`() throws {
      let folder = "/sys/devices/system/cpu/cpu0/cache"
      func text(_ index: Int, _ name: String) -> String? {
        try? String(contentsOfFile: "\(folder)/index\(index)/\(name)", encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
      }
      for index in 0..<8 where text(index, "level") == "2" {
        guard let size = text(index, "size"), let kibibytes = Int(size.dropLast()), size.last == "K",
          let shared = text(index, "shared_cpu_list"), ["0", "0-1"].contains(shared)
        else { continue }
        #expect(MachineProfile.current.cacheByteCounts[1] == kibibytes << 10)
      }
    }
  #endif

  @Test func `a block takes half of the cache within bounds`() {
    let block = MachineProfile.current.cacheBlockByteCount
    #expect((128 << 10...2 << 20).contains(block))
    if let size = MachineProfile.current.cacheByteCounts[1], (256 << 10...4 << 20).contains(size) { #expect(block == size / 2) }
  }
}
