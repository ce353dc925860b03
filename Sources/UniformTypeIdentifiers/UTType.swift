@_exported public import Foundation

/// A type of files or of data in memory.
///
/// Apple's systems know the types that they and installed programs declare. Here a table of usual types stands for them. A name that the table
/// does not have makes a dynamic type, whose identifier contains the name.
public struct UTType: Hashable, Codable, Sendable, CustomStringConvertible {
  /// Such as `public.png`.
  public let identifier: String
  /// Parents of a type that the program declares itself.
  private let declaredParents: [String]

  private init(known identifier: String, parents: [String] = []) {
    self.identifier = identifier
    declaredParents = parents
  }

  public static func == (first: UTType, second: UTType) -> Bool { first.identifier == second.identifier }
  public func hash(into hasher: inout Hasher) { hasher.combine(identifier) }

  /// The identifier alone.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self.init(known: try container.decode(String.self).lowercased())
  }

  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(identifier)
  }

  // MARK: Making types

  /// A type of the table, or a dynamic one that was made here; nil for another identifier. Capital letters do not count.
  public init?(_ identifier: String) {
    let name = identifier.lowercased()
    if TypeTable.byIdentifier[name] != nil {
      self.init(known: name)
    } else if DynamicType(identifier: identifier) != nil {
      self.init(known: identifier)
    } else {
      return nil
    }
  }

  /// The type of files with an extension, of those that conform to another type; a dynamic one if there is none. Nil for an empty one.
  public init?(filenameExtension: String, conformingTo supertype: UTType = .data) {
    self.init(tag: filenameExtension, tagClass: .filenameExtension, conformingTo: supertype)
  }

  /// The type of data with a MIME type; a dynamic one if there is none. Nil for an empty one.
  public init?(mimeType: String, conformingTo supertype: UTType = .data) {
    self.init(tag: mimeType, tagClass: .mimeType, conformingTo: supertype)
  }

  /// - Parameter supertype: nil for any.
  public init?(tag: String, tagClass: UTTagClass, conformingTo supertype: UTType?) {
    let tag = tag.lowercased()
    guard !tag.isEmpty, !tag.contains("/") || tagClass == .mimeType else { return nil }
    let known = Self.declarations(tag, tagClass).first { declaration in
      // Packages are folders, which clients do not think of when they ask for data.
      guard let supertype, supertype != .data else { return true }
      return UTType(known: declaration.identifier).conforms(to: supertype)
    }
    if let known {
      self.init(known: known.identifier)
    } else {
      self.init(known: DynamicType(tag: tag, tagClass: tagClass, parent: (supertype ?? .data).identifier).identifier)
    }
  }

  private static func declarations(_ tag: String, _ tagClass: UTTagClass) -> [TypeDeclaration] {
    switch tagClass {
    case .filenameExtension: TypeTable.byExtension[tag] ?? []
    case .mimeType: TypeTable.byMIMEType[tag] ?? []
    default: []
    }
  }

  /// All types with a tag.
  public static func types(tag: String, tagClass: UTTagClass, conformingTo supertype: UTType?) -> [UTType] {
    declarations(tag.lowercased(), tagClass).map { UTType(known: $0.identifier) }.filter { type in
      supertype.map { type.conforms(to: $0) } ?? true
    }
  }

  /// A type that the program owns. Its tags are not known.
  public init(exportedAs identifier: String, conformingTo parentType: UTType? = nil) {
    self.init(known: identifier.lowercased(), parents: [(parentType ?? .data).identifier])
  }

  /// A type that the program uses and another one owns.
  public init(importedAs identifier: String, conformingTo parentType: UTType? = nil) {
    self.init(exportedAs: identifier, conformingTo: parentType)
  }

  // MARK: Properties

  private var declaration: TypeDeclaration? { TypeTable.byIdentifier[identifier] }

  /// All tags by their class, preferred ones first.
  public var tags: [UTTagClass: [String]] {
    var result: [UTTagClass: [String]] = [:]
    if let declaration {
      if !declaration.extensions.isEmpty { result[.filenameExtension] = declaration.extensions }
      if !declaration.mimeTypes.isEmpty { result[.mimeType] = declaration.mimeTypes }
    } else if let dynamic = DynamicType(identifier: identifier) {
      result[dynamic.tagClass] = [dynamic.tag]
    }
    return result
  }

  public var preferredFilenameExtension: String? { tags[.filenameExtension]?.first }
  public var preferredMIMEType: String? { tags[.mimeType]?.first }
  /// In English; nil for types that are only kinds of others.
  public var localizedDescription: String? { declaration?.description }
  public var description: String { identifier }

  /// True for types whose identifiers are made here for names that the table does not have.
  public var isDynamic: Bool { DynamicType(identifier: identifier) != nil }
  public var isDeclared: Bool { declaration != nil }
  /// True if the identifier belongs to everybody.
  public var isPublic: Bool { identifier.hasPrefix("public.") }

  private var parents: [String] {
    if let declaration { return declaration.parents }
    return DynamicType(identifier: identifier).map { [$0.parent] } ?? declaredParents
  }

  /// All types that this one conforms to, without itself.
  public var supertypes: Set<UTType> {
    var found: Set<String> = []
    var open = parents
    while let next = open.popLast() {
      if found.insert(next).inserted { open += TypeTable.byIdentifier[next]?.parents ?? [] }
    }
    return Set(found.map { UTType(known: $0) })
  }

  /// True if data of this type are data of the other one, too, and for the type itself.
  public func conforms(to type: UTType) -> Bool { self == type || supertypes.contains(type) }
  public func isSubtype(of type: UTType) -> Bool { self != type && conforms(to: type) }
  public func isSupertype(of type: UTType) -> Bool { type.isSubtype(of: self) }
}

/// A type for a tag that no known type has. Its identifier is `dyn.` and the parts in hexadecimal digits, so that the type can be made again
/// of it. Identifiers are not those that Apple's systems make for the same tag.
private struct DynamicType {
  let tag: String
  let tagClass: UTTagClass
  let parent: String

  init(tag: String, tagClass: UTTagClass, parent: String) {
    self.tag = tag
    self.tagClass = tagClass
    self.parent = parent
  }

  var identifier: String {
    let text = "\(tagClass.rawValue)|\(tag)|\(parent)"
    return "dyn." + text.utf8.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  init?(identifier: String) {
    guard identifier.hasPrefix("dyn.") else { return nil }
    let digits = Array(identifier.utf8.dropFirst(4))
    guard digits.count % 2 == 0 else { return nil }
    var bytes: [UInt8] = []
    for start in stride(from: 0, to: digits.count, by: 2) {
      guard let byte = UInt8(String(decoding: digits[start..<start + 2], as: UTF8.self), radix: 16) else { return nil }
      bytes.append(byte)
    }
    let parts = String(decoding: bytes, as: UTF8.self).split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 3 else { return nil }
    self.init(tag: parts[1], tagClass: UTTagClass(rawValue: parts[0]), parent: parts[2])
  }
}

extension UTType {
  /// A type of the table.
  static func known(_ identifier: String) -> UTType { UTType(known: identifier) }
}
