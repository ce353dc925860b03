import MartletPixels
import MartletTensor

/// A JPEG file: baseline or progressive, grey, YCbCr, RGB, CMYK or YCCK.
struct JPEGFile: PictureContainer {
  private let bytes: [UInt8]
  private let name: String
  private let limits: PictureLimits
  private let segments: JPEGSegments
  private let frame: JPEGSegments.Frame

  init(_ bytes: [UInt8], name: String, limits: PictureLimits) throws(MediaError) {
    let segments = JPEGSegments(bytes)
    guard let frame = segments.frame else {
      throw MediaError(file: name, field: "JPEG header", reason: .invalid("the file has no frame header"))
    }
    try limits.check(width: frame.width, height: frame.height, file: name)
    try limits.check(scanCount: segments.scanCount, pixelCount: Extent(frame.width) * frame.height, file: name)
    guard [1, 3, 4].contains(frame.componentCount) else {
      throw MediaError(file: name, field: "JPEG header", reason: .unsupported("\(frame.componentCount) components"))
    }
    self.bytes = bytes
    self.name = name
    self.limits = limits
    self.segments = segments
    self.frame = frame
  }

  var pictureCount: Int { 1 }
  var primaryIndex: Int { 0 }

  func header(at index: Int) -> PictureHeader {
    PictureHeader(
      width: frame.width, height: frame.height, model: [1: .gray, 4: .cmyk][frame.componentCount] ?? .rgb,
      bitsPerComponent: frame.precision, isProgressive: frame.isProgressive)
  }

  func orientation(at index: Int) -> ImageOrientation? { .ofEXIF(segments.exif) }

  func metadata(at index: Int) throws(MediaError) -> PictureMetadata {
    try limits.check(metadataByteCount: segments.profileByteCount, file: name, field: "JPEG colour profile")
    var metadata = PictureMetadata()
    metadata.orientation = orientation(at: index)
    metadata.profile = segments.profile
    metadata.exif = segments.exif.map { Array($0) }
    metadata.iptc = segments.iptc
    metadata.jfif = segments.jfif
    if let jfif = segments.jfif {
      let unit: PictureMetadata.Resolution.Unit = [1: .inch, 2: .centimeter][jfif.densityUnit] ?? .none
      metadata.resolution = PictureMetadata.Resolution(x: Double(jfif.xDensity), y: Double(jfif.yDensity), unit: unit)
    }
    return metadata
  }

  // MARK: Pixels

  /// The smallest number of eighths of the size whose longer side is sufficient.
  private func eighths(_ options: PictureDecoding) -> Int {
    guard let sufficient = options.sufficientExtent else { return 8 }
    // The library's numbers of eighths that are as fast as their size promises.
    return [1, 2, 4].first { Self.scaled(max(frame.width, frame.height), $0) >= sufficient } ?? 8
  }

  private static func scaled(_ extent: Int, _ eighths: Int) -> Int { (extent * eighths + 7) / 8 }  // In range: 16 bits times 8.

  func decode(at index: Int, _ options: PictureDecoding) throws(MediaError) -> DecodedPicture {
    // The decoder adds a missing end on its own, without a warning for every progressive file.
    guard segments.firstScanOffset != nil, segments.hasEnd else {
      throw MediaError(file: name, field: "JPEG data", reason: .invalid("the file ends before the image does"))
    }
    let library = try LibTurboJPEG.load(file: name)
    guard let decoder = unsafe library.initDecompress() else {
      throw MediaError(file: name, field: "JPEG image", reason: .invalid("libturbojpeg did not create a decoder"))
    }
    defer { unsafe _ = library.destroy(decoder) }
    func message() -> String { unsafe library.message(decoder) }

    var (width, height, subsampling, colorSpace): (CInt, CInt, CInt, CInt) = (0, 0, 0, 0)
    let headerStatus = unsafe bytes.withUnsafeBytes { input in
      unsafe library.header(
        decoder, input.baseAddress, CUnsignedLong(input.count), &width, &height, &subsampling, &colorSpace)
    }
    if headerStatus != 0, case let text = message(), !Self.isHarmless(text) {
      throw MediaError(file: name, field: "JPEG header", reason: .invalid(text))
    }
    guard Int(widening: width) == frame.width, Int(widening: height) == frame.height else {
      throw MediaError(file: name, field: "JPEG header", reason: .invalid("the file has several sizes"))
    }
    let format: (code: CInt, colors: DecodedPicture.Colors, alpha: DecodedPicture.Alpha)
    switch LibTurboJPEG.ColorSpace(rawValue: colorSpace) {
    case .gray: format = (LibTurboJPEG.PixelFormat.gray, .gray, .none)
    case .cmyk, .ycck: format = (LibTurboJPEG.PixelFormat.cmyk, .cmyk, .none)
    default:
      format = options.padsColors ? (LibTurboJPEG.PixelFormat.rgba, .rgb, .skipped) : (LibTurboJPEG.PixelFormat.rgb, .rgb, .none)
    }
    let eighths = eighths(options)
    let extents = (width: Self.scaled(frame.width, eighths), height: Self.scaled(frame.height, eighths))
    let sampleCount = format.colors.sampleCount + (format.alpha == .none ? 0 : 1)
    var rows = try unsafe DecodedPicture.rows(
      width: extents.width, height: extents.height, bytesPerPixel: sampleCount, file: name
    ) { (rows, _) throws(MediaError) in
      let status = unsafe bytes.withUnsafeBytes { input in
        unsafe library.decompress(
          decoder, input.baseAddress, CUnsignedLong(input.count), rows, CInt(clamping: extents.width), 0, CInt(clamping: extents.height),
          format.code, LibTurboJPEG.accurateDCT | LibTurboJPEG.limitScans)
      }
      if status != 0, case let text = message(), !Self.isHarmless(text) {
        throw MediaError(file: name, field: "JPEG data", reason: .invalid(text))
      }
    }
    // Adobe's programs store light in place of ink.
    if format.colors == .cmyk, segments.adobeTransform != nil {
      unsafe rows.withUnsafeMutableBufferPointer { rows in
        for position in rows.indices { unsafe rows[position] = ~rows[position] }
      }
    }
    return DecodedPicture(
      width: extents.width, height: extents.height, colors: format.colors, alpha: format.alpha, bitsPerComponent: 8, bytes: rows)
  }

  /// Messages about faults that leave the image usable. The library's error code does not distinguish them: a fatal error after a warning
  /// has the code of a warning.
  private static func isHarmless(_ message: String) -> Bool {
    let prefixes = [
      "Corrupt JPEG data: ", "Unknown Adobe color transform", "Warning: ", "Inconsistent progression sequence",
      "Invalid SOS parameters",
    ]
    return prefixes.contains { message.hasPrefix($0) } && !message.contains("premature end")
  }
}
