/// The key of an entry in a model's metadata.
public struct MLModelMetadataKey: RawRepresentable, Hashable, Sendable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  public static let description = MLModelMetadataKey(rawValue: "MLModelDescriptionKey")
  public static let versionString = MLModelMetadataKey(rawValue: "MLModelVersionStringKey")
  public static let author = MLModelMetadataKey(rawValue: "MLModelAuthorKey")
  public static let license = MLModelMetadataKey(rawValue: "MLModelLicenseKey")
  /// User-defined entries: `[String: String]`.
  public static let creatorDefinedKey = MLModelMetadataKey(rawValue: "MLModelCreatorDefinedKey")
}
