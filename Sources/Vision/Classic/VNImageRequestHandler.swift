public import CoreGraphics
public import CoreImage
public import CoreVideo
public import Foundation
public import ImageIO

/// Performs requests on one picture, which is decoded once for all of them.
///
/// An orientation says how the pixels are stored. Without one, those of files and their data have their own, other pictures are upright.
open class VNImageRequestHandler: NSObject {
  private let picture: RequestPicture

  private init(_ picture: RequestPicture) {
    self.picture = picture
    super.init()
  }

  public convenience init(cvPixelBuffer pixelBuffer: CVPixelBuffer, options: [VNImageOption: Any] = [:]) {
    self.init(RequestPicture(.buffer(pixelBuffer)))
  }

  public convenience init(
    cvPixelBuffer pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation, options: [VNImageOption: Any] = [:]
  ) {
    self.init(RequestPicture(.buffer(pixelBuffer), orientation: orientation))
  }

  public convenience init(cgImage image: CGImage, options: [VNImageOption: Any] = [:]) {
    self.init(RequestPicture(.image(image)))
  }

  public convenience init(cgImage image: CGImage, orientation: CGImagePropertyOrientation, options: [VNImageOption: Any] = [:]) {
    self.init(RequestPicture(.image(image), orientation: orientation))
  }

  /// - Parameter options: `ciContext` is what the image is drawn with.
  public convenience init(ciImage image: CIImage, options: [VNImageOption: Any] = [:]) {
    self.init(RequestPicture(.recipe(image, options[.ciContext] as? CIContext)))
  }

  public convenience init(ciImage image: CIImage, orientation: CGImagePropertyOrientation, options: [VNImageOption: Any] = [:]) {
    self.init(RequestPicture(.recipe(image, options[.ciContext] as? CIContext), orientation: orientation))
  }

  /// - Parameter imageURL: that of a file.
  public convenience init(url imageURL: URL, options: [VNImageOption: Any] = [:]) {
    self.init(RequestPicture(.url(imageURL)))
  }

  public convenience init(url imageURL: URL, orientation: CGImagePropertyOrientation, options: [VNImageOption: Any] = [:]) {
    self.init(RequestPicture(.url(imageURL), orientation: orientation))
  }

  /// - Parameter imageData: the content of a file.
  public convenience init(data imageData: Data, options: [VNImageOption: Any] = [:]) {
    self.init(RequestPicture(.data(imageData)))
  }

  public convenience init(data imageData: Data, orientation: CGImagePropertyOrientation, options: [VNImageOption: Any] = [:]) {
    self.init(RequestPicture(.data(imageData), orientation: orientation))
  }

  /// Performs requests one after another, all of them even if some fail. Their completion handlers are called before it returns.
  /// - Throws: the error of the first one that failed, in the domain `VNErrorDomain`.
  open func perform(_ requests: [VNRequest]) throws { try requests.perform(on: picture) }
}

/// Performs requests on a sequence of pictures.
open class VNSequenceRequestHandler: NSObject {
  public override init() { super.init() }

  /// Performs requests as `VNImageRequestHandler.perform(_:)` does.
  open func perform(_ requests: [VNRequest], on pixelBuffer: CVPixelBuffer) throws {
    try requests.perform(on: RequestPicture(.buffer(pixelBuffer)))
  }

  open func perform(_ requests: [VNRequest], on pixelBuffer: CVPixelBuffer, orientation: CGImagePropertyOrientation) throws {
    try requests.perform(on: RequestPicture(.buffer(pixelBuffer), orientation: orientation))
  }

  open func perform(_ requests: [VNRequest], on image: CGImage) throws { try requests.perform(on: RequestPicture(.image(image))) }

  open func perform(_ requests: [VNRequest], on image: CGImage, orientation: CGImagePropertyOrientation) throws {
    try requests.perform(on: RequestPicture(.image(image), orientation: orientation))
  }

  open func perform(_ requests: [VNRequest], on image: CIImage) throws { try requests.perform(on: RequestPicture(.recipe(image, nil))) }

  open func perform(_ requests: [VNRequest], on image: CIImage, orientation: CGImagePropertyOrientation) throws {
    try requests.perform(on: RequestPicture(.recipe(image, nil), orientation: orientation))
  }

  open func perform(_ requests: [VNRequest], onImageURL imageURL: URL) throws { try requests.perform(on: RequestPicture(.url(imageURL))) }

  open func perform(_ requests: [VNRequest], onImageURL imageURL: URL, orientation: CGImagePropertyOrientation) throws {
    try requests.perform(on: RequestPicture(.url(imageURL), orientation: orientation))
  }

  open func perform(_ requests: [VNRequest], onImageData imageData: Data) throws {
    try requests.perform(on: RequestPicture(.data(imageData)))
  }

  open func perform(_ requests: [VNRequest], onImageData imageData: Data, orientation: CGImagePropertyOrientation) throws {
    try requests.perform(on: RequestPicture(.data(imageData), orientation: orientation))
  }
}

extension [VNRequest] {
  func perform(on picture: RequestPicture) throws {
    let errors = map { $0.perform(on: picture) }
    if let first = errors.lazy.compactMap(\.self).first { throw first }
  }
}
