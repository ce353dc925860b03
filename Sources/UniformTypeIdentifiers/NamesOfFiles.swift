extension UTType {
  /// The extension that a file name of this type needs: nil if the one it has belongs to files of the type, and for a type without any.
  fileprivate func missingExtension(of name: String) -> String? {
    let present = (name as NSString).pathExtension.lowercased()
    let isOwn = tags[.filenameExtension]?.contains(present) == true
    guard !isOwn, UTType.types(tag: present, tagClass: .filenameExtension, conformingTo: self).isEmpty else { return nil }
    return preferredFilenameExtension
  }

  fileprivate func fileName(_ name: String) -> String {
    missingExtension(of: name).flatMap { (name as NSString).appendingPathExtension($0) } ?? name
  }
}

extension URL {
  /// This location with a file name appended, which gets the type's extension unless its own one belongs to files of the type: `puppy.jpg`
  /// stays for `.image` and becomes `puppy.jpg.txt` for `.plainText`. The result is a folder if the type is one.
  public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> URL {
    appendingPathComponent(contentType.fileName(partialName), isDirectory: contentType.conforms(to: .directory))
  }

  public mutating func appendPathComponent(_ partialName: String, conformingTo contentType: UTType) {
    self = appendingPathComponent(partialName, conformingTo: contentType)
  }

  /// This location with the type's extension, unless its own one belongs to files of the type. The result is a folder if the type is one.
  public func appendingPathExtension(for contentType: UTType) -> URL {
    let named = contentType.missingExtension(of: lastPathComponent).map(appendingPathExtension) ?? self
    return contentType.conforms(to: .directory) && !named.hasDirectoryPath ? named.appendingPathComponent("", isDirectory: true) : named
  }

  public mutating func appendPathExtension(for contentType: UTType) { self = appendingPathExtension(for: contentType) }
}

extension NSString {
  /// This path with a file name appended, which gets the type's extension unless its own one belongs to files of the type.
  public func appendingPathComponent(_ partialName: String, conformingTo contentType: UTType) -> String {
    appendingPathComponent(contentType.fileName(partialName))
  }

  /// This path with the type's extension, unless its own one belongs to files of the type.
  public func appendingPathExtension(for contentType: UTType) -> String { contentType.fileName(self as String) }
}
