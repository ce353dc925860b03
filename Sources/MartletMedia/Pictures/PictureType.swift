/// Formats of picture files, told apart by their first bytes.
package enum PictureType: Sendable, Hashable, CaseIterable {
  case png
  case jpeg
  case heic
  case heif
  case avif
  case webP
  // Formats that are recognised and not decoded.
  case gif
  case tiff
  case canonRaw2
  case canonRaw3
  case adobeRaw
  case nikonRaw
  case olympusRaw
  case panasonicRaw
  case fujiRaw

  package var isDecodable: Bool {
    switch self {
    case .png, .jpeg, .heic, .heif, .avif, .webP: true
    default: false
    }
  }

  /// The uniform type identifier.
  package var identifier: String {
    switch self {
    case .png: "public.png"
    case .jpeg: "public.jpeg"
    case .heic: "public.heic"
    case .heif: "public.heif"
    case .avif: "public.avif"
    case .webP: "org.webmproject.webp"
    case .gif: "com.compuserve.gif"
    case .tiff: "public.tiff"
    case .canonRaw2: "com.canon.cr2-raw-image"
    case .canonRaw3: "com.canon.cr3-raw-image"
    case .adobeRaw: "com.adobe.raw-image"
    case .nikonRaw: "com.nikon.raw-image"
    case .olympusRaw: "com.olympus.raw-image"
    case .panasonicRaw: "com.panasonic.rw2-raw-image"
    case .fujiRaw: "com.fuji.raw-image"
    }
  }

  /// - Returns: nil for any other content.
  package init?(of file: [UInt8]) {
    let bytes = OrderedBytes(file[...], .bigEndian)
    switch file.first {
    case 0x89 where file.starts(with: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]): self = .png
    case 0xFF where file.starts(with: [0xFF, 0xD8, 0xFF]): self = .jpeg
    case _ where bytes.has("RIFF", at: 0) && bytes.has("WEBP", at: 8): self = .webP
    case _ where bytes.has("GIF87a", at: 0) || bytes.has("GIF89a", at: 0): self = .gif
    case _ where bytes.has("FUJIFILMCCD-RAW", at: 0): self = .fujiRaw
    case _ where bytes.has("ftyp", at: 4):
      guard let type = HEIFContainer.type(of: bytes) else { return nil }
      self = type
    default:
      guard let type = Self.tiffKind(of: bytes) else { return nil }
      self = type
    }
  }

  /// TIFF files and the raw formats of cameras that are TIFF files.
  private static func tiffKind(of bytes: OrderedBytes) -> PictureType? {
    if bytes.has("IIU\0", at: 0) { return .panasonicRaw }
    if bytes.has("IIRO", at: 0) || bytes.has("IIRS", at: 0) || bytes.has("MMOR", at: 0) { return .olympusRaw }
    let isTIFF = ["II*\0", "MM\0*"].contains { text in text.utf8.elementsEqual(bytes.bytes.prefix(4)) }
    guard isTIFF else { return nil }
    if bytes.has("CR", at: 8), bytes.has("II", at: 0) { return .canonRaw2 }
    guard let block = try? ExifBlock(bytes.bytes) else { return .tiff }
    // DNGVersion.
    if block.main[0xC612] != nil { return .adobeRaw }
    // Nikon's files have a reduced picture in the first directory and the full one in a subdirectory.
    if case .text(let maker)? = block.main[0x010F], maker.hasPrefix("NIKON"), block.main[0x014A] != nil { return .nikonRaw }
    return .tiff
  }
}
