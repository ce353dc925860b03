import QuartzCore
import Testing

struct MediaTimeTests {
  @Test func `media time counts seconds`() {
    let first = CACurrentMediaTime()
    usleep(20_000)
    let second = CACurrentMediaTime()
    #expect(second - first >= 0.02)
    #expect(second - first < 20)
    // As seconds since start, which `ProcessInfo` counts in the same way.
    #expect(abs(CACurrentMediaTime() - ProcessInfo.processInfo.systemUptime) < 20)
  }
}
