import CoreVideo
import Testing

struct AttachmentTests {
  @Test func `an attachment has its value and mode until it is replaced or removed`() throws {
    let buffer = try makePixelBuffer(2, 2, kCVPixelFormatType_32BGRA)
    let key = kCVImageBufferYCbCrMatrixKey
    #expect(!CVBufferHasAttachment(buffer, key))
    let absent = CVBufferCopyAttachment(buffer, key, nil)
    #expect(absent == nil)
    CVBufferSetAttachment(buffer, key, kCVImageBufferYCbCrMatrix_ITU_R_601_4, .shouldNotPropagate)
    CVBufferSetAttachment(buffer, key, kCVImageBufferYCbCrMatrix_ITU_R_709_2, .shouldPropagate)
    var mode = CVAttachmentMode.shouldNotPropagate
    let value = unsafe CVBufferCopyAttachment(buffer, key, &mode)
    #expect(value as? String == "ITU_R_709_2")
    #expect(mode == .shouldPropagate)
    #expect(unsafe CVBufferGetAttachment(buffer, key, nil)?.takeUnretainedValue() === value)
    CVBufferRemoveAttachment(buffer, key)
    #expect(!CVBufferHasAttachment(buffer, key))
  }

  @Test func `attachments are listed by mode`() throws {
    let buffer = try makePixelBuffer(2, 2, kCVPixelFormatType_32BGRA)
    #expect(CVBufferCopyAttachments(buffer, .shouldPropagate) == nil)
    CVBufferSetAttachments(buffer, ["a": 1, "b": "two"] as CFDictionary, .shouldPropagate)
    CVBufferSetAttachment(buffer, "c" as CFString, NSNumber(value: 3), .shouldNotPropagate)
    let propagated = try #require(CVBufferCopyAttachments(buffer, .shouldPropagate))
    #expect(propagated.count == 2)
    #expect(propagated["a"] as? Int == 1)
    #expect(propagated["b"] as? String == "two")
    #expect(CVBufferGetAttachments(buffer, .shouldNotPropagate)?["c"] as? Int == 3)
    CVBufferRemoveAllAttachments(buffer)
    #expect(CVBufferGetAttachments(buffer, .shouldPropagate) == nil)
    #expect(CVBufferGetAttachments(buffer, .shouldNotPropagate) == nil)
  }

  @Test func `only attachments that should propagate do, and others stay`() throws {
    let source = try makePixelBuffer(2, 2, kCVPixelFormatType_32BGRA)
    let destination = try makePixelBuffer(2, 2, kCVPixelFormatType_32BGRA)
    CVBufferSetAttachment(source, "moves" as CFString, NSNumber(value: 1), .shouldPropagate)
    CVBufferSetAttachment(source, "stays" as CFString, NSNumber(value: 2), .shouldNotPropagate)
    CVBufferSetAttachment(destination, "moves" as CFString, NSNumber(value: 0), .shouldNotPropagate)
    CVBufferSetAttachment(destination, "own" as CFString, NSNumber(value: 3), .shouldNotPropagate)
    CVBufferPropagateAttachments(source, destination)
    var mode = CVAttachmentMode.shouldNotPropagate
    #expect(unsafe CVBufferCopyAttachment(destination, "moves" as CFString, &mode) as? Int == 1)
    #expect(mode == .shouldPropagate)
    #expect(!CVBufferHasAttachment(destination, "stays" as CFString))
    let own = CVBufferCopyAttachment(destination, "own" as CFString, nil)
    #expect(own as? Int == 3)
  }
}
