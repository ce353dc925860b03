import MartletKernels
import Testing

struct ProcessorPeakTests {
  /// The smoke tests of the command line do the same at each instruction set.
  @Test(arguments: ProcessorPeak.Arithmetic.allCases)
  func `no peak is above what the clock allows`(_ arithmetic: ProcessorPeak.Arithmetic) {
    let peak = ProcessorPeak(threads: 1)
    guard peak.unit(arithmetic) != nil else { return }
    let clock = peak.operationsPerSecond(.clock, seconds: 0.05)
    #expect((0.2e9...8e9).contains(clock))
    // A tenth is for a clock that changes in between.
    #expect(peak.operationsPerSecond(arithmetic, seconds: 0.05) <= 1.1 * clock * peak.operationsPerCycle(arithmetic))
  }

  @Test func `the process uses a step that the processor has`() {
    let steps = MachineProfile.steps
    #expect(Set(steps.map(\.name)).count == steps.count)
    #expect(steps.first?.name == "portable" && steps.first?.isAvailable == true)
    #expect(steps.contains { $0.name == MachineProfile.current.step && $0.isAvailable })
  }
}
