import Foundation
import MartletKernels
import MartletPixels
import Testing

struct ScratchMemoryTests {
  /// On the stack, in a block that is shared by similar sizes, and larger than any that is kept.
  @Test(arguments: [0, 1, 1_024, 1_025, 5_000, 3 << 20, 40 << 20])
  func `memory holds what was asked for, within another use of it`(count: Int) {
    ScratchMemory.with(UInt8.self, capacity: count) { outer in
      unsafe outer.initialize(repeating: 1, count: count)
      ScratchMemory.with(Float.self, capacity: count / 4) { inner in
        unsafe inner.initialize(repeating: 2, count: count / 4)
        #expect(unsafe UInt(bitPattern: inner) % UInt(MemoryLayout<Float>.alignment) == 0)
      }
      // Each element equals the next one.
      #expect(unsafe count == 0 || outer[0] == 1 && memcmp(outer, outer + 1, count - 1) == 0)
    }
  }

  @Test func `a block is used again`() {
    func address() -> UInt { ScratchMemory.with(UInt8.self, capacity: 100_000) { unsafe UInt(bitPattern: $0) } }
    // Other tests may hold a block at times.
    #expect((0..<20).contains { _ in address() == address() })
  }

  @Test func `threads have memory of their own`() {
    ThreadPool().run(64) { chunk, _ in
      ScratchMemory.with(Int.self, capacity: 4_000) { memory in
        unsafe memory.initialize(repeating: chunk, count: 4_000)
        #expect(unsafe (0..<4_000).allSatisfy { unsafe memory[$0] == chunk })
      }
    }
  }
}
