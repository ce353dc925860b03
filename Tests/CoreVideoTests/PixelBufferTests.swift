import CoreVideo
import Testing

@Suite struct PixelBufferTests {
  @Test func successIsZero() { #expect(kCVReturnSuccess == 0) }
}
