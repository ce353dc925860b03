import CoreVideo
import Foundation
import Martlet
import MartletFeatures
import MartletPixelBuffers
import MartletPixels

/// Images of Core ML models are pixel buffers outside.
enum ImageConversion {
  /// Calls `body` with the pixels of a buffer.
  /// - Throws: `MLModelError.featureType` with the feature and a pixel format that it does not accept.
  static func withPixels<R>(
    of buffer: CVPixelBuffer, for type: ImageFeature, name: String, _ body: (PixelView) throws -> R
  ) throws -> R {
    do {
      return try MartletPixelBuffers.withPixels(of: buffer) { pixels in
        guard type.takes(pixels) else { throw PixelBufferError.unsupported }
        return try body(pixels)
      }
    } catch PixelBufferError.inaccessible {
      throw MLModelError(.generic, "The pixel buffer for the feature '\(name)' cannot be locked")
    } catch PixelBufferError.unsupported {
      throw MLModelError(
        .featureType,
        "The feature '\(name)' takes images; pixel buffers of the format \(pixelFormatName(CVPixelBufferGetPixelFormatType(buffer))) "
          + "and size \(CVPixelBufferGetWidth(buffer)) × \(CVPixelBufferGetHeight(buffer)) are not supported")
    }
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
      var made: CVPixelBuffer?
      let code = unsafe CVPixelBufferCreate(kCFAllocatorDefault, width, height, type.pixelFormatType, nil, &made)
      guard let made else { throw MLModelError(.generic, "Cannot create a pixel buffer for the feature '\(name)' (\(code))") }
      buffer = made
    }
    guard CVPixelBufferGetWidth(buffer) == width, CVPixelBufferGetHeight(buffer) == height else {
      throw MLModelError(
        .featureType,
        "The output '\(name)' is Image (\(width) × \(height)), and its backing Image "
          + "(\(CVPixelBufferGetWidth(buffer)) × \(CVPixelBufferGetHeight(buffer)))")
    }
    do {
      try unsafe type.read(tensor, tensorType, into: buffer)
    } catch PixelBufferError.inaccessible {
      throw MLModelError(.generic, "The pixel buffer for the output '\(name)' cannot be locked")
    } catch PixelBufferError.unsupported {
      throw MLModelError(
        .featureType,
        "The output '\(name)' cannot be written to a pixel buffer of the format "
          + pixelFormatName(CVPixelBufferGetPixelFormatType(buffer)))
    } catch {
      throw MLModelError(error)
    }
    return buffer
  }
}

extension ImageFeature {
  /// The pixel format of images that the model accepts without conversion, and of its outputs.
  var pixelFormatType: OSType {
    switch colorSpace {
    case .grayscale: kCVPixelFormatType_OneComponent8
    case .grayscaleFloat16: kCVPixelFormatType_OneComponent16Half
    case .rgb, .bgr: kCVPixelFormatType_32BGRA
    }
  }
}
