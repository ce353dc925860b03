public import CoreGraphics

// Keys of `kCGImagePropertyGPSDictionary`. The strings are immutable and therefore safe to share between threads.
@safe nonisolated(unsafe) public let kCGImagePropertyGPSVersion: CFString = "GPSVersion"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSLatitudeRef: CFString = "LatitudeRef"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSLatitude: CFString = "Latitude"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSLongitudeRef: CFString = "LongitudeRef"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSLongitude: CFString = "Longitude"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSAltitudeRef: CFString = "AltitudeRef"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSAltitude: CFString = "Altitude"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSTimeStamp: CFString = "TimeStamp"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSSatellites: CFString = "Satellites"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSStatus: CFString = "Status"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSMeasureMode: CFString = "MeasureMode"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSDOP: CFString = "DOP"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSSpeedRef: CFString = "SpeedRef"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSSpeed: CFString = "Speed"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSTrackRef: CFString = "TrackRef"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSTrack: CFString = "Track"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSImgDirectionRef: CFString = "ImgDirectionRef"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSImgDirection: CFString = "ImgDirection"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSMapDatum: CFString = "MapDatum"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSDestLatitudeRef: CFString = "DestLatitudeRef"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSDestLatitude: CFString = "DestLatitude"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSDestLongitudeRef: CFString = "DestLongitudeRef"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSDestLongitude: CFString = "DestLongitude"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSDestBearingRef: CFString = "DestBearingRef"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSDestBearing: CFString = "DestBearing"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSDestDistanceRef: CFString = "DestDistanceRef"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSDestDistance: CFString = "DestDistance"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSProcessingMethod: CFString = "ProcessingMethod"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSAreaInformation: CFString = "AreaInformation"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSDateStamp: CFString = "DateStamp"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSDifferental: CFString = "Differental"
@safe nonisolated(unsafe) public let kCGImagePropertyGPSHPositioningError: CFString = "HPositioningError"

extension PropertyTable {
  /// Tags of the directory of positions.
  @safe nonisolated(unsafe) static let gps: [(key: CFString, tag: Int)] = [
    (kCGImagePropertyGPSVersion, 0),
    (kCGImagePropertyGPSLatitudeRef, 1),
    (kCGImagePropertyGPSLatitude, 2),
    (kCGImagePropertyGPSLongitudeRef, 3),
    (kCGImagePropertyGPSLongitude, 4),
    (kCGImagePropertyGPSAltitudeRef, 5),
    (kCGImagePropertyGPSAltitude, 6),
    (kCGImagePropertyGPSTimeStamp, 7),
    (kCGImagePropertyGPSSatellites, 8),
    (kCGImagePropertyGPSStatus, 9),
    (kCGImagePropertyGPSMeasureMode, 10),
    (kCGImagePropertyGPSDOP, 11),
    (kCGImagePropertyGPSSpeedRef, 12),
    (kCGImagePropertyGPSSpeed, 13),
    (kCGImagePropertyGPSTrackRef, 14),
    (kCGImagePropertyGPSTrack, 15),
    (kCGImagePropertyGPSImgDirectionRef, 16),
    (kCGImagePropertyGPSImgDirection, 17),
    (kCGImagePropertyGPSMapDatum, 18),
    (kCGImagePropertyGPSDestLatitudeRef, 19),
    (kCGImagePropertyGPSDestLatitude, 20),
    (kCGImagePropertyGPSDestLongitudeRef, 21),
    (kCGImagePropertyGPSDestLongitude, 22),
    (kCGImagePropertyGPSDestBearingRef, 23),
    (kCGImagePropertyGPSDestBearing, 24),
    (kCGImagePropertyGPSDestDistanceRef, 25),
    (kCGImagePropertyGPSDestDistance, 26),
    (kCGImagePropertyGPSProcessingMethod, 27),
    (kCGImagePropertyGPSAreaInformation, 28),
    (kCGImagePropertyGPSDateStamp, 29),
    (kCGImagePropertyGPSDifferental, 30),
    (kCGImagePropertyGPSHPositioningError, 31),
  ]
}
