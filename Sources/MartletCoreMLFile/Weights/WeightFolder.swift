import MartletBytes
import MartletTensor
import Synchronization

/// Finds the weight files of a program, maps each once, and creates tensors from their records.
package final class WeightFolder: Sendable {
  /// The folder that "@model_path" stands for; `nil` for a model without accompanying files.
  private let folder: CoreMLFolder?
  private let modelPath: String
  private let files = Mutex<[String: WeightFile]>([:])

  package init(folder: CoreMLFolder?, modelPath: String) {
    self.folder = folder
    self.modelPath = modelPath
  }

  /// The opened files, sorted by path.
  var openFiles: [(name: String, bytes: ByteView)] {
    files.withLock { $0 }.sortedByKey.map { (name: $0.key, bytes: $0.value.file) }
  }

  /// The tensor of `type` described by the record at `recordOffset` in the file `fileName`.
  ///
  /// - Throws: `FileError` if the file is missing, or if its record does not match the type.
  func tensor(_ type: MILTensorType, fileName: String, recordOffset: UInt64) throws(FileError) -> MILTensor {
    let prefix = "@model_path/"
    let path = fileName.hasPrefix(prefix) ? String(fileName.dropFirst(prefix.count)) : fileName
    let blob = try file(path).blob(at: recordOffset)
    guard let shape = type.shape, let elementCount = elementCount(of: shape) else {
      throw error("a value in a weight file cannot have the type \(type)")
    }
    // Weight files have no type number for booleans.
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
    guard let folder else { throw error("the weight file '\(path)' cannot be found: the model has no accompanying files") }
    let opened = try WeightFile(try folder.open(path, part: "weight file"))
    files.withLock { $0[path] = opened }
    return opened
  }

  private func error(_ reason: String) -> FileError { FileError(file: modelPath, reason: reason) }
}
