import CoreVideo
import Testing

struct PixelBufferPoolTests {
  static var attributes: [CFString: Any] {
    [kCVPixelBufferPixelFormatTypeKey: kCVPixelFormatType_32BGRA, kCVPixelBufferWidthKey: 20, kCVPixelBufferHeightKey: 10]
  }

  func makePool(_ poolAttributes: [CFString: Any]? = nil) throws -> CVPixelBufferPool {
    var pool: CVPixelBufferPool?
    let code = unsafe CVPixelBufferPoolCreate(
      kCFAllocatorDefault, poolAttributes as CFDictionary?, Self.attributes as CFDictionary, &pool)
    #expect(code == kCVReturnSuccess)
    return try #require(pool)
  }

  func makeBuffer(_ pool: CVPixelBufferPool) throws -> CVPixelBuffer {
    var buffer: CVPixelBuffer?
    #expect(unsafe CVPixelBufferPoolCreatePixelBuffer(kCFAllocatorDefault, pool, &buffer) == kCVReturnSuccess)
    return try #require(buffer)
  }

  func address(_ buffer: CVPixelBuffer) -> UInt { unsafe UInt(bitPattern: CVPixelBufferGetBaseAddress(buffer)) }

  @Test func `buffers are as the attributes say`() throws {
    let pool = try makePool([kCVPixelBufferPoolMinimumBufferCountKey: 3])
    let buffer = try makeBuffer(pool)
    #expect(CVPixelBufferGetWidth(buffer) == 20)
    #expect(CVPixelBufferGetHeight(buffer) == 10)
    #expect(CVPixelBufferGetPixelFormatType(buffer) == kCVPixelFormatType_32BGRA)
    #expect(CVPixelBufferPoolGetAttributes(pool)?[kCVPixelBufferPoolMinimumBufferCountKey] as? Int == 3)
    #expect(CVPixelBufferPoolGetPixelBufferAttributes(pool)?[kCVPixelBufferWidthKey] as? Int == 20)
  }

  @Test func `buffers in use have memory of their own`() throws {
    let pool = try makePool()
    let buffers = try (0..<4).map { _ in try makeBuffer(pool) }
    #expect(Set(buffers.map(address)).count == 4)
  }

  @Test func `memory of a buffer that is gone is used again, without its attachments`() throws {
    let pool = try makePool()
    var first: CVPixelBuffer? = try makeBuffer(pool)
    let firstAddress = address(try #require(first))
    CVBufferSetAttachment(try #require(first), "key" as CFString, NSNumber(value: 1), .shouldPropagate)
    first = nil
    let second = try makeBuffer(pool)
    #expect(address(second) == firstAddress)
    #expect(!CVBufferHasAttachment(second, "key" as CFString))
  }

  @Test func `a buffer outlives its pool`() throws {
    var pool: CVPixelBufferPool? = try makePool()
    let buffer = try makeBuffer(try #require(pool))
    pool = nil
    unsafe memset(CVPixelBufferGetBaseAddress(buffer), 7, CVPixelBufferGetDataSize(buffer))
    #expect(unsafe CVPixelBufferGetBaseAddress(buffer).load(as: UInt8.self) == 7)
  }

  @Test func `no more buffers are in use than the threshold allows`() throws {
    let pool = try makePool()
    let limit = [kCVPixelBufferPoolAllocationThresholdKey: 2] as CFDictionary
    var buffers: [CVPixelBuffer] = []
    for _ in 0..<2 {
      var buffer: CVPixelBuffer?
      #expect(unsafe CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(nil, pool, limit, &buffer) == kCVReturnSuccess)
      buffers.append(try #require(buffer))
    }
    var buffer: CVPixelBuffer?
    #expect(
      unsafe CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(nil, pool, limit, &buffer) == kCVReturnWouldExceedAllocationThreshold)
    #expect(buffer == nil)
    buffers.removeLast()
    #expect(unsafe CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(nil, pool, limit, &buffer) == kCVReturnSuccess)
  }

  @Test func `a flush frees memory that is not in use only`() throws {
    let pool = try makePool()
    let kept = try makeBuffer(pool)
    _ = try makeBuffer(pool)
    CVPixelBufferPoolFlush(pool, .excessBuffers)
    unsafe memset(CVPixelBufferGetBaseAddress(kept), 7, CVPixelBufferGetDataSize(kept))
    // Memory handed out now is new, so it is zeroed.
    #expect(unsafe CVPixelBufferGetBaseAddress(try makeBuffer(pool)).load(as: UInt8.self) == 0)
  }

  @Test(arguments: [(0, 0.001, true), (1, 0.001, false), (0, 60, false), (0, 0, false)])
  func `memory is freed when it was unused for too long, down to the minimum count`(
    minimumCount: Int, maximumAge: Double, isFreed: Bool
  ) throws {
    let pool = try makePool([
      kCVPixelBufferPoolMinimumBufferCountKey: minimumCount, kCVPixelBufferPoolMaximumBufferAgeKey: maximumAge,
    ])
    do {
      let buffer = try makeBuffer(pool)
      unsafe memset(CVPixelBufferGetBaseAddress(buffer), 7, CVPixelBufferGetDataSize(buffer))
    }
    Thread.sleep(forTimeInterval: 0.02)
    // New memory is zeroed.
    #expect(unsafe CVPixelBufferGetBaseAddress(try makeBuffer(pool)).load(as: UInt8.self) == (isFreed ? 0 : 7))
  }

  @Test func `attributes without buffers are refused`() {
    func code(_ changes: [CFString: Any?], pool poolAttributes: CFDictionary? = nil) -> CVReturn {
      var attributes = Self.attributes
      for (key, value) in changes { attributes[key] = value }
      var pool: CVPixelBufferPool?
      let code = unsafe CVPixelBufferPoolCreate(nil, poolAttributes, attributes as CFDictionary, &pool)
      #expect((pool != nil) == (code == kCVReturnSuccess))
      return code
    }
    #expect(code([:]) == kCVReturnSuccess)
    #expect(code([kCVPixelBufferWidthKey: nil as Int?]) == kCVReturnInvalidPixelBufferAttributes)
    #expect(code([kCVPixelBufferPixelFormatTypeKey: nil as Int?]) == kCVReturnInvalidPixelBufferAttributes)
    #expect(code([kCVPixelBufferHeightKey: "ten"]) == kCVReturnInvalidPixelBufferAttributes)
    #expect(code([kCVPixelBufferHeightKey: -10]) == kCVReturnInvalidSize)
    #expect(code([kCVPixelBufferPixelFormatTypeKey: 5]) == kCVReturnInvalidPixelFormat)
    #expect(code([kCVPixelBufferPixelFormatTypeKey: [kCVPixelFormatType_OneComponent8]]) == kCVReturnSuccess)
    #expect(code([:], pool: [kCVPixelBufferPoolMinimumBufferCountKey: -1] as CFDictionary) == kCVReturnInvalidPoolAttributes)
    #expect(code([:], pool: [kCVPixelBufferPoolMaximumBufferAgeKey: "old"] as CFDictionary) == kCVReturnInvalidPoolAttributes)
    var pool: CVPixelBufferPool?
    #expect(unsafe CVPixelBufferPoolCreate(nil, nil, nil, &pool) == kCVReturnInvalidPixelBufferAttributes)
  }

  @Test func `buffers come and go on several threads`() throws {
    let pool = try makePool()
    final class Shared: @unchecked Sendable {
      let pool: CVPixelBufferPool
      init(_ pool: CVPixelBufferPool) { self.pool = pool }
    }
    let shared = Shared(pool)
    DispatchQueue.concurrentPerform(iterations: 400) { _ in
      var buffer: CVPixelBuffer?
      #expect(unsafe CVPixelBufferPoolCreatePixelBuffer(nil, shared.pool, &buffer) == kCVReturnSuccess)
      if let buffer { CVPixelBufferLockBaseAddress(buffer, []) }
    }
    // All are back: the first of a threshold of 1 can be had.
    var buffer: CVPixelBuffer?
    let limit = [kCVPixelBufferPoolAllocationThresholdKey: 1] as CFDictionary
    #expect(unsafe CVPixelBufferPoolCreatePixelBufferWithAuxAttributes(nil, pool, limit, &buffer) == kCVReturnSuccess)
  }
}
