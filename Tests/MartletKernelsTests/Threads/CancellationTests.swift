import MartletKernels
import MartletTensor
import Testing

struct CancellationTests {
  private func context(_ cancellation: Cancellation?, _ body: (KernelContext) throws -> Void) rethrows {
    let buffers = UnsafeMutablePointer<UnsafeMutableRawPointer>.allocate(capacity: 1)
    let slots = UnsafeMutablePointer<UInt64>.allocate(capacity: 1)
    defer {
      unsafe buffers.deallocate()
      unsafe slots.deallocate()
    }
    try body(unsafe KernelContext(buffers: buffers, slots: slots, team: nil, cancellation: cancellation))
  }

  @Test(arguments: [0, 1, 9, 10, 11, 95])
  func `Ranges on one thread cover all items in order`(count: Int) {
    context(Cancellation()) { context in
      var items: [Int] = []
      context.inRanges(count, grain: 10) { range in
        #expect(range.count <= 10)
        items += range
      }
      #expect(items == Array(0..<count))
    }
  }

  @Test func `Ranges on one thread end when the call is cancelled`() {
    let cancellation = Cancellation()
    context(cancellation) { context in
      var items = 0
      context.inRanges(100, grain: 10) { range in
        items += range.count
        if items == 30 { cancellation.cancel() }
      }
      #expect(items == 30)
    }
  }

  @Test func `Ranges of a call that can be cancelled are short`() {
    context(Cancellation()) { context in
      var longest = 0
      var items = 0
      context.parallelRanges(100_000, grain: 10) { range, _ in
        longest = max(longest, range.count)
        items += range.count
      }
      #expect(items == 100_000)
      #expect(longest <= 650)
      longest = 0
      context.parallelRanges(100, grain: 1, largest: 2) { range, _ in longest = max(longest, range.count) }
      #expect(longest == 2)
    }
    context(nil) { context in
      context.parallelRanges(100_000, grain: 10) { range, _ in #expect(range == 0..<100_000) }
    }
  }

  @Test func `Chunks of a large product are short and of a small one few`() {
    #expect(WorkSplit.chunkCount(flops: 1e5, largest: 5e8) == 1)
    #expect(WorkSplit.chunkCount(flops: 1e9, largest: 5e8) == 12)
    #expect(WorkSplit.chunkCount(flops: 1e12, largest: 5e8) == 2000)
    #expect(WorkSplit.chunkCount(flops: .infinity, largest: 5e8) == 65_536)
  }
}
