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
