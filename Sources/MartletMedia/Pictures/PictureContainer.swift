package import MartletPixels

/// A picture file of one format whose structure has been read and checked; its pixels have not.
protocol PictureContainer: Sendable {
  var pictureCount: Int { get }
  /// Index of the picture to show if only one is.
  var primaryIndex: Int { get }

  /// - Precondition: here and below, the index is less than `pictureCount`.
  func header(at index: Int) -> PictureHeader
  /// How the picture was turned when it was stored; nil if the file does not say.
  func orientation(at index: Int) -> ImageOrientation?
  /// - Throws: if the metadata expand past the limit. Damaged parts are left out, as viewers do.
  func metadata(at index: Int) throws(MediaError) -> PictureMetadata
  func decode(at index: Int, _ options: PictureDecoding) throws(MediaError) -> DecodedPicture
}

/// How pixels are wanted.
package struct PictureDecoding: Sendable {
  /// A fourth sample follows three colours without alpha, so that each pixel has a size that is a power of two.
  package var padsColors = true
  /// Length of the longer side in pixels that is enough. A decoder that can do less work for a smaller picture gives one whose longer
  /// side is at least this, others the whole picture.
  package var sufficientExtent: Int?

  package init(padsColors: Bool = true, sufficientExtent: Int? = nil) {
    self.padsColors = padsColors
    self.sufficientExtent = sufficientExtent
  }
}

/// A picture file of any format that can be decoded.
package struct PictureFile: Sendable {
  package let type: PictureType
  private let container: any PictureContainer

  /// Reads the structure and compares the declared sizes with the limits.
  /// - Parameter name: identifies the bytes in errors.
  package init(_ bytes: [UInt8], name: String, limits: PictureLimits = .standard) throws(MediaError) {
    guard let type = PictureType(of: bytes) else {
      throw MediaError(file: name, field: "signature", reason: .unsupported("the file is not a PNG, JPEG, HEIF, AVIF or WebP picture"))
    }
    self.type = type
    switch type {
    case .png: container = try PNGFile(bytes, name: name, limits: limits)
    case .jpeg: container = try JPEGFile(bytes, name: name, limits: limits)
    case .heic, .heif, .avif: container = try HEIFFile(bytes, name: name, limits: limits)
    case .webP: container = try WebPFile(bytes, name: name, limits: limits)
    default:
      throw MediaError(file: name, field: "signature", reason: .unsupported("pictures of type \(type.identifier)"))
    }
  }

  package var pictureCount: Int { container.pictureCount }
  package var primaryIndex: Int { container.primaryIndex }
  package func header(at index: Int) -> PictureHeader { container.header(at: index) }
  package func orientation(at index: Int) -> ImageOrientation? { container.orientation(at: index) }
  package func metadata(at index: Int) throws(MediaError) -> PictureMetadata { try container.metadata(at: index) }

  /// The pixels as they are stored, not turned.
  package func decode(at index: Int, _ options: PictureDecoding = PictureDecoding()) throws(MediaError) -> DecodedPicture {
    try container.decode(at: index, options)
  }
}

extension ImageOrientation {
  /// The orientation in an EXIF block; nil if there is none or the block is damaged. Like other viewers, a reader then shows the image as
  /// stored.
  static func ofEXIF(_ block: ArraySlice<UInt8>?) -> ImageOrientation? {
    guard let block, let exif = try? ExifBlock(block), case .integers(let values)? = exif.main[0x0112], values.count == 1 else {
      return nil
    }
    return ImageOrientation(rawValue: values[0])
  }
}
