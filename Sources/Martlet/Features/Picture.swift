public import FoundationEssentials
import MartletSystem
import MartletMedia
package import MartletPixels

/// A picture of 8-bit samples, as an input or output of a model.
///
/// Pictures are values; copies share the samples.
public struct Picture: Sendable, Hashable {
  public enum PixelFormat: Sendable, Hashable, CaseIterable {
    case gray
    case rgb
    /// Red, green, blue and straight (not premultiplied) alpha. Models ignore alpha.
    case rgba

    /// Number of samples per pixel.
    public var channelCount: Int { image.channelCount }

    var image: Image.PixelFormat {
      switch self {
      case .gray: .gray8
      case .rgb: .rgb8
      case .rgba: .rgba8
      }
    }
  }

  package let image: Image

  package init(_ image: Image) { self.image = image }

  /// A picture of the given samples.
  /// - Parameter pixels: rows from top to bottom, pixels from left to right, samples interleaved, without padding.
  /// - Throws: `MartletError.invalidInput` if an extent is below 1 or the samples do not fill the picture.
  public init(width: Int, height: Int, format: PixelFormat, pixels: [UInt8]) throws {
    guard let image = Image(width: width, height: height, format: format.image, pixels: pixels) else {
      throw MartletError.invalidInput("\(pixels.count) samples do not fill a picture of \(width) x \(height) pixels (\(format))")
    }
    self.image = image
  }

  /// Reads a PNG, JPEG, PPM or PGM file and rotates the picture upright.
  /// - Parameter orientation: replaces the EXIF orientation in the file.
  /// - Throws: `MartletError.invalidFile`.
  public init(contentsOf url: URL, orientation: Orientation? = nil) throws {
    do {
      image = try Image.read(path: url.path, orientation: orientation?.image)
    } catch {
      throw MartletError.invalidFile("\(error)")
    }
  }

  /// In pixels, at least 1.
  public var width: Int { image.width }
  /// In pixels, at least 1.
  public var height: Int { image.height }

  public var format: PixelFormat {
    switch image.format {
    case .gray8: .gray
    case .rgb8: .rgb
    case .rgba8: .rgba
    }
  }

  /// Rows from top to bottom, pixels from left to right, samples interleaved, without padding.
  public var pixels: [UInt8] { image.pixels }

  public static func == (first: Picture, second: Picture) -> Bool { first.image == second.image }

  public func hash(into hasher: inout Hasher) {
    hasher.combine(width)
    hasher.combine(height)
    hasher.combine(pixels)
  }
}

extension Picture: CustomStringConvertible {
  public var description: String { "Picture(\(width) x \(height), \(format))" }
}
