import MartletPixels
import MartletTensor

/// A PNG file. Its chunks are read here; libpng gets only those that hold pixels.
struct PNGFile: PictureContainer {
  private let bytes: [UInt8]
  private let name: String
  private let limits: PictureLimits
  private let width: Int
  private let height: Int
  private let bitDepth: Int
  private let kind: Kind
  private let isInterlaced: Bool
  /// Red, green and blue of each index.
  private let palette: ArraySlice<UInt8>
  /// Position of the chunk that declares colours transparent, if it is valid.
  private let transparencyStart: Int?

  private enum Kind: Int {
    case gray = 0
    case rgb = 2
    case indexed = 3
    case grayAlpha = 4
    case rgbAlpha = 6
  }

  init(_ bytes: [UInt8], name: String, limits: PictureLimits) throws(MediaError) {
    self.bytes = bytes
    self.name = name
    self.limits = limits
    var chunks = PNGChunks(bytes)
    guard let header = chunks.next(), header.hasType("IHDR"), header.content.count == 13,
      case let content = OrderedBytes(header.content, .bigEndian), let width = content.integer(at: 0, byteCount: 4),
      let height = content.integer(at: 4, byteCount: 4), let depth = content.integer(at: 8, byteCount: 1),
      let kind = content.integer(at: 9, byteCount: 1), let interlacing = content.integer(at: 12, byteCount: 1)
    else { throw MediaError(file: name, field: "PNG header", reason: .invalid("is not complete")) }
    try limits.check(width: width, height: height, file: name)
    let depths: [Int]
    switch kind {
    case 0: depths = [1, 2, 4, 8, 16]
    case 3: depths = [1, 2, 4, 8]
    default: depths = [8, 16]
    }
    guard let kind = Kind(rawValue: kind), depths.contains(depth) else {
      throw MediaError(file: name, field: "PNG header", reason: .invalid("there is no colour type \(kind) of \(depth) bits"))
    }
    self.width = width
    self.height = height
    self.bitDepth = depth
    self.kind = kind
    isInterlaced = interlacing != 0
    var palette: ArraySlice<UInt8> = []
    var transparencyStart: Int?
    while let chunk = chunks.next(), !chunk.hasType("IDAT"), !chunk.hasType("IEND") {
      if chunk.hasType("PLTE"), palette.isEmpty { palette = chunk.content.prefix(768) }
      guard chunk.hasType("tRNS"), transparencyStart == nil else { continue }
      let isValid =
        switch kind {
        case .gray: chunk.content.count == 2
        case .rgb: chunk.content.count == 6
        case .indexed: !chunk.content.isEmpty && chunk.content.count <= palette.count / 3
        case .grayAlpha, .rgbAlpha: false
        }
      if isValid, chunk.isIntact { transparencyStart = chunk.start }
    }
    guard kind != .indexed || !palette.isEmpty else {
      throw MediaError(file: name, field: "PNG palette", reason: .invalid("is missing"))
    }
    self.palette = palette
    self.transparencyStart = transparencyStart
  }

  var pictureCount: Int { 1 }
  var primaryIndex: Int { 0 }

  private var hasTransparency: Bool { transparencyStart != nil }

  func header(at index: Int) -> PictureHeader {
    let model: PictureHeader.Model =
      switch kind {
      case .gray, .grayAlpha: .gray
      case .rgb, .rgbAlpha: .rgb
      case .indexed: .indexed
      }
    return PictureHeader(
      width: width, height: height, model: model, bitsPerComponent: bitDepth,
      hasAlpha: kind == .grayAlpha || kind == .rgbAlpha || hasTransparency, isProgressive: isInterlaced)
  }

  // MARK: Pixels

  func decode(at index: Int, _ options: PictureDecoding) throws(MediaError) -> DecodedPicture {
    let library = try LibPNG.load(file: name)
    var colors: DecodedPicture.Colors
    var alpha = DecodedPicture.Alpha.none
    var flags = MARTLET_PNG_WHOLE_BYTES
    switch kind {
    case .gray: colors = .gray
    case .rgb: colors = .rgb
    case .indexed: colors = .palette(Array(palette))
    case .grayAlpha: (colors, alpha) = (.gray, .straight)
    case .rgbAlpha: (colors, alpha) = (.rgb, .straight)
    }
    if hasTransparency {
      flags |= MARTLET_PNG_EXPAND
      alpha = .straight
      if kind == .indexed { colors = .rgb }
    } else if kind == .rgb, options.padsColors {
      flags |= MARTLET_PNG_FILLER
      alpha = .skipped
    }
    #if _endian(little)
      flags |= MARTLET_PNG_LITTLE_ENDIAN
    #endif
    let bitsPerComponent = bitDepth == 16 ? 16 : 8
    // In range: at most four samples of two bytes.
    let bytesPerPixel = (colors.sampleCount + (alpha == .none ? 0 : 1)) * (bitsPerComponent / 8)
    let input = essential
    let rows = try unsafe DecodedPicture.rows(width: width, height: height, bytesPerPixel: bytesPerPixel, file: name) {
      (rows, rowByteCount) throws(MediaError) in
      let message = LibPNG.Message()
      let succeeded = unsafe input.withUnsafeBufferPointer { input in
        unsafe martlet_png_decode(
          library.functions, input.baseAddress, input.count, CInt(clamping: flags), rows, rowByteCount, UInt32(clamping: height),
          message.start) != 0
      }
      guard succeeded else { throw MediaError(file: name, field: "PNG data", reason: .invalid(message.text)) }
    }
    return DecodedPicture(
      width: width, height: height, colors: colors, alpha: alpha, bitsPerComponent: bitsPerComponent, bytes: rows)
  }

  /// The file without the chunks that do not hold pixels, for which libpng would take memory: of the length that they state, even where the
  /// file ends before, and for the texts and profiles in them.
  private var essential: [UInt8] {
    var result: [UInt8] = []
    // Everything before it is in `result`, unless there was nothing to leave out yet.
    var copied = 0
    var chunks = PNGChunks(bytes)
    while let chunk = chunks.next() {
      if chunk.isAncillary, chunk.start != transparencyStart {
        result += bytes[copied..<chunk.start]
        copied = chunks.position
      }
    }
    // A part of the last pixels may be all that is missing.
    let end = OrderedBytes(bytes[...], .bigEndian).has("IDAT", at: chunks.position + 4) ? bytes.count : chunks.position
    return copied == 0 && end == bytes.count ? bytes : result + bytes[copied..<end]
  }

  // MARK: Metadata

  func orientation(at index: Int) -> ImageOrientation? {
    .ofEXIF(PNGChunks(bytes).first { $0.hasType("eXIf") && $0.isIntact }?.content)
  }

  func metadata(at index: Int) throws(MediaError) -> PictureMetadata {
    var metadata = PictureMetadata()
    var properties = PictureMetadata.PNGProperties()
    properties.isInterlaced = isInterlaced
    var budget = limits.metadataByteCount
    var chunks = PNGChunks(bytes)
    while let chunk = chunks.next(), !chunk.hasType("IEND") {
      guard chunk.isAncillary, chunk.isIntact else { continue }
      let content = OrderedBytes(chunk.content, .bigEndian)
      func number(_ index: Int) -> Double? { content.integer(at: 4 * index, byteCount: 4).map { Double($0) / 100_000 } }
      if chunk.hasType("eXIf"), metadata.exif == nil {
        try limits.check(metadataByteCount: content.count, file: name, field: "PNG EXIF data")
        metadata.exif = Array(chunk.content)
        metadata.orientation = .ofEXIF(chunk.content)
      } else if chunk.hasType("iCCP"), metadata.profile == nil {
        // A name, a zero, and the method of compression, of which there is one.
        guard let end = chunk.content.prefix(80).firstIndex(of: 0) else { continue }
        metadata.profile = try inflated(chunk.content[(end + 1)...].dropFirst(), within: &budget, field: "PNG colour profile")
      } else if chunk.hasType("sRGB") {
        properties.sRGBIntent = content.integer(at: 0, byteCount: 1)
      } else if chunk.hasType("gAMA") {
        properties.gamma = number(0)
      } else if chunk.hasType("cHRM") {
        let numbers = (0..<8).compactMap(number)
        if numbers.count == 8 { properties.chromaticities = numbers }
      } else if chunk.hasType("pHYs") {
        guard let x = content.integer(at: 0, byteCount: 4), let y = content.integer(at: 4, byteCount: 4),
          let unit = content.integer(at: 8, byteCount: 1)
        else { continue }
        metadata.resolution = PictureMetadata.Resolution(x: Double(x), y: Double(y), unit: unit == 1 ? .meter : .none)
      } else if let (keyword, text) = try text(chunk, within: &budget) {
        properties.texts[keyword] = text
      }
    }
    metadata.png = properties
    return metadata
  }

  /// The keyword and the text of a chunk `tEXt`, `zTXt` or `iTXt`; nil for other and damaged ones.
  private func text(_ chunk: PNGChunks.Chunk, within budget: inout Int) throws(MediaError) -> (String, String)? {
    guard chunk.hasType("tEXt") || chunk.hasType("zTXt") || chunk.hasType("iTXt"),
      let end = chunk.content.prefix(80).firstIndex(of: 0), let keyword = Self.latin(chunk.content[..<end])
    else { return nil }
    var content = chunk.content[(end + 1)...]
    var isCompressed = chunk.hasType("zTXt")
    if chunk.hasType("iTXt") {
      isCompressed = content.first == 1
      // Whether and how it is compressed, then a language and the translated keyword, each with a zero behind it.
      content = content.dropFirst(2)
      for _ in 0..<2 {
        guard let zero = content.firstIndex(of: 0) else { return nil }
        content = content[(zero + 1)...]
      }
    } else if isCompressed {
      content = content.dropFirst()
    }
    let plain: ArraySlice<UInt8>
    if isCompressed {
      guard let inflated = try inflated(content, within: &budget, field: "PNG text") else { return nil }
      plain = inflated[...]
    } else {
      guard content.count <= budget else {
        throw MediaError(file: name, field: "PNG text", reason: .tooLarge(declared: content.count, limit: limits.metadataByteCount))
      }
      budget -= content.count
      plain = content
    }
    let text = chunk.hasType("iTXt") ? String(validating: plain, as: UTF8.self) : Self.latin(plain)
    return text.map { (keyword, $0) }
  }

  /// Text in ISO 8859-1, whose codes are those of Unicode.
  private static func latin(_ bytes: ArraySlice<UInt8>) -> String? {
    String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
  }

  /// - Returns: nil if the data is damaged.
  private func inflated(_ stream: ArraySlice<UInt8>, within budget: inout Int, field: String) throws(MediaError) -> [UInt8]? {
    let library = try ZLib.load(file: name, field: field)
    do throws(ZLib.Fault) {
      let content = try library.inflated(stream: stream, atMost: budget)
      budget -= content.count
      return content
    } catch {
      guard error != .tooLong else {
        throw MediaError(file: name, field: field, reason: .tooLarge(declared: .max, limit: limits.metadataByteCount))
      }
      return nil
    }
  }
}
