/// Where a pixel has its alpha component, and whether colour components have been multiplied by it.
public enum CGImageAlphaInfo: UInt32, Sendable {
  case none = 0
  case premultipliedLast = 1
  case premultipliedFirst = 2
  case last = 3
  case first = 4
  /// A component in the place of alpha is ignored.
  case noneSkipLast = 5
  case noneSkipFirst = 6
  /// No colour, only alpha.
  case alphaOnly = 7
}

/// The order of the bytes in each unit of 16 or 32 bits. The default is big-endian, and equal to no units at all for components of 8 bits.
public enum CGImageByteOrderInfo: UInt32, Sendable {
  case orderMask = 0x7000
  case orderDefault = 0
  case order16Little = 0x1000
  case order32Little = 0x2000
  case order16Big = 0x3000
  case order32Big = 0x4000

  /// The order of this machine's numbers.
  public static var order16Host: CGImageByteOrderInfo { .order16Little }
  public static var order32Host: CGImageByteOrderInfo { .order32Little }
}

/// How the bits of a pixel are divided among its components, beside equal parts.
public enum CGImagePixelFormatInfo: UInt32, Sendable {
  case mask = 0xF0000
  case packed = 0
  case RGB555 = 0x10000
  case RGB565 = 0x20000
  case RGB101010 = 0x30000
}

/// Alpha, component type, byte order and pixel format of the pixels of an image or a bitmap context.
public struct CGBitmapInfo: OptionSet, Hashable, Sendable {
  public var rawValue: UInt32
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The given properties together.
  public init(
    alpha: CGImageAlphaInfo = .none, component: CGImageComponentInfo = .integer, byteOrder: CGImageByteOrderInfo = .orderDefault,
    pixelFormat: CGImagePixelFormatInfo = .packed
  ) {
    rawValue = alpha.rawValue | component.rawValue | byteOrder.rawValue | pixelFormat.rawValue
  }

  public static let alphaInfoMask = CGBitmapInfo(rawValue: 0x1F)
  public static let floatInfoMask = CGBitmapInfo(rawValue: 0xF00)
  /// Components are floating-point numbers.
  public static let floatComponents = CGBitmapInfo(rawValue: 0x100)
  public static let byteOrderMask = CGBitmapInfo(rawValue: 0x7000)
  public static let byteOrderDefault = CGBitmapInfo([])
  public static let byteOrder16Little = CGBitmapInfo(rawValue: 0x1000)
  public static let byteOrder32Little = CGBitmapInfo(rawValue: 0x2000)
  public static let byteOrder16Big = CGBitmapInfo(rawValue: 0x3000)
  public static let byteOrder32Big = CGBitmapInfo(rawValue: 0x4000)

  /// `none` if the bits have no meaning.
  public var alpha: CGImageAlphaInfo {
    get { CGImageAlphaInfo(rawValue: rawValue & Self.alphaInfoMask.rawValue) ?? .none }
    set { replace(Self.alphaInfoMask.rawValue, by: newValue.rawValue) }
  }

  public var component: CGImageComponentInfo {
    get { contains(.floatComponents) ? .float : .integer }
    set { replace(Self.floatInfoMask.rawValue, by: newValue.rawValue) }
  }

  /// `orderDefault` if the bits have no meaning.
  public var byteOrder: CGImageByteOrderInfo {
    get { CGImageByteOrderInfo(rawValue: rawValue & Self.byteOrderMask.rawValue) ?? .orderDefault }
    set { replace(Self.byteOrderMask.rawValue, by: newValue.rawValue) }
  }

  /// `packed` if the bits have no meaning.
  public var pixelFormat: CGImagePixelFormatInfo {
    get { CGImagePixelFormatInfo(rawValue: rawValue & CGImagePixelFormatInfo.mask.rawValue) ?? .packed }
    set { replace(CGImagePixelFormatInfo.mask.rawValue, by: newValue.rawValue) }
  }

  private mutating func replace(_ mask: UInt32, by bits: UInt32) { rawValue = rawValue & ~mask | bits }
}

/// The type of components.
public enum CGImageComponentInfo: UInt32, Sendable {
  case integer = 0
  case float = 0x100
}

public let kCGBitmapByteOrder16Host = CGBitmapInfo.byteOrder16Little
public let kCGBitmapByteOrder32Host = CGBitmapInfo.byteOrder32Little

/// Treatment of colours that the destination cannot show. Conversions here are relative colorimetric, whatever an image asks for.
public enum CGColorRenderingIntent: Int32, Sendable {
  case defaultIntent = 0
  case absoluteColorimetric
  case relativeColorimetric
  case perceptual
  case saturation
}
