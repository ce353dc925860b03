import CoreVideo
import Testing

struct CoreFoundationTests {
  @Test func `literals and collections bridge`() {
    let data = Data([1, 2]) as CFData
    let url = URL(fileURLWithPath: "/") as CFURL
    let array = [1, 2] as CFArray
    let dictionary = [kCVPixelBufferWidthKey as String: 4, "text": "x" as CFString] as CFDictionary
    #expect(data.length == 2)
    #expect(url.path == "/")
    #expect(array.count == 2)
    #expect(dictionary[kCVPixelBufferWidthKey] as? Int == 4)
    #expect(kCVPixelBufferWidthKey as String == "Width")
    let flags: [CFString: Any] = [kCVPixelBufferMetalCompatibilityKey: true]
    #expect((flags as CFDictionary)[kCVPixelBufferMetalCompatibilityKey] as? Bool == true)
    let optional = [kCVPixelBufferMetalCompatibilityKey: kCFBooleanTrue as Any, kCVPixelBufferWidthKey: 4 as NSNumber] as CFDictionary
    #expect(optional[kCVPixelBufferMetalCompatibilityKey] as? Bool == true)
    #expect(kCFBooleanTrue.boolValue)
    #expect(!kCFBooleanFalse.boolValue)
  }

  @Test func `absolute time counts from 2001`() {
    let before = Date().timeIntervalSinceReferenceDate
    let time: CFAbsoluteTime = CFAbsoluteTimeGetCurrent()
    #expect(time >= before && time <= Date().timeIntervalSinceReferenceDate)
  }

  @Test func `an autorelease pool gives the result or the error of its body`() {
    struct Failure: Swift.Error {}
    #expect(autoreleasepool { 3 } == 3)
    #expect(throws: Failure.self) { try autoreleasepool { throw Failure() } }
  }
}
