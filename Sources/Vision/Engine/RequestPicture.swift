import CoreGraphics
import CoreImage
import CoreVideo
import Foundation
import ImageIO
import Martlet
import MartletImages
import MartletPixels

/// The picture of a handler. It is decoded on first use, once for all requests.
final class RequestPicture: Sendable {
  enum Source: @unchecked Sendable {
    case buffer(CVPixelBuffer)
    case image(CGImage)
    /// Drawn with the context, or one of its own.
    case recipe(CIImage, CIContext?)
    case data(Data)
    case url(URL)
  }

  struct Upright: Sendable {
    let picture: StoredPicture
    let orientation: ImageOrientation
  }

  private let source: Source
  /// Nil for the file's own.
  private let orientation: CGImagePropertyOrientation?
  private let decoded = Guarded<Result<Upright, Failure>?>(nil)

  init(_ source: Source, orientation: CGImagePropertyOrientation? = nil) {
    self.source = source
    self.orientation = orientation
  }

  /// - Throws: `Failure`.
  func upright() throws -> Upright {
    try decoded.withLock { decoded in
      if let decoded { return decoded }
      let result = Result { try decode() }.mapError { $0 as? Failure ?? Failure(.internalError("\($0)")) }
      decoded = result
      return result
    }.get()
  }

  private func decode() throws -> Upright {
    switch source {
    case .buffer(let buffer): return Upright(picture: StoredPicture(buffer), orientation: image(orientation ?? .up))
    case .image(let image): return try upright(image, orientation ?? .up)
    case .recipe(let image, let context):
      if let buffer = image.pixelBuffer { return Upright(picture: StoredPicture(buffer), orientation: self.image(orientation ?? .up)) }
      if let image = image.cgImage { return try upright(image, orientation ?? .up) }
      let extent = image.extent
      guard !extent.isEmpty, !extent.isInfinite, let drawn = (context ?? CIContext()).createCGImage(image, from: extent) else {
        throw Failure(.invalidImage("An image of the extent \(extent) cannot be drawn"))
      }
      return try upright(drawn, orientation ?? .up)
    case .data(let data):
      guard let content = PictureContent(data) else {
        throw Failure(.invalidImage("The data are not those of a picture that can be decoded"))
      }
      return try upright(content.image, orientation ?? content.orientation)
    case .url(let url):
      guard url.isFileURL, (try? url.checkResourceIsReachable()) == true else {
        throw Failure(.ioError("There is no file at \(url.isFileURL ? url.path : url.absoluteString)"))
      }
      guard let content = PictureContent(contentsOf: url) else {
        throw Failure(.invalidImage("\(url.path) is not a picture that can be decoded"))
      }
      return try upright(content.image, orientation ?? content.orientation)
    }
  }

  private func upright(_ image: CGImage, _ orientation: CGImagePropertyOrientation) throws -> Upright {
    guard let picture = StoredPicture(image) else {
      throw Failure(.invalidImage("The colours of an image of \(image.width) × \(image.height) pixels cannot be converted"))
    }
    return Upright(picture: picture, orientation: self.image(orientation))
  }

  private func image(_ orientation: CGImagePropertyOrientation) -> ImageOrientation {
    ImageOrientation(rawValue: Int(orientation.rawValue)) ?? .up
  }
}
