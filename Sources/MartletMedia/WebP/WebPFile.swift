import MartletPixels
import MartletTensor

/// A WebP file with one picture.
///
/// Source: RFC 9649.
struct WebPFile: PictureContainer {
  private let bytes: [UInt8]
  private let name: String
  private let limits: PictureLimits
  private let width: Int
  private let height: Int
  private let hasAlpha: Bool
  private let isAnimated: Bool

  /// Chunks of the file: their types and contents.
  private struct Chunks: Sequence, IteratorProtocol {
    private let file: OrderedBytes
    private var position = 12

    init(_ bytes: [UInt8]) { file = OrderedBytes(bytes[...], .littleEndian) }

    mutating func next() -> (type: OrderedBytes, content: OrderedBytes)? {
      guard let type = file.part(at: position, count: 4), let size = file.integer(at: position + 4, byteCount: 4),
        let content = file.part(at: position + 8, count: size)
      else { return nil }
      position += 8 + (size + 1) / 2 * 2  // In range: the content lies within the file.
      return (OrderedBytes(type, .bigEndian), OrderedBytes(content, .littleEndian))
    }
  }

  init(_ bytes: [UInt8], name: String, limits: PictureLimits) throws(MediaError) {
    var size: (width: Int, height: Int)?
    var (hasAlpha, isAnimated) = (false, false)
    for (type, content) in Chunks(bytes) {
      if type.has("VP8X", at: 0), let flags = content.integer(at: 0, byteCount: 1), let width = content.integer(at: 4, byteCount: 3),
        let height = content.integer(at: 7, byteCount: 3)
      {
        hasAlpha = flags & 0x10 != 0
        isAnimated = flags & 2 != 0
        size = (width + 1, height + 1)
      } else if type.has("VP8 ", at: 0), let width = content.integer(at: 6, byteCount: 2), let height = content.integer(at: 8, byteCount: 2)
      {
        size = size ?? (width & 0x3FFF, height & 0x3FFF)
        break
      } else if type.has("VP8L", at: 0), let fields = content.integer(at: 1, byteCount: 4) {
        size = size ?? (fields & 0x3FFF + 1, fields >> 14 & 0x3FFF + 1)
        hasAlpha = fields >> 28 & 1 != 0
        break
      }
    }
    guard let size else { throw MediaError(file: name, field: "WebP header", reason: .invalid("is not complete")) }
    try limits.check(width: size.width, height: size.height, file: name)
    self.bytes = bytes
    self.name = name
    self.limits = limits
    (width, height) = size
    self.hasAlpha = hasAlpha
    self.isAnimated = isAnimated
  }

  var pictureCount: Int { 1 }
  var primaryIndex: Int { 0 }

  func header(at index: Int) -> PictureHeader {
    PictureHeader(width: width, height: height, model: .rgb, bitsPerComponent: 8, hasAlpha: hasAlpha)
  }

  private func chunk(_ name: StaticString) -> ArraySlice<UInt8>? {
    Chunks(bytes).first { $0.type.has(name, at: 0) }?.content.bytes
  }

  /// The TIFF block, before which some programs write the signature that JPEG files have.
  private var exif: ArraySlice<UInt8>? {
    guard let content = chunk("EXIF") else { return nil }
    return OrderedBytes(content, .bigEndian).has("Exif\0\0", at: 0) ? content.dropFirst(6) : content
  }

  func orientation(at index: Int) -> ImageOrientation? { .ofEXIF(exif) }

  func metadata(at index: Int) throws(MediaError) -> PictureMetadata {
    var metadata = PictureMetadata()
    metadata.orientation = orientation(at: index)
    for (content, field) in [(exif, "WebP EXIF data"), (chunk("ICCP"), "WebP colour profile")] {
      try limits.check(metadataByteCount: content?.count ?? 0, file: name, field: field)
    }
    metadata.exif = exif.map { Array($0) }
    metadata.profile = chunk("ICCP").map { Array($0) }
    return metadata
  }

  func decode(at index: Int, _ options: PictureDecoding) throws(MediaError) -> DecodedPicture {
    guard !isAnimated else { throw MediaError(file: name, field: "WebP header", reason: .unsupported("animations")) }
    let library = try LibWebP.load(file: name)
    let rows = try unsafe DecodedPicture.rows(width: width, height: height, bytesPerPixel: 4, file: name) {
      (rows, rowByteCount) throws(MediaError) in
      let succeeded = unsafe bytes.withUnsafeBufferPointer { input in
        var (codedWidth, codedHeight): (CInt, CInt) = (0, 0)
        guard unsafe library.getInfo(input.baseAddress, input.count, &codedWidth, &codedHeight) != 0,
          (Int(widening: codedWidth), Int(widening: codedHeight)) == (width, height), let stride = CInt(exactly: rowByteCount)
        else { return false }
        // In range: the size of the rows.
        return unsafe library.decode(input.baseAddress, input.count, rows, rowByteCount * height, stride) != nil
      }
      guard succeeded else { throw MediaError(file: name, field: "WebP data", reason: .invalid("the picture is damaged")) }
    }
    return DecodedPicture(
      width: width, height: height, colors: .rgb, alpha: hasAlpha ? .straight : .skipped, bitsPerComponent: 8, bytes: rows
    ).padded(options.padsColors)
  }
}

/// Functions of libwebp 1, opened at run time.
@safe
struct LibWebP: Sendable {
  typealias GetInfo =
    @convention(c) @Sendable (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<CInt>, UnsafeMutablePointer<CInt>) -> CInt
  typealias Decode =
    @convention(c) @Sendable (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<UInt8>, Int, CInt) -> UnsafeMutablePointer<UInt8>?

  /// `WebPGetInfo(data, data_size, width, height)`
  let getInfo: GetInfo
  /// `WebPDecodeRGBAInto(data, data_size, output_buffer, output_buffer_size, output_stride)`
  let decode: Decode

  static let loaded: Result<LibWebP, SharedLibrary.LoadFailure> = {
    do throws(SharedLibrary.LoadFailure) {
      #if os(Linux)
        let library = try SharedLibrary(name: "libwebp.so.7", debianPackage: "libwebp7")
      #else
        let library = try SharedLibrary(name: "libwebp.7.dylib", debianPackage: "libwebp7")
      #endif
      // The types are those of decode.h 1; the ABI version is part of the library's name.
      return .success(
        unsafe LibWebP(
          getInfo: try unsafe library.function("WebPGetInfo", as: GetInfo.self),
          decode: try unsafe library.function("WebPDecodeRGBAInto", as: Decode.self)))
    } catch {
      return .failure(error)
    }
  }()

  static func load(file: String) throws(MediaError) -> LibWebP {
    do throws(SharedLibrary.LoadFailure) { return try loaded.get() } catch { throw error.mediaError(file: file, field: "WebP picture") }
  }
}
