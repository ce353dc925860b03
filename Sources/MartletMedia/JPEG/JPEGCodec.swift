import MartletTensor

/// Writes JPEG files.
package enum JPEGCodec {
  /// True if libturbojpeg could be loaded.
  package static var isAvailable: Bool { (try? LibTurboJPEG.loaded.get()) != nil }

  package struct Options: Sendable {
    /// From 0 for the smallest file to 1 for the least loss.
    package var quality = 0.85
    package var isProgressive = false

    package init() {}
  }

  /// Encodes a JPEG file of 8-bit samples; alpha is left out. From a quality of 0.9 on, and for inks, colours have the picture's
  /// resolution, else half of it. Inks are stored as Adobe's programs do.
  /// - Parameters:
  ///   - picture: of 8 bits, without a palette.
  ///   - name: identifies the file in errors.
  package static func encode(
    _ picture: DecodedPicture, _ metadata: PictureMetadata, _ options: Options, name: String
  ) throws(MediaError) -> [UInt8] {
    let library = try LibTurboJPEG.load(file: name)
    let longest = max(picture.width, picture.height)
    guard longest <= 65_535 else {
      throw MediaError(file: name, field: "width and height", reason: .tooLarge(declared: longest, limit: 65_535))
    }
    guard picture.bitsPerComponent == 8 else {
      throw MediaError(file: name, field: "JPEG image", reason: .unsupported("samples of \(picture.bitsPerComponent) bits"))
    }
    let quality = CInt(clamping: Int(exactly: (min(max(options.quality, 0), 1) * 99).rounded()) ?? 84) + 1
    let fullColors: LibTurboJPEG.Subsampling = quality >= 90 ? .none : .both
    var pixels = picture.bytes
    let format: (code: CInt, subsampling: LibTurboJPEG.Subsampling)
    switch (picture.colors, picture.alpha) {
    case (.gray, .none): format = (LibTurboJPEG.PixelFormat.gray, .gray)
    case (.rgb, .none): format = (LibTurboJPEG.PixelFormat.rgb, fullColors)
    case (.rgb, _): format = (LibTurboJPEG.PixelFormat.rgbx, fullColors)
    case (.cmyk, .none):
      format = (LibTurboJPEG.PixelFormat.cmyk, .none)
      for position in pixels.indices { pixels[position] = ~pixels[position] }
    case (.gray, _), (.cmyk, _), (.palette, _):
      throw MediaError(file: name, field: "JPEG image", reason: .unsupported("palettes, and alpha of grey pictures"))
    }
    guard let encoder = unsafe library.initCompress() else {
      throw MediaError(file: name, field: "JPEG image", reason: .invalid("libturbojpeg did not create an encoder"))
    }
    defer { unsafe _ = library.destroy(encoder) }
    var file: UnsafeMutablePointer<UInt8>?
    var byteCount: CUnsignedLong = 0
    defer { unsafe library.free(file) }
    let status = unsafe pixels.withUnsafeBytes { pixels in
      unsafe library.compress(
        encoder, pixels.baseAddress, CInt(clamping: picture.width), 0, CInt(clamping: picture.height), format.code, &file, &byteCount,
        format.subsampling.rawValue, quality, LibTurboJPEG.accurateDCT | (options.isProgressive ? LibTurboJPEG.progressive : 0))
    }
    guard status == 0, let file = unsafe file, let count = Int(exactly: byteCount) else {
      throw MediaError(file: name, field: "JPEG data", reason: .invalid(unsafe library.message(encoder)))
    }
    return unsafe try adding(metadata, to: Array(UnsafeBufferPointer(start: file, count: count)), name: name)
  }

  /// The largest part of a profile in one segment.
  private static let profilePartByteCount = 65_519

  /// Puts metadata behind the first segment.
  private static func adding(_ metadata: PictureMetadata, to file: [UInt8], name: String) throws(MediaError) -> [UInt8] {
    var file = file
    var added: [UInt8] = []
    func add(_ marker: UInt8, _ signature: String, _ content: [UInt8], _ field: String) throws(MediaError) {
      guard let segment = JPEGSegments.segment(marker, Array(signature.utf8) + content) else {
        throw MediaError(file: name, field: field, reason: .tooLarge(declared: content.count, limit: 65_533 - signature.utf8.count))
      }
      added += segment
    }
    if let exif = metadata.exif { try add(0xE1, "Exif\0\0", exif, "EXIF data") }
    if let iptc = metadata.iptc { try add(0xED, "Photoshop 3.0\0", PhotoshopResources.resources(iptc: iptc), "IPTC data") }
    if let profile = metadata.profile {
      let starts = Array(stride(from: 0, to: profile.count, by: profilePartByteCount))
      guard starts.count <= 255 else {
        throw MediaError(file: name, field: "colour profile", reason: .tooLarge(declared: profile.count, limit: 255 * profilePartByteCount))
      }
      for (index, start) in starts.enumerated() {
        let part = profile[start...].prefix(profilePartByteCount)
        try add(
          0xE2, "ICC_PROFILE\0", [UInt8(clamping: index + 1), UInt8(clamping: starts.count)] + part, "colour profile")
      }
    }
    // The start of the image, then the encoder's own first segment: JFIF's or Adobe's.
    let first = OrderedBytes(file[...], .bigEndian)
    guard let length = first.integer(at: 4, byteCount: 2), first.part(at: 4, count: length) != nil else {
      throw MediaError(file: name, field: "JPEG data", reason: .invalid("the encoder's file has no segments"))
    }
    if first.has("JFIF\0", at: 6), let density = metadata.resolution?.perInch,
      let x = UInt16(exactly: density.x.rounded()), let y = UInt16(exactly: density.y.rounded())
    {
      // Per inch.
      file.replaceSubrange(
        13..<18,
        with: [
          1, UInt8(truncatingIfNeeded: x >> 8), UInt8(truncatingIfNeeded: x), UInt8(truncatingIfNeeded: y >> 8),
          UInt8(truncatingIfNeeded: y),
        ])
    }
    file.insert(contentsOf: added, at: 4 + length)
    return file
  }
}
