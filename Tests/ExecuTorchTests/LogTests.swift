import ExecuTorch
import Testing

@Suite struct LogTests {
  @Test func foundationComesWithTheModule() { #expect(NSNumber(value: 3).intValue == 3) }
}
