import CoreGraphics
import MartletMedia

/// The names of metadata and the numbers that files have for them.
enum PropertyTable {
  /// Tags whose values are quotients also if they are whole.
  static let quotients: Set<Int> = [
    0x11A, 0x11B, 0x13E, 0x13F, 0x829A, 0x829D, 0x9102, 0x9201, 0x9202, 0x9203, 0x9204, 0x9205, 0x9206, 0x920A, 0xA20B, 0xA20E, 0xA20F,
    0xA215, 0xA404, 0xA432, 0xA500,
  ]
  /// Tags of positions whose values are quotients.
  static let positionQuotients: Set<Int> = [2, 4, 6, 7, 11, 13, 15, 17, 20, 22, 24, 26, 31]
  /// Tags of lists, also of lists with one element.
  static let lists: Set<Int> = [0x8827, 0x9101, 0x9214, 0xA214, 0xA432]

  enum Tag {
    static let orientation = 0x112
    static let xResolution = 0x11A
    static let yResolution = 0x11B
    static let resolutionUnit = 0x128
    static let version = 0x9000
    static let componentsConfiguration = 0x9101
    static let makerNote = 0x927C
    static let userComment = 0x9286
    static let flashPixVersion = 0xA000
    static let fileSource = 0xA300
    static let sceneType = 0xA301
    // Of positions.
    static let latitude = 2
    static let longitude = 4
    static let timeStamp = 7
    static let destinationLatitude = 20
    static let destinationLongitude = 22
  }
}
