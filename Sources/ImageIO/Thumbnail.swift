import CoreGraphics
import MartletMedia
import MartletPixels

/// A small version of a picture.
struct Thumbnail {
  private let source: CGImageSource
  private let index: Int
  private let options: SourceOptions

  init(_ source: CGImageSource, _ index: Int, _ options: SourceOptions) {
    self.source = source
    self.index = index
    self.options = options
  }

  var image: CGImage? {
    guard let file = source.file(at: index), let metadata = source.metadata(at: index) else { return nil }
    var picture: DecodedPicture?
    if !options.usesImageAlways { picture = stored(metadata) }
    if picture == nil, options.usesImageAlways || options.usesImageIfThumbnailIsAbsent {
      let header = file.header(at: index)
      let limit = options.maximumExtent ?? max(header.width, header.height)
      picture = source.decode(at: index, padsColors: false, sufficientExtent: limit)
    }
    guard let picture else { return nil }
    var small = Self.fitted(picture.image, options.maximumExtent)
    if options.turnsThumbnail, let orientation = metadata.orientation { small = small.upright(from: orientation) }
    // Inks were mixed without their profile.
    return small.decoded.image(picture.colors == .cmyk ? PictureMetadata() : metadata)
  }

  /// The small version that EXIF data have.
  private func stored(_ metadata: PictureMetadata) -> DecodedPicture? {
    guard let block = metadata.exif, let bytes = (try? ExifBlock(block[...]))?.thumbnail,
      let file = try? PictureFile(bytes, name: "thumbnail")
    else { return nil }
    return try? file.decode(at: 0, PictureDecoding(padsColors: false))
  }

  /// The image in a size whose longer side has at most `limit` pixels; never enlarged.
  static func fitted(_ image: MartletPixels.Image, _ limit: Int?) -> MartletPixels.Image {
    let longest = max(image.width, image.height)
    guard let limit, limit < longest else { return image }
    func scaled(_ extent: Int) -> Int { max(1, (2 * extent * limit + longest) / (2 * longest)) }
    return image.resized(width: scaled(image.width), height: scaled(image.height))
  }
}

extension MartletPixels.Image {
  /// The image with four bytes for each colour.
  var decoded: DecodedPicture {
    switch format {
    case .gray8: DecodedPicture(width: width, height: height, colors: .gray, alpha: .none, bitsPerComponent: 8, bytes: pixels)
    case .rgb8:
      DecodedPicture(
        width: width, height: height, colors: .rgb, alpha: .skipped, bitsPerComponent: 8, bytes: converted(to: .rgba8).pixels)
    case .rgba8: DecodedPicture(width: width, height: height, colors: .rgb, alpha: .straight, bitsPerComponent: 8, bytes: pixels)
    }
  }
}
