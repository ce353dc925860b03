public import CoreGraphics
import MartletMedia
import MartletPixels
import Synchronization

/// A PNG or JPEG file to be written, to a URL or to memory.
public final class CGImageDestination: Hashable, @unchecked Sendable {
  private enum Place {
    case url(URL)
    case data(CFMutableData)
  }

  /// A picture and the metadata that its maker gave for it.
  private struct Item {
    var image: CGImage
    var properties: [CFDictionary?]
  }

  private struct State {
    var item: Item?
    var properties: CFDictionary?
    var isFinished = false
  }

  private let place: Place
  private let type: PictureType
  private let lock = Mutex<Void>(())
  private var state = State()

  private init?(_ place: Place, _ type: CFString, _ count: Int) {
    // Files of these types hold one picture.
    guard count == 1, let type = Self.types.first(where: { $0.identifier == type as String }) else { return nil }
    self.place = place
    self.type = type
  }

  convenience init?(_ url: CFURL, _ type: CFString, _ count: Int) {
    guard url.isFileURL else { return nil }
    self.init(.url(url as URL), type, count)
  }

  convenience init?(_ data: CFMutableData, _ type: CFString, _ count: Int) { self.init(.data(data), type, count) }

  static let types: [PictureType] = [.jpeg, .png]

  public static func == (first: CGImageDestination, second: CGImageDestination) -> Bool { first === second }
  public func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }

  func setProperties(_ properties: CFDictionary?) { lock.withLock { _ in state.properties = properties } }

  func add(_ image: CGImage, _ properties: [CFDictionary?]) {
    lock.withLock { _ in
      guard !state.isFinished, state.item == nil else { return }
      state.item = Item(image: image, properties: properties)
    }
  }

  func finish() -> Bool {
    lock.withLock { _ in
      guard !state.isFinished, let item = state.item else { return false }
      state.isFinished = true
      let properties = WrittenProperties([state.properties] + item.properties)
      do throws(MediaError) {
        return try write(try file(item.image, properties))
      } catch {
        Failure.report(error)
        return false
      }
    }
  }

  private var name: String {
    switch place {
    case .url(let url): url.path
    case .data: "data"
    }
  }

  private func file(_ image: CGImage, _ properties: WrittenProperties) throws(MediaError) -> [UInt8] {
    guard var picture = DecodedPicture(image) else {
      throw MediaError(file: name, field: "image", reason: .unsupported("its colours"))
    }
    var metadata = properties.metadata
    PictureColors.describe(image.colorSpace, in: &metadata, isPNG: type == .png)
    if type == .png, picture.colors == .cmyk {
      // Inks were mixed without their profile.
      picture = picture.image.decoded
      metadata.profile = nil
    }
    if let limit = properties.maximumExtent, limit < max(picture.width, picture.height), picture.colors != .cmyk {
      picture = Thumbnail.fitted(picture.image, limit).decoded
    }
    if type == .png { return try PNGCodec.encode(picture, metadata, name: name) }
    var options = JPEGCodec.Options()
    if let quality = properties.quality { options.quality = quality }
    options.isProgressive = properties.isProgressive
    return try JPEGCodec.encode(picture.opaqueBytes(over: properties.background), metadata, options, name: name)
  }

  private func write(_ bytes: [UInt8]) throws(MediaError) -> Bool {
    switch place {
    case .url(let url): try FileContents.write(bytes, path: url.path)
    case .data(let data): data.append(Data(bytes))
    }
    return true
  }
}

extension DecodedPicture {
  /// The picture in 8 bits without alpha, over a colour: white unless there is another.
  fileprivate func opaqueBytes(over background: CGColor?) -> DecodedPicture {
    guard bitsPerComponent == 16 || alpha == .straight else { return self }
    let image = image
    guard image.format == .rgba8 else { return image.decoded }
    let components = background?.components ?? [1, 1, 1]
    let color = (0..<3).map { channel in
      let component = components.count >= 3 ? components[channel] : components.first ?? 1
      return UInt32((min(max(component, 0), 1) * 255).rounded())
    }
    var pixels = image.pixels
    for start in stride(from: 0, to: pixels.count, by: 4) {
      let alpha = UInt32(pixels[start + 3])
      for channel in 0..<3 {
        let blended = UInt32(pixels[start + channel]) * alpha + color[channel] * (255 - alpha)
        pixels[start + channel] = UInt8((blended + 127) / 255)
      }
    }
    return DecodedPicture(width: width, height: height, colors: .rgb, alpha: .skipped, bitsPerComponent: 8, bytes: pixels)
  }
}

// MARK: Functions

/// A destination that writes to a file; nil unless the type is PNG or JPEG and `count` is 1.
public func CGImageDestinationCreateWithURL(
  _ url: CFURL, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
  CGImageDestination(url, type, count)
}

/// A destination that appends to data; nil unless the type is PNG or JPEG and `count` is 1.
public func CGImageDestinationCreateWithData(
  _ data: CFMutableData, _ type: CFString, _ count: Int, _ options: CFDictionary?
) -> CGImageDestination? {
  CGImageDestination(data, type, count)
}

/// The type identifiers of files that can be written.
public func CGImageDestinationCopyTypeIdentifiers() -> CFArray { CGImageDestination.types.map(\.identifier) as CFArray }

/// Sets properties for all pictures; those that are given with a picture win.
public func CGImageDestinationSetProperties(_ destination: CGImageDestination, _ properties: CFDictionary?) {
  destination.setProperties(properties)
}

/// Adds a picture and its properties: quality, orientation, resolution and dictionaries of metadata. An orientation is written; the
/// pixels are not turned.
public func CGImageDestinationAddImage(_ destination: CGImageDestination, _ image: CGImage, _ properties: CFDictionary?) {
  destination.add(image, [properties])
}

/// Adds a picture of a source with its properties, of which `properties` replaces some.
public func CGImageDestinationAddImageFromSource(
  _ destination: CGImageDestination, _ source: CGImageSource, _ index: Int, _ properties: CFDictionary?
) {
  guard let image = CGImageSourceCreateImageAtIndex(source, index, nil) else { return }
  destination.add(image, [CGImageSourceCopyPropertiesAtIndex(source, index, nil), properties])
}

/// Writes the file. False if no picture was added, if it cannot be encoded or written, and if the destination was written before.
@discardableResult
public func CGImageDestinationFinalize(_ destination: CGImageDestination) -> Bool { destination.finish() }
