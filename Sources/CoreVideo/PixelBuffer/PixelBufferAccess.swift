public import Foundation

/// What a lock of a buffer's pixels is for. The flags of an unlock are those of the lock.
public struct CVPixelBufferLockFlags: OptionSet, Sendable {
  public let rawValue: CVOptionFlags
  public init(rawValue: CVOptionFlags) { self.rawValue = rawValue }

  /// The pixels are not going to be changed.
  public static let readOnly = CVPixelBufferLockFlags(rawValue: 1)
}

/// Counts a user of the pixels in. Here they stay where they are in any case.
@discardableResult
public func CVPixelBufferLockBaseAddress(_ pixelBuffer: CVPixelBuffer, _ lockFlags: CVPixelBufferLockFlags) -> CVReturn {
  pixelBuffer.lock(readOnly: lockFlags.contains(.readOnly))
  return kCVReturnSuccess
}

/// Counts a user of the pixels out; `kCVReturnInvalidArgument` if none was counted in with the same flags.
@discardableResult
public func CVPixelBufferUnlockBaseAddress(_ pixelBuffer: CVPixelBuffer, _ unlockFlags: CVPixelBufferLockFlags) -> CVReturn {
  pixelBuffer.unlock(readOnly: unlockFlags.contains(.readOnly)) ? kCVReturnSuccess : kCVReturnInvalidArgument
}

/// The first byte of the pixels or, if they are planar, of plane 0.
public func CVPixelBufferGetBaseAddress(_ pixelBuffer: CVPixelBuffer) -> UnsafeMutableRawPointer! {
  unsafe pixelBuffer.planes[0].base
}

/// In pixels.
public func CVPixelBufferGetWidth(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.width }

/// In pixels.
public func CVPixelBufferGetHeight(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.height }

public func CVPixelBufferGetPixelFormatType(_ pixelBuffer: CVPixelBuffer) -> OSType { pixelBuffer.pixelFormat }

/// Bytes from a row to the next or, if the buffer is planar, so many that all rows together cover all planes.
public func CVPixelBufferGetBytesPerRow(_ pixelBuffer: CVPixelBuffer) -> Int {
  if pixelBuffer.isPlanar { return (pixelBuffer.dataSize - 1) / pixelBuffer.height + 1 }
  return pixelBuffer.planes[0].bytesPerRow
}

/// Bytes of all rows, with their padding, and planes.
public func CVPixelBufferGetDataSize(_ pixelBuffer: CVPixelBuffer) -> Int { pixelBuffer.dataSize }

/// What the buffer was made with, and its width, height and pixel format.
public func CVPixelBufferCopyCreationAttributes(_ pixelBuffer: CVPixelBuffer) -> CFDictionary { pixelBuffer.creationAttributes }

// MARK: Planes

public func CVPixelBufferIsPlanar(_ pixelBuffer: CVPixelBuffer) -> Bool { pixelBuffer.isPlanar }

/// 0 if the buffer is not planar.
public func CVPixelBufferGetPlaneCount(_ pixelBuffer: CVPixelBuffer) -> Int {
  pixelBuffer.isPlanar ? pixelBuffer.planes.count : 0
}

/// Packed pixels count as plane 0. Nil if there is no such plane.
public func CVPixelBufferGetBaseAddressOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> UnsafeMutableRawPointer! {
  unsafe pixelBuffer.plane(at: planeIndex)?.base
}

/// In samples of the plane. Packed pixels count as plane 0; 0 if there is no such plane.
public func CVPixelBufferGetWidthOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  pixelBuffer.plane(at: planeIndex)?.width ?? 0
}

/// In samples of the plane. Packed pixels count as plane 0; 0 if there is no such plane.
public func CVPixelBufferGetHeightOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  pixelBuffer.plane(at: planeIndex)?.height ?? 0
}

/// Packed pixels count as plane 0; 0 if there is no such plane.
public func CVPixelBufferGetBytesPerRowOfPlane(_ pixelBuffer: CVPixelBuffer, _ planeIndex: Int) -> Int {
  pixelBuffer.plane(at: planeIndex)?.bytesPerRow ?? 0
}

// MARK: Extents

/// In pixels.
public func CVImageBufferGetEncodedSize(_ imageBuffer: CVImageBuffer) -> CGSize {
  CGSize(width: imageBuffer.width, height: imageBuffer.height)
}

/// In pixels.
public func CVImageBufferGetDisplaySize(_ imageBuffer: CVImageBuffer) -> CGSize {
  CVImageBufferGetEncodedSize(imageBuffer)
}

/// The part of the picture to be shown, in pixels: all of it.
public func CVImageBufferGetCleanRect(_ imageBuffer: CVImageBuffer) -> CGRect {
  CGRect(origin: .zero, size: CVImageBufferGetEncodedSize(imageBuffer))
}

/// Whether row 0 is the top one: always.
public func CVImageBufferIsFlipped(_ imageBuffer: CVImageBuffer) -> Bool { true }
