import MartletBytes
import Synchronization

/// Finds the weight files of a program, each mapped once, and makes tensors of what they hold.
package final class WeightFolder: Sendable {
  /// What "@model_path" stands for; `nil` for a model without files beside it.
  private let folder: CoreMLFolder?
  private let modelPath: String
  private let files = Mutex<[String: WeightFile]>([:])

  package init(folder: CoreMLFolder?, modelPath: String) {
    self.folder = folder
    self.modelPath = modelPath
  }

  /// The files that have been opened, by path, in the paths' order.
  var openFiles: [(name: String, bytes: ByteView)] {
    files.withLock { $0 }.sorted { $0.key < $1.key }.map { (name: $0.key, bytes: $0.value.file) }
  }

  /// The tensor of `type` whose bytes the record at `recordOffset` of the file `fileName` describes.
  ///
  /// - Throws: `FileError` when the file is missing, or its record and the type do not agree.
  func tensor(_ type: MILTensorType, fileName: String, recordOffset: UInt64) throws(FileError) -> MILTensor {
    let prefix = "@model_path/"
    let path = fileName.hasPrefix(prefix) ? String(fileName.dropFirst(prefix.count)) : fileName
    let blob = try file(path).blob(at: recordOffset)
    guard let shape = type.shape, let elementCount = elementCount(of: shape) else {
      throw error("a value in a weight file has the type \(type)")
    }
    // Booleans have no number of their own in weight files.
    let sameType = blob.dataType == type.dataType || (type.dataType == .bool && (blob.dataType == .uint8 || blob.dataType == .int8))
    guard sameType else {
      throw error("the type is \(type) but '\(path)' has \(blob.dataType.textName) at byte \(recordOffset)")
    }
    guard let byteCount = type.dataType.byteCount(elementCount: elementCount), byteCount == blob.data.count else {
      throw error("the type is \(type) but '\(path)' has \(blob.data.count) bytes at byte \(recordOffset)")
    }
    return MILTensor(
      dataType: type.dataType, shape: shape, elementCount: elementCount, data: blob.data,
      source: MILTensor.Source(path: path, recordOffset: recordOffset))
  }

  private func file(_ path: String) throws(FileError) -> WeightFile {
    if let known = files.withLock({ $0[path] }) { return known }
    guard let folder else { throw error("the weight file '\(path)' cannot be found: the model stands alone") }
    let opened = try WeightFile(try folder.open(path, part: "weight file"))
    files.withLock { $0[path] = opened }
    return opened
  }

  private func error(_ reason: String) -> FileError { FileError(file: modelPath, reason: reason) }
}
