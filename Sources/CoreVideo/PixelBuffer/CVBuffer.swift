import Foundation

/// A picture in memory: one plane of pixels or several, and what is known about them. Equal only to itself.
///
/// Locks and attachments may be used from several threads at once; pixels are the caller's to synchronise.
@safe
public final class CVBuffer: Hashable {
  @safe
  struct Plane {
    let width: Int
    let height: Int
    let bytesPerRow: Int
    let base: UnsafeMutableRawPointer
  }

  let width: Int
  let height: Int
  let pixelFormat: OSType
  /// One for packed pixels.
  let planes: [Plane]
  /// Bytes of all planes and what lies between them.
  let dataSize: Int
  let creationAttributes: CFDictionary
  /// Keeps the planes' memory.
  private let memory: PixelMemory
  /// Takes the memory back for other buffers.
  private let pool: CVPixelBufferPool?

  private let guardian = NSLock()
  private var lockCount = 0
  private var readOnlyLockCount = 0
  private var attachments: [String: Attachment] = [:]

  init(
    width: Int, height: Int, pixelFormat: OSType, planes: [Plane], dataSize: Int, attributes: CFDictionary?, memory: PixelMemory,
    pool: CVPixelBufferPool? = nil
  ) {
    self.width = width
    self.height = height
    self.pixelFormat = pixelFormat
    self.planes = planes
    self.dataSize = dataSize
    creationAttributes = CVBuffer.attributes(attributes, width: width, height: height, pixelFormat: pixelFormat)
    self.memory = memory
    self.pool = pool
  }

  /// A buffer whose planes lie in `memory` as `layout` has it.
  convenience init(
    width: Int, height: Int, pixelFormat: OSType, layout: PixelBufferLayout, attributes: CFDictionary?, memory: PixelMemory,
    pool: CVPixelBufferPool? = nil
  ) {
    let planes = layout.planes.map { plane in
      unsafe Plane(width: plane.width, height: plane.height, bytesPerRow: plane.bytesPerRow, base: memory.base + plane.offset)
    }
    self.init(
      width: width, height: height, pixelFormat: pixelFormat, planes: planes, dataSize: layout.byteCount, attributes: attributes,
      memory: memory, pool: pool)
  }

  deinit { pool?.recycle(memory) }

  public static func == (first: CVBuffer, second: CVBuffer) -> Bool { first === second }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  var isPlanar: Bool { planes.count > 1 }

  /// The plane at `index`; packed pixels count as plane 0. Nil if there is none.
  func plane(at index: Int) -> Plane? {
    planes.indices.contains(index) ? planes[index] : nil
  }

  private static func attributes(_ attributes: CFDictionary?, width: Int, height: Int, pixelFormat: OSType) -> CFDictionary {
    let result = NSMutableDictionary()
    if let attributes { result.addEntries(from: attributes as! [AnyHashable: Any]) }
    result[kCVPixelBufferWidthKey] = NSNumber(value: width)
    result[kCVPixelBufferHeightKey] = NSNumber(value: height)
    result[kCVPixelBufferPixelFormatTypeKey] = NSNumber(value: pixelFormat)
    return result
  }

  // MARK: Locks

  func lock(readOnly: Bool) {
    guardian.withLock {
      if readOnly { readOnlyLockCount += 1 } else { lockCount += 1 }
    }
  }

  /// - Returns: false if there is no lock of the kind to take away.
  func unlock(readOnly: Bool) -> Bool {
    guardian.withLock {
      if readOnly {
        guard readOnlyLockCount > 0 else { return false }
        readOnlyLockCount -= 1
      } else {
        guard lockCount > 0 else { return false }
        lockCount -= 1
      }
      return true
    }
  }

  // MARK: Attachments

  struct Attachment {
    var value: CFTypeRef
    var mode: CVAttachmentMode
  }

  func attachment(for key: CFString) -> Attachment? {
    guardian.withLock { attachments[key as String] }
  }

  /// Nil takes the attachment away.
  func setAttachment(_ attachment: Attachment?, for key: CFString) {
    guardian.withLock { attachments[key as String] = attachment }
  }

  func removeAllAttachments() {
    guardian.withLock { attachments = [:] }
  }

  /// The attachments of one mode.
  func attachments(of mode: CVAttachmentMode) -> [String: CFTypeRef] {
    guardian.withLock { attachments.filter { $0.value.mode == mode }.mapValues(\.value) }
  }
}

/// A buffer of pixels, as frames of video and pictures are handed around.
public typealias CVImageBuffer = CVBuffer
public typealias CVPixelBuffer = CVImageBuffer
