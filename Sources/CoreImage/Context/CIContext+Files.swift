public import CoreGraphics
import Foundation
import ImageIO

/// Options of representations.
public struct CIImageRepresentationOption: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }
}

extension CIContext {
  /// The image as a PNG file. Nil unless its extent is finite and not empty, and the format has 8 or 16 bits and fits the colour space.
  /// - Parameter options: ignored.
  public func pngRepresentation(
    of image: CIImage, format: CIFormat, colorSpace: CGColorSpace, options: [CIImageRepresentationOption: Any] = [:]
  ) -> Data? {
    createCGImage(image, from: image.extent, format: format, colorSpace: colorSpace).flatMap { file($0, "public.png", image, options) }
  }

  /// The image as a JPEG file. Nil unless its extent is finite and not empty.
  /// - Parameters:
  ///   - colorSpace: of red, green and blue, or shades.
  ///   - options: `kCGImageDestinationLossyCompressionQuality`.
  public func jpegRepresentation(
    of image: CIImage, colorSpace: CGColorSpace, options: [CIImageRepresentationOption: Any] = [:]
  ) -> Data? {
    let format: CIFormat = colorSpace.model == .monochrome ? .L8 : .RGBX8
    return createCGImage(image, from: image.extent, format: format, colorSpace: colorSpace).flatMap {
      file($0, "public.jpeg", image, options)
    }
  }

  /// Always nil: there is no encoder of HEIF files.
  public func heifRepresentation(
    of image: CIImage, format: CIFormat, colorSpace: CGColorSpace, options: [CIImageRepresentationOption: Any] = [:]
  ) -> Data? { nil }

  /// Always nil: there is no encoder of TIFF files.
  public func tiffRepresentation(
    of image: CIImage, format: CIFormat, colorSpace: CGColorSpace, options: [CIImageRepresentationOption: Any] = [:]
  ) -> Data? { nil }

  /// Writes the image as a PNG file.
  /// - Throws: `CocoaError.fileWriteUnknown` where `pngRepresentation` is nil; errors of writing.
  public func writePNGRepresentation(
    of image: CIImage, to url: URL, format: CIFormat, colorSpace: CGColorSpace, options: [CIImageRepresentationOption: Any] = [:]
  ) throws {
    try write(pngRepresentation(of: image, format: format, colorSpace: colorSpace, options: options), to: url)
  }

  /// Writes the image as a JPEG file.
  /// - Throws: `CocoaError.fileWriteUnknown` where `jpegRepresentation` is nil; errors of writing.
  public func writeJPEGRepresentation(
    of image: CIImage, to url: URL, colorSpace: CGColorSpace, options: [CIImageRepresentationOption: Any] = [:]
  ) throws {
    try write(jpegRepresentation(of: image, colorSpace: colorSpace, options: options), to: url)
  }

  /// - Throws: always `CocoaError.featureUnsupported`: there is no encoder of HEIF files.
  public func writeHEIFRepresentation(
    of image: CIImage, to url: URL, format: CIFormat, colorSpace: CGColorSpace, options: [CIImageRepresentationOption: Any] = [:]
  ) throws { throw CocoaError(.featureUnsupported) }

  private func write(_ data: Data?, to url: URL) throws {
    guard let data else { throw CocoaError(.fileWriteUnknown, userInfo: [NSURLErrorKey: url]) }
    try data.write(to: url, options: .atomic)
  }

  private func file(_ made: CGImage, _ type: String, _ image: CIImage, _ options: [CIImageRepresentationOption: Any]) -> Data? {
    let data = NSMutableData()
    guard let destination = CGImageDestinationCreateWithData(data, type as CFString, 1, nil) else { return nil }
    // Pixels are written as they are shown; the orientation of the source has been applied or was not wanted.
    var properties: [CFString: Any] = [:]
    for (key, value) in image.properties { properties[key as CFString] = value }
    properties[kCGImagePropertyOrientation] = nil
    if var tiff = properties[kCGImagePropertyTIFFDictionary] as? [AnyHashable: Any] {
      tiff = tiff.filter { $0.key.base as? String != kCGImagePropertyTIFFOrientation as String }
      properties[kCGImagePropertyTIFFDictionary] = tiff
    }
    for (key, value) in options { properties[key.rawValue as CFString] = value }
    CGImageDestinationAddImage(destination, made, properties as CFDictionary)
    return CGImageDestinationFinalize(destination) ? data as Data : nil
  }
}
