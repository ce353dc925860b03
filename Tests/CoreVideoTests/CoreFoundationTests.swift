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

  @Test func `functions make and read data, numbers and texts`() throws {
    var bytes: [UInt8] = [1, 2, 3]
    let data = try #require(CFDataCreate(nil, bytes, 3))
    bytes[0] = 9
    #expect(CFDataGetLength(data) == 3 && CFDataGetBytePtr(data)[0] == 1 && CFDataGetBytePtr(data)[2] == 3)
    #expect(CFDataCreate(kCFAllocatorDefault, nil, 0).length == 0)
    #expect(CFDataCreate(nil, nil, 1) == nil && CFDataCreate(nil, bytes, -1) == nil)
    let growing = try #require(CFDataCreateMutable(nil, 0))
    growing.append(Data([4, 5]))
    #expect(CFDataGetLength(growing) == 2 && CFDataGetBytePtr(growing)[1] == 5)
    #expect(CFDataCreateMutable(nil, -1) == nil)
    #expect(CFNumberIsFloatType(NSNumber(value: 1.0)) && CFNumberIsFloatType(NSNumber(value: Float(1))))
    #expect(!CFNumberIsFloatType(NSNumber(value: 1)) && !CFNumberIsFloatType(kCFBooleanTrue))
    let all = CFRangeMake(0, CFStringGetLength("na\u{EF}ve \u{1F34E}" as CFString))
    #expect(all == CFRange(location: 0, length: 8) && CFRange().length == 0)
  }

  @Test func `numbers become graphics' floats`() {
    #expect(CGFloat(truncating: NSNumber(value: 0.1)) == 0.1)
    #expect(CGFloat(truncating: NSNumber(value: Int64.max)) == 0x1p63)
    #expect(CGFloat(exactly: NSNumber(value: 3)) == 3)
    #expect(CGFloat(exactly: NSNumber(value: (1 << 53) + 1)) == nil)
  }

  @Test func `an autorelease pool gives the result or the error of its body`() {
    struct Failure: Swift.Error {}
    #expect(autoreleasepool { 3 } == 3)
    #expect(throws: Failure.self) { try autoreleasepool { throw Failure() } }
  }
}
