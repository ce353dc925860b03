package import CoreGraphics
package import CoreVideo
import MartletColor
package import MartletKernels
import MartletPixels

/// Colour information in the attachments of a pixel buffer.
package enum BufferColors {
  private static func name(_ buffer: CVPixelBuffer, _ key: CFString) -> String? {
    CVBufferCopyAttachment(buffer, key, nil) as? String
  }

  /// The colour space of a buffer: its attachment of a space, that of a profile, or that of primaries and transfer function; nil if none of
  /// these is there or names a space that is known.
  package static func attachedSpace(of buffer: CVPixelBuffer) -> CGColorSpace? {
    if let space = CVBufferCopyAttachment(buffer, kCVImageBufferCGColorSpaceKey, nil) as? CGColorSpace { return space }
    if let profile = CVBufferCopyAttachment(buffer, kCVImageBufferICCProfileKey, nil) as? Data,
      let space = CGColorSpace(iccData: profile as CFData)
    {
      return space
    }
    let primaries = name(buffer, kCVImageBufferColorPrimariesKey)
    let transfer = name(buffer, kCVImageBufferTransferFunctionKey)
    guard primaries != nil || transfer != nil else { return nil }
    let isSRGB = transfer == kCVImageBufferTransferFunction_sRGB as String
    let isLinear = transfer == kCVImageBufferTransferFunction_Linear as String
    let isVideo = transfer == nil || transfer == kCVImageBufferTransferFunction_ITU_R_709_2 as String
    guard isSRGB || isLinear || isVideo else { return nil }
    func pick(_ encoded: CFString, _ linear: CFString, _ video: CFString?) -> CGColorSpace? {
      if isLinear { return CGColorSpace(name: linear) }
      return CGColorSpace(name: isSRGB ? encoded : video ?? encoded)
    }
    if primaries == nil || primaries == kCVImageBufferColorPrimaries_ITU_R_709_2 as String {
      return pick(CGColorSpace.sRGB, CGColorSpace.linearSRGB, CGColorSpace.itur_709)
    }
    if primaries == kCVImageBufferColorPrimaries_P3_D65 as String {
      if isVideo { return profile(.displayP3, .bt709) }
      return pick(CGColorSpace.displayP3, CGColorSpace.linearDisplayP3, nil)
    }
    if primaries == kCVImageBufferColorPrimaries_ITU_R_2020 as String {
      if isSRGB { return profile(.bt2020, .sRGB) }
      return pick(CGColorSpace.itur_2020, CGColorSpace.extendedLinearITUR_2020, CGColorSpace.itur_2020)
    }
    return nil
  }

  private static func profile(_ primaries: Primaries, _ curve: ToneCurve) -> CGColorSpace? {
    ProfileWriter.profile(ColorSpace(primaries, curve), name: "Video").flatMap { try? CGColorSpace(profile: $0) }
  }

  /// The matrix between luma and chroma and colours: that of the attachment. Without one, or with another than those of ITU-R BT.601, 709
  /// and 2020, it is that of BT.601.
  package static func chromaStandard(of buffer: CVPixelBuffer) -> ChromaMatrix.Standard {
    ChromaMatrix.Standard(attachment: name(buffer, kCVImageBufferYCbCrMatrixKey))
  }
}
