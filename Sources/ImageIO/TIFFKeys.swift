public import CoreGraphics

// Keys of `kCGImagePropertyTIFFDictionary`. The strings are immutable and therefore safe to share between threads.
@safe nonisolated(unsafe) public let kCGImagePropertyTIFFImageDescription: CFString = "ImageDescription"
@safe nonisolated(unsafe) public let kCGImagePropertyTIFFMake: CFString = "Make"
@safe nonisolated(unsafe) public let kCGImagePropertyTIFFModel: CFString = "Model"
@safe nonisolated(unsafe) public let kCGImagePropertyTIFFOrientation: CFString = "Orientation"
@safe nonisolated(unsafe) public let kCGImagePropertyTIFFXResolution: CFString = "XResolution"
@safe nonisolated(unsafe) public let kCGImagePropertyTIFFYResolution: CFString = "YResolution"
@safe nonisolated(unsafe) public let kCGImagePropertyTIFFResolutionUnit: CFString = "ResolutionUnit"
@safe nonisolated(unsafe) public let kCGImagePropertyTIFFTransferFunction: CFString = "TransferFunction"
@safe nonisolated(unsafe) public let kCGImagePropertyTIFFSoftware: CFString = "Software"
@safe nonisolated(unsafe) public let kCGImagePropertyTIFFDateTime: CFString = "DateTime"
@safe nonisolated(unsafe) public let kCGImagePropertyTIFFArtist: CFString = "Artist"
@safe nonisolated(unsafe) public let kCGImagePropertyTIFFHostComputer: CFString = "HostComputer"
@safe nonisolated(unsafe) public let kCGImagePropertyTIFFWhitePoint: CFString = "WhitePoint"
@safe nonisolated(unsafe) public let kCGImagePropertyTIFFPrimaryChromaticities: CFString = "PrimaryChromaticities"
@safe nonisolated(unsafe) public let kCGImagePropertyTIFFCopyright: CFString = "Copyright"
@safe nonisolated(unsafe) public let kCGImagePropertyTIFFDocumentName: CFString = "DocumentName"
@safe nonisolated(unsafe) public let kCGImagePropertyTIFFCompression: CFString = "Compression"
@safe nonisolated(unsafe) public let kCGImagePropertyTIFFPhotometricInterpretation: CFString = "PhotometricInterpretation"

extension PropertyTable {
  /// Tags of the main directory of a TIFF block.
  @safe nonisolated(unsafe) static let tiff: [(key: CFString, tag: Int)] = [
    (kCGImagePropertyTIFFImageDescription, 0x10e),
    (kCGImagePropertyTIFFMake, 0x10f),
    (kCGImagePropertyTIFFModel, 0x110),
    (kCGImagePropertyTIFFOrientation, 0x112),
    (kCGImagePropertyTIFFXResolution, 0x11a),
    (kCGImagePropertyTIFFYResolution, 0x11b),
    (kCGImagePropertyTIFFResolutionUnit, 0x128),
    (kCGImagePropertyTIFFTransferFunction, 0x12d),
    (kCGImagePropertyTIFFSoftware, 0x131),
    (kCGImagePropertyTIFFDateTime, 0x132),
    (kCGImagePropertyTIFFArtist, 0x13b),
    (kCGImagePropertyTIFFHostComputer, 0x13c),
    (kCGImagePropertyTIFFWhitePoint, 0x13e),
    (kCGImagePropertyTIFFPrimaryChromaticities, 0x13f),
    (kCGImagePropertyTIFFCopyright, 0x8298),
    (kCGImagePropertyTIFFDocumentName, 0x10d),
    (kCGImagePropertyTIFFCompression, 0x103),
    (kCGImagePropertyTIFFPhotometricInterpretation, 0x106),
  ]
}
