public import Foundation

/// The purpose of a lock on a buffer's pixels. Unlock with the same flags.
public struct CVPixelBufferLockFlags: OptionSet, Sendable {
  public let rawValue: CVOptionFlags
  public init(rawValue: CVOptionFlags) { self.rawValue = rawValue }

  /// The pixels are not modified while locked.
  public static let readOnly = CVPixelBufferLockFlags(rawValue: 1)
}

/// Registers a user of the pixels. The pixels never move in memory, locked or not.
@discardableResult
public func CVPixelBufferLockBaseAddress(_ pixelBuffer: CVPixelBuffer, _ lockFlags: CVPixelBufferLockFlags) -> CVReturn {
  pixelBuffer.lock(readOnly: lockFlags.contains(.readOnly))
  return kCVReturnSuccess
}

/// Unregisters a user of the pixels; `kCVReturnInvalidArgument` if there is no lock with the same flags.
@discardableResult
public func CVPixelBufferUnlockBaseAddress(_ pixelBuffer: CVPixelBuffer, _ unlockFlags: CVPixelBufferLockFlags) -> CVReturn {
  pixelBuffer.unlock(readOnly: unlockFlags.contains(.readOnly)) ? kCVReturnSuccess : kCVReturnInvalidArgument
}

/// Address of the first byte of the pixels or, for planar formats, of plane 0.
public func CVPixelBufferGetBaseAddress(_ pixelBuffer: CVPixelBuffer) -> UnsafeMutableRawPointer! {
  unsafe pixelBuffer.planes[0].base
}

/// Width in pixels.
public func CVPixelBufferGetWidth(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.width }

/// Height in pixels.
public func CVPixelBufferGetHeight(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.height }

public func CVPixelBufferGetPixelFormatType(_ pixelBuffer: CVPixelBuffer) -> OSType { pixelBuffer.pixelFormat }

/// Distance between rows in bytes. For a planar buffer, the data size divided by the number of rows, rounded up.
public func CVPixelBufferGetBytesPerRow(_ pixelBuffer: CVPixelBuffer) -> Int {
  if pixelBuffer.isPlanar { return (pixelBuffer.dataSize - 1) / pixelBuffer.height + 1 }
  return pixelBuffer.planes[0].bytesPerRow
}

/// Size of all planes in bytes, including row padding.
public func CVPixelBufferGetDataSize(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.dataSize }

/// The attributes that the buffer was created with, and its width, height and pixel format.
public func CVPixelBufferCopyCreationAttributes(_ pixelBuffer: CVPixelBuffer) -> CFDictionary { pixelBuffer.creationAttributes }

// MARK: Planes

public func CVPixelBufferIsPlanar(_ pixelBuffer: CVPixelBuffer) -> Bool { pixelBuffer.isPlanar }

/// Number of planes; 0 if the buffer is not planar.
public func CVPixelBufferGetPlaneCount(_ pixelBuffer: CVPixelBuffer) -> Int {
  pixelBuffer.isPlanar ? pixelBuffer.planes.count : 0
}

/// Base address of a plane. Packed pixels count as plane 0; nil if there is no such plane.
public func CVPixelBufferGetBaseAddressOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> UnsafeMutableRawPointer! {
  unsafe pixelBuffer.plane(at: planeIndex)?.base
}

/// Width of a plane in samples. Packed pixels count as plane 0; 0 if there is no such plane.
public func CVPixelBufferGetWidthOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  pixelBuffer.plane(at: planeIndex)?.width ?? 0
}

/// Height of a plane in samples. Packed pixels count as plane 0; 0 if there is no such plane.
public func CVPixelBufferGetHeightOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  pixelBuffer.plane(at: planeIndex)?.height ?? 0
}

/// Distance between rows of a plane in bytes. Packed pixels count as plane 0; 0 if there is no such plane.
public func CVPixelBufferGetBytesPerRowOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  pixelBuffer.plane(at: planeIndex)?.bytesPerRow ?? 0
}

// MARK: Extents

/// Size in pixels.
public func CVImageBufferGetEncodedSize(_ imageBuffer: CVImageBuffer) -> CGSize {
  CGSize(width: imageBuffer.width, height: imageBuffer.height)
}

/// Size in pixels.
public func CVImageBufferGetDisplaySize(_ imageBuffer: CVImageBuffer) -> CGSize {
  CVImageBufferGetEncodedSize(imageBuffer)
}

/// The visible part of the image in pixels: always the whole image.
public func CVImageBufferGetCleanRect(_ imageBuffer: CVImageBuffer) -> CGRect {
  CGRect(origin: .zero, size: CVImageBufferGetEncodedSize(imageBuffer))
}

/// Whether row 0 is the top row: always true.
public func CVImageBufferIsFlipped(_ imageBuffer: CVImageBuffer) -> Bool { true }
