import MartletTensor

/// Functions of libjpeg-turbo's TurboJPEG API (2.x), opened at run time.
@safe
struct LibTurboJPEG: Sendable {
  /// `TJFLAG_ACCURATEDCT`: the transform that libjpeg and image viewers use by default.
  static let accurateDCT: CInt = 4096
  /// `TJFLAG_LIMITSCANS`: reject progressive files with more than 500 scans, which take excessive time.
  static let limitScans: CInt = 32768
  /// `TJFLAG_PROGRESSIVE`: write a progressive file.
  static let progressive: CInt = 16384

  /// `TJCS_…`
  enum ColorSpace: CInt {
    case rgb = 0
    case ycbcr = 1
    case gray = 2
    case cmyk = 3
    case ycck = 4
  }

  /// `TJPF_…`
  enum PixelFormat {
    static let rgb: CInt = 0
    static let rgbx: CInt = 2
    static let gray: CInt = 6
    /// Alpha is 255 when decoding.
    static let rgba: CInt = 7
    static let cmyk: CInt = 11
  }

  /// `TJSAMP_…`: how many pixels share colour samples.
  enum Subsampling: CInt {
    case none = 0
    case both = 2
    case gray = 3
  }

  typealias Create = @convention(c) @Sendable () -> UnsafeMutableRawPointer?
  typealias Header =
    @convention(c) @Sendable (
      UnsafeMutableRawPointer, UnsafeRawPointer?, CUnsignedLong, UnsafeMutablePointer<CInt>, UnsafeMutablePointer<CInt>,
      UnsafeMutablePointer<CInt>, UnsafeMutablePointer<CInt>
    ) -> CInt
  typealias Decompress =
    @convention(c) @Sendable (
      UnsafeMutableRawPointer, UnsafeRawPointer?, CUnsignedLong, UnsafeMutableRawPointer?, CInt, CInt, CInt, CInt, CInt
    ) -> CInt
  typealias Compress =
    @convention(c) @Sendable (
      UnsafeMutableRawPointer, UnsafeRawPointer?, CInt, CInt, CInt, CInt, UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>,
      UnsafeMutablePointer<CUnsignedLong>, CInt, CInt, CInt
    ) -> CInt
  typealias Status = @convention(c) @Sendable (UnsafeMutableRawPointer) -> CInt
  typealias Free = @convention(c) @Sendable (UnsafeMutablePointer<UInt8>?) -> Void
  typealias ErrorText = @convention(c) @Sendable (UnsafeMutableRawPointer) -> UnsafePointer<CChar>?

  /// `tjInitDecompress()`
  let initDecompress: Create
  /// `tjDecompressHeader3(handle, jpegBuf, jpegSize, width, height, jpegSubsamp, jpegColorspace)`
  let header: Header
  /// `tjDecompress2(handle, jpegBuf, jpegSize, dstBuf, width, pitch, height, pixelFormat, flags)`
  let decompress: Decompress
  /// `tjInitCompress()`
  let initCompress: Create
  /// `tjCompress2(handle, srcBuf, width, pitch, height, pixelFormat, jpegBuf, jpegSize, jpegSubsamp, jpegQual, flags)`
  let compress: Compress
  /// `tjFree(buffer)`
  let free: Free
  /// `tjGetErrorStr2(handle)`
  let errorText: ErrorText
  /// `tjDestroy(handle)`
  let destroy: Status

  static let loaded: Result<LibTurboJPEG, SharedLibrary.LoadFailure> = {
    do throws(SharedLibrary.LoadFailure) {
      #if os(Linux)
        let library = try SharedLibrary(name: "libturbojpeg.so.0", debianPackage: "libturbojpeg0")
      #else
        let library = try SharedLibrary(name: "libturbojpeg.0.dylib", debianPackage: "libturbojpeg0")
      #endif
      // The types are those of turbojpeg.h 2.x; the ABI version is part of the library's name.
      return .success(
        unsafe LibTurboJPEG(
          initDecompress: try unsafe library.function("tjInitDecompress", as: Create.self),
          header: try unsafe library.function("tjDecompressHeader3", as: Header.self),
          decompress: try unsafe library.function("tjDecompress2", as: Decompress.self),
          initCompress: try unsafe library.function("tjInitCompress", as: Create.self),
          compress: try unsafe library.function("tjCompress2", as: Compress.self),
          free: try unsafe library.function("tjFree", as: Free.self),
          errorText: try unsafe library.function("tjGetErrorStr2", as: ErrorText.self),
          destroy: try unsafe library.function("tjDestroy", as: Status.self)))
    } catch {
      return .failure(error)
    }
  }()

  static func load(file: String) throws(MediaError) -> LibTurboJPEG {
    do throws(SharedLibrary.LoadFailure) { return try loaded.get() } catch { throw error.mediaError(file: file, field: "JPEG image") }
  }

  /// The message about the last fault.
  @unsafe
  func message(_ handle: UnsafeMutableRawPointer) -> String {
    guard let text = unsafe errorText(handle) else { return "no reason given" }
    return unsafe String(cString: text)
  }
}
