import MartletBytes

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// `Manifest.json` of a model package: which of its items is the model.
struct PackageManifest {
  private struct Content: Decodable {
    struct Item: Decodable {
      var path: String
    }

    var itemInfoEntries: [String: Item]
    var rootModelIdentifier: String
  }

  /// The folder of the model, relative to the package (empty for the package itself), and the name of its file.
  let rootModel: (folder: String, name: String)

  init(_ package: CoreMLFolder) throws(FileError) {
    let bytes = try package.open("Manifest.json", part: "manifest")
    let content = try decodeJSON(Content.self, bytes, part: "manifest")
    guard let item = content.itemInfoEntries[content.rootModelIdentifier] else {
      throw bytes.error(field: "manifest.rootModelIdentifier", "there is no item '\(content.rootModelIdentifier)'")
    }
    let components = item.path.split(separator: "/")
    guard let name = components.last else { throw bytes.error(field: "manifest.itemInfoEntries", "the model's path is empty") }
    rootModel = ((["Data"] + components.dropLast()).joined(separator: "/"), String(name))
  }
}

/// Decodes JSON, which may nest 512 deep.
///
/// - Throws: `FileError` naming `part` and, where it is known, the key at fault.
func decodeJSON<Value: Decodable>(_ type: Value.Type, _ bytes: ByteView, part: String) throws(FileError) -> Value {
  do {
    return try JSONDecoder().decode(type, from: Data(bytes.array))
  } catch let error as DecodingError {
    switch error {
    case .keyNotFound(let key, _): throw bytes.error(field: part, "'\(key.stringValue)' is missing")
    case .typeMismatch(_, let context), .valueNotFound(_, let context):
      let path = context.codingPath.map(\.stringValue).joined(separator: ".")
      throw bytes.error(field: part, "'\(path)' is of another kind than it should be")
    default: throw bytes.error(field: part, "is not JSON")
    }
  } catch {
    throw bytes.error(field: part, "is not JSON")
  }
}
