public import Foundation

// On Apple's systems the resources of an app lie in its main bundle, and those of a framework in the bundle of its classes. On Linux
// both `Bundle.main` and `Bundle(for:)` are the folder of the executable, and Swift packages put the resources of each target into a
// folder PACKAGE_TARGET.resources beside it. These look-ups find them there.
//
// Swift prefers them to Foundation's, whose parameter for the name is optional.
extension Bundle {
  /// The URL of a resource.
  ///
  /// The bundle itself is searched first. For the main bundle follow the resources of the executable's target and of the other targets,
  /// which lie beside the executable, by their names. Where there is no `mlmodelc` of the name, an `mlpackage` or `mlmodel` of that name
  /// is as good, because models of all three forms can be loaded.
  /// - Parameters:
  ///   - name: the file's name, with or without its extension.
  ///   - ext: the extension; nil or empty for a name that has one.
  /// - Returns: nil if there is no such file.
  public func url(forResource name: String, withExtension ext: String?) -> URL? {
    let places = [self] + resourceBundlesBesideExecutable
    for form in Self.forms(of: ext) {
      for place in places {
        if let url = place.url(forResource: Optional(name), withExtension: form) { return url }
      }
    }
    return nil
  }

  /// The path of a resource, which is searched for as by `url(forResource:withExtension:)`.
  public func path(forResource name: String, ofType ext: String?) -> String? {
    url(forResource: name, withExtension: ext)?.path
  }

  /// The extensions that serve in place of one, the best first.
  private static func forms(of ext: String?) -> [String?] {
    ext == "mlmodelc" ? [ext, "mlpackage", "mlmodel"] : [ext]
  }

  /// The bundles of Swift packages beside the executable, its own target's first; none for other bundles than the main one.
  private var resourceBundlesBesideExecutable: [Bundle] {
    let main = Bundle.main
    guard bundleURL.standardizedFileURL == main.bundleURL.standardizedFileURL else { return [] }
    let folder = main.executableURL?.deletingLastPathComponent() ?? main.bundleURL
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let executable = main.executableURL?.deletingPathExtension().lastPathComponent ?? ""
    func isOwn(_ name: String) -> Bool { !executable.isEmpty && (name as NSString).deletingPathExtension.hasSuffix("_" + executable) }
    return
      names.filter { ["resources", "bundle"].contains(($0 as NSString).pathExtension) }
      .sorted { isOwn($0) == isOwn($1) ? $0 < $1 : isOwn($0) }
      .compactMap { Bundle(url: folder.appendingPathComponent($0, isDirectory: true)) }
  }
}
