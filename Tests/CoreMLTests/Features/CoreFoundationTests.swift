import CoreFoundation
import CoreML
import Testing

/// Core Foundation's names in a file that imports the toolchain's module of that name, too.
struct CoreFoundationTests {
  @Test func `names mean the classes that literals bridge to`() throws {
    let attributes = [kCVPixelBufferCGImageCompatibilityKey: kCFBooleanTrue as Any] as CFDictionary
    let name = "name" as CFString
    let format: OSType = kCVPixelFormatType_32BGRA
    var created: CVPixelBuffer?
    CVPixelBufferCreate(kCFAllocatorDefault, 2, 2, format, attributes, &created)
    let buffer = try #require(created)
    CVBufferSetAttachment(buffer, name, [1, 2] as CFArray, .shouldPropagate)
    let attachments: CFDictionary? = CVBufferGetAttachments(buffer, .shouldPropagate)
    #expect((attachments as? [String: [Int]])?["name"] == [1, 2])
    #expect(name as String == "name" && CFURL(fileURLWithPath: "/a").path == "/a")
  }

  @Test func `times are seconds since the start of 2001`() {
    let time: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
    let passed: CFTimeInterval = Date.timeIntervalSinceReferenceDate - time
    #expect(passed >= 0 && passed < 60)
  }
}
