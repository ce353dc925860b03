public import CoreGraphics

// Keys of `kCGImagePropertyExifDictionary`. The strings are immutable and therefore safe to share between threads.
@safe nonisolated(unsafe) public let kCGImagePropertyExifExposureTime: CFString = "ExposureTime"
@safe nonisolated(unsafe) public let kCGImagePropertyExifFNumber: CFString = "FNumber"
@safe nonisolated(unsafe) public let kCGImagePropertyExifExposureProgram: CFString = "ExposureProgram"
@safe nonisolated(unsafe) public let kCGImagePropertyExifSpectralSensitivity: CFString = "SpectralSensitivity"
@safe nonisolated(unsafe) public let kCGImagePropertyExifISOSpeedRatings: CFString = "ISOSpeedRatings"
@safe nonisolated(unsafe) public let kCGImagePropertyExifSensitivityType: CFString = "SensitivityType"
@safe nonisolated(unsafe) public let kCGImagePropertyExifStandardOutputSensitivity: CFString = "StandardOutputSensitivity"
@safe nonisolated(unsafe) public let kCGImagePropertyExifRecommendedExposureIndex: CFString = "RecommendedExposureIndex"
@safe nonisolated(unsafe) public let kCGImagePropertyExifISOSpeed: CFString = "ISOSpeed"
@safe nonisolated(unsafe) public let kCGImagePropertyExifVersion: CFString = "ExifVersion"
@safe nonisolated(unsafe) public let kCGImagePropertyExifDateTimeOriginal: CFString = "DateTimeOriginal"
@safe nonisolated(unsafe) public let kCGImagePropertyExifDateTimeDigitized: CFString = "DateTimeDigitized"
@safe nonisolated(unsafe) public let kCGImagePropertyExifOffsetTime: CFString = "OffsetTime"
@safe nonisolated(unsafe) public let kCGImagePropertyExifOffsetTimeOriginal: CFString = "OffsetTimeOriginal"
@safe nonisolated(unsafe) public let kCGImagePropertyExifOffsetTimeDigitized: CFString = "OffsetTimeDigitized"
@safe nonisolated(unsafe) public let kCGImagePropertyExifComponentsConfiguration: CFString = "ComponentsConfiguration"
@safe nonisolated(unsafe) public let kCGImagePropertyExifCompressedBitsPerPixel: CFString = "CompressedBitsPerPixel"
@safe nonisolated(unsafe) public let kCGImagePropertyExifShutterSpeedValue: CFString = "ShutterSpeedValue"
@safe nonisolated(unsafe) public let kCGImagePropertyExifApertureValue: CFString = "ApertureValue"
@safe nonisolated(unsafe) public let kCGImagePropertyExifBrightnessValue: CFString = "BrightnessValue"
@safe nonisolated(unsafe) public let kCGImagePropertyExifExposureBiasValue: CFString = "ExposureBiasValue"
@safe nonisolated(unsafe) public let kCGImagePropertyExifMaxApertureValue: CFString = "MaxApertureValue"
@safe nonisolated(unsafe) public let kCGImagePropertyExifSubjectDistance: CFString = "SubjectDistance"
@safe nonisolated(unsafe) public let kCGImagePropertyExifMeteringMode: CFString = "MeteringMode"
@safe nonisolated(unsafe) public let kCGImagePropertyExifLightSource: CFString = "LightSource"
@safe nonisolated(unsafe) public let kCGImagePropertyExifFlash: CFString = "Flash"
@safe nonisolated(unsafe) public let kCGImagePropertyExifFocalLength: CFString = "FocalLength"
@safe nonisolated(unsafe) public let kCGImagePropertyExifSubjectArea: CFString = "SubjectArea"
@safe nonisolated(unsafe) public let kCGImagePropertyExifMakerNote: CFString = "MakerNote"
@safe nonisolated(unsafe) public let kCGImagePropertyExifUserComment: CFString = "UserComment"
@safe nonisolated(unsafe) public let kCGImagePropertyExifSubsecTime: CFString = "SubsecTime"
@safe nonisolated(unsafe) public let kCGImagePropertyExifSubsecTimeOriginal: CFString = "SubsecTimeOriginal"
@safe nonisolated(unsafe) public let kCGImagePropertyExifSubsecTimeDigitized: CFString = "SubsecTimeDigitized"
@safe nonisolated(unsafe) public let kCGImagePropertyExifFlashPixVersion: CFString = "FlashPixVersion"
@safe nonisolated(unsafe) public let kCGImagePropertyExifColorSpace: CFString = "ColorSpace"
@safe nonisolated(unsafe) public let kCGImagePropertyExifPixelXDimension: CFString = "PixelXDimension"
@safe nonisolated(unsafe) public let kCGImagePropertyExifPixelYDimension: CFString = "PixelYDimension"
@safe nonisolated(unsafe) public let kCGImagePropertyExifRelatedSoundFile: CFString = "RelatedSoundFile"
@safe nonisolated(unsafe) public let kCGImagePropertyExifFlashEnergy: CFString = "FlashEnergy"
@safe nonisolated(unsafe) public let kCGImagePropertyExifFocalPlaneXResolution: CFString = "FocalPlaneXResolution"
@safe nonisolated(unsafe) public let kCGImagePropertyExifFocalPlaneYResolution: CFString = "FocalPlaneYResolution"
@safe nonisolated(unsafe) public let kCGImagePropertyExifFocalPlaneResolutionUnit: CFString = "FocalPlaneResolutionUnit"
@safe nonisolated(unsafe) public let kCGImagePropertyExifSubjectLocation: CFString = "SubjectLocation"
@safe nonisolated(unsafe) public let kCGImagePropertyExifExposureIndex: CFString = "ExposureIndex"
@safe nonisolated(unsafe) public let kCGImagePropertyExifSensingMethod: CFString = "SensingMethod"
@safe nonisolated(unsafe) public let kCGImagePropertyExifFileSource: CFString = "FileSource"
@safe nonisolated(unsafe) public let kCGImagePropertyExifSceneType: CFString = "SceneType"
@safe nonisolated(unsafe) public let kCGImagePropertyExifCustomRendered: CFString = "CustomRendered"
@safe nonisolated(unsafe) public let kCGImagePropertyExifExposureMode: CFString = "ExposureMode"
@safe nonisolated(unsafe) public let kCGImagePropertyExifWhiteBalance: CFString = "WhiteBalance"
@safe nonisolated(unsafe) public let kCGImagePropertyExifDigitalZoomRatio: CFString = "DigitalZoomRatio"
@safe nonisolated(unsafe) public let kCGImagePropertyExifFocalLenIn35mmFilm: CFString = "FocalLenIn35mmFilm"
@safe nonisolated(unsafe) public let kCGImagePropertyExifSceneCaptureType: CFString = "SceneCaptureType"
@safe nonisolated(unsafe) public let kCGImagePropertyExifGainControl: CFString = "GainControl"
@safe nonisolated(unsafe) public let kCGImagePropertyExifContrast: CFString = "Contrast"
@safe nonisolated(unsafe) public let kCGImagePropertyExifSaturation: CFString = "Saturation"
@safe nonisolated(unsafe) public let kCGImagePropertyExifSharpness: CFString = "Sharpness"
@safe nonisolated(unsafe) public let kCGImagePropertyExifDeviceSettingDescription: CFString = "DeviceSettingDescription"
@safe nonisolated(unsafe) public let kCGImagePropertyExifSubjectDistRange: CFString = "SubjectDistRange"
@safe nonisolated(unsafe) public let kCGImagePropertyExifImageUniqueID: CFString = "ImageUniqueID"
@safe nonisolated(unsafe) public let kCGImagePropertyExifCameraOwnerName: CFString = "CameraOwnerName"
@safe nonisolated(unsafe) public let kCGImagePropertyExifBodySerialNumber: CFString = "BodySerialNumber"
@safe nonisolated(unsafe) public let kCGImagePropertyExifLensSpecification: CFString = "LensSpecification"
@safe nonisolated(unsafe) public let kCGImagePropertyExifLensMake: CFString = "LensMake"
@safe nonisolated(unsafe) public let kCGImagePropertyExifLensModel: CFString = "LensModel"
@safe nonisolated(unsafe) public let kCGImagePropertyExifLensSerialNumber: CFString = "LensSerialNumber"
@safe nonisolated(unsafe) public let kCGImagePropertyExifGamma: CFString = "Gamma"

extension PropertyTable {
  /// Tags of the directory of EXIF data.
  @safe nonisolated(unsafe) static let exif: [(key: CFString, tag: Int)] = [
    (kCGImagePropertyExifExposureTime, 0x829a),
    (kCGImagePropertyExifFNumber, 0x829d),
    (kCGImagePropertyExifExposureProgram, 0x8822),
    (kCGImagePropertyExifSpectralSensitivity, 0x8824),
    (kCGImagePropertyExifISOSpeedRatings, 0x8827),
    (kCGImagePropertyExifSensitivityType, 0x8830),
    (kCGImagePropertyExifStandardOutputSensitivity, 0x8831),
    (kCGImagePropertyExifRecommendedExposureIndex, 0x8832),
    (kCGImagePropertyExifISOSpeed, 0x8833),
    (kCGImagePropertyExifVersion, 0x9000),
    (kCGImagePropertyExifDateTimeOriginal, 0x9003),
    (kCGImagePropertyExifDateTimeDigitized, 0x9004),
    (kCGImagePropertyExifOffsetTime, 0x9010),
    (kCGImagePropertyExifOffsetTimeOriginal, 0x9011),
    (kCGImagePropertyExifOffsetTimeDigitized, 0x9012),
    (kCGImagePropertyExifComponentsConfiguration, 0x9101),
    (kCGImagePropertyExifCompressedBitsPerPixel, 0x9102),
    (kCGImagePropertyExifShutterSpeedValue, 0x9201),
    (kCGImagePropertyExifApertureValue, 0x9202),
    (kCGImagePropertyExifBrightnessValue, 0x9203),
    (kCGImagePropertyExifExposureBiasValue, 0x9204),
    (kCGImagePropertyExifMaxApertureValue, 0x9205),
    (kCGImagePropertyExifSubjectDistance, 0x9206),
    (kCGImagePropertyExifMeteringMode, 0x9207),
    (kCGImagePropertyExifLightSource, 0x9208),
    (kCGImagePropertyExifFlash, 0x9209),
    (kCGImagePropertyExifFocalLength, 0x920a),
    (kCGImagePropertyExifSubjectArea, 0x9214),
    (kCGImagePropertyExifMakerNote, 0x927c),
    (kCGImagePropertyExifUserComment, 0x9286),
    (kCGImagePropertyExifSubsecTime, 0x9290),
    (kCGImagePropertyExifSubsecTimeOriginal, 0x9291),
    (kCGImagePropertyExifSubsecTimeDigitized, 0x9292),
    (kCGImagePropertyExifFlashPixVersion, 0xa000),
    (kCGImagePropertyExifColorSpace, 0xa001),
    (kCGImagePropertyExifPixelXDimension, 0xa002),
    (kCGImagePropertyExifPixelYDimension, 0xa003),
    (kCGImagePropertyExifRelatedSoundFile, 0xa004),
    (kCGImagePropertyExifFlashEnergy, 0xa20b),
    (kCGImagePropertyExifFocalPlaneXResolution, 0xa20e),
    (kCGImagePropertyExifFocalPlaneYResolution, 0xa20f),
    (kCGImagePropertyExifFocalPlaneResolutionUnit, 0xa210),
    (kCGImagePropertyExifSubjectLocation, 0xa214),
    (kCGImagePropertyExifExposureIndex, 0xa215),
    (kCGImagePropertyExifSensingMethod, 0xa217),
    (kCGImagePropertyExifFileSource, 0xa300),
    (kCGImagePropertyExifSceneType, 0xa301),
    (kCGImagePropertyExifCustomRendered, 0xa401),
    (kCGImagePropertyExifExposureMode, 0xa402),
    (kCGImagePropertyExifWhiteBalance, 0xa403),
    (kCGImagePropertyExifDigitalZoomRatio, 0xa404),
    (kCGImagePropertyExifFocalLenIn35mmFilm, 0xa405),
    (kCGImagePropertyExifSceneCaptureType, 0xa406),
    (kCGImagePropertyExifGainControl, 0xa407),
    (kCGImagePropertyExifContrast, 0xa408),
    (kCGImagePropertyExifSaturation, 0xa409),
    (kCGImagePropertyExifSharpness, 0xa40a),
    (kCGImagePropertyExifDeviceSettingDescription, 0xa40b),
    (kCGImagePropertyExifSubjectDistRange, 0xa40c),
    (kCGImagePropertyExifImageUniqueID, 0xa420),
    (kCGImagePropertyExifCameraOwnerName, 0xa430),
    (kCGImagePropertyExifBodySerialNumber, 0xa431),
    (kCGImagePropertyExifLensSpecification, 0xa432),
    (kCGImagePropertyExifLensMake, 0xa433),
    (kCGImagePropertyExifLensModel, 0xa434),
    (kCGImagePropertyExifLensSerialNumber, 0xa435),
    (kCGImagePropertyExifGamma, 0xa500),
  ]
}
