import CoreVideo
import Foundation
import MartletFeatures
import MartletMedia
import Martlet

extension PixelFormat {
  /// The format of a pixel buffer's 8- or 10-bit samples; nil for other formats.
  init?(pixelBufferFormat: OSType) {
    switch pixelBufferFormat {
    case kCVPixelFormatType_OneComponent8: self = .gray8
    case kCVPixelFormatType_24RGB: self = .rgb8
    case kCVPixelFormatType_24BGR: self = .bgr8
    case kCVPixelFormatType_32BGRA: self = .bgra8
    case kCVPixelFormatType_32RGBA: self = .rgba8
    case kCVPixelFormatType_32ARGB: self = .argb8
    case kCVPixelFormatType_32ABGR: self = .abgr8
    case kCVPixelFormatType_420YpCbCr8BiPlanarVideoRange: self = .yCbCr420VideoRange8
    case kCVPixelFormatType_420YpCbCr8BiPlanarFullRange: self = .yCbCr420FullRange8
    case kCVPixelFormatType_420YpCbCr10BiPlanarVideoRange: self = .yCbCr420VideoRange10
    case kCVPixelFormatType_420YpCbCr10BiPlanarFullRange: self = .yCbCr420FullRange10
    default: return nil
    }
  }
}

/// Images of Core ML models are pixel buffers outside.
enum ImageConversion {
  /// Calls `body` with the pixels of a buffer.
  /// - Throws: `MLModelError.featureType` naming the feature and a pixel format that it does not take.
  static func withPixels<R>(
    of buffer: CVPixelBuffer, for type: ImageFeature, name: String, _ body: (PixelView) throws -> R
  ) throws -> R {
    let width = CVPixelBufferGetWidth(buffer)
    let height = CVPixelBufferGetHeight(buffer)
    let format = CVPixelBufferGetPixelFormatType(buffer)
    guard CVPixelBufferLockBaseAddress(buffer, .readOnly) == kCVReturnSuccess else {
      throw MLModelError(.generic, "The pixel buffer for the feature '\(name)' cannot be locked")
    }
    defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
    if type.isGray, let plane = NumberPlane(buffer) { return try body(.numbers(plane)) }
    guard let source = PixelSource(buffer) else {
      throw MLModelError(
        .featureType,
        "The feature '\(name)' takes images; pixel buffers of the format \(pixelFormatName(format)) and size \(width) × \(height) "
          + "are not supported")
    }
    return try body(.colors(source))
  }

  /// Converts a tensor to an image.
  /// - Parameter backing: the pixel buffer to write to; nil creates one.
  /// - Throws: `MLModelError` if the tensor is not an image, or the pixel buffer has another size or an unsupported format.
  static func image(
    _ tensor: UnsafeRawPointer, _ tensorType: TensorType, _ type: ImageFeature, into backing: CVPixelBuffer?, name: String
  ) throws -> CVPixelBuffer {
    guard let (width, height) = type.extents(of: tensorType) else {
      throw MLModelError(.generic, "The feature '\(name)' has the shape \(shapeText(tensorType.shape)), which is not an image")
    }
    let buffer: CVPixelBuffer
    if let backing {
      buffer = backing
    } else {
      let format =
        switch type.colorSpace {
        case .grayscale: kCVPixelFormatType_OneComponent8
        case .grayscaleFloat16: kCVPixelFormatType_OneComponent16Half
        case .rgb, .bgr: kCVPixelFormatType_32BGRA
        }
      var made: CVPixelBuffer?
      let code = unsafe CVPixelBufferCreate(kCFAllocatorDefault, width, height, format, nil, &made)
      guard let made else { throw MLModelError(.generic, "Cannot create a pixel buffer for the feature '\(name)' (\(code))") }
      buffer = made
    }
    let format = CVPixelBufferGetPixelFormatType(buffer)
    guard CVPixelBufferGetWidth(buffer) == width, CVPixelBufferGetHeight(buffer) == height else {
      throw MLModelError(
        .featureType,
        "The output '\(name)' is Image (\(width) × \(height)), and its backing Image "
          + "(\(CVPixelBufferGetWidth(buffer)) × \(CVPixelBufferGetHeight(buffer)))")
    }
    guard CVPixelBufferLockBaseAddress(buffer, []) == kCVReturnSuccess, let base = unsafe CVPixelBufferGetBaseAddress(buffer) else {
      throw MLModelError(.generic, "The pixel buffer for the output '\(name)' cannot be locked")
    }
    defer { CVPixelBufferUnlockBaseAddress(buffer, []) }
    let rowByteCount = CVPixelBufferGetBytesPerRow(buffer)
    if type.isGray, let plane = NumberPlane(buffer) {
      unsafe type.read(tensor, tensorType, into: plane)
      return buffer
    }
    guard let pixelFormat = PixelFormat(pixelBufferFormat: format), (pixelFormat == .gray8) == type.isGray,
      let target = unsafe PixelTarget(width: width, height: height, format: pixelFormat, base: base, rowByteCount: rowByteCount)
    else {
      throw MLModelError(.featureType, "The output '\(name)' cannot be written to a pixel buffer of the format \(pixelFormatName(format))")
    }
    do { try unsafe type.read(tensor, tensorType, into: target) } catch { throw MLModelError(error) }
    return buffer
  }
}

extension NumberPlane {
  /// The numbers of a locked buffer of one floating-point component; nil for other formats.
  fileprivate init?(_ buffer: CVPixelBuffer) {
    guard let dtype = floatSampleType(CVPixelBufferGetPixelFormatType(buffer)), let base = unsafe CVPixelBufferGetBaseAddress(buffer) else {
      return nil
    }
    unsafe self.init(
      width: CVPixelBufferGetWidth(buffer), height: CVPixelBufferGetHeight(buffer), dtype: dtype, base: base,
      rowByteCount: CVPixelBufferGetBytesPerRow(buffer))
  }
}

extension PixelSource {
  /// The pixels of a locked buffer; nil for unsupported formats.
  fileprivate init?(_ buffer: CVPixelBuffer) {
    guard let format = PixelFormat(pixelBufferFormat: CVPixelBufferGetPixelFormatType(buffer)) else { return nil }
    var planes: [PixelSource.Plane] = []
    if format.planeCount == 1 {
      if let base = unsafe CVPixelBufferGetBaseAddress(buffer) {
        unsafe planes.append(PixelSource.Plane(base: base, rowByteCount: CVPixelBufferGetBytesPerRow(buffer)))
      }
    } else {
      for index in 0..<format.planeCount {
        guard let base = unsafe CVPixelBufferGetBaseAddressOfPlane(buffer, index) else { break }
        unsafe planes.append(PixelSource.Plane(base: base, rowByteCount: CVPixelBufferGetBytesPerRowOfPlane(buffer, index)))
      }
    }
    self.init(width: CVPixelBufferGetWidth(buffer), height: CVPixelBufferGetHeight(buffer), format: format, planes: planes)
  }
}

/// The sample type of a format with one floating-point component; nil for other formats.
func floatSampleType(_ format: OSType) -> DType? {
  switch format {
  case kCVPixelFormatType_OneComponent16Half, kCVPixelFormatType_DepthFloat16, kCVPixelFormatType_DisparityFloat16: .float16
  case kCVPixelFormatType_OneComponent32Float, kCVPixelFormatType_DepthFloat32, kCVPixelFormatType_DisparityFloat32: .float32
  default: nil
  }
}

/// The four characters of a pixel format code, or its decimal value if they are not printable.
func pixelFormatName(_ code: OSType) -> String {
  let characters = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: code >> $0) }
  guard characters.allSatisfy({ (0x20..<0x7F).contains($0) }) else { return "\(code)" }
  return "'" + String(decoding: characters, as: UTF8.self) + "'"
}
