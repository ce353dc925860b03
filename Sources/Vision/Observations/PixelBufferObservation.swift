public import CoreGraphics
import CoreML
public import CoreVideo
public import Foundation
import MartletBufferImages

/// A picture that a model gives. Its confidence is 1.
public struct PixelBufferObservation: VisionObservation, @unchecked Sendable {
  public let uuid: UUID
  public let timeRange: CMTimeRange?
  public let originatingRequestDescriptor: RequestDescriptor?
  /// Shares the memory of the buffer.
  public let cgImage: CGImage
  /// Nobody writes to it.
  private let buffer: CVPixelBuffer

  public var confidence: Float { 1 }

  /// A copy of the observation's pixels.
  /// - Returns: nil for a pixel format that has no image.
  public init?(_ observation: VNPixelBufferObservation) {
    guard let copy = Self.copy(observation.pixelBuffer) else { return nil }
    self.init(
      copy, uuid: observation.uuid, timeRange: observation.validTimeRange, originatingRequestDescriptor: observation.descriptor)
  }

  /// - Parameter buffer: an output, which nobody else has.
  init?(_ buffer: CVPixelBuffer, from descriptor: RequestDescriptor) {
    self.init(buffer, uuid: UUID(), timeRange: nil, originatingRequestDescriptor: descriptor)
  }

  private init?(_ buffer: CVPixelBuffer, uuid: UUID, timeRange: CMTimeRange?, originatingRequestDescriptor: RequestDescriptor?) {
    guard let image = BufferPicture(buffer)?.image else { return nil }
    self.uuid = uuid
    self.timeRange = timeRange
    self.originatingRequestDescriptor = originatingRequestDescriptor
    self.buffer = buffer
    cgImage = image
  }

  private static func copy(_ buffer: CVPixelBuffer) -> CVPixelBuffer? {
    buffer.packedPixels.flatMap {
      CVPixelBuffer.buffer(
        width: CVPixelBufferGetWidth(buffer), height: CVPixelBufferGetHeight(buffer), format: CVPixelBufferGetPixelFormatType(buffer),
        packedPixels: $0)
    }
  }

  /// In pixels.
  public var size: CGSize { CGSize(width: CVPixelBufferGetWidth(buffer), height: CVPixelBufferGetHeight(buffer)) }
  public var pixelFormat: OSType { CVPixelBufferGetPixelFormatType(buffer) }

  /// The pixel at a point: the number of a floating-point format, and for one of 8 bits the shade, or of colours the luma of ITU-R
  /// BT.601, from 0 to 1. Points outside of the picture have the pixel of its edge.
  public func pixel(at point: NormalizedPoint) -> Float {
    func place(_ position: CGFloat, _ extent: Int) -> Int {
      // NaN is the first pixel.
      let bounded = position > 0 ? min(position * CGFloat(extent), CGFloat(extent - 1)) : 0
      return Int(bounded)
    }
    let column = place(point.x, CVPixelBufferGetWidth(buffer))
    let row = CVPixelBufferGetHeight(buffer) - 1 - place(point.y, CVPixelBufferGetHeight(buffer))
    return unsafe withUnsafePointer { base in
      let line = unsafe base + row * CVPixelBufferGetBytesPerRow(buffer)
      func luma(_ red: Int, _ green: Int, _ blue: Int) -> Float {
        let bytes = unsafe (line + 4 * column).assumingMemoryBound(to: UInt8.self)
        return unsafe (0.299 * Float(bytes[red]) + 0.587 * Float(bytes[green]) + 0.114 * Float(bytes[blue])) / 255
      }
      switch pixelFormat {
      case kCVPixelFormatType_32BGRA: return luma(2, 1, 0)
      case kCVPixelFormatType_32ARGB: return luma(1, 2, 3)
      case kCVPixelFormatType_32RGBA: return luma(0, 1, 2)
      case kCVPixelFormatType_OneComponent8: return unsafe Float(line.load(fromByteOffset: column, as: UInt8.self)) / 255
      case kCVPixelFormatType_OneComponent16Half, kCVPixelFormatType_DepthFloat16, kCVPixelFormatType_DisparityFloat16:
        return unsafe Float(line.load(fromByteOffset: 2 * column, as: Float16.self))
      default: return unsafe line.load(fromByteOffset: 4 * column, as: Float.self)
      }
    }
  }

  /// Calls `body` with the first byte of the first row. Rows may have padding.
  public func withUnsafePointer<R>(_ body: (UnsafeRawPointer) -> R) -> R {
    CVPixelBufferLockBaseAddress(buffer, .readOnly)
    defer { CVPixelBufferUnlockBaseAddress(buffer, .readOnly) }
    guard let base = unsafe CVPixelBufferGetBaseAddress(buffer) else { preconditionFailure("a pixel buffer has memory") }
    return unsafe body(UnsafeRawPointer(base))
  }

  public static func == (first: PixelBufferObservation, second: PixelBufferObservation) -> Bool {
    first.uuid == second.uuid && first.pixelFormat == second.pixelFormat && first.buffer.packedPixels == second.buffer.packedPixels
  }

  public var description: String { "PixelBufferObservation(\(cgImage.width) × \(cgImage.height))" }

  // MARK: Codable

  private enum Key: String, CodingKey {
    case uuid, timeRange, originatingRequestDescriptor, width, height, pixelFormat, pixels
  }

  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Key.self)
    let buffer = CVPixelBuffer.buffer(
      width: try values.decode(Int.self, forKey: .width), height: try values.decode(Int.self, forKey: .height),
      format: try values.decode(OSType.self, forKey: .pixelFormat), packedPixels: try values.decode(Data.self, forKey: .pixels))
    let observation = try buffer.flatMap {
      PixelBufferObservation(
        $0, uuid: try values.decode(UUID.self, forKey: .uuid),
        timeRange: try values.decodeIfPresent(CMTimeRange.self, forKey: .timeRange),
        originatingRequestDescriptor: try values.decodeIfPresent(RequestDescriptor.self, forKey: .originatingRequestDescriptor))
    }
    guard let observation else {
      throw DecodingError.dataCorruptedError(forKey: .pixels, in: values, debugDescription: "not the pixels of a picture")
    }
    self = observation
  }

  public func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: Key.self)
    try values.encode(uuid, forKey: .uuid)
    try values.encodeIfPresent(timeRange, forKey: .timeRange)
    try values.encodeIfPresent(originatingRequestDescriptor, forKey: .originatingRequestDescriptor)
    try values.encode(CVPixelBufferGetWidth(buffer), forKey: .width)
    try values.encode(CVPixelBufferGetHeight(buffer), forKey: .height)
    try values.encode(pixelFormat, forKey: .pixelFormat)
    try values.encode(buffer.packedPixels ?? Data(), forKey: .pixels)
  }
}
