#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension ByteView {
  /// Decodes JSON, which may nest 512 deep.
  ///
  /// - Throws: `FileError` naming `part` and, where it is known, the key at fault.
  package func decodedJSON<Value: Decodable>(as type: Value.Type, part: String) throws(FileError) -> Value {
    do {
      return try JSONDecoder().decode(type, from: Data(array))
    } catch let error as DecodingError {
      switch error {
      case .keyNotFound(let key, _): throw self.error(field: part, "'\(key.stringValue)' is missing")
      case .typeMismatch(_, let context), .valueNotFound(_, let context):
        let path = context.codingPath.map(\.stringValue).joined(separator: ".")
        throw self.error(field: part, "'\(path)' is of another kind than it should be")
      default: throw self.error(field: part, "is not JSON")
      }
    } catch {
      throw self.error(field: part, "is not JSON")
    }
  }
}
