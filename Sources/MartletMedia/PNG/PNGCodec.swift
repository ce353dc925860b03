package import MartletPixels
import MartletTensor

/// Writes PNG files.
package enum PNGCodec {
  /// True if libpng could be loaded.
  package static var isAvailable: Bool { (try? LibPNG.loaded.get()) != nil }

  /// Encodes a PNG file with 8-bit samples in the image's own format.
  /// - Parameter name: identifies the file in errors.
  package static func encode(_ image: Image, name: String) throws(MediaError) -> [UInt8] {
    let (colors, alpha): (DecodedPicture.Colors, DecodedPicture.Alpha) =
      switch image.format {
      case .gray8: (.gray, .none)
      case .rgb8: (.rgb, .none)
      case .rgba8: (.rgb, .straight)
      }
    let picture = DecodedPicture(
      width: image.width, height: image.height, colors: colors, alpha: alpha, bitsPerComponent: 8, bytes: image.pixels)
    return try encode(picture, PictureMetadata(), name: name)
  }

  /// Encodes a PNG file with the samples as they are; a skipped sample is left out.
  /// - Parameters:
  ///   - picture: grey or of three colours.
  ///   - metadata: of the PNG properties, the intent and the texts are written.
  package static func encode(
    _ picture: DecodedPicture, _ metadata: PictureMetadata, name: String
  ) throws(MediaError) -> [UInt8] {
    let library = try LibPNG.load(file: name)
    let compression = try ZLib.load(file: name, field: "PNG image")
    var flags = 0
    let colorType: CInt
    switch (picture.colors, picture.alpha) {
    case (.gray, .none): colorType = 0
    case (.gray, _): colorType = 4
    case (.rgb, .none): colorType = 2
    case (.rgb, .skipped):
      colorType = 2
      flags |= MARTLET_PNG_FILLER
    case (.rgb, .straight): colorType = 6
    case (.cmyk, _), (.palette, _):
      throw MediaError(file: name, field: "PNG image", reason: .unsupported("samples that are neither grey nor red, green and blue"))
    }
    #if _endian(little)
      flags |= MARTLET_PNG_LITTLE_ENDIAN
    #endif
    guard let width = UInt32(exactly: picture.width), let height = UInt32(exactly: picture.height) else {
      throw MediaError(
        file: name, field: "width and height", reason: .tooLarge(declared: max(picture.width, picture.height), limit: 1 << 31))
    }
    var header = martlet_png_header(
      width: width, height: height, bit_depth: CInt(clamping: picture.bitsPerComponent), color_type: colorType)
    let message = LibPNG.Message()
    var byteCount = 0
    let file = unsafe picture.bytes.withUnsafeBufferPointer { rows in
      unsafe martlet_png_encode(
        library.functions, &header, CInt(clamping: flags), rows.baseAddress, picture.rowByteCount, &byteCount, message.start)
    }
    guard let file = unsafe file else { throw MediaError(file: name, field: "PNG data", reason: .invalid(message.text)) }
    defer { unsafe martlet_png_free(file) }
    let bytes = unsafe UnsafeBufferPointer(start: file, count: byteCount)
    // The signature of 8 bytes and the header of 25 come first, then what describes the colours, then the pixels.
    return unsafe Array(bytes.prefix(33)) + chunks(metadata, compression) + Array(bytes.dropFirst(33))
  }

  private static func chunks(_ metadata: PictureMetadata, _ library: ZLib) -> [UInt8] {
    var result: [UInt8] = []
    func numbers(_ values: [Int], byteCount: Int = 4) -> [UInt8] {
      var bytes: [UInt8] = []
      for value in values { OrderedBytes.Order.bigEndian.append(value, byteCount: byteCount, to: &bytes) }
      return bytes
    }
    if let profile = metadata.profile, let deflated = library.deflated(profile) {
      result += PNGChunks.chunk("iCCP", Array("ICC Profile".utf8) + [0, 0] + deflated, library)
    } else if let intent = metadata.png?.sRGBIntent {
      result += PNGChunks.chunk("sRGB", [UInt8(clamping: intent)], library)
    } else if let gamma = metadata.png?.gamma, let whole = Int(exactly: (gamma * 100_000).rounded()) {
      result += PNGChunks.chunk("gAMA", numbers([whole]), library)
    }
    if let resolution = metadata.resolution, let inch = resolution.perInch,
      let x = Int(exactly: (inch.x / 0.0254).rounded()), let y = Int(exactly: (inch.y / 0.0254).rounded())
    {
      result += PNGChunks.chunk("pHYs", numbers([x, y]) + [1], library)
    }
    if let exif = metadata.exif { result += PNGChunks.chunk("eXIf", exif, library) }
    for (keyword, text) in (metadata.png?.texts ?? [:]).sortedByKey {
      // Not compressed, no language, no translated keyword.
      let content = Array(keyword.utf8.prefix(79)) + [0, 0, 0, 0, 0] + Array(text.utf8)
      result += PNGChunks.chunk("iTXt", content, library)
    }
    return result
  }
}
