package import MartletBytes

/// The file formats supported by this target, distinguished by the FlatBuffers identifier in bytes 4..<8.
package enum ExecuTorchFileKind: String, Sendable, Hashable, CaseIterable {
  /// `.pte`: an `ExecuTorchProgram`.
  case program = "ET12"
  /// `.ptd`: a `FlatTensorFile`.
  case flatTensor = "FT01"
  /// `.bpte`: a `BundledProgram`.
  case bundledProgram = "BP08"

  /// The kind of `file`; `nil` if it is none of these.
  package init?(of file: ByteView) {
    if file.hasBytes("ET12", at: 4) {
      self = .program
    } else if file.hasBytes("FT01", at: 4) {
      self = .flatTensor
    } else if file.hasBytes("BP08", at: 4) {
      self = .bundledProgram
    } else {
      return nil
    }
  }
}

extension FlatBufferReader {
  /// Checks the file identifier.
  ///
  /// - Throws: `FileError` that distinguishes another version of the format from another kind of file.
  func requireIdentifier(_ wanted: StaticString, format: String) throws(FileError) {
    guard !hasIdentifier(wanted) else { return }
    guard buffer.count >= 8 else {
      throw buffer.error(field: "identifier", "\(buffer.count) bytes are too few for \(format)")
    }
    let found = try buffer.slice(offset: 4, count: 4).array
    let isText = found.allSatisfy { (0x20...0x7e).contains($0) }
    let text = isText ? "'" + String(decoding: found, as: UTF8.self) + "'" : "\(found)"
    let samePrefix = "\(wanted)".utf8.prefix(2).elementsEqual(found.prefix(2))
    throw buffer.error(
      at: 4, field: "identifier",
      samePrefix ? "\(format) of version \(text) is not supported, only '\(wanted)'" : "\(text) is not '\(wanted)' (\(format))")
  }
}
