public import CoreGraphics

// Keys of the properties of files and pictures. The strings are immutable and therefore safe to share between threads.

// Of a file.
@safe nonisolated(unsafe) public let kCGImagePropertyFileSize: CFString = "FileSize"

// Of a picture.
@safe nonisolated(unsafe) public let kCGImagePropertyPixelWidth: CFString = "PixelWidth"
@safe nonisolated(unsafe) public let kCGImagePropertyPixelHeight: CFString = "PixelHeight"
@safe nonisolated(unsafe) public let kCGImagePropertyDPIWidth: CFString = "DPIWidth"
@safe nonisolated(unsafe) public let kCGImagePropertyDPIHeight: CFString = "DPIHeight"
@safe nonisolated(unsafe) public let kCGImagePropertyDepth: CFString = "Depth"
@safe nonisolated(unsafe) public let kCGImagePropertyOrientation: CFString = "Orientation"
@safe nonisolated(unsafe) public let kCGImagePropertyIsFloat: CFString = "IsFloat"
@safe nonisolated(unsafe) public let kCGImagePropertyIsIndexed: CFString = "IsIndexed"
@safe nonisolated(unsafe) public let kCGImagePropertyHasAlpha: CFString = "HasAlpha"
@safe nonisolated(unsafe) public let kCGImagePropertyColorModel: CFString = "ColorModel"
@safe nonisolated(unsafe) public let kCGImagePropertyProfileName: CFString = "ProfileName"
@safe nonisolated(unsafe) public let kCGImagePropertyPrimaryImage: CFString = "PrimaryImage"

// Values of `kCGImagePropertyColorModel`.
@safe nonisolated(unsafe) public let kCGImagePropertyColorModelRGB: CFString = "RGB"
@safe nonisolated(unsafe) public let kCGImagePropertyColorModelGray: CFString = "Gray"
@safe nonisolated(unsafe) public let kCGImagePropertyColorModelCMYK: CFString = "CMYK"
@safe nonisolated(unsafe) public let kCGImagePropertyColorModelLab: CFString = "Lab"

// Dictionaries of one kind of metadata each.
@safe nonisolated(unsafe) public let kCGImagePropertyTIFFDictionary: CFString = "{TIFF}"
@safe nonisolated(unsafe) public let kCGImagePropertyExifDictionary: CFString = "{Exif}"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSDictionary: CFString = "{GPS}"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCDictionary: CFString = "{IPTC}"
@safe nonisolated(unsafe) public let kCGImagePropertyPNGDictionary: CFString = "{PNG}"
@safe nonisolated(unsafe) public let kCGImagePropertyJFIFDictionary: CFString = "{JFIF}"

// Of `kCGImagePropertyJFIFDictionary`.
@safe nonisolated(unsafe) public let kCGImagePropertyJFIFVersion: CFString = "JFIFVersion"
@safe nonisolated(unsafe) public let kCGImagePropertyJFIFXDensity: CFString = "XDensity"
@safe nonisolated(unsafe) public let kCGImagePropertyJFIFYDensity: CFString = "YDensity"
@safe nonisolated(unsafe) public let kCGImagePropertyJFIFDensityUnit: CFString = "DensityUnit"
@safe nonisolated(unsafe) public let kCGImagePropertyJFIFIsProgressive: CFString = "IsProgressive"

// Of `kCGImagePropertyPNGDictionary`.
@safe nonisolated(unsafe) public let kCGImagePropertyPNGGamma: CFString = "Gamma"
@safe nonisolated(unsafe) public let kCGImagePropertyPNGInterlaceType: CFString = "InterlaceType"
@safe nonisolated(unsafe) public let kCGImagePropertyPNGXPixelsPerMeter: CFString = "XPixelsPerMeter"
@safe nonisolated(unsafe) public let kCGImagePropertyPNGYPixelsPerMeter: CFString = "YPixelsPerMeter"
@safe nonisolated(unsafe) public let kCGImagePropertyPNGsRGBIntent: CFString = "sRGBIntent"
@safe nonisolated(unsafe) public let kCGImagePropertyPNGChromaticities: CFString = "Chromaticities"
@safe nonisolated(unsafe) public let kCGImagePropertyPNGAuthor: CFString = "Author"
@safe nonisolated(unsafe) public let kCGImagePropertyPNGCopyright: CFString = "Copyright"
@safe nonisolated(unsafe) public let kCGImagePropertyPNGCreationTime: CFString = "Creation Time"
@safe nonisolated(unsafe) public let kCGImagePropertyPNGDescription: CFString = "Description"
@safe nonisolated(unsafe) public let kCGImagePropertyPNGModificationTime: CFString = "Modification Time"
@safe nonisolated(unsafe) public let kCGImagePropertyPNGSoftware: CFString = "Software"
@safe nonisolated(unsafe) public let kCGImagePropertyPNGTitle: CFString = "Title"
@safe nonisolated(unsafe) public let kCGImagePropertyPNGComment: CFString = "Comment"
@safe nonisolated(unsafe) public let kCGImagePropertyPNGDisclaimer: CFString = "Disclaimer"
@safe nonisolated(unsafe) public let kCGImagePropertyPNGSource: CFString = "Source"
@safe nonisolated(unsafe) public let kCGImagePropertyPNGWarning: CFString = "Warning"

// Options of a destination for one picture, beside properties.
@safe nonisolated(unsafe) public let kCGImageDestinationLossyCompressionQuality: CFString = "kCGImageDestinationLossyCompressionQuality"
@safe nonisolated(unsafe) public let kCGImageDestinationBackgroundColor: CFString = "kCGImageDestinationBackgroundColor"
@safe nonisolated(unsafe) public let kCGImageDestinationImageMaxPixelSize: CFString = "kCGImageDestinationImageMaxPixelSize"

// Options of sources.
@safe nonisolated(unsafe) public let kCGImageSourceTypeIdentifierHint: CFString = "kCGImageSourceTypeIdentifierHint"
@safe nonisolated(unsafe) public let kCGImageSourceShouldCache: CFString = "kCGImageSourceShouldCache"
@safe nonisolated(unsafe) public let kCGImageSourceShouldCacheImmediately: CFString = "kCGImageSourceShouldCacheImmediately"
@safe nonisolated(unsafe) public let kCGImageSourceShouldAllowFloat: CFString = "kCGImageSourceShouldAllowFloat"
@safe nonisolated(unsafe) public let kCGImageSourceCreateThumbnailFromImageIfAbsent: CFString =
  "kCGImageSourceCreateThumbnailFromImageIfAbsent"
@safe nonisolated(unsafe) public let kCGImageSourceCreateThumbnailFromImageAlways: CFString = "kCGImageSourceCreateThumbnailFromImageAlways"
@safe nonisolated(unsafe) public let kCGImageSourceThumbnailMaxPixelSize: CFString = "kCGImageSourceThumbnailMaxPixelSize"
@safe nonisolated(unsafe) public let kCGImageSourceCreateThumbnailWithTransform: CFString = "kCGImageSourceCreateThumbnailWithTransform"
@safe nonisolated(unsafe) public let kCGImageSourceSubsampleFactor: CFString = "kCGImageSourceSubsampleFactor"
