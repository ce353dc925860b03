// Clients of Video Toolbox expect it to export Core Video and Core Graphics, which export Foundation.
@_exported public import CoreGraphics
@_exported public import CoreVideo
@_exported public import Foundation
import MartletBufferImages

/// A result code; 0 for success.
public typealias OSStatus = Int32
public let noErr: OSStatus = 0
/// An argument does not fit.
public let kVTParameterErr: OSStatus = -12902
/// A pixel buffer has a format that images cannot be made of.
public let kVTPixelTransferNotSupportedErr: OSStatus = -12905

/// Makes an image of a pixel buffer: over the buffer's memory, which it keeps and which must not change, or converted to 8 bits for luma and
/// chroma.
///
/// The image's colour space is that of the buffer's attachments: `kCVImageBufferCGColorSpaceKey`, else a profile, else primaries and transfer
/// function. Without these it is sRGB, or the shades of the device for one component. Luma and chroma become colours by the attachment of the
/// matrix; by ITU-R BT.601 if there is none.
/// - Parameters:
///   - options: ignored.
///   - imageOut: the image; nil if the result is not 0.
/// - Returns: 0, or `kVTPixelTransferNotSupportedErr` for a format without colours or one that is not supported.
@discardableResult
public func VTCreateCGImageFromCVPixelBuffer(
  _ pixelBuffer: CVPixelBuffer, options: CFDictionary?, imageOut: UnsafeMutablePointer<CGImage?>
) -> OSStatus {
  unsafe imageOut.pointee = BufferPicture(pixelBuffer)?.image
  return unsafe imageOut.pointee == nil ? kVTPixelTransferNotSupportedErr : noErr
}
