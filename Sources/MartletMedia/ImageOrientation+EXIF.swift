import MartletPixels
import MartletTensor

extension ImageOrientation {
  /// The orientation in a JPEG file's EXIF block; nil if there is none or the block is damaged. Like other viewers, a reader then shows
  /// the image as stored.
  ///
  /// Source: the APP1 segment of Exif 2.3 (a TIFF 6.0 directory), tag 0x0112 of directory 0.
  static func ofJPEG(_ segments: JPEGSegments) -> ImageOrientation? {
    segments.exif.flatMap { ofTIFF($0) }
  }

  /// The orientation in a PNG file's `eXIf` chunk; nil as for JPEG files.
  ///
  /// Source: Portable Network Graphics, third edition, 11.3.4.5: the TIFF block without a preceding signature.
  static func ofPNG(_ chunks: PNGChunks) -> ImageOrientation? {
    chunks.exif.flatMap { ofTIFF($0) }
  }

  private static func ofTIFF(_ block: ArraySlice<UInt8>) -> ImageOrientation? {
    let isLittleEndian: Bool
    if block.starts(with: [0x49, 0x49]) {
      isLittleEndian = true
    } else if block.starts(with: [0x4D, 0x4D]) {
      isLittleEndian = false
    } else {
      return nil
    }
    func integer(at offset: Int, byteCount: Int) -> Int? {
      guard offset <= block.count - byteCount else { return nil }
      let start = block.startIndex + offset
      let bytes = block[start..<start + byteCount]
      return (isLittleEndian ? Array(bytes.reversed()) : Array(bytes)).reduce(0) { $0 << 8 | Int(widening: $1) }
    }
    guard integer(at: 2, byteCount: 2) == 42, let directory = integer(at: 4, byteCount: 4),
      let count = integer(at: directory, byteCount: 2)
    else { return nil }
    for index in 0..<count {
      let entry = directory + 2 + 12 * index
      guard let tag = integer(at: entry, byteCount: 2) else { return nil }
      guard tag == 0x0112 else { continue }
      // One value of type SHORT, stored in the first bytes of the value field.
      guard integer(at: entry + 2, byteCount: 2) == 3, let value = integer(at: entry + 8, byteCount: 2) else { return nil }
      return ImageOrientation(rawValue: value)
    }
    return nil
  }
}
