import MartletBytes
import SwiftProtobuf

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

extension Message {
  /// Decodes the message in `bytes` without copying them first.
  ///
  /// - Parameter keepsUnknownFields: false to drop fields that the format does not define.
  /// - Throws: `FileError` naming `part` if the bytes are not such a message, or if messages are nested more than 100 deep.
  init(checking bytes: ByteView, part: String, keepsUnknownFields: Bool = false) throws(FileError) {
    var options = BinaryDecodingOptions()
    options.discardUnknownFields = !keepsUnknownFields
    do {
      // The data is used only within this call, and `bytes` outlives it.
      let data = unsafe Data(
        bytesNoCopy: UnsafeMutableRawPointer(mutating: bytes.unsafeBaseAddress), count: bytes.count, deallocator: .none)
      self = try withExtendedLifetime(bytes) { try Self(serializedBytes: data, options: options) }
    } catch let error as BinaryDecodingError {
      throw bytes.error(field: part, Self.reason(error))
    } catch {
      throw bytes.error(field: part, "is damaged")
    }
  }

  /// The message's bytes.
  func serialized(part: String, file: String) throws(FileError) -> [UInt8] {
    do {
      return try serializedBytes()
    } catch {
      throw FileError(file: file, field: part, reason: "cannot be written: \(error)")
    }
  }

  private static func reason(_ error: BinaryDecodingError) -> String {
    switch error {
    case .truncated: "ends early or has a length that does not fit"
    case .trailingGarbage: "has bytes after its end"
    case .invalidUTF8: "has text that is not UTF-8"
    case .messageDepthLimit: "is nested too deeply"
    default: "is damaged (not a protobuf message of this format)"
    }
  }
}
