import CoreGraphics
import Foundation

/// The layout of pixels in memory. Names give the components in memory order, then the type of each: 8 and 16 bits, `h` and `f` for half and
/// single precision, in the machine's byte order. Colours are multiplied by alpha; the component `X` is ignored.
public struct CIFormat: RawRepresentable, Hashable, Sendable {
  public let rawValue: Int32
  public init(rawValue: Int32) { self.rawValue = rawValue }

  public static let ARGB8 = CIFormat(rawValue: 265)
  public static let BGRA8 = CIFormat(rawValue: 266)
  public static let RGBA8 = CIFormat(rawValue: 264)
  public static let ABGR8 = CIFormat(rawValue: 267)
  public static let RGBX8 = CIFormat(rawValue: 268)
  public static let RGBA16 = CIFormat(rawValue: 2056)
  public static let RGBX16 = CIFormat(rawValue: 2057)
  public static let RGBAh = CIFormat(rawValue: 2054)
  public static let RGBXh = CIFormat(rawValue: 2055)
  public static let RGBAf = CIFormat(rawValue: 2312)
  public static let RGBXf = CIFormat(rawValue: 2313)
  public static let A8 = CIFormat(rawValue: 257)
  public static let A16 = CIFormat(rawValue: 1793)
  public static let Ah = CIFormat(rawValue: 1537)
  public static let Af = CIFormat(rawValue: 2305)
  public static let R8 = CIFormat(rawValue: 258)
  public static let R16 = CIFormat(rawValue: 1794)
  public static let Rh = CIFormat(rawValue: 1538)
  public static let Rf = CIFormat(rawValue: 2306)
  public static let RG8 = CIFormat(rawValue: 259)
  public static let RG16 = CIFormat(rawValue: 1795)
  public static let RGh = CIFormat(rawValue: 1539)
  public static let RGf = CIFormat(rawValue: 2307)
  public static let L8 = CIFormat(rawValue: 260)
  public static let L16 = CIFormat(rawValue: 1796)
  public static let Lh = CIFormat(rawValue: 1540)
  public static let Lf = CIFormat(rawValue: 2308)
  public static let LA8 = CIFormat(rawValue: 261)
  public static let LA16 = CIFormat(rawValue: 1797)
  public static let LAh = CIFormat(rawValue: 1541)
  public static let LAf = CIFormat(rawValue: 2309)
}

public let kCIFormatARGB8 = CIFormat.ARGB8
public let kCIFormatBGRA8 = CIFormat.BGRA8
public let kCIFormatRGBA8 = CIFormat.RGBA8
public let kCIFormatABGR8 = CIFormat.ABGR8
public let kCIFormatRGBA16 = CIFormat.RGBA16
public let kCIFormatRGBAh = CIFormat.RGBAh
public let kCIFormatRGBAf = CIFormat.RGBAf

/// Number type of a format's components.
struct FormatLayout {
  enum Component { case red, green, blue, alpha, luma, skipped }
  enum Number { case byte, word, half, float }

  let components: [Component]
  let number: Number

  private static let named: [(CIFormat, String, Number)] = [
    (.ARGB8, "ARGB", .byte), (.BGRA8, "BGRA", .byte), (.RGBA8, "RGBA", .byte), (.ABGR8, "ABGR", .byte), (.RGBX8, "RGBX", .byte),
    (.RGBA16, "RGBA", .word), (.RGBX16, "RGBX", .word), (.RGBAh, "RGBA", .half), (.RGBXh, "RGBX", .half), (.RGBAf, "RGBA", .float),
    (.RGBXf, "RGBX", .float), (.A8, "A", .byte), (.A16, "A", .word), (.Ah, "A", .half), (.Af, "A", .float), (.R8, "R", .byte),
    (.R16, "R", .word), (.Rh, "R", .half), (.Rf, "R", .float), (.RG8, "RG", .byte), (.RG16, "RG", .word), (.RGh, "RG", .half),
    (.RGf, "RG", .float), (.L8, "L", .byte), (.L16, "L", .word), (.Lh, "L", .half), (.Lf, "L", .float), (.LA8, "LA", .byte),
    (.LA16, "LA", .word), (.LAh, "LA", .half), (.LAf, "LA", .float),
  ]

  /// Nil for numbers that are no format.
  init?(_ format: CIFormat) {
    guard let (_, letters, number) = Self.named.first(where: { $0.0 == format }) else { return nil }
    self.init(letters, number)
  }

  init(_ letters: String, _ number: Number) {
    let meanings: [Character: Component] = ["R": .red, "G": .green, "B": .blue, "A": .alpha, "L": .luma]
    components = letters.map { meanings[$0] ?? .skipped }
    self.number = number
  }

  var componentByteCount: Int {
    switch number {
    case .byte: 1
    case .word, .half: 2
    case .float: 4
    }
  }

  var pixelByteCount: Int { components.count * componentByteCount }
  var isGray: Bool { components.contains(.luma) }

  /// How an image describes the layout; nil where images have none.
  var bitmapInfo: CGBitmapInfo? {
    let order: CGImageByteOrderInfo =
      switch number {
      case .byte: components.first == .blue || components == [.alpha, .blue, .green, .red] ? .order32Little : .orderDefault
      case .word, .half: .order16Host
      case .float: .order32Host
      }
    let alpha: CGImageAlphaInfo
    switch components {
    case [.red, .green, .blue, .alpha], [.alpha, .blue, .green, .red], [.luma, .alpha]: alpha = .premultipliedLast
    case [.alpha, .red, .green, .blue], [.blue, .green, .red, .alpha]: alpha = .premultipliedFirst
    case [.red, .green, .blue, .skipped]: alpha = .noneSkipLast
    case [.luma], [.red]: alpha = .none
    case [.alpha]: alpha = .alphaOnly
    default: return nil
    }
    return CGBitmapInfo(alpha: alpha, component: number == .half || number == .float ? .float : .integer, byteOrder: order)
  }
}

extension CIFormat {
  /// An image over data in this format; nil if they do not fit together.
  /// - Parameter space: nil for the device's.
  func image(_ data: Data, bytesPerRow: Int, size: CGSize, space: CGColorSpace?) -> CGImage? {
    guard let layout = FormatLayout(self), let info = layout.bitmapInfo,
      let width = Int(exactly: size.width.rounded(.down)), let height = Int(exactly: size.height.rounded(.down)),
      width <= PixelRegion.limit, height <= PixelRegion.limit
    else { return nil }
    let isSingle = layout.components.count <= 2
    let own = space ?? (isSingle ? CGColorSpaceCreateDeviceGray() : CGColorSpaceCreateDeviceRGB())
    return unsafe CGImage(
      width: width, height: height, bitsPerComponent: 8 * layout.componentByteCount, bitsPerPixel: 8 * layout.pixelByteCount,
      bytesPerRow: bytesPerRow, space: own, bitmapInfo: info, provider: CGDataProvider(data), decode: nil, shouldInterpolate: true,
      intent: .defaultIntent)
  }
}
