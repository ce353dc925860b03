public import Foundation

/// The content of a barcode. There is no detector and no generator of barcodes here.
open class CIBarcodeDescriptor: NSObject, NSCopying, @unchecked Sendable {
  override init() {}

  open func copy(with zone: NSZone? = nil) -> Any { self }
}

/// The content of a QR code.
open class CIQRCodeDescriptor: CIBarcodeDescriptor, @unchecked Sendable {
  /// How much of a code may be damaged. The raw value is the letter of the level.
  public enum ErrorCorrectionLevel: Int, Sendable {
    case levelL = 76
    case levelM = 77
    case levelQ = 81
    case levelH = 72
  }

  /// The codewords with data, after error correction.
  public let errorCorrectedPayload: Data
  /// 1 to 40: the size of the code.
  public let symbolVersion: Int
  /// 0 to 7.
  public let maskPattern: UInt8
  public let errorCorrectionLevel: ErrorCorrectionLevel

  /// Nil for a version other than 1 to 40 and a mask pattern above 7.
  public init?(
    payload errorCorrectedPayload: Data, symbolVersion: Int, maskPattern: UInt8, errorCorrectionLevel: ErrorCorrectionLevel
  ) {
    guard (1...40).contains(symbolVersion), maskPattern <= 7 else { return nil }
    self.errorCorrectedPayload = errorCorrectedPayload
    self.symbolVersion = symbolVersion
    self.maskPattern = maskPattern
    self.errorCorrectionLevel = errorCorrectionLevel
    super.init()
  }
}

/// The content of an Aztec code.
open class CIAztecCodeDescriptor: CIBarcodeDescriptor, @unchecked Sendable {
  /// The codewords with data, after error correction.
  public let errorCorrectedPayload: Data
  public let isCompact: Bool
  /// 1 to 4 in a compact code, else 1 to 32.
  public let layerCount: Int
  /// 1 to 64 in a compact code, else 1 to 2048.
  public let dataCodewordCount: Int

  /// Nil for numbers out of range.
  public init?(payload errorCorrectedPayload: Data, isCompact: Bool, layerCount: Int, dataCodewordCount: Int) {
    guard (1...(isCompact ? 4 : 32)).contains(layerCount), (1...(isCompact ? 64 : 2048)).contains(dataCodewordCount) else { return nil }
    self.errorCorrectedPayload = errorCorrectedPayload
    self.isCompact = isCompact
    self.layerCount = layerCount
    self.dataCodewordCount = dataCodewordCount
    super.init()
  }
}

/// The content of a PDF417 code.
open class CIPDF417CodeDescriptor: CIBarcodeDescriptor, @unchecked Sendable {
  /// The codewords with data, after error correction.
  public let errorCorrectedPayload: Data
  public let isCompact: Bool
  /// 3 to 90.
  public let rowCount: Int
  /// 1 to 30.
  public let columnCount: Int

  /// Nil for numbers out of range.
  public init?(payload errorCorrectedPayload: Data, isCompact: Bool, rowCount: Int, columnCount: Int) {
    guard (3...90).contains(rowCount), (1...30).contains(columnCount) else { return nil }
    self.errorCorrectedPayload = errorCorrectedPayload
    self.isCompact = isCompact
    self.rowCount = rowCount
    self.columnCount = columnCount
    super.init()
  }
}

/// The content of a Data Matrix code.
open class CIDataMatrixCodeDescriptor: CIBarcodeDescriptor, @unchecked Sendable {
  /// The kind of error correction: convolutional codes, or Reed-Solomon codes for 200.
  public enum ECCVersion: Int, Sendable {
    case v000 = 0
    case v050 = 50
    case v080 = 80
    case v100 = 100
    case v140 = 140
    case v200 = 200
  }

  /// The codewords with data, after error correction.
  public let errorCorrectedPayload: Data
  /// Even and 8 to 144 in version 200, else odd and 9 to 49.
  public let rowCount: Int
  /// Even and 10 to 144 in version 200, else odd and 9 to 49.
  public let columnCount: Int
  public let eccVersion: ECCVersion

  /// Nil for numbers that codes of the version do not have (ISO/IEC 16022).
  public init?(payload errorCorrectedPayload: Data, rowCount: Int, columnCount: Int, eccVersion: ECCVersion) {
    let isEven = eccVersion == .v200
    guard (isEven ? 8...144 : 9...49).contains(rowCount), (isEven ? 10...144 : 9...49).contains(columnCount),
      rowCount.isMultiple(of: 2) == isEven, columnCount.isMultiple(of: 2) == isEven
    else { return nil }
    self.errorCorrectedPayload = errorCorrectedPayload
    self.rowCount = rowCount
    self.columnCount = columnCount
    self.eccVersion = eccVersion
    super.init()
  }
}

/// What a target of rendering stores in its alpha channel. Render destinations do not exist here.
public enum CIRenderDestinationAlphaMode: UInt, Sendable {
  case none = 0
  case premultiplied = 1
  case unpremultiplied = 2
}
