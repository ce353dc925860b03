import MartletPixels
import MartletTensor

/// A HEIF or AVIF file. Its structure is read here, so that sizes are known and checked before libheif, which decodes the pixels, is needed.
struct HEIFFile: PictureContainer {
  private let bytes: [UInt8]
  private let name: String
  private let limits: PictureLimits
  private let container: HEIFContainer
  private let pictures: [Picture]
  let primaryIndex: Int

  /// A picture that is not a part of another one.
  private struct Picture: Sendable {
    var id: Int
    /// Size before turning and cropping.
    var stored: (width: Int, height: Int)
    /// The part that is shown, in the stored picture.
    var crop: (x: Int, y: Int, width: Int, height: Int)
    var orientation: ImageOrientation
    var bitsPerComponent: Int
    var hasAlpha: Bool
  }

  /// How pictures belong together.
  private struct Parts {
    /// Small versions and planes of other pictures.
    var versions: Set<Int> = []
    /// Pictures that have alpha in a plane of its own.
    var transparent: Set<Int> = []
    /// What compositions are put together from.
    var tiles: [Int: [Int]] = [:]

    init(_ container: HEIFContainer) {
      for reference in container.references {
        if reference.hasType("thmb") || reference.hasType("auxl") { versions.insert(reference.source) }
        if reference.hasType("dimg") { tiles[reference.source, default: []] += reference.targets }
        if reference.hasType("auxl"), container.item(reference.source).map(isAlpha) == true {
          transparent.formUnion(reference.targets)
        }
      }
    }
  }

  init(_ bytes: [UInt8], name: String, limits: PictureLimits) throws(MediaError) {
    guard let container = HEIFContainer(bytes) else {
      throw MediaError(file: name, field: "HEIF header", reason: .unsupported("a file without still pictures"))
    }
    self.bytes = bytes
    self.name = name
    self.limits = limits
    self.container = container
    let parts = Parts(container)
    let shown = container.items.filter { item in
      let isPicture = ["hvc1", "hev1", "av01", "grid", "iden", "iovl"].contains { item.type.elementsEqual($0.utf8) }
      return isPicture && (item.id == container.primary || !item.isHidden && !parts.versions.contains(item.id))
    }
    var pictures: [Picture] = []
    for item in shown { pictures.append(try Self.picture(item, parts, container, limits, name)) }
    guard !pictures.isEmpty else {
      throw MediaError(file: name, field: "HEIF header", reason: .unsupported("a file without still pictures"))
    }
    self.pictures = pictures
    primaryIndex = pictures.firstIndex { $0.id == container.primary } ?? 0
  }

  var pictureCount: Int { pictures.count }

  private static func size(_ item: HEIFContainer.Item) -> (width: Int, height: Int)? {
    guard let content = item.property("ispe")?.versioned?.content, let width = content.integer(at: 0, byteCount: 4),
      let height = content.integer(at: 4, byteCount: 4)
    else { return nil }
    return (width, height)
  }

  private static func picture(
    _ item: HEIFContainer.Item, _ parts: Parts, _ container: HEIFContainer, _ limits: PictureLimits, _ name: String
  ) throws(MediaError) -> Picture {
    guard let size = size(item) else {
      throw MediaError(file: name, field: "HEIF picture", reason: .invalid("declares no size"))
    }
    try limits.check(width: size.width, height: size.height, file: name)
    // The decoder takes memory for what a composition says itself, and for each of its parts.
    if item.hasType("grid") || item.hasType("iovl") {
      guard let canvas = canvas(item, container), canvas == size else {
        throw MediaError(file: name, field: "HEIF picture", reason: .invalid("a composition has another size than it declares"))
      }
      for part in (parts.tiles[item.id] ?? []).compactMap(container.item).compactMap(Self.size) {
        try limits.check(width: part.width, height: part.height, file: name)
      }
    }
    let crop = try crop(item, size, name)
    return Picture(
      id: item.id, stored: size, crop: crop, orientation: orientation(item), bitsPerComponent: bitsPerComponent(item),
      hasAlpha: parts.transparent.contains(item.id))
  }

  /// The size of a picture that is put together from others.
  private static func canvas(_ item: HEIFContainer.Item, _ container: HEIFContainer) -> (width: Int, height: Int)? {
    guard let content = container.content(of: item, atMost: 1 << 20), content.count >= 2 else { return nil }
    let bytes = OrderedBytes(content[...], .bigEndian)
    let byteCount = content[1] & 1 == 0 ? 2 : 4
    // A grid has its numbers of rows and columns first, an overlay its colour.
    let start = item.hasType("grid") ? 4 : 10
    guard let width = bytes.integer(at: start, byteCount: byteCount),
      let height = bytes.integer(at: start + byteCount, byteCount: byteCount)
    else { return nil }
    return (width, height)
  }

  private static func isAlpha(_ item: HEIFContainer.Item) -> Bool {
    guard let content = item.property("auxC")?.versioned?.content else { return false }
    return content.has("urn:mpeg:mpegB:cicp:systems:auxiliary:alpha", at: 0) || content.has("urn:mpeg:hevc:2015:auxid:1", at: 0)
  }

  private static func bitsPerComponent(_ item: HEIFContainer.Item) -> Int {
    if let content = item.property("pixi")?.versioned?.content, let bits = content.integer(at: 1, byteCount: 1) { return bits }
    if let content = item.property("hvcC")?.content, let luma = content.integer(at: 17, byteCount: 1) { return 8 + luma & 7 }
    if let content = item.property("av1C")?.content, let flags = content.integer(at: 2, byteCount: 1) {
      return flags & 0x40 == 0 ? 8 : flags & 0x20 == 0 ? 10 : 12
    }
    return 8
  }

  /// The clean aperture, rounded to whole pixels; the whole picture if there is none.
  private static func crop(
    _ item: HEIFContainer.Item, _ size: (width: Int, height: Int), _ name: String
  ) throws(MediaError) -> (x: Int, y: Int, width: Int, height: Int) {
    guard let content = item.property("clap")?.content else { return (0, 0, size.width, size.height) }
    func quotient(_ index: Int) -> Double? {
      guard let numerator = content.integer(at: 8 * index, byteCount: 4), let denominator = content.integer(at: 8 * index + 4, byteCount: 4)
      else { return nil }
      return Double(Int32(truncatingIfNeeded: numerator)) / Double(Int32(truncatingIfNeeded: denominator))
    }
    // Extent, and distance of its centre from that of the picture.
    func range(_ extentIndex: Int, _ offsetIndex: Int, of whole: Int) -> (start: Int, count: Int)? {
      guard let extent = quotient(extentIndex), let offset = quotient(offsetIndex), let count = Int(exactly: extent.rounded()),
        let start = Int(exactly: ((Double(whole) - extent) / 2 + offset).rounded(.down)), start >= 0, count > 0, count <= whole,
        start <= whole - count
      else { return nil }
      return (start, count)
    }
    guard let columns = range(0, 2, of: size.width), let rows = range(1, 3, of: size.height) else {
      throw MediaError(file: name, field: "HEIF clean aperture", reason: .invalid("is not inside the picture"))
    }
    return (columns.start, rows.start, columns.count, rows.count)
  }

  /// The rotations and reflections that show the stored picture upright, as one of the orientations of EXIF. A HEIF file's EXIF block may
  /// say it, too, but does not count.
  private static func orientation(_ item: HEIFContainer.Item) -> ImageOrientation {
    var orientation = ImageOrientation.up
    for property in item.properties {
      if property.hasType("irot"), let angle = property.content.integer(at: 0, byteCount: 1) {
        // Quarter turns counterclockwise.
        for _ in 0..<angle & 3 { orientation = orientation.followed(by: .left) }
      } else if property.hasType("imir"), let axis = property.content.integer(at: 0, byteCount: 1) {
        orientation = orientation.followed(by: axis & 1 == 0 ? .downMirrored : .upMirrored)
      }
    }
    return orientation
  }

  func header(at index: Int) -> PictureHeader {
    let picture = pictures[index]
    return PictureHeader(
      width: picture.crop.width, height: picture.crop.height, model: .rgb, bitsPerComponent: picture.bitsPerComponent,
      hasAlpha: picture.hasAlpha)
  }

  func orientation(at index: Int) -> ImageOrientation? { pictures[index].orientation }

  func metadata(at index: Int) throws(MediaError) -> PictureMetadata {
    var metadata = PictureMetadata()
    let id = pictures[index].id
    metadata.orientation = pictures[index].orientation
    for property in container.item(id)?.properties ?? [] where property.hasType("colr") {
      let content = property.content
      if content.has("prof", at: 0) || content.has("rICC", at: 0), let profile = content.rest(from: 4) {
        try limits.check(metadataByteCount: profile.count, file: name, field: "HEIF colour profile")
        metadata.profile = metadata.profile ?? Array(profile)
      } else if content.has("nclx", at: 0), let primaries = content.integer(at: 4, byteCount: 2),
        let transfer = content.integer(at: 6, byteCount: 2)
      {
        metadata.codedColors = PictureMetadata.CodedColors(primaries: primaries, transfer: transfer)
      }
    }
    let descriptions = container.references.filter { $0.hasType("cdsc") && $0.targets.contains(id) }
    for item in descriptions.compactMap({ container.item($0.source) }) where item.hasType("Exif") && metadata.exif == nil {
      guard let content = container.content(of: item, atMost: limits.metadataByteCount) else { continue }
      // The position of the TIFF block comes first.
      let bytes = OrderedBytes(content[...], .bigEndian)
      guard let start = bytes.integer(at: 0, byteCount: 4), let block = bytes.rest(from: start + 4) else { continue }
      metadata.exif = Array(block)
    }
    return metadata
  }

  // MARK: Pixels

  func decode(at index: Int, _ options: PictureDecoding) throws(MediaError) -> DecodedPicture {
    let picture = pictures[index]
    let library = try LibHEIF.load(file: name)
    return try unsafe bytes.withUnsafeBufferPointer { (input) throws(MediaError) -> DecodedPicture in
      let context = try unsafe library.context(UnsafeRawBufferPointer(input), file: name)
      defer { unsafe library.freeContext(context) }
      let handle = try unsafe library.handle(context, item: picture.id, file: name)
      defer { unsafe library.freeHandle(handle) }
      let isWide = unsafe library.lumaBits(handle) > 8
      let sampleByteCount = isWide ? 2 : 1
      let channels: [LibHEIF.Channel]
      let image: UnsafeMutableRawPointer
      if let interleaved = try unsafe library.image(handle, isWide ? .words : .bytes, file: name) {
        unsafe image = unsafe interleaved
        channels = [.interleaved]
      } else if let planes = try unsafe library.image(handle, .planes, file: name) {
        // Some versions of the library crop the plane of alpha and not those of colours, and then cannot interleave them.
        unsafe image = unsafe planes
        channels = [.red, .green, .blue] + (picture.hasAlpha ? [.alpha] : [])
      } else {
        throw MediaError(file: name, field: "HEIF picture", reason: .unsupported("its colours"))
      }
      defer { unsafe library.freeImage(image) }
      let crop = picture.crop
      var rows = try unsafe DecodedPicture.rows(width: crop.width, height: crop.height, bytesPerPixel: 4 * sampleByteCount, file: name) {
        (rows, rowByteCount) throws(MediaError) in
        if channels == [.interleaved] {
          try unsafe copy(library, image, .interleaved, picture, pixelByteCount: 4 * sampleByteCount, to: rows, step: 4 * sampleByteCount)
          return
        }
        if !picture.hasAlpha { unsafe rows.update(repeating: 0xFF, count: rowByteCount * crop.height) }
        for (place, channel) in channels.enumerated() {
          try unsafe copy(
            library, image, channel, picture, pixelByteCount: sampleByteCount, to: rows + place * sampleByteCount, step: 4 * sampleByteCount
          )
        }
      }
      if isWide { Self.widen(&rows, from: unsafe library.bits(image, channels[0])) }
      return DecodedPicture(
        width: crop.width, height: crop.height, colors: .rgb, alpha: picture.hasAlpha ? .straight : .skipped,
        bitsPerComponent: isWide ? 16 : 8, bytes: rows
      ).padded(options.padsColors)
    }
  }

  /// Copies the part of a channel that is shown.
  /// - Parameters:
  ///   - pixelByteCount: bytes of a pixel in the channel.
  ///   - step: distance of pixels in `rows`.
  @unsafe
  private func copy(
    _ library: LibHEIF, _ image: UnsafeMutableRawPointer, _ channel: LibHEIF.Channel, _ picture: Picture, pixelByteCount: Int,
    to rows: UnsafeMutablePointer<UInt8>, step: Int
  ) throws(MediaError) {
    let crop = picture.crop
    let size = unsafe library.size(image, channel)
    let isCropped = channel == .alpha && size == (crop.width, crop.height)
    guard isCropped || size == picture.stored else {
      throw MediaError(
        file: name, field: "HEIF picture", reason: .invalid("has \(size.width) x \(size.height) pixels, not as many as it declares"))
    }
    let plane = try unsafe library.plane(image, channel, rowByteCount: Extent(size.width) * pixelByteCount, file: name)
    let (left, top) = isCropped ? (0, 0) : (crop.x, crop.y)
    for row in 0..<crop.height {
      // In range: the crop lies within the picture, whose rows the plane has.
      let source = unsafe plane.start + (top + row) * plane.stride + left * pixelByteCount
      let target = unsafe rows + row * crop.width * step
      if step == pixelByteCount {
        unsafe target.update(from: source, count: crop.width * pixelByteCount)
      } else {
        for column in 0..<crop.width {
          for byte in 0..<pixelByteCount { unsafe target[column * step + byte] = unsafe source[column * pixelByteCount + byte] }
        }
      }
    }
  }

  /// Makes samples of `bits` bits, stored in 16, use all of them.
  private static func widen(_ rows: inout [UInt8], from bits: Int) {
    guard (9...15).contains(bits) else { return }
    unsafe rows.withUnsafeMutableBytes { bytes in
      unsafe bytes.withMemoryRebound(to: UInt16.self) { samples in
        for index in samples.indices {
          // What is filled is no number of fewer bits.
          let sample = min(unsafe UInt16(littleEndian: samples[index]), 1 << bits - 1)
          unsafe samples[index] = sample << (16 - bits) | sample >> (2 * bits - 16)
        }
      }
    }
  }
}
