#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ByteView {
  /// Decodes JSON with a nesting depth of at most 512.
  ///
  /// - Throws: `FileError` naming `part` and, if known, the invalid key.
  package func decodedJSON<Value: Decodable>(as type: Value.Type, part: String) throws(FileError) -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(array))
    } catch let error as DecodingError {
      switch error {
      case .keyNotFound(let key, _): throw self.error(field: part, "'\(key.stringValue)' is missing")
      case .typeMismatch(_, let context), .valueNotFound(_, let context):
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        throw self.error(field: part, "'\(path)' has the wrong type")
      default: throw self.error(field: part, "is not JSON")
      }
    } catch {
      throw self.error(field: part, "is not JSON")
    }
  }
}
