import MartletKernels
import Testing

struct ProcessorPeakTests {
  /// The smoke tests of the command line do the same at each instruction set.
  @Test(arguments: ProcessorPeak.Arithmetic.allCases)
  func `no peak is above what the clock allows`(_ arithmetic: ProcessorPeak.Arithmetic) {
    let peak = ProcessorPeak(threads: 1)
    guard peak.unit(arithmetic) != nil else { return }
    // Other work on the machine makes the clock appear slower than it is, never faster.
    var clock = 0.0
    var isAllowed = false
    for _ in 0..<40 where !isAllowed {
      clock = max(clock, peak.operationsPerSecond(.clock, seconds: 0.05))
      // A tenth is for a clock that changes in between.
      isAllowed = peak.operationsPerSecond(arithmetic, seconds: 0.05) <= 1.1 * clock * peak.operationsPerCycle(arithmetic)
    }
    #expect(isAllowed)
    #expect((0.2e9...8e9).contains(clock))
  }

  @Test func `the process uses a step that the processor has`() {
    let steps = MachineProfile.steps
    #expect(Set(steps.map(\.name)).count == steps.count)
    #expect(steps.first?.name == "portable" && steps.first?.isAvailable == true)
    #expect(steps.contains { $0.name == MachineProfile.current.step && $0.isAvailable })
  }
}
