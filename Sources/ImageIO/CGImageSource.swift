public import CoreGraphics
import MartletMedia
import MartletPixels
import Synchronization

/// How far a source, or one of its pictures, can be read.
public enum CGImageSourceStatus: Int32, Sendable {
  case statusUnexpectedEOF = -5
  case statusInvalidData = -4
  /// Of a type without a decoder.
  case statusUnknownType = -3
  case statusReadingHeader = -2
  case statusIncomplete = -1
  case statusComplete = 0
}

/// A file with pictures, or its content in memory.
///
/// PNG and JPEG files need libpng and libturbojpeg, HEIF and AVIF files libheif, WebP files libwebp. Sizes and properties of pictures are
/// known without them. The types of GIF, TIFF and raw files are recognised; their pictures are not.
public final class CGImageSource: Hashable, Sendable {
  /// Nil for content without pictures that can be decoded.
  let file: PictureFile?
  let type: PictureType?
  let byteCount: Int
  let status: CGImageSourceStatus
  /// Images that clients still hold, so that asking again decodes nothing.
  private let images = Mutex<[Int: WeakImage]>([:])

  private struct WeakImage: @unchecked Sendable {
    weak var image: CGImage?
  }

  init(_ bytes: [UInt8], name: String) {
    byteCount = bytes.count
    type = PictureType(of: bytes)
    do throws(MediaError) {
      file = try PictureFile(bytes, name: name)
      status = .statusComplete
    } catch {
      Failure.report(error)
      file = nil
      status = bytes.isEmpty ? .statusUnexpectedEOF : type?.isDecodable == true ? .statusInvalidData : .statusUnknownType
    }
  }

  public static func == (first: CGImageSource, second: CGImageSource) -> Bool { first === second }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  var count: Int { file?.pictureCount ?? 0 }

  /// The file if it has a picture with the index.
  func file(at index: Int) -> PictureFile? {
    guard let file, (0..<file.pictureCount).contains(index) else { return nil }
    return file
  }

  func metadata(at index: Int) -> PictureMetadata? {
    guard let file = file(at: index) else { return nil }
    do throws(MediaError) { return try file.metadata(at: index) } catch {
      Failure.report(error)
      return nil
    }
  }

  /// - Parameter sufficientExtent: as of `PictureDecoding`.
  func decode(at index: Int, padsColors: Bool = true, sufficientExtent: Int? = nil) -> DecodedPicture? {
    guard let file = file(at: index) else { return nil }
    do throws(MediaError) {
      return try file.decode(at: index, PictureDecoding(padsColors: padsColors, sufficientExtent: sufficientExtent))
    } catch {
      Failure.report(error)
      return nil
    }
  }

  func image(at index: Int, _ options: SourceOptions) -> CGImage? {
    let factor = options.subsampleFactor
    if options.shouldCache, factor == 1, let image = images.withLock({ $0[index]?.image }) { return image }
    guard let file = file(at: index), let metadata = metadata(at: index) else { return nil }
    let header = file.header(at: index)
    let sufficient = (max(header.width, header.height) + factor - 1) / factor
    guard let image = decode(at: index, sufficientExtent: factor == 1 ? nil : sufficient)?.image(metadata) else { return nil }
    if options.shouldCache, factor == 1 { images.withLock { $0[index] = WeakImage(image: image) } }
    return image
  }

  func forget(_ index: Int) { images.withLock { $0[index] = nil } }
}

/// Options of functions of sources.
struct SourceOptions {
  private let options: CFDictionary?

  init(_ options: CFDictionary?) { self.options = options }

  private func flag(_ key: CFString, unless default: Bool = false) -> Bool {
    guard let value = options?[key] else { return `default` }
    return (value as? NSNumber)?.boolValue ?? `default`
  }

  var shouldCache: Bool { flag(kCGImageSourceShouldCache, unless: true) }
  var usesImageIfThumbnailIsAbsent: Bool { flag(kCGImageSourceCreateThumbnailFromImageIfAbsent) }
  var usesImageAlways: Bool { flag(kCGImageSourceCreateThumbnailFromImageAlways) }
  var turnsThumbnail: Bool { flag(kCGImageSourceCreateThumbnailWithTransform) }

  /// Length of the longer side of a thumbnail in pixels; nil for no limit.
  var maximumExtent: Int? {
    WrittenProperties.integer(options?[kCGImageSourceThumbnailMaxPixelSize]).flatMap { $0 > 0 ? $0 : nil }
  }

  /// 1, 2, 4 or 8.
  var subsampleFactor: Int {
    let factor = WrittenProperties.integer(options?[kCGImageSourceSubsampleFactor]) ?? 1
    return [2, 4, 8].contains(factor) ? factor : 1
  }
}

// MARK: Functions

/// A source of a file; nil if it cannot be read.
public func CGImageSourceCreateWithURL(_ url: CFURL, _ options: CFDictionary?) -> CGImageSource? {
  let url = url as URL
  if url.isFileURL { return (try? FileContents.read(path: url.path)).map { CGImageSource($0, name: url.path) } }
  guard let data = try? Data(contentsOf: url) else { return nil }
  return CGImageSource([UInt8](data), name: url.absoluteString)
}

/// A source of a file's content.
public func CGImageSourceCreateWithData(_ data: CFData, _ options: CFDictionary?) -> CGImageSource? {
  CGImageSource([UInt8](data as Data), name: "data")
}

/// A source of the content that a provider has; nil if it has none.
public func CGImageSourceCreateWithDataProvider(_ provider: CGDataProvider, _ options: CFDictionary?) -> CGImageSource? {
  provider.data.map { CGImageSource([UInt8]($0 as Data), name: "data provider") }
}

/// The type identifiers of files whose pictures can be decoded.
public func CGImageSourceCopyTypeIdentifiers() -> CFArray {
  PictureType.allCases.filter(\.isDecodable).map(\.identifier) as CFArray
}

/// The type identifier of the content; nil if it is not a known one.
public func CGImageSourceGetType(_ source: CGImageSource) -> CFString? { source.type.map { $0.identifier as CFString } }

/// The number of pictures, without small versions and other parts of them.
public func CGImageSourceGetCount(_ source: CGImageSource) -> Int { source.count }

/// The index of the picture to show if only one is.
public func CGImageSourceGetPrimaryImageIndex(_ source: CGImageSource) -> Int { source.file?.primaryIndex ?? 0 }

public func CGImageSourceGetStatus(_ source: CGImageSource) -> CGImageSourceStatus { source.status }

public func CGImageSourceGetStatusAtIndex(_ source: CGImageSource, _ index: Int) -> CGImageSourceStatus {
  source.file(at: index) == nil ? (source.file == nil ? source.status : .statusInvalidData) : .statusComplete
}

/// Properties of the file; nil if it has no picture.
public func CGImageSourceCopyProperties(_ source: CGImageSource, _ options: CFDictionary?) -> CFDictionary? {
  guard source.file != nil else { return nil }
  return [kCGImagePropertyFileSize: source.byteCount] as [CFString: Any] as CFDictionary
}

/// Properties of a picture; nil if there is none with the index.
public func CGImageSourceCopyPropertiesAtIndex(_ source: CGImageSource, _ index: Int, _ options: CFDictionary?) -> CFDictionary? {
  guard let file = source.file(at: index), let metadata = source.metadata(at: index) else { return nil }
  var properties = ReadProperties.dictionary(file.header(at: index), metadata)
  if file.pictureCount > 1 { properties[kCGImagePropertyPrimaryImage] = file.primaryIndex }
  return properties as CFDictionary
}

/// The stored pixels of a picture, which its orientation says how to turn; nil if they cannot be decoded. An image that was asked for
/// before, and is still in use, is given again unless `kCGImageSourceShouldCache` is false.
public func CGImageSourceCreateImageAtIndex(_ source: CGImageSource, _ index: Int, _ options: CFDictionary?) -> CGImage? {
  source.image(at: index, SourceOptions(options))
}

public func CGImageSourceRemoveCacheAtIndex(_ source: CGImageSource, _ index: Int) { source.forget(index) }

/// A small version of a picture, of 8 bits: the one in the file, or one made from the picture if the options say so; nil otherwise.
/// It is turned upright only with `kCGImageSourceCreateThumbnailWithTransform`.
public func CGImageSourceCreateThumbnailAtIndex(_ source: CGImageSource, _ index: Int, _ options: CFDictionary?) -> CGImage? {
  Thumbnail(source, index, SourceOptions(options)).image
}
