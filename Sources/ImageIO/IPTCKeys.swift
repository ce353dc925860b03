public import CoreGraphics

// Keys of `kCGImagePropertyIPTCDictionary`. The strings are immutable and therefore safe to share between threads.
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCObjectName: CFString = "ObjectName"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCEditStatus: CFString = "EditStatus"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCUrgency: CFString = "Urgency"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCSubjectReference: CFString = "SubjectReference"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCCategory: CFString = "Category"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCSupplementalCategory: CFString = "SupplementalCategory"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCFixtureIdentifier: CFString = "FixtureIdentifier"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCKeywords: CFString = "Keywords"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCContentLocationCode: CFString = "ContentLocationCode"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCContentLocationName: CFString = "ContentLocationName"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCReleaseDate: CFString = "ReleaseDate"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCReleaseTime: CFString = "ReleaseTime"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCExpirationDate: CFString = "ExpirationDate"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCExpirationTime: CFString = "ExpirationTime"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCSpecialInstructions: CFString = "SpecialInstructions"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCDateCreated: CFString = "DateCreated"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCTimeCreated: CFString = "TimeCreated"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCDigitalCreationDate: CFString = "DigitalCreationDate"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCDigitalCreationTime: CFString = "DigitalCreationTime"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCOriginatingProgram: CFString = "OriginatingProgram"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCProgramVersion: CFString = "ProgramVersion"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCByline: CFString = "Byline"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCBylineTitle: CFString = "BylineTitle"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCCity: CFString = "City"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCSubLocation: CFString = "SubLocation"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCProvinceState: CFString = "Province/State"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCCountryPrimaryLocationCode: CFString = "Country/PrimaryLocationCode"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCCountryPrimaryLocationName: CFString = "Country/PrimaryLocationName"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCOriginalTransmissionReference: CFString = "OriginalTransmissionReference"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCHeadline: CFString = "Headline"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCCredit: CFString = "Credit"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCSource: CFString = "Source"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCCopyrightNotice: CFString = "CopyrightNotice"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCContact: CFString = "Contact"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCCaptionAbstract: CFString = "Caption/Abstract"
@safe nonisolated(unsafe) public let kCGImagePropertyIPTCWriterEditor: CFString = "Writer/Editor"

extension PropertyTable {
  /// Numbers of data sets of the application record.
  @safe nonisolated(unsafe) static let iptc: [(key: CFString, tag: Int)] = [
    (kCGImagePropertyIPTCObjectName, 5),
    (kCGImagePropertyIPTCEditStatus, 7),
    (kCGImagePropertyIPTCUrgency, 10),
    (kCGImagePropertyIPTCSubjectReference, 12),
    (kCGImagePropertyIPTCCategory, 15),
    (kCGImagePropertyIPTCSupplementalCategory, 20),
    (kCGImagePropertyIPTCFixtureIdentifier, 22),
    (kCGImagePropertyIPTCKeywords, 25),
    (kCGImagePropertyIPTCContentLocationCode, 26),
    (kCGImagePropertyIPTCContentLocationName, 27),
    (kCGImagePropertyIPTCReleaseDate, 30),
    (kCGImagePropertyIPTCReleaseTime, 35),
    (kCGImagePropertyIPTCExpirationDate, 37),
    (kCGImagePropertyIPTCExpirationTime, 38),
    (kCGImagePropertyIPTCSpecialInstructions, 40),
    (kCGImagePropertyIPTCDateCreated, 55),
    (kCGImagePropertyIPTCTimeCreated, 60),
    (kCGImagePropertyIPTCDigitalCreationDate, 62),
    (kCGImagePropertyIPTCDigitalCreationTime, 63),
    (kCGImagePropertyIPTCOriginatingProgram, 65),
    (kCGImagePropertyIPTCProgramVersion, 70),
    (kCGImagePropertyIPTCByline, 80),
    (kCGImagePropertyIPTCBylineTitle, 85),
    (kCGImagePropertyIPTCCity, 90),
    (kCGImagePropertyIPTCSubLocation, 92),
    (kCGImagePropertyIPTCProvinceState, 95),
    (kCGImagePropertyIPTCCountryPrimaryLocationCode, 100),
    (kCGImagePropertyIPTCCountryPrimaryLocationName, 101),
    (kCGImagePropertyIPTCOriginalTransmissionReference, 103),
    (kCGImagePropertyIPTCHeadline, 105),
    (kCGImagePropertyIPTCCredit, 110),
    (kCGImagePropertyIPTCSource, 115),
    (kCGImagePropertyIPTCCopyrightNotice, 116),
    (kCGImagePropertyIPTCContact, 118),
    (kCGImagePropertyIPTCCaptionAbstract, 120),
    (kCGImagePropertyIPTCWriterEditor, 122),
  ]
}
