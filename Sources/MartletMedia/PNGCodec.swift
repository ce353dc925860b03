package import MartletPixels
import MartletTensor

/// PNG codec based on libpng 1.6's simplified API (`png_image_…`), loaded at run time.
package enum PNGCodec {
  /// Whether libpng could be loaded.
  package static var isAvailable: Bool { (try? LibPNG.loaded.get()) != nil }

  /// Decodes any PNG file to 8 bits per sample: palettes are expanded, 16-bit samples are rounded, and transparency (an alpha channel or
  /// `tRNS`) gives `rgba8`. As in libpng, a `gAMA` chunk that differs much from sRGB is applied. The image is rotated upright by its EXIF
  /// orientation.
  /// - Parameters:
  ///   - name: identifies the bytes in errors.
  ///   - orientation: replaces the orientation declared in the file.
  package static func decode(
    _ bytes: [UInt8], name: String, orientation: ImageOrientation? = nil,
    maximumPixelCount: Int = Image.defaultMaximumPixelCount
  ) throws(MediaError) -> Image {
    try decodeAsStored(PNGChunks.essential(bytes), name: name, maximumPixelCount: maximumPixelCount)
      .upright(from: orientation ?? ImageOrientation.ofPNG(PNGChunks(bytes)) ?? .up)
  }

  private static func decodeAsStored(_ bytes: [UInt8], name: String, maximumPixelCount: Int) throws(MediaError) -> Image {
    let library = try load(file: name)
    let control = PNGControl()
    defer { control.release(library) }
    // libpng keeps the address of the input until the pixels are read, so both calls are made within one access.
    let result: Result<Image, MediaError> = unsafe bytes.withUnsafeBytes { input in
      func fault(_ field: String, _ reason: MediaError.Reason) -> Result<Image, MediaError> {
        .failure(MediaError(file: name, field: field, reason: reason))
      }
      guard let inputAddress = input.baseAddress,
        unsafe library.beginReadFromMemory(control.address, inputAddress, input.count) != 0
      else { return fault("PNG header", .invalid(control.message)) }
      let width = Int(widening: control.width)
      let height = Int(widening: control.height)
      do throws(MediaError) {
        try Image.checkExtents(width: width, height: height, name: name, maximumPixelCount: maximumPixelCount)
      } catch {
        return .failure(error)
      }
      let fileFormat = control.format
      let format: Image.PixelFormat =
        if fileFormat & PNGControl.alphaFlag != 0 {
          .rgba8
        } else if fileFormat & PNGControl.colorFlag != 0 {
          .rgb8
        } else {
          .gray8
        }
      control.setFormat(of: format)
      control.assumeSRGBFor16Bits()
      guard let byteCount = Image.byteCount(width: width, height: height, format: format) else {
        return fault("pixel count", .invalid("overflows a byte count"))
      }
      var succeeded = false
      let pixels = unsafe [UInt8](unsafeUninitializedCapacity: byteCount) { buffer, count in
        unsafe buffer.initialize(repeating: 0)
        count = byteCount
        // Row stride 0: contiguous rows. No background colour, no colour map.
        succeeded = unsafe library.finishRead(control.address, nil, buffer.baseAddress, 0, nil) != 0
      }
      guard succeeded else { return fault("PNG data", .invalid(control.message)) }
      return .success(Image(checkedWidth: width, height: height, format: format, pixels: pixels))
    }
    return try result.get()
  }

  /// Encodes a PNG file with 8-bit samples in the image's own format.
  /// - Parameter name: identifies the file in errors.
  package static func encode(_ image: Image, name: String) throws(MediaError) -> [UInt8] {
    let library = try load(file: name)
    guard let width = UInt32(exactly: image.width), let height = UInt32(exactly: image.height) else {
      throw MediaError(
        file: name, field: "width and height", reason: .tooLarge(declared: max(image.width, image.height), limit: 1 << 31))
    }
    // At most two attempts: with room for the samples and the chunks' overhead, then with the size that libpng requests.
    var capacity = image.pixels.count + image.pixels.count / 8 + 4096
    while true {
      let control = PNGControl()
      defer { control.release(library) }
      control.setExtents(width: width, height: height)
      control.setFormat(of: image.format)
      var byteCount = capacity
      var succeeded = false
      let file = unsafe [UInt8](unsafeUninitializedCapacity: capacity) { buffer, count in
        unsafe buffer.initialize(repeating: 0)
        unsafe image.pixels.withUnsafeBytes { pixels in
          succeeded =
            unsafe library.writeToMemory(
              control.address, buffer.baseAddress, &byteCount, 0, pixels.baseAddress, 0, nil) != 0
        }
        count = succeeded ? min(byteCount, capacity) : 0
      }
      if succeeded { return file }
      guard byteCount > capacity else {
        throw MediaError(file: name, field: "PNG data", reason: .invalid(control.message))
      }
      capacity = byteCount
    }
  }

  private static func load(file: String) throws(MediaError) -> LibPNG {
    do throws(SharedLibrary.LoadFailure) {
      return try LibPNG.loaded.get()
    } catch {
      throw error.mediaError(file: file, field: "PNG image")
    }
  }
}

/// The functions of libpng's simplified API.
@safe
private struct LibPNG: Sendable {
  typealias BeginRead = @convention(c) @Sendable (UnsafeMutableRawPointer, UnsafeRawPointer, Int) -> CInt
  typealias FinishRead =
    @convention(c) @Sendable (
      UnsafeMutableRawPointer, UnsafeRawPointer?, UnsafeMutableRawPointer?, Int32, UnsafeMutableRawPointer?
    ) -> CInt
  typealias WriteToMemory =
    @convention(c) @Sendable (
      UnsafeMutableRawPointer, UnsafeMutableRawPointer?, UnsafeMutablePointer<Int>, CInt, UnsafeRawPointer?, Int32,
      UnsafeRawPointer?
    ) -> CInt
  typealias Free = @convention(c) @Sendable (UnsafeMutableRawPointer) -> Void

  /// `png_image_begin_read_from_memory(image, memory, size)`
  let beginReadFromMemory: BeginRead
  /// `png_image_finish_read(image, background, buffer, row_stride, colormap)`
  let finishRead: FinishRead
  /// `png_image_write_to_memory(image, memory, memory_bytes, convert_to_8_bit, buffer, row_stride, colormap)`
  let writeToMemory: WriteToMemory
  /// `png_image_free(image)`
  let free: Free

  static let loaded: Result<LibPNG, SharedLibrary.LoadFailure> = {
    do throws(SharedLibrary.LoadFailure) {
      #if os(Linux)
        let library = try SharedLibrary(name: "libpng16.so.16", debianPackage: "libpng16-16")
      #else
        let library = try SharedLibrary(name: "libpng16.16.dylib", debianPackage: "libpng16-16")
      #endif
      // The types are those of png.h 1.6; the ABI version is part of the library's name.
      return .success(
        unsafe LibPNG(
          beginReadFromMemory: try unsafe library.function("png_image_begin_read_from_memory", as: BeginRead.self),
          finishRead: try unsafe library.function("png_image_finish_read", as: FinishRead.self),
          writeToMemory: try unsafe library.function("png_image_write_to_memory", as: WriteToMemory.self),
          free: try unsafe library.function("png_image_free", as: Free.self)))
    } catch {
      return .failure(error)
    }
  }()
}

/// The structure `png_image` of png.h 1.6, laid out by hand:
///
///     png_controlp opaque;             // one pointer
///     png_uint_32  version;            // PNG_IMAGE_VERSION = 1
///     png_uint_32  width, height;      // pixels
///     png_uint_32  format;             // PNG_FORMAT_FLAG_ALPHA 1, _COLOR 2, _LINEAR 4, _COLORMAP 8
///     png_uint_32  flags;              // PNG_IMAGE_FLAG_16BIT_sRGB 4
///     png_uint_32  colormap_entries;
///     png_uint_32  warning_or_error;
///     char         message[64];        // NUL-terminated
@safe
private struct PNGControl {
  static let alphaFlag: UInt32 = 1
  static let colorFlag: UInt32 = 2
  private static let versionOffset = MemoryLayout<Int>.size
  private static let widthOffset = versionOffset + 4
  private static let heightOffset = versionOffset + 8
  private static let formatOffset = versionOffset + 12
  private static let flagsOffset = versionOffset + 16
  private static let messageOffset = versionOffset + 28
  private static let messageByteCount = 64
  /// Rounded up to the alignment of a pointer.
  private static let byteCount = versionOffset + 96

  let address: UnsafeMutableRawPointer

  init() {
    unsafe address = UnsafeMutableRawPointer.allocate(
      byteCount: Self.byteCount, alignment: MemoryLayout<Int>.alignment)
    unsafe address.initializeMemory(as: UInt8.self, repeating: 0, count: Self.byteCount)
    unsafe address.storeBytes(of: 1, toByteOffset: Self.versionOffset, as: UInt32.self)
  }

  /// Frees libpng's data in the structure, then the structure.
  func release(_ library: LibPNG) {
    unsafe library.free(address)
    unsafe address.deallocate()
  }

  var width: UInt32 { unsafe address.load(fromByteOffset: Self.widthOffset, as: UInt32.self) }
  var height: UInt32 { unsafe address.load(fromByteOffset: Self.heightOffset, as: UInt32.self) }
  var format: UInt32 { unsafe address.load(fromByteOffset: Self.formatOffset, as: UInt32.self) }

  /// libpng's message about the last error.
  var message: String {
    let text = unsafe UnsafeRawBufferPointer(start: address + Self.messageOffset, count: Self.messageByteCount)
    return unsafe String(decoding: text.prefix { $0 != 0 }, as: UTF8.self)
  }

  func setExtents(width: UInt32, height: UInt32) {
    unsafe address.storeBytes(of: width, toByteOffset: Self.widthOffset, as: UInt32.self)
    unsafe address.storeBytes(of: height, toByteOffset: Self.heightOffset, as: UInt32.self)
  }

  func setFormat(of format: Image.PixelFormat) {
    let value: UInt32 =
      switch format {
      case .gray8: 0
      case .rgb8: Self.colorFlag
      case .rgba8: Self.colorFlag | Self.alphaFlag
      }
    unsafe address.storeBytes(of: value, toByteOffset: Self.formatOffset, as: UInt32.self)
  }

  /// Treats 16-bit samples without a declared colour space as sRGB; by default libpng would treat them as linear.
  func assumeSRGBFor16Bits() {
    let flags = unsafe address.load(fromByteOffset: Self.flagsOffset, as: UInt32.self)
    unsafe address.storeBytes(of: flags | 4, toByteOffset: Self.flagsOffset, as: UInt32.self)
  }
}
