/// Versions of Apple's systems, as in `@available`.
struct Platforms: Comparable {
  let macOS, iOS, tvOS, watchOS, visionOS: String
  private let order: Int

  private init(_ order: Int, _ macOS: String, _ iOS: String, _ tvOS: String, _ watchOS: String, _ visionOS: String) {
    (self.order, self.macOS, self.iOS, self.tvOS, self.watchOS, self.visionOS) = (order, macOS, iOS, tvOS, watchOS, visionOS)
  }

  static func < (first: Self, second: Self) -> Bool { first.order < second.order }

  var attribute: String { "@available(macOS \(macOS), iOS \(iOS), tvOS \(tvOS), watchOS \(watchOS), visionOS \(visionOS), *)" }

  /// The first systems that load models of a specification version.
  init(specificationVersion: Int) {
    self = Self.all[min(max(specificationVersion, 1), Self.all.count) - 1]
  }

  /// By specification version.
  private static let all = [
    Platforms(1, "10.13", "11.0", "11.0", "4.0", "1.0"), Platforms(2, "10.13.2", "11.2", "11.2", "4.2", "1.0"),
    withConfigurations, withImages, withHandlers, withShapedArrays, Platforms(7, "13.0", "16.0", "16.0", "9.0", "1.0"), withAsync,
    Platforms(9, "15.0", "18.0", "18.0", "11.0", "2.0"), Platforms(10, "26.0", "26.0", "26.0", "26.0", "26.0"),
  ]

  /// Configurations and predictions of batches.
  static let withConfigurations = Platforms(3, "10.14", "12.0", "12.0", "5.0", "1.0")
  /// Feature values from pictures.
  static let withImages = Platforms(4, "10.15", "13.0", "13.0", "6.0", "1.0")
  /// Loading with a completion handler.
  static let withHandlers = Platforms(5, "11.0", "14.0", "14.0", "7.0", "1.0")
  /// Shaped arrays, and loading in asynchronous functions.
  static let withShapedArrays = Platforms(6, "12.0", "15.0", "15.0", "8.0", "1.0")
  /// Predictions in asynchronous functions.
  static let withAsync = Platforms(8, "14.0", "17.0", "17.0", "10.0", "1.0")
}
