import MartletKernels
import Testing

struct ProcessorPeakTests {
  /// The smoke tests of the command line do the same at each instruction set.
  @Test(arguments: ProcessorPeak.Arithmetic.allCases)
  func `no peak is above what the clock allows`(_ arithmetic: ProcessorPeak.Arithmetic) {
    let peak = ProcessorPeak(threads: 1)
    guard peak.unit(arithmetic) != nil else { return }
    let rate = peak.rate(of: arithmetic, seconds: 0.2)
    #expect(rate.operationsPerSecond > 0)
    #expect(rate.operationsPerCycle > 0.05 * peak.operationsPerCycle(arithmetic))
    // The twentieth is for a clock that changes between intervals.
    #expect(rate.operationsPerCycle < 1.05 * peak.operationsPerCycle(arithmetic))
    #expect((0.2e9...8e9).contains(rate.clock))
  }

  @Test func `the process uses a step that the processor has`() {
    let steps = MachineProfile.steps
    #expect(Set(steps.map(\.name)).count == steps.count)
    #expect(steps.first?.name == "portable" && steps.first?.isAvailable == true)
    #expect(steps.contains { $0.name == MachineProfile.current.step && $0.isAvailable })
  }
}
