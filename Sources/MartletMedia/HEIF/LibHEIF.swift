import MartletTensor

/// Functions of libheif 1, opened at run time.
@safe
struct LibHEIF: Sendable {
  private typealias Create = @convention(c) @Sendable () -> UnsafeMutableRawPointer?
  private typealias Free = @convention(c) @Sendable (UnsafeMutableRawPointer) -> Void
  private typealias Number = @convention(c) @Sendable (UnsafeMutableRawPointer) -> CInt
  private typealias ChannelNumber = @convention(c) @Sendable (UnsafeMutableRawPointer, CInt) -> CInt
  private typealias Plane =
    @convention(c) @Sendable (UnsafeMutableRawPointer, CInt, UnsafeMutablePointer<CInt>) -> UnsafePointer<UInt8>?

  /// `heif_channel_…`: where samples are.
  enum Channel: CInt {
    case red = 3
    case green = 4
    case blue = 5
    case alpha = 6
    case interleaved = 10
  }

  /// `heif_chroma_…`: how samples are arranged.
  enum Form: CInt {
    /// A plane for each colour.
    case planes = 3
    /// Red, green, blue and alpha, interleaved.
    case bytes = 11
    /// The same with 16 bits for each sample, little-endian.
    case words = 15
  }

  /// `heif_colorspace_RGB`
  private static let rgb: CInt = 1
  /// `heif_error_Unsupported_feature`, `heif_error_Unsupported_filetype`, `heif_error_Plugin_loading_error`
  private static let unsupported: Set<CInt> = [3, 4, 12]
  /// `heif_suberror_Unsupported_codec`
  private static let unsupportedCodec: CInt = 3001
  /// `heif_suberror_Unsupported_color_conversion`
  private static let unsupportedConversion: CInt = 3003

  private let createContext: Create
  private let read: martlet_heif_read
  private let getHandle: martlet_heif_get_handle
  private let decode: martlet_heif_decode
  private let createOptions: Create
  private let freeOptions: Free
  private let getLumaBits: Number
  private let getWidth: ChannelNumber
  private let getHeight: ChannelNumber
  private let getBits: ChannelNumber
  private let getPlane: Plane
  private let releaseContext: Free
  private let releaseHandle: Free
  private let releaseImage: Free

  static let loaded: Result<LibHEIF, SharedLibrary.LoadFailure> = {
    do throws(SharedLibrary.LoadFailure) {
      #if os(Linux)
        let library = try SharedLibrary(name: "libheif.so.1", debianPackage: "libheif1")
      #else
        let library = try SharedLibrary(name: "libheif.1.dylib", debianPackage: "libheif1")
      #endif
      // The types are those of heif.h 1; the ABI version is part of the library's name.
      return .success(
        unsafe LibHEIF(
          createContext: try unsafe library.function("heif_context_alloc", as: Create.self),
          read: try unsafe library.function("heif_context_read_from_memory_without_copy", as: martlet_heif_read.self),
          getHandle: try unsafe library.function("heif_context_get_image_handle", as: martlet_heif_get_handle.self),
          decode: try unsafe library.function("heif_decode_image", as: martlet_heif_decode.self),
          createOptions: try unsafe library.function("heif_decoding_options_alloc", as: Create.self),
          freeOptions: try unsafe library.function("heif_decoding_options_free", as: Free.self),
          getLumaBits: try unsafe library.function("heif_image_handle_get_luma_bits_per_pixel", as: Number.self),
          getWidth: try unsafe library.function("heif_image_get_width", as: ChannelNumber.self),
          getHeight: try unsafe library.function("heif_image_get_height", as: ChannelNumber.self),
          getBits: try unsafe library.function("heif_image_get_bits_per_pixel_range", as: ChannelNumber.self),
          getPlane: try unsafe library.function("heif_image_get_plane_readonly", as: Plane.self),
          releaseContext: try unsafe library.function("heif_context_free", as: Free.self),
          releaseHandle: try unsafe library.function("heif_image_handle_release", as: Free.self),
          releaseImage: try unsafe library.function("heif_image_release", as: Free.self)))
    } catch {
      return .failure(error)
    }
  }()

  static func load(file: String) throws(MediaError) -> LibHEIF {
    do throws(SharedLibrary.LoadFailure) { return try loaded.get() } catch { throw error.mediaError(file: file, field: "HEIF picture") }
  }

  /// - Throws: the library's message unless the error says success.
  private func check(_ error: martlet_heif_error, file: String) throws(MediaError) {
    let (code, subcode) = unsafe (error.code, error.subcode)
    guard code != 0 else { return }
    let message = if let text = unsafe error.message { unsafe String(cString: text) } else { "no reason given" }
    if Self.unsupported.contains(code) {
      // Newer packages of the library have its decoders as plugins.
      guard subcode == Self.unsupportedCodec else {
        throw MediaError(file: file, field: "HEIF picture", reason: .unsupported(message))
      }
      throw MediaError(
        file: file, field: "HEIF picture",
        reason: .missingLibrary(
          name: "a decoder of libheif", debianPackage: "libheif-plugin-libde265 libheif-plugin-aomdec", detail: message))
    }
    throw MediaError(file: file, field: "HEIF picture", reason: .invalid(message))
  }

  private func outOfMemory(_ file: String) -> MediaError {
    MediaError(file: file, field: "HEIF picture", reason: .invalid("libheif did not create a decoder"))
  }

  // MARK: Calls

  /// A context that refers to the file's bytes.
  @unsafe
  func context(_ input: UnsafeRawBufferPointer, file: String) throws(MediaError) -> UnsafeMutableRawPointer {
    guard let context = unsafe createContext() else { throw outOfMemory(file) }
    do throws(MediaError) {
      unsafe try check(read(context, input.baseAddress, input.count, nil), file: file)
    } catch {
      unsafe releaseContext(context)
      throw error
    }
    return unsafe context
  }

  @unsafe
  func handle(_ context: UnsafeMutableRawPointer, item: Int, file: String) throws(MediaError) -> UnsafeMutableRawPointer {
    var handle: UnsafeMutableRawPointer?
    unsafe try check(getHandle(context, UInt32(clamping: item), &handle), file: file)
    guard let handle = unsafe handle else { throw outOfMemory(file) }
    return unsafe handle
  }

  /// The decoded picture, neither turned nor cropped; nil if the library does not have it in the form.
  @unsafe
  func image(_ handle: UnsafeMutableRawPointer, _ form: Form, file: String) throws(MediaError) -> UnsafeMutableRawPointer? {
    guard let options = unsafe createOptions() else { throw outOfMemory(file) }
    defer { unsafe freeOptions(options) }
    // The structure begins with its version, which is set, and `ignore_transformations`, each a byte.
    unsafe options.storeBytes(of: 1, toByteOffset: 1, as: UInt8.self)
    var image: UnsafeMutableRawPointer?
    let result = unsafe decode(handle, &image, Self.rgb, form.rawValue, options)
    if unsafe result.subcode == Self.unsupportedConversion { return nil }
    unsafe try check(result, file: file)
    return unsafe image
  }

  @unsafe
  func lumaBits(_ handle: UnsafeMutableRawPointer) -> Int { Int(widening: unsafe getLumaBits(handle)) }

  @unsafe
  func size(_ image: UnsafeMutableRawPointer, _ channel: Channel) -> (width: Int, height: Int) {
    unsafe (Int(widening: getWidth(image, channel.rawValue)), Int(widening: getHeight(image, channel.rawValue)))
  }

  @unsafe
  func bits(_ image: UnsafeMutableRawPointer, _ channel: Channel) -> Int { Int(widening: unsafe getBits(image, channel.rawValue)) }

  /// The first row, and the distance of the next one in bytes, which is at least `rowByteCount`.
  @unsafe
  func plane(
    _ image: UnsafeMutableRawPointer, _ channel: Channel, rowByteCount: Extent, file: String
  ) throws(MediaError) -> (start: UnsafePointer<UInt8>, stride: Int) {
    var stride: CInt = 0
    guard let start = unsafe getPlane(image, channel.rawValue, &stride), rowByteCount.fits(Int(widening: stride)) else {
      throw MediaError(file: file, field: "HEIF picture", reason: .invalid("libheif gave no pixels"))
    }
    return unsafe (start, Int(widening: stride))
  }

  @unsafe func freeContext(_ context: UnsafeMutableRawPointer) { unsafe releaseContext(context) }
  @unsafe func freeHandle(_ handle: UnsafeMutableRawPointer) { unsafe releaseHandle(handle) }
  @unsafe func freeImage(_ image: UnsafeMutableRawPointer) { unsafe releaseImage(image) }
}
