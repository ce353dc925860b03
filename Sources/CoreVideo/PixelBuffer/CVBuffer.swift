import Foundation

/// An image in memory: one or more planes of pixels with attachments. Buffers are compared by identity.
///
/// Locks and attachments may be used from several threads at once. Access to the pixels must be synchronised by the caller.
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
  /// One plane for packed formats.
  let planes: [Plane]
  /// Size of all planes in bytes, including padding between them.
  let dataSize: Int
  let creationAttributes: CFDictionary
  /// Owns the memory of the planes.
  private let memory: PixelMemory
  /// The pool that reuses the memory.
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

  /// Creates a buffer whose planes lie in `memory` according to `layout`.
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

  /// The plane at `index`; packed pixels count as plane 0. Nil if there is no such plane.
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

  /// - Returns: false if there is no matching lock.
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

  /// Nil removes the attachment.
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

/// A pixel buffer, such as a video frame or an image.
public typealias CVImageBuffer = CVBuffer
public typealias CVPixelBuffer = CVImageBuffer
