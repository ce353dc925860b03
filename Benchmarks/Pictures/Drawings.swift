import CoreGraphics
import CoreImage
import Foundation
import ImageIO

/// Images that are decoded once, drawn in different ways.
@MainActor
final class Drawings {
  private var images: [String: CGImage] = [:]
  private let context = CIContext()

  private func image(_ path: String) throws -> CGImage {
    if let found = images[path] { return found }
    guard let source = CGImageSourceCreateWithURL(URL(fileURLWithPath: path) as CFURL, nil),
      let image = CGImageSourceCreateImageAtIndex(source, 0, nil)
    else { throw Failure(description: "no image in \(path)") }
    images[path] = image
    return image
  }

  func drawing(_ path: String) throws -> () throws -> Void {
    let image = try image(path)
    guard
      let context = unsafe CGContext(
        data: nil, width: 640, height: 640, bitsPerComponent: 8, bytesPerRow: 4 * 640, space: CGColorSpaceCreateDeviceRGB(),
        bitmapInfo: CGImageAlphaInfo.premultipliedFirst.rawValue | CGBitmapInfo.byteOrder32Little.rawValue)
    else { throw Failure(description: "no bitmap") }
    context.interpolationQuality = .low
    return { context.draw(image, in: CGRect(x: 0, y: 0, width: 640, height: 640)) }
  }

  private func evaluation(_ image: CIImage) throws -> () throws -> Void {
    let context = context
    return {
      guard context.createCGImage(image, from: image.extent) != nil else { throw Failure(description: "no image") }
    }
  }

  func scaling(_ path: String) throws -> () throws -> Void {
    let image = CIImage(cgImage: try image(path))
    let factor = 224 / min(image.extent.width, image.extent.height)
    return try evaluation(image.transformed(by: CGAffineTransform(scaleX: factor, y: factor)))
  }

  func colorMatrix(_ path: String) throws -> () throws -> Void {
    let parameters: [String: Any] = [
      "inputRVector": CIVector(x: 0.9, y: 0.1, z: 0, w: 0), "inputGVector": CIVector(x: 0, y: 0.8, z: 0.2, w: 0),
      "inputBVector": CIVector(x: 0.1, y: 0, z: 0.9, w: 0),
    ]
    return try evaluation(CIImage(cgImage: try image(path)).applyingFilter("CIColorMatrix", parameters: parameters))
  }
}
