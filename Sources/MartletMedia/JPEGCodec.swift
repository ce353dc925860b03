package import MartletPixels
import MartletTensor

/// JPEG codec based on libjpeg-turbo's TurboJPEG API (2.x), loaded at run time.
package enum JPEGCodec {
  /// Whether libturbojpeg could be loaded.
  package static var isAvailable: Bool { (try? LibTurboJPEG.loaded.get()) != nil }

  /// Decodes baseline and progressive files to `rgb8`, or `gray8` for one component, and rotates the image upright by its EXIF
  /// orientation. CMYK is interpreted as Adobe writes it (inverted) and converted without a colour profile. A truncated file is an error;
  /// other damage that libjpeg can repair is not.
  /// - Parameters:
  ///   - name: identifies the bytes in errors.
  ///   - orientation: replaces the orientation declared in the file.
  package static func decode(
    _ bytes: [UInt8], name: String, orientation: ImageOrientation? = nil,
    maximumPixelCount: Int = Image.defaultMaximumPixelCount
  ) throws(MediaError) -> Image {
    let segments = JPEGSegments(bytes)
    let image = try decodeAsStored(bytes, name: name, scanCount: segments.scanCount, maximumPixelCount: maximumPixelCount)
    // The decoder adds a missing end on its own, without a warning for every progressive file.
    if segments.firstScanOffset != nil, !segments.hasEnd {
      throw MediaError(file: name, field: "JPEG data", reason: .invalid("the file ends before the image does"))
    }
    return image.upright(from: orientation ?? ImageOrientation.ofJPEG(segments) ?? .up)
  }

  /// Maximum number of pixels visited by all scans together.
  private static let largestWork = 1 << 30
  /// Number of scans that a file of any size may have; encoders write ten.
  private static let usualScanCount = 16
  private static let largestScanCount = 100

  /// Messages about faults that leave the image usable. The library's error code does not distinguish them: a fatal error after a warning
  /// has the code of a warning.
  private static func isHarmless(_ message: String) -> Bool {
    let prefixes = [
      "Corrupt JPEG data: ", "Unknown Adobe color transform", "Warning: ", "Inconsistent progression sequence",
      "Invalid SOS parameters",
    ]
    return prefixes.contains { message.hasPrefix($0) } && !message.contains("premature end")
  }

  private static func decodeAsStored(
    _ bytes: [UInt8], name: String, scanCount: Int, maximumPixelCount: Int
  ) throws(MediaError) -> Image {
    let library: LibTurboJPEG
    do throws(SharedLibrary.LoadFailure) {
      library = try LibTurboJPEG.loaded.get()
    } catch {
      throw error.mediaError(file: name, field: "JPEG image")
    }
    guard let decoder = unsafe library.initDecompress() else {
      throw MediaError(file: name, field: "JPEG image", reason: .invalid("libturbojpeg did not create a decoder"))
    }
    defer { unsafe _ = library.destroy(decoder) }
    func message() -> String {
      guard let text = unsafe library.errorText(decoder) else { return "no reason given" }
      return unsafe String(cString: text)
    }

    var width: CInt = 0
    var height: CInt = 0
    var subsampling: CInt = 0
    var colorSpace: CInt = 0
    let headerStatus = unsafe bytes.withUnsafeBytes { input in
      unsafe library.header(
        decoder, input.baseAddress, CUnsignedLong(input.count), &width, &height, &subsampling, &colorSpace)
    }
    if headerStatus != 0, case let text = message(), !isHarmless(text) {
      throw MediaError(file: name, field: "JPEG header", reason: .invalid(text))
    }
    let extents = (width: Int(widening: width), height: Int(widening: height))
    try Image.checkExtents(width: extents.width, height: extents.height, name: name, maximumPixelCount: maximumPixelCount)
    let pixelCount = Extent(extents.width) * extents.height
    // Each scan visits every pixel, whatever its size.
    let mostScans = min(max(largestWork / max(pixelCount.clamped, 1), usualScanCount), largestScanCount)
    guard scanCount <= mostScans else {
      throw MediaError(file: name, field: "number of scans", reason: .tooLarge(declared: scanCount, limit: mostScans))
    }

    // TJCS_GRAY 2, TJCS_CMYK 3, TJCS_YCCK 4; TJPF_RGB 0, TJPF_GRAY 6, TJPF_CMYK 11.
    let (pixelFormat, channelCount): (CInt, Int) =
      switch colorSpace {
      case 2: (6, 1)
      case 3, 4: (11, 4)
      default: (0, 3)
      }
    guard let byteCount = (pixelCount * channelCount).value else {
      throw MediaError(file: name, field: "pixel count", reason: .invalid("overflows a byte count"))
    }
    var status: CInt = 0
    let samples = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
      unsafe buffer.initialize(repeating: 0)
      count = byteCount
      unsafe bytes.withUnsafeBytes { input in
        status = unsafe library.decompress(
          decoder, input.baseAddress, CUnsignedLong(input.count), buffer.baseAddress, width, 0, height, pixelFormat,
          LibTurboJPEG.accurateDCT | LibTurboJPEG.limitScans)
      }
    }
    if status != 0, case let text = message(), !isHarmless(text) {
      throw MediaError(file: name, field: "JPEG data", reason: .invalid(text))
    }
    let format: Image.PixelFormat = channelCount == 1 ? .gray8 : .rgb8
    let pixels = channelCount == 4 ? rgb(invertedCMYK: samples) : samples
    return Image(checkedWidth: extents.width, height: extents.height, format: format, pixels: pixels)
  }

  /// Colour = inverted ink × inverted black, both as stored.
  private static func rgb(invertedCMYK samples: [UInt8]) -> [UInt8] {
    var pixels: [UInt8] = []
    pixels.reserveCapacity(samples.count / 4 * 3)
    for start in stride(from: 0, to: samples.count, by: 4) {
      let black = Int(widening: samples[start + 3])
      for channel in 0..<3 { pixels.append(UInt8(clamping: (Int(widening: samples[start + channel]) * black + 127) / 255)) }
    }
    return pixels
  }
}

/// The decoding functions of the TurboJPEG API.
@safe
private struct LibTurboJPEG: Sendable {
  /// `TJFLAG_ACCURATEDCT`: the inverse transform that libjpeg and image viewers use by default.
  static let accurateDCT: CInt = 4096
  /// `TJFLAG_LIMITSCANS`: reject progressive files with more than 500 scans, which take excessive time.
  static let limitScans: CInt = 32768

  typealias InitDecompress = @convention(c) @Sendable () -> UnsafeMutableRawPointer?
  typealias Header =
    @convention(c) @Sendable (
      UnsafeMutableRawPointer, UnsafeRawPointer?, CUnsignedLong, UnsafeMutablePointer<CInt>, UnsafeMutablePointer<CInt>,
      UnsafeMutablePointer<CInt>, UnsafeMutablePointer<CInt>
    ) -> CInt
  typealias Decompress =
    @convention(c) @Sendable (
      UnsafeMutableRawPointer, UnsafeRawPointer?, CUnsignedLong, UnsafeMutableRawPointer?, CInt, CInt, CInt, CInt, CInt
    ) -> CInt
  typealias Status = @convention(c) @Sendable (UnsafeMutableRawPointer) -> CInt
  typealias ErrorText = @convention(c) @Sendable (UnsafeMutableRawPointer) -> UnsafePointer<CChar>?

  /// `tjInitDecompress()`
  let initDecompress: InitDecompress
  /// `tjDecompressHeader3(handle, jpegBuf, jpegSize, width, height, jpegSubsamp, jpegColorspace)`
  let header: Header
  /// `tjDecompress2(handle, jpegBuf, jpegSize, dstBuf, width, pitch, height, pixelFormat, flags)`
  let decompress: Decompress
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
          initDecompress: try unsafe library.function("tjInitDecompress", as: InitDecompress.self),
          header: try unsafe library.function("tjDecompressHeader3", as: Header.self),
          decompress: try unsafe library.function("tjDecompress2", as: Decompress.self),
          errorText: try unsafe library.function("tjGetErrorStr2", as: ErrorText.self),
          destroy: try unsafe library.function("tjDestroy", as: Status.self)))
    } catch {
      return .failure(error)
    }
  }()
}
